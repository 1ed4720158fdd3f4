"""What is dropped from a message before it is read, and what is kept to the letter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from gateway.question import Kind, Option, Question
from gateway.reply.clean import core_of, has_odd_digits, unwrapped_whole, without_polite
from gateway.reply.clean import said as forms_of
from gateway.reply.trim import own_text
from tests.strategies import any_text
from tests.strategies_reply import UNHURRIED, choice, field, place, said, value_of

COLOURS = choice("red", "blue").model_copy(
    update={
        "label": "Colour",
        "description": "What suits the season?",
        "options": (
            Option(id="o1", label="red", description="as last year"),
            Option(id="o2", label="blue"),
        ),
    }
)
ASKED = Question(
    prompt="Which colour should the report use?\nIt goes to all of them.", fields=(COLOURS,)
)


def typed(text: str, **where: Any) -> str:
    """What is left of the message as its author's own."""
    return own_text(text, ASKED, place(**where))


@pytest.mark.parametrize(
    "text",
    [
        *("@oz blue", "@OZ blue", "@oz, blue", "@oz: blue", "@oz\u00a0blue", "@oz @oz blue"),
        *("  @oz\n\nblue", "blue @oz", "<@B1> blue", "<@B1>blue", "@oz blue @oz", "@oz\tblue"),
    ],
)
def test_our_mention_is_dropped_at_either_end(text: str) -> None:
    """With what parts it from the rest."""
    assert typed(text, mention=("@oz", "<@B1>")) == "blue"


@pytest.mark.parametrize("text", ["@ozzy blue", "ask @oz to stop", "blue@oz", "@oz_bot blue"])
def test_other_words_and_inner_mentions_stay(text: str) -> None:
    """Only what names us, and only around the text."""
    assert typed(text, mention=("@oz",)) == text


@pytest.mark.parametrize(
    "text", ["<at></at> blue", "<at></at>&nbsp;blue", '<at id="0"> </at>\u00a0blue']
)
def test_an_empty_mention_tag_is_dropped(text: str) -> None:
    """Teams leaves one behind where it took our name out."""
    assert typed(text, markup=True) == "blue"


def test_other_peoples_mentions_read_as_their_names() -> None:
    """Anywhere in the text."""
    found = typed("<@U7> and <@U8>", names=(("<@U7>", "Pat"), ("<@U8>", "Ana")))
    assert found == "Pat and Ana"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a &amp; b &lt;c&gt;", "a & b <c>"),
        ("&amp;amp;", "&amp;"),
        ("&quot;x&#39;&nbsp;y", "\"x'\u00a0y"),
        ("&copy; &unknown; &", "&copy; &unknown; &"),
        ("<https://a.example/x>", "https://a.example/x"),
        ("<http://a.example|a.example>", "a.example"),
        ("<https://a.example/x|https://a.example/x>", "https://a.example/x"),
        ("<mailto:ana@a.example|ana@a.example>", "ana@a.example"),
        ("<mailto:ana@a.example>", "ana@a.example"),
        ("<tel:+49301|+49301>", "+49301"),
        ("<https://a.example|the docs>", "the docs (https://a.example)"),
    ],
)
def test_the_platforms_escapes_and_links_are_undone_once(text: str, expected: str) -> None:
    """Back to what was typed; a name put over an address keeps the address."""
    assert typed(text, markup=True) == expected


@pytest.mark.parametrize("text", ["a &amp; b", "<https://a.example|x>", "&lt;3"])
def test_where_the_platform_escapes_nothing_everything_stays(text: str) -> None:
    """A person's own `&amp;` is what they typed."""
    assert typed(text) == text


@pytest.mark.parametrize(
    "quote",
    [
        "> Which colour should the report use?",
        "> Which colour should the report use?\n> 1. red\n> 2. blue",
        ">1. red",
        "> **acme asks**\n> Which colour should the report use?\n> K7 · waits until 18:40",
        "> should the report use",
        "> COLOUR",
        "> as last year",
    ],
)
def test_lines_quoted_from_the_ask_are_dropped(quote: str) -> None:
    """Whole blocks, what else the post said included."""
    assert typed(f"{quote}\n\nblue") == "blue"
    assert typed(f"blue\n{quote}") == "blue"


@pytest.mark.parametrize("text", ["> so be it\nblue", "> 2\nblue", "a > b", "->\n=>", "> use"])
def test_other_quotes_are_the_persons_own(text: str) -> None:
    """Short pieces of the ask are no quotes of it."""
    assert typed(text) == text


@pytest.mark.parametrize(
    "tail",
    [
        "Sent from my iPhone",
        "Get Outlook for iOS",
        "Von meinem iPhone gesendet",
        "Enviado desde mi iPhone",
        "Dikirim dari iPhone saya",
        "-- \nKevin Malone\nAccounting",
        "-- \n",
        "On Tue, 3 Mar 2026 at 10:00, OZ <oz@acme.example> wrote:\n> Which colour\n> K7",
        "On Tue, 3 Mar 2026 at 10:00, OZ <oz@acme.example>\nwrote:\n\nWhich colour",
        "Am 3. März 2026 um 10:00 schrieb OZ <oz@acme.example>:\n> Which colour",
        "El mar, 3 mar 2026 a las 10:00, OZ escribió:\n> Which colour",
        "Pada tanggal 3 Maret 2026 10.00, OZ menulis:\n> Which colour",
        "Sent from my iPhone\n\nOn Tue, 3 Mar 2026, OZ wrote:\n> Which colour",
    ],
)
def test_what_mail_clients_add_is_dropped(tail: str) -> None:
    """Adverts, signatures, and the quoted mail with its first line."""
    assert typed(f"blue\n\n{tail}") == "blue"


def test_an_answer_below_the_quoted_mail_is_found() -> None:
    """Some people answer below."""
    text = "On Tue, 3 Mar 2026, OZ wrote:\n> Which colour?\n> K7\n\nblue"
    assert typed(text) == "blue"


@pytest.mark.parametrize(
    "text",
    [
        "Sent from my iPhone",
        "On Monday Ana wrote:\nlet us go",
        "On 3 March Ana wrote:\nlet us go",
        "one\n--\ntwo",
        "sent from my office it took a week and nobody was there to take it, so it went back",
        "a\n\nvon meinem Konto",
        "-- \nstarts with a dash",
    ],
)
def test_what_only_looks_like_a_mails_end_stays(text: str) -> None:
    """Nothing of the person's own may be lost."""
    assert typed(text) == text.strip()


def test_inner_spaces_and_line_breaks_stay() -> None:
    """Windows' line ends aside."""
    assert typed(" a  b\r\n\r\n\tc\rd ") == "a  b\n\n\tc\nd"


@UNHURRIED
@given(any_text(60))
def test_cleaning_adds_nothing(text: str) -> None:
    """What is left was in the message."""
    left = typed(text, mention=("@oz",))
    assert left in text.replace("\r\n", "\n").replace("\r", "\n") or ">" in text


@pytest.mark.parametrize(
    ("text", "core"),
    [
        *(("blue.", "blue"), ("  blue ; ", "blue"), ("“blue”", "blue"), ("(blue)", "blue")),
        *(("[blue]", "blue"), ("`blue`", "blue"), ("```blue```", "blue"), ("**blue**", "blue")),
        *(("«blue»", "blue"), ("「blue」", "blue"), ("'blue.'", "blue"), ('"blue".', "blue")),
        *((".5", ".5"), (",5", ",5"), (". 5", "5"), ("…blue", "blue"), ("¡blue!", "blue")),
        *(("((blue))", "(blue)"), ("(a) or (b", "(a) or (b"), ("!blue", "!blue"), ("...", "...")),
        *(("blue?", "blue?"), ("-blue", "-blue"), ("*", "*"), ("''", "''")),
    ],
)
def test_one_pair_of_marks_and_punctuation_around_is_dropped_for_matching(
    text: str, core: str
) -> None:
    """What means something stays: a sign, a question mark, the point of a fraction."""
    assert core_of(forms_of(text, ()).folded) == core


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("please blue", "blue"),
        ("blue, thanks", "blue"),
        ("please blue please thanks", "blue"),
        ("pleased blue", "pleased blue"),
        ("blue👍", "blue"),
        ("please", "please"),
        ("please thanks", "please thanks"),
        ("", ""),
    ],
)
def test_polite_words_around_are_dropped_for_matching(text: str, left: str) -> None:
    """Whole words only, and never all there is."""
    assert without_polite(text, ("please", "thanks", "👍")) == left


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        *(("2", False), ("②", False), ("①②", True), ("1②", True), ("²", True), ("1₂", True)),
        *(("½", True), ("1\u200b2", True), ("\u200b12\u200b", False), ("1\ufe0f\u20e3", False)),
        *(("1\ufe0f\u20e32\ufe0f\u20e3", True), ("2\u0336", True), ("१२", False), ("1\n2", False)),
        *(
            ("a\u0301b", False),
            ("1 \u200b2", False),
            ("⑩", False),
            ("１２", False),
            ("1\u202e2", True),
        ),
    ],
)
def test_digits_that_may_not_be_read_as_plain_ones_are_seen(text: str, odd: bool) -> None:
    """Small ones, runs of circled ones, and anything hidden between them."""
    assert has_odd_digits(text) is odd


def test_own_words_never_lose_their_case_or_width() -> None:
    """Folding is for matching alone."""
    assert value_of(said("  ＢＬＵＥ “Ａ” ①  ", field(Kind.TEXT))) == "ＢＬＵＥ “Ａ” ①"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('"1, 2"', "1, 2"),
        ("**1, 2**", "1, 2"),
        ("(1, 2)", "1, 2"),
        ('"a", "b"', '"a", "b"'),
        ("**a**, **b**", "**a**, **b**"),
        ("(a), (b)", "(a), (b)"),
        ("1, 2", "1, 2"),
        ("", ""),
    ],
)
def test_one_pair_around_all_of_it_is_dropped(text: str, left: str) -> None:
    """Pairs around its parts stay theirs."""
    assert unwrapped_whole(text) == left
