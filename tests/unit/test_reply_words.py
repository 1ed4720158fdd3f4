"""Toggles, texts, approvals, and the words that act."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.ask import Contract
from gateway.question import Kind
from gateway.reply import (
    Answered,
    Approved,
    Command,
    CommandName,
    Confirm,
    Declined,
    NotAnAnswer,
    Refusal,
    Refused,
    Reply,
    Skipped,
    parse,
)
from tests.strategies import approval
from tests.strategies_reply import ask_of, choice, field, place, refusal, said, value_of

GO = field(Kind.TOGGLE, "go")
WORDS = field(Kind.TEXT, "words")
SKIPPABLE = ask_of(choice("red", "blue"), contract=Contract.ASK_USER)
DECLINABLE = ask_of(choice("red", "blue"), contract=Contract.OZ_ASK_USER)
NEITHER = ask_of(choice("red", "blue"), contract=Contract.ASK_A_HUMAN)


def to_approval(text: str, **where: Any) -> Reply:
    """What the text means for an approval."""
    return parse(text, approval(), place(**where))


@pytest.mark.parametrize(
    ("locale", "text", "value"),
    [
        *[
            (None, text, True)
            for text in ("yes", "Y", "true", "On", "1", "✅", "👍", "👍🏽", "yes!")
        ],
        *[
            (None, text, False)
            for text in ("no", "n", "FALSE", "off", "0", "❌", "👎", "no thanks")
        ],
        *[("de", text, True) for text in ("ja", "j", "an", "wahr", "yes")],
        *[("de", text, False) for text in ("nein", "aus", "falsch", "nein danke")],
        *[("es", text, True) for text in ("sí", "si", "s", "verdadero", "y")],
        *[("es", text, False) for text in ("no", "falso", "no, gracias")],
        *[("id", text, True) for text in ("ya", "iya", "betul")],
        *[("id", text, False) for text in ("tidak", "nggak")],
    ],
)
def test_a_toggle_is_answered_by_yes_or_no_in_the_persons_language(
    locale: str | None, text: str, value: bool
) -> None:
    """The whole reply, with polite words around at most."""
    assert value_of(said(text, GO, locale=locale)) is value


@pytest.mark.parametrize(
    "text",
    ["2", "maybe", "yes and no", "yes?", "not yes", "no worries", "ok", "1.", "¹", "ja", "10"],
)
def test_anything_else_is_no_toggle(text: str) -> None:
    """Its choices bear no numbers, and idioms with yes or no in them are neither."""
    expected = Answered({"go": True}) if text == "1." else None
    found = said(text, GO)
    assert found == expected or refusal(found) is Refusal.NOT_YES_OR_NO


@pytest.mark.parametrize(
    "text",
    [
        "Aurora",
        "2",
        "  two  words ",
        "a\n\nb",
        "yes if Ana agrees",
        "on: tomorrow",
        "no. 2",
        "3.14",
    ],
)
def test_text_is_taken_as_typed(text: str) -> None:
    """Nothing in it is looked for."""
    assert value_of(said(text, WORDS)) == text.strip()


@pytest.mark.parametrize("text", ["ok", "+1", "hello", "no", "👍"])
def test_mere_assent_is_no_text_before_it_is_confirmed(text: str) -> None:
    """People say these to anyone."""
    assert said(text, WORDS) == Confirm(Answered({"words": text}))
    assert value_of(said(f"text: {text}", WORDS)) == text


@pytest.mark.parametrize("text", ["skip", "decline", "cancel", "help", "pending", "deny"])
def test_a_word_that_acts_is_sent_as_text_behind_a_mark(text: str) -> None:
    """`text:` and `other:` both do."""
    assert value_of(said(f"text: {text}", WORDS)) == text
    assert value_of(said(f"Other: {text}", WORDS)) == text


def test_a_text_over_its_cap_is_refused_with_both_numbers() -> None:
    """The field's own length counts; without one, 16,384."""
    assert value_of(said("é" * 16_384, WORDS)) == "é" * 16_384
    found = said("x" * 16_385, WORDS)
    assert isinstance(found, Refused)
    assert found.data == {"limit": 16_384, "length": 16_385}
    assert refusal(said("12345678901", field(Kind.TEXT, max_length=10))) is Refusal.TOO_LONG


def test_a_reply_over_four_caps_is_refused_before_it_is_read() -> None:
    """Even if cleaning would make it short; the number told is the cap to keep to."""
    mention = "@oz "
    for cap in (4000, 10):
        asked = field(Kind.TEXT, max_length=cap)
        found = said(mention * 4001, asked, mention=("@oz",))
        assert found == Refused(Refusal.TOO_LONG, {"limit": cap, "length": 16_004})
    assert refusal(said("2" * 65_537, field(Kind.NUMBER))) is Refusal.TOO_LONG


def test_a_short_field_may_be_answered_under_a_long_quote() -> None:
    """The cap of the whole reply is not ten characters' four times."""
    asked = ask_of(field(Kind.TEXT, max_length=10), prompt="Which colour should it have?")
    quote = "> Which colour should it have?\n" * 20
    assert value_of(parse(f"{quote}blue", asked, place())) == "blue"


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "2\0", "\udfff1"])
def test_what_is_no_text_is_refused(text: str) -> None:
    """A NUL or half a surrogate pair cannot be kept."""
    assert refusal(said(text, WORDS)) is Refusal.BAD_CHARACTERS


@pytest.mark.parametrize("text", ["/start", "/help me", "/skip@oz_bot", "/2", "/"])
def test_a_slash_command_is_never_an_answer(text: str) -> None:
    """Not in a direct chat, where it is told, and not among people."""
    if text == "/":
        assert refusal(said(text, WORDS)) is Refusal.NO_WORDS
        return
    assert refusal(said(text, WORDS)) is Refusal.SLASH_COMMAND
    assert said(text, WORDS, shared=True) == NotAnAnswer()


@pytest.mark.parametrize("text", ["/srv/report.txt", "/etc/hosts is wrong", "// comment"])
def test_a_path_is_no_slash_command(text: str) -> None:
    """It has more than one slash."""
    assert value_of(said(text, WORDS)) == text


@pytest.mark.parametrize("text", ["skip", "Skip.", "SKIP!", '"skip"'])
def test_skip_skips_where_the_contract_has_it(text: str) -> None:
    """Trailing punctuation and quotes aside."""
    assert parse(text, SKIPPABLE, place()) == Skipped()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *[(text, None) for text in ("decline", "Decline!", "deny", "decline:")],
        ("decline: ask Ana", "ask Ana"),
        ("Deny： zu  teuer.", "zu  teuer."),
        ("decline: one\ntwo", "one\ntwo"),
    ],
)
def test_decline_declines_where_the_contract_has_it(text: str, reason: str | None) -> None:
    """With the reason as typed; whom it names means nothing more."""
    assert parse(text, DECLINABLE, place()) == Declined(reason)


@pytest.mark.parametrize(
    ("locale", "text", "meant"),
    [
        *[
            ("de", "überspringen", Skipped()),
            ("es", "omitir", Skipped()),
            ("id", "lewati", Skipped()),
        ],
        *[("de", "ueberspringen", Skipped()), ("de", "skip", Skipped())],
        *[("de", "hilfe", Command(CommandName.HELP)), ("id", "bantuan", Command(CommandName.HELP))],
        *[("es", "preguntas pendientes", Command(CommandName.PENDING))],
        *[
            ("de", "abbrechen", Command(CommandName.CANCEL)),
            ("id", "batal", Command(CommandName.CANCEL)),
        ],
    ],
)
def test_words_that_act_are_each_languages(locale: str, text: str, meant: Reply) -> None:
    """Beside the English ones."""
    assert parse(text, SKIPPABLE, place(locale=locale)) == meant


@pytest.mark.parametrize(
    ("ask", "text", "refused"),
    [
        (DECLINABLE, "skip", Refused(Refusal.NO_SKIP, {"can_decline": True})),
        (NEITHER, "skip", Refused(Refusal.NO_SKIP, {"can_decline": False})),
        (SKIPPABLE, "decline", Refused(Refusal.NO_DECLINE, {"can_skip": True})),
        (SKIPPABLE, "decline: why", Refused(Refusal.NO_DECLINE, {"can_skip": True})),
        (NEITHER, "deny", Refused(Refusal.NO_DECLINE, {"can_skip": False})),
    ],
)
def test_skip_and_decline_are_refused_where_they_do_not_exist(
    ask: Any, text: str, refused: Refused
) -> None:
    """And are not taken for own words; the data says what there is instead."""
    assert parse(text, ask, place()) == refused


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("help", CommandName.HELP),
        ("Help?", None),
        ("pending", CommandName.PENDING),
        ("cancel", CommandName.CANCEL),
        ("help me please", None),
        ("cancel it", None),
    ],
)
def test_commands_act_as_the_whole_reply_only(text: str, name: CommandName | None) -> None:
    """Longer, they are words."""
    found = parse(text, SKIPPABLE, place())
    assert found == (Command(name) if name else Answered(dict(found.values)))  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["skip", "Decline", "cancel", "help", "pending"])
def test_a_label_of_that_name_wins(text: str) -> None:
    """Labels come before words that act."""
    asked = ask_of(
        choice("Skip", "Decline", "Cancel", "Help", "Pending"), contract=Contract.OZ_ASK_USER
    )
    assert isinstance(parse(text, asked, place()), Answered)


def test_a_reason_behind_a_label_of_that_name_is_refused() -> None:
    """It may decline the ask, or pick the option with a remark."""
    asked = ask_of(choice("Decline", "Accept"), contract=Contract.OZ_ASK_USER)
    assert parse("decline: why", asked, place()) == Refused(
        Refusal.LABEL_OR_WORD, {"word": "decline"}
    )


@pytest.mark.parametrize(
    ("locale", "text", "meant"),
    [
        *[(None, text, Approved()) for text in ("approve", "Approve!", "APPROVE", "“approve”")],
        (None, "approve: looks good", Approved("looks good")),
        (None, "Approve: one\ntwo", Approved("one\ntwo")),
        *[(None, text, Declined()) for text in ("deny", "decline", "Deny.")],
        (None, "deny: too risky", Declined("too risky")),
        *[("de", "genehmigen", Approved()), ("de", "ablehnen: zu teuer", Declined("zu teuer"))],
        *[("es", "aprobar", Approved()), ("es", "rechazar", Declined())],
        *[("id", "setujui", Approved()), ("id", "tolak: nanti", Declined("nanti"))],
        *[(None, "help", Command(CommandName.HELP)), (None, "cancel", Command(CommandName.CANCEL))],
    ],
)
def test_an_approval_takes_its_own_two_words(locale: str | None, text: str, meant: Reply) -> None:
    """With a comment behind a colon."""
    assert to_approval(text, locale=locale) == meant


@pytest.mark.parametrize(
    "text",
    [
        *("yes", "no", "👍", "✅", "1", "0", "ok", "approved", "approve?", "approve it", "lgtm"),
        *("I approve", "approve please", "approve, but later", "not approve", "!approve", "y"),
        *("do not approve: risky", "denied", "approve\nlooks good", "genehmigen"),
    ],
)
def test_nothing_else_decides_an_approval(text: str) -> None:
    """No emoji, no number, no yes, and no sentence with the word in it."""
    assert refusal(to_approval(text)) is Refusal.NOT_APPROVE_OR_DENY
    assert to_approval(text, shared=True) == NotAnAnswer()


def test_an_approval_cannot_be_skipped() -> None:
    """It can be denied, and the refusal says so."""
    assert to_approval("skip") == Refused(Refusal.NO_SKIP, {"can_decline": True})


def test_a_comment_over_the_cap_is_refused() -> None:
    """As any text."""
    assert refusal(to_approval("approve: " + "x" * 16_385)) is Refusal.TOO_LONG
    assert refusal(to_approval("deny: " + "x" * 16_385)) is Refusal.TOO_LONG


def test_an_approval_typed_among_people_is_confirmed() -> None:
    """Only addressed to us it decides."""
    assert to_approval("approve", shared=True) == Confirm(Approved())
    assert to_approval("approve", shared=True, addressed=True) == Approved()


@pytest.mark.parametrize("text", ["", "  \n ", "\u200b", "@oz", "\u2060\ufeff"])
def test_an_empty_reply_is_refused_as_empty(text: str) -> None:
    """Also where only our mention was typed."""
    found = refusal(said(text, WORDS, mention=("@oz",)))
    assert found in {Refusal.EMPTY, Refusal.NO_WORDS}


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f44d\U0001f44e",
        "\U0001f44e\U0001f44d",
        "no \U0001f44d",
        "\U0001f44d no",
        "0 \U0001f44d",
    ],
)
def test_a_thumb_that_contradicts_is_no_thanks_for_a_toggle(text: str) -> None:
    """A thumb up is a value there, and two values are none."""
    assert refusal(said(text, field(Kind.TOGGLE))) is Refusal.NOT_YES_OR_NO


@pytest.mark.parametrize("text", ["yes \U0001f44d", "yes please \U0001f44d"])
def test_a_thumb_that_agrees_is_welcome_for_a_toggle(text: str) -> None:
    """It says the same once more."""
    assert value_of(said(text, field(Kind.TOGGLE))) is True


def test_a_negated_yes_is_no_yes_behind_politeness() -> None:
    """`!yes` is how programmers write no."""
    assert refusal(said("please !yes", field(Kind.TOGGLE))) is Refusal.NOT_YES_OR_NO
