"""Forms on Discord: taken by the platform, filled in by its client, read as they were meant."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from channels.catalogue import Reader
from channels.discord import modal, parse
from channels.discord.render import CAPABILITIES
from channels.forms import Form, form, reason
from channels.testing.discord import client
from channels.testing.discord.components import LABEL, check_modal
from gateway.answer import Picked, Value
from gateway.ask import Ask
from gateway.question import Field, Kind
from gateway.reply.draft import Draft
from tests.strategies import answers_to, any_json, approval, asks, questions
from tests.strategies_reply import ask_of, choice, field, several

READER = Reader(buttons=True, stamps=True)


def pages(ask: Ask, draft: Draft | None = None) -> list[Form]:
    """All pages of its form."""
    first = form(READER, ask, draft or Draft(), per_page=CAPABILITIES.form)
    return [
        form(READER, ask, draft or Draft(), page=page, per_page=CAPABILITIES.form)
        for page in range(first.pages)
    ]


def sent(data: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What the client sends once it is filled in; what is not given stays as it was drawn."""
    parts = [
        {"type": LABEL, "id": 1, "component": client.filled(part, dict(given))}
        for part in data["components"]
        if part["type"] == LABEL
    ]
    return {"custom_id": data["custom_id"], "components": parts}


def typed_in(data: dict[str, Any], ask: Ask, values: Mapping[str, Value]) -> dict[str, Any]:
    """What a person fills in to say these values, by part."""
    given: dict[str, Any] = {}
    for part in data["components"]:
        if part["type"] != LABEL:
            continue
        name = part["component"]["custom_id"]
        mark, _, key = name.partition(":")
        value = values.get(key)
        one = ask.question.field(key)
        assert one is not None
        given[name] = _typed_in(mark, value, one)
    return {key: value for key, value in given.items() if value is not None}


def _typed_in(mark: str, value: Value | None, one: Field) -> Any:
    if value is None:
        return None
    if isinstance(value, Picked):
        if mark == modal.WORDS_MARK:
            return value.write_in
        if mark == modal.LINE_MARK:
            return value.write_in or ", ".join(
                str(number)
                for number, option in enumerate(one.options, 1)
                if option.id in value.options
            )
        picked = list(value.options)
        return picked if mark == modal.MANY_MARK else next(iter(picked), None)
    if mark == modal.TOGGLE_MARK:
        return modal.YES if value else modal.NO
    return str(value)


def trimmed(value: Value) -> Value:
    """A value as a form brings it: own words without the blanks around them."""
    if isinstance(value, Picked) and value.write_in is not None:
        return Picked(value.options, value.write_in.strip())
    return value


@given(asks(), st.data())
def test_any_form_is_taken_and_reads_back_what_was_filled_in(ask: Ask, data: st.DataObject) -> None:
    """Every field has its part, and every value its way through it."""
    values = data.draw(answers_to(ask.question))
    read: dict[str, Value] = {}
    texts: dict[str, str] = {}
    shown = pages(ask)
    for page in shown:
        drawn = modal.form(page, READER)
        check_modal(drawn)
        back = modal.read(sent(drawn, typed_in(drawn, ask, values)))
        assert back is not None
        assert (back.ask_id, back.page, back.pages) == (ask.id, page.page, len(shown))
        read |= back.values or {}
        texts |= back.texts or {}
    assert read.keys() | texts.keys() == values.keys()
    for name, value in read.items():
        assert value == trimmed(values[name])
    for name, text in texts.items():
        assert text == _typed_in(modal.LINE_MARK, values[name], ask.question.field(name))  # type: ignore[arg-type]


@given(questions(), st.data())
def test_a_form_opens_with_what_was_kept(question: Any, data: st.DataObject) -> None:
    """Sending it unchanged says the same again."""
    ask = ask_of(*question.fields)
    values = data.draw(answers_to(ask.question))
    draft = Draft()
    for name, value in values.items():
        draft = draft.fill(name, value)
    for page in pages(ask, draft):
        drawn = modal.form(page, READER, modal.kept_of(page))
        check_modal(drawn)
        for part in drawn["components"]:
            child = part.get("component", {})
            mark, _, name = child.get("custom_id", "").partition(":")
            if mark in (modal.TEXT_MARK, modal.LINE_MARK) and not isinstance(
                values.get(name, ""), Picked
            ):
                assert child.get("value") == (str(values[name]) if name in values else None)


def test_what_was_wrong_stays_filled_in() -> None:
    """By what was sent, not by what was understood."""
    ask = ask_of(field(Kind.NUMBER, "copies"), choice("red", "blue", name="colour"))
    [page] = pages(ask)
    drawn = modal.form(page, READER)
    back = modal.read(sent(drawn, {"l:copies": "a dozen", "c:colour": "o2"}))
    assert back is not None
    assert back.texts == {"copies": "a dozen"}
    again = modal.form(page, READER, back.kept)
    check_modal(again)
    children = [part["component"] for part in again["components"] if part["type"] == LABEL]
    assert children[0]["value"] == "a dozen"
    assert [option.get("default") for option in children[1]["options"]] == [None, True]


def test_yes_or_no_is_never_assumed() -> None:
    """What nobody touched is no answer."""
    ask = ask_of(
        field(Kind.TOGGLE, "sure", required=False), field(Kind.TEXT, "why", required=False)
    )
    [page] = pages(ask)
    back = modal.read(sent(modal.form(page, READER), {}))
    assert back is not None
    assert back.values == {}


def test_own_words_have_a_line_beside_the_options_where_there_is_room() -> None:
    """Else the whole answer is typed, by number, label or one's own words."""
    ask = ask_of(several("red", "blue", name="colours", write_in=True), field(Kind.TEXT, "why"))
    [page] = pages(ask)
    drawn = modal.form(page, READER)
    back = modal.read(sent(drawn, {"m:colours": ["o1"], "w:colours": "teal", "t:why": "x"}))
    assert back is not None
    assert back.values == {"colours": Picked(("o1",), "teal"), "why": "x"}
    full = ask_of(*(several("red", "blue", name=f"f{n}", write_in=True) for n in range(5)))
    [crowded] = pages(full)
    children = [
        part["component"]["custom_id"] for part in modal.form(crowded, READER)["components"]
    ]
    assert children == [f"l:f{n}" for n in range(5)]


def test_more_options_than_a_menu_has_are_typed() -> None:
    """They stand in the post, by number."""
    ask = ask_of(several(*(f"Option {n}" for n in range(1, 41)), name="many"))
    [page] = pages(ask)
    drawn = modal.form(page, READER)
    check_modal(drawn)
    back = modal.read(sent(drawn, {"l:many": "3, 40"}))
    assert back is not None
    assert back.texts == {"many": "3, 40"}


def test_the_question_stands_in_the_form_where_there_is_room() -> None:
    """On a phone the form covers the post."""
    [page] = pages(ask_of(field(Kind.TEXT, "why"), prompt="Why *so*?"))
    assert modal.form(page, READER)["components"][0] == {"type": 10, "content": "Why \\*so\\*?"}


def test_a_reason_may_be_given_or_left_out() -> None:
    """It comes back as a press that declines."""
    drawn = modal.reason(reason(READER, approval()))
    check_modal(drawn)
    for words in ("ask Ana", ""):
        back = modal.read(sent(drawn, {"reason": words}))
        assert back is not None
        assert (back.ask_id, back.reason) == ("a-75eaf712473f", words)


@given(any_json())
def test_anything_reads_without_an_error(data: Any) -> None:
    """Whatever is sent as a form."""
    inner = data if isinstance(data, dict) else {"custom_id": data, "components": data}
    modal.read(inner)
    modal.read({"custom_id": "fdeqScSc_0:1", "components": data})
    parse.interaction(data)


def test_time_is_fixed() -> None:
    """Ids hold when they were made."""
    assert parse.moment("175928847299117063") == datetime(2016, 4, 30, 11, 18, 25, 796000, UTC)
