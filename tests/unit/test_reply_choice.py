"""One choice: keys, labels, both together, and the person's own words."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.answer import Picked
from gateway.question import Field, Option
from gateway.reply import (
    Answered,
    Command,
    CommandName,
    Confirm,
    Refusal,
    Refused,
    option_keys,
)
from tests.strategies_reply import WHERE, choice, refusal, said, value_of

DEFAULT = choice(*WHERE)
STRICT = choice(*WHERE, write_in=False)


def data_of(text: str, field: Field, **where: Any) -> Any:
    """The data of a refusal."""
    found = said(text, field, **where)
    assert isinstance(found, Refused), found
    return found.data


@pytest.mark.parametrize(
    "text",
    [
        *("2", "2.", "2)", "(2)", "2:", "#2", "no. 2", "number 2", "option 2", "option #2"),
        *("2 please", "2, thanks!", "2 👍", "②", "２", "2️⃣", "option two", "Number Two", "no. two"),
        *("[2]", "**2**", "`2`", '"2"', "2!", "2…", "No.2", "№ 2", "n.º 2", "❷", "option no. 2"),
        *("please, 2", "2 pls 🙏", "Option 2 please.", "  2  ", "02", "२", "⑵"),
    ],
)
def test_a_number_in_its_wrapping_picks_that_option(text: str) -> None:
    """However a list's number is copied or said, it picks."""
    assert value_of(said(text, DEFAULT)) == ["o2"]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Production",
            "production",
            "PRODUCTION!",
            " production. ",
            "“Production”",
            "*Production*",
        ),
        *("Production please", "please: production", "Thanks, production!", "Ｐｒｏｄｕｃｔｉｏｎ"),
        *("Production (Recommended)", "(production)", "pro\u200bduction", "\ufeffproduction"),
        *("…production", "'production.'", "production ;"),
    ],
)
def test_a_whole_label_picks_whatever_its_case_and_wrapping(text: str) -> None:
    """Case, width, quotes, polite words and punctuation around do not count."""
    assert value_of(said(text, DEFAULT)) == ["o2"]


@pytest.mark.parametrize(
    "text",
    [
        *("2 Production", "2) production", "2 - Production", "2. Production", "2: Production"),
        *("#2 Production", "option 2: Production", "(2) Production", "2 – production please"),
        *("2, Production", "2 Production (Recommended)"),
    ],
)
def test_number_and_label_that_agree_pick(text: str) -> None:
    """A copied line of the list is that option."""
    assert value_of(said(text, DEFAULT)) == ["o2"]


@pytest.mark.parametrize("join", [", ", " ", ": ", " - ", " — "])
def test_a_copied_line_with_its_description_picks(join: str) -> None:
    """The list shows descriptions behind labels, so a copy holds them."""
    asked = choice("red", "blue").model_copy(
        update={
            "options": (
                Option(id="o1", label="red"),
                Option(id="o2", label="blue", description="the house colour"),
            )
        }
    )
    assert value_of(said(f"2. blue{join}the house colour", asked)) == ["o2"]


@pytest.mark.parametrize("text", ["2 Staging", "2) staging", "2 - Cancel", "7 Staging"])
def test_number_and_another_label_are_refused(text: str) -> None:
    """Which of the two was meant is the person's to say."""
    assert refusal(said(text, DEFAULT)) is Refusal.LABEL_DIFFERS


def test_the_refusal_of_another_label_names_both() -> None:
    """The words can say: 2 is Production, and you wrote Staging, which is 1."""
    assert data_of("2 Staging", DEFAULT) == {
        "keys": ("1", "2", "3"),
        "write_in": True,
        "key": "2",
        "label": "Production",
        "other_key": "1",
        "other": "Staging",
    }


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2 of the tests are red",
            "not 2",
            "I think 2",
            "maybe staging",
            "Staging, but on Friday",
        ),
        *("2, but only on Friday", "the first one", "two", "What about Production", "stagin"),
        *("production-ready", "Let's go with option 2", "2 GB", "50%", "because of no. 2"),
        *("- foo", "!important", "1. Staging\n2. Production\nthe third", "word " * 50),
        *("first", "1st", "2nd please", "one", "No way is Production ready", "other ideas: none"),
    ],
)
def test_nothing_is_picked_out_of_a_sentence(text: str) -> None:
    """A number or a label inside other words leaves them the person's own."""
    assert value_of(said(text, DEFAULT)) == text.strip()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[
            (text, Refusal.NO_SUCH_OPTION)
            for text in ("7", "0", "4", "99999999999", "1.5", "10:30")
        ],
        *[(text, Refusal.NO_SUCH_OPTION) for text in ("option 7", "#0", "2026-10-20", "7, 9")],
        *[(text, Refusal.NEGATED) for text in ("-1", "- 2", "!2", "~2", "~2~", "no 2", "−1")],
        *[(text, Refusal.NEGATED) for text in ("-Staging", "!production", "~~Staging~~", "- 2?")],
        *[(text, Refusal.UNSURE) for text in ("2?", "2 ?", "Staging?", "2?!", "option 2?")],
        *[(text, Refusal.ONLY_ONE) for text in ("1, 3", "1 3", "1 and 3", "1/3", "1 or 3", "1-3")],
        *[(text, Refusal.ONLY_ONE) for text in ("1\n3", "1;3", "1+3", "1&3", "1、3", "1, 9")],
        ("Staging or Production", Refusal.ONLY_ONE),
        ("Staging/Production", Refusal.ONLY_ONE),
        ("Staging Production", Refusal.ONLY_ONE),
        ("staging, 2", Refusal.ONLY_ONE),
        *[(text, Refusal.ODD_DIGITS) for text in ("2²", "²", "①②", "1\u200b2", "1\u202e2", "½")],
        *[(text, Refusal.ODD_DIGITS) for text in ("2\u0336", "1️⃣2️⃣", "2\u2060\u20603", "₂")],
        ("1. Staging\n2. Production\n3. Cancel", Refusal.PASTED_LIST),
        ("Where to?\n1) staging\n2) production\n3) cancel\n\n2", Refusal.PASTED_LIST),
    ],
)
@pytest.mark.parametrize("asked", [DEFAULT, STRICT], ids=["own words", "labels only"])
def test_a_failed_pick_is_refused_and_never_own_words(
    text: str, code: Refusal, asked: Field
) -> None:
    """What looks like a pick and is none must not reach the agent as words."""
    assert refusal(said(text, asked)) is code


def test_a_refused_number_is_named_as_typed_with_the_ways_out() -> None:
    """The words can say: no option 7; reply 1, 2 or 3, or `other: 7`."""
    assert data_of("７", DEFAULT) == {"keys": ("1", "2", "3"), "write_in": True, "typed": "７"}
    assert data_of("1 or 3", DEFAULT)["picks"] == ("1", "3")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("other: 7", "7"),
        ("Other : Production", "Production"),
        ("OTHER：2", "2"),
        ("other: skip", "skip"),
        ("text: skip", "skip"),
        ("other: ok", "ok"),
        ("other:  two  blanks\nand a line", "two  blanks\nand a line"),
        ("something else: B", "B"),
        ("other: 🎉", "🎉"),
    ],
)
def test_words_marked_as_own_are_sent_as_they_are(text: str, words: str) -> None:
    """`other:` is the way to send what would be a pick or act as a word."""
    assert value_of(said(text, DEFAULT)) == words


@pytest.mark.parametrize("text", ["2, other: x", "2 or other", "Staging/other", "1\nother: a, b"])
def test_a_pick_and_other_are_two_picks(text: str) -> None:
    """Other is a choice like the rest."""
    assert refusal(said(text, DEFAULT)) is Refusal.ONLY_ONE


@pytest.mark.parametrize("text", ["this or the other: x", "foo, other: 2", "other and more"])
def test_other_in_a_sentence_is_only_a_word(text: str) -> None:
    """All of it is the person's own."""
    assert value_of(said(text, DEFAULT)) == text


@pytest.mark.parametrize("text", ["other", "Other.", "OTHER!", "other:", "“other”"])
def test_a_bare_other_asks_for_the_words(text: str) -> None:
    """Nothing is settled; the next message brings the words."""
    assert said(text, DEFAULT) == Command(CommandName.OTHER, field="pick")


def test_other_is_a_label_where_it_is_one() -> None:
    """Labels come before words with a meaning of ours."""
    assert value_of(said("other", choice("This", "Other"))) == ["o2"]


@pytest.mark.parametrize("text", ["deploy it now", "other", "ok", "aproved", "see you"])
def test_other_words_are_refused_where_only_labels_count(text: str) -> None:
    """Nothing near is ever taken."""
    assert refusal(said(text, choice("Approve", "Reject", write_in=False))) is Refusal.NOT_AN_OPTION


def test_marked_words_are_refused_where_only_labels_count() -> None:
    """`other:` cannot be sent there, and the refusal says that rather than guessing a label."""
    assert refusal(said("other: 2", STRICT)) is Refusal.NO_WRITE_IN


def test_a_near_label_is_offered_to_those_who_may_see_it_alone() -> None:
    """The suggestion is content, and never more than a suggestion."""
    asked = choice("Approve", "Reject", write_in=False)
    assert data_of("aproved", asked)["nearest"] == "Approve"
    assert data_of("aproved", asked)["nearest_key"] == "1"
    assert "nearest" not in data_of("aproved", asked, may_see=False)


def test_a_fragment_of_a_label_is_not_near_it() -> None:
    """`release` must not be offered for `Do not release`."""
    asked = choice("Do not release", "Wait", write_in=False)
    assert "nearest" not in data_of("release", asked)


@pytest.mark.parametrize("text", ["2", "Production", "option 2", "2 - production"])
def test_a_pick_after_other_was_pressed_names_both_ways(text: str) -> None:
    """They may have changed their mind, or mean the number itself."""
    found = said(text, DEFAULT, pressed_other=True)
    assert isinstance(found, Refused)
    assert found.code is Refusal.PICK_AFTER_OTHER
    assert found.data["ways"] == ("2", f"other: {text}")


def test_words_after_other_was_pressed_are_the_answer() -> None:
    """That is what Other waits for."""
    assert value_of(said("let me see", DEFAULT, pressed_other=True)) == "let me see"
    assert value_of(said("other: 2", DEFAULT, pressed_other=True)) == "2"


LETTERED = choice("3", "5", "No. 2")


@pytest.mark.parametrize(
    ("text", "option"),
    [
        *[(text, "o1") for text in ("3", "A", "a.", "(a)", "option a", "a please", "A - 3")],
        *[(text, "o2") for text in ("5", "B", "b)", "5.", "B) 5")],
        *[(text, "o3") for text in ("No. 2", "no. 2", "c", "C: no. 2")],
    ],
)
def test_labels_that_are_numbers_are_picked_as_labels_or_by_letter(text: str, option: str) -> None:
    """Where a number could be a label, keys are letters, and `3` is the label."""
    assert value_of(said(text, LETTERED)) == [option]


def test_a_label_that_is_a_number_is_not_picked_by_odd_digits() -> None:
    """A small two is no two."""
    assert refusal(said("\u00b2", choice("2", "x"))) is Refusal.ODD_DIGITS
    assert value_of(said("x\u00b2", choice("x\u00b2", "y"))) == ["o1"]
    assert value_of(said("X\u00b2", choice("x\u00b2", "y"))) == ["o1"]


@pytest.mark.parametrize("text", ["1", "2", "7", "option 2", "#1", "0"])
def test_numbers_pick_nothing_where_keys_are_letters(text: str) -> None:
    """Only keys and whole labels are read."""
    assert refusal(said(text, LETTERED)) is Refusal.NO_SUCH_OPTION


@pytest.mark.parametrize(
    ("labels", "keys"),
    [
        (("red", "blue"), ("1", "2")),
        (("1, 2 and 3", "Green"), ("1", "2")),
        (("2 GB", "4 GB"), ("1", "2")),
        (("3", "5"), ("A", "B")),
        (("No. 2", "x"), ("A", "B")),
        (("option two", "x"), ("A", "B")),
        (("Nummer 2", "x"), ("A", "B")),
        (("②", "x"), ("A", "B")),
        (("-5", "x"), ("A", "B")),
        (("3 (Recommended)", "x"), ("A", "B")),
        (("a", "B", "1"), ("C", "D", "F")),
        (("Deploy!", "deploy"), ("A", "B")),
        (("Staging", "Staging (Recommended)"), ("A", "B")),
    ],
)
def test_keys_are_letters_where_labels_could_be_taken_for_numbers(
    labels: tuple[str, ...], keys: tuple[str, ...]
) -> None:
    """Letters that are labels are left out; so are those that are "and" or "or" somewhere."""
    assert option_keys(choice(*labels)) == keys


def test_a_hundred_lettered_options_have_a_hundred_keys() -> None:
    """After Z come two letters, and each key picks its option."""
    labels = [str(number) for number in range(100)]
    asked = choice(*labels)
    keys = option_keys(asked)
    assert len(set(keys)) == 100
    assert value_of(said(keys[99], asked)) == ["o100"]


@pytest.mark.parametrize(
    "text", ["Is it safe?", "is it safe", "IS IT SAFE?", "1", "1. Is it safe?"]
)
def test_a_labels_own_question_mark_is_punctuation(text: str) -> None:
    """With it the label is whole, and without it too."""
    assert value_of(said(text, choice("Is it safe?", "¿Seguro?"))) == ["o1"]
    assert value_of(said("seguro", choice("Is it safe?", "¿Seguro?"))) == ["o2"]


def test_labels_alike_after_folding_are_told_apart_by_the_letter_or_not_at_all() -> None:
    """Only what fits one of them exactly picks it by its label."""
    asked = choice("Deploy!", "deploy")
    assert value_of(said("Deploy!", asked)) == ["o1"]
    assert value_of(said("deploy", asked)) == ["o2"]
    assert value_of(said("B", asked)) == ["o2"]
    assert refusal(said("deploy.", asked)) is Refusal.AMBIGUOUS_LABEL


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        *[("de", text) for text in ("Nummer 2", "Option zwei", "2 bitte", "Nr. 2", "danke, 2")],
        *[("es", text) for text in ("opción 2", "opcion dos", "número 2", "2 por favor", "n.º 2")],
        *[("id", text) for text in ("nomor 2", "pilihan dua", "opsi 2", "tolong 2", "No. 2")],
        *[("fr-FR", text) for text in ("option 2", "2 please")],
    ],
)
def test_numbers_are_said_in_the_persons_language(locale: str, text: str) -> None:
    """Words that may stand around a number are each language's, and English everywhere."""
    assert value_of(said(text, DEFAULT, locale=locale)) == ["o2"]


@pytest.mark.parametrize(
    ("locale", "text"),
    [("de", "andere: 7"), ("es", "otra cosa: 7"), ("id", "lainnya: 7"), ("de", "other: 7")],
)
def test_own_words_are_marked_in_the_persons_language(locale: str, text: str) -> None:
    """Each language has its `other:`; the English one always works."""
    assert value_of(said(text, DEFAULT, locale=locale)) == "7"


def test_words_of_another_language_are_only_words() -> None:
    """A person without a locale is not taken to speak German."""
    assert value_of(said("Nummer 2", DEFAULT)) == "Nummer 2"


@pytest.mark.parametrize("text", ["???", "…", "🎈", "!!", "()"])
def test_own_words_need_a_letter_or_a_digit(text: str) -> None:
    """A shrug is no answer."""
    assert refusal(said(text, DEFAULT)) is Refusal.NO_WORDS


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        *[(None, text) for text in ("ok", "Okay!", "yes", "no", "lgtm", "hello", "👍", "thanks")],
        *[(None, text) for text in ("ok thanks", "Yes, please", "👍🏽👍", "hi there!", "sure 🙂")],
        *[("de", text) for text in ("passt", "alles klar, danke", "Grüß Gott", "ja bitte")],
        *[("es", text) for text in ("vale", "de acuerdo, gracias", "buenos días", "buenos dias")],
        *[("id", text) for text in ("oke", "baik, terima kasih", "siap", "selamat pagi")],
    ],
)
def test_mere_assent_thanks_or_greeting_is_confirmed_first(locale: str | None, text: str) -> None:
    """People say these to anyone; one press sends them."""
    own = Answered({"pick": Picked(write_in=text)})
    assert said(text, DEFAULT, locale=locale) == Confirm(own)


@pytest.mark.parametrize("text", ["no worries", "ok but only Staging", "yes if Ana agrees"])
def test_more_than_mere_assent_is_an_answer(text: str) -> None:
    """The list holds whole phrases only."""
    assert value_of(said(text, DEFAULT)) == text


def test_own_words_keep_their_spaces_and_line_breaks() -> None:
    """They reach the agent as typed, the blanks around them aside."""
    text = "  Two  spaces,\n\n  an indent\tand a tab  "
    assert value_of(said(text, DEFAULT)) == text.strip()


def test_own_words_over_the_cap_are_refused_with_both_numbers() -> None:
    """Nothing is cut; what counts is code points after NFC."""
    asked = choice(*WHERE, max_length=4000)
    assert value_of(said("e\u0301" * 4000, asked)) == "e\u0301" * 4000
    found = said("x" * 4001, asked)
    assert isinstance(found, Refused)
    assert found.code is Refusal.TOO_LONG
    assert found.data == {"limit": 4000, "length": 4001}
