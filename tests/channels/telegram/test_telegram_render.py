"""Any ask as a Telegram post and as a form: taken by Telegram, nothing lost, all reachable."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from channels.callback import MOST_BYTES, unpack
from channels.catalogue import Reader
from channels.contract import (
    Button,
    Control,
    Pick,
    PickToggle,
    PressApprove,
    PressOther,
    Send,
    Step,
    StepAct,
)
from channels.drawing import Drawing, draw
from channels.plan import Way
from channels.present import option_rows
from channels.shown import stamp, unstamped
from channels.telegram import render
from channels.telegram.render import CAPABILITIES
from channels.testing.telegram import keyboards
from channels.testing.telegram.markup import clean, marked, parse_html, trimmed, units
from channels.testing.telegram.methods import TEXT, TOAST
from channels.walk import Standing, drawn, open_field, turned
from gateway.answer import to_json
from gateway.ask import Ask, AskKind, Outcome, Status
from gateway.question import Kind
from gateway.reply.draft import Draft
from gateway.visible import visible
from tests.strategies import answers_to, any_text, approval, asks, record_of
from tests.strategies_reply import ask_of, choice, field, several

NOW = datetime(2026, 10, 20, 9, 5, tzinfo=UTC)
READER = Reader(buttons=True, stamps=True)


def drawing_of(ask: Ask, outcome: Outcome | None = None, link: str | None = None) -> Drawing:
    """The post in a place that sees everything."""
    record = record_of(ask, outcome)
    return draw(READER, record, CAPABILITIES, code="K7", waits_for="acme", now=NOW, link=link)


def seen(payload: dict[str, Any]) -> str:
    """A message's words, taken by the platform."""
    assert payload["link_preview_options"] == {"is_disabled": True}
    text, _ = parse_html(payload["text"])
    text, _ = trimmed(clean(text), [])
    assert 0 < units(text) <= TEXT
    assert not [one for one in marked(text) if one["type"] == "mention"]
    return text.replace(render.NO_PING, "")


def controls(payload: dict[str, Any]) -> list[Control]:
    """What its buttons do, found good by the platform."""
    rows = keyboards.inline(payload.get("reply_markup"), private=False) or []
    data = [one["callback_data"] for row in rows for one in row if "callback_data" in one]
    assert all(len(one.encode("ascii")) <= MOST_BYTES for one in data)
    found = [unpack(one) for one in data]
    return [one[1] for one in found if one is not None]


def bare(text: str) -> str:
    """A text without what the platform takes out, and without blanks."""
    return "".join(clean(text).replace(render.NO_PING, "").split())


@given(asks(), st.none() | st.sampled_from(["https://oz.example/a/1", "http://localhost:8337/a"]))
def test_any_post_is_taken_and_holds_every_option(ask: Ask, link: str | None) -> None:
    """Whole texts in order, every option on a button, behind a form, or by its key."""
    drawing = drawing_of(ask, link=link)
    payloads = render.post(drawing)
    words = bare("".join(map(seen, payloads)))
    for one in ask.question.fields:
        for row in option_rows(one):
            assert bare(row.text) in words
    assert bare(visible(ask.question.prompt)) in words
    if link is not None:
        shown = payloads[-1].get("reply_markup", {"inline_keyboard": []})["inline_keyboard"]
        assert bare(link) in words or any("url" in one for row in shown for one in row)
    assert all(not controls(one) for one in payloads[:-1])
    pressed = controls(payloads[-1])
    assert drawing.presentation is not None
    picks = [one.option for one in pressed if isinstance(one, Pick)]
    if drawing.presentation.way is Way.BUTTONS and ask.question.single is not None:
        only = ask.question.single
        assert only.kind is Kind.TOGGLE or picks == [option.id for option in only.options]
    if drawing.presentation.way is Way.STEPS:
        assert Step(StepAct.START) in pressed


@given(asks().flatmap(lambda ask: st.tuples(st.just(ask), answers_to(ask.question))))
def test_any_outcome_is_drawn_without_controls(asked: tuple[Ask, Any]) -> None:
    """The question stays, the answer stands under it, nothing is left to press."""
    ask, values = asked
    outcome = Outcome(
        status=Status.ANSWERED, values=to_json(values), by="user:ana", surface="telegram"
    )
    payloads = render.post(drawing_of(ask, outcome))
    assert bare(visible(ask.question.prompt)) in bare("".join(map(seen, payloads)))
    assert all("reply_markup" not in one for one in payloads)


@given(any_text(9000), st.booleans())
def test_anything_said_is_taken_whole(text: str, buttons: bool) -> None:
    """In as many messages as it takes, its buttons under the last."""
    pressed = (Button("Send", "send", "a-75eaf712473f", Send("0123456789")),) if buttons else ()
    shown = visible(text)
    payloads = render.tell(shown, pressed)
    assert bare("".join(map(seen, payloads))) in (bare(shown), "…")
    assert len(controls(payloads[-1])) == len(pressed)


@st.composite
def standings(draw: st.DrawFn) -> tuple[Ask, Standing]:
    """Any ask that is walked through, and any place in it that presses lead to."""
    ask = draw(asks().filter(lambda one: one.kind is AskKind.QUESTION))
    at = Standing(Draft())
    acts = st.builds(
        Step,
        st.sampled_from(StepAct),
        st.integers(0, 19),
        st.integers(0, 99),
    )
    for step in draw(st.lists(acts, max_size=12)):
        number = open_field(ask.question, at.draft)
        aimed = Step(step.act, number if number is not None else step.field, step.option)
        at = turned(aimed if draw(st.booleans()) else step, ask.question, at, date(2026, 10, 20))
    return ask, at


@given(standings())
def test_any_step_is_taken_and_every_option_is_reachable(standing: tuple[Ask, Standing]) -> None:
    """A button for each option, or its key in the text to be written."""
    ask, at = standing
    payload = render.walk(drawn(READER, ask, at))
    words = seen(payload)
    pressed = [one for one in controls(payload) if isinstance(one, Step)]
    number = open_field(ask.question, at.draft)
    if number is None:
        assert Step(StepAct.SEND) in pressed
        return
    one = ask.question.fields[number]
    for index, row in enumerate(option_rows(one)):
        act = StepAct.TOGGLE if one.kind is Kind.MULTI_CHOICE else StepAct.PICK
        assert Step(act, number, index) in pressed or f"{row.key}. " in words
    assert (Step(StepAct.LEAVE, number) in pressed) is not one.required


def test_the_question_is_set_apart_and_no_markup_is_read() -> None:
    """What an agent writes is read as it was written."""
    ask = ask_of(choice("<b>", "a & b"), prompt="Is 1 < 2 & <i>3</i>?")
    [payload] = render.post(drawing_of(ask))
    text, entities = parse_html(payload["text"])
    assert "Is 1 < 2 & <i>3</i>?" in text
    assert [one["type"] for one in entities] == ["bold"]


def test_nobody_is_mentioned() -> None:
    """`@ana_m` reads the same, and names nobody; an address stays as it is."""
    assert marked(render.html("ask @ana_m")) == []
    assert "me@example.org" in render.html("or me@example.org")


def test_a_time_is_each_readers_own() -> None:
    """A stamp is an entity with the words of those who cannot read it."""
    text, [entity] = parse_html(render.html(f"until {stamp(NOW, '11:05 CEST')}."))
    assert text == "until 11:05 CEST."
    assert (entity["type"], entity["unix_time"]) == ("date_time", int(NOW.timestamp()))
    assert unstamped(f"until {stamp(NOW, '11:05')}.") == "until 11:05."


def test_short_labels_share_a_row_and_ways_out_have_their_own() -> None:
    """Yes and No side by side; Decline below."""
    [payload] = render.post(drawing_of(ask_of(field(Kind.TOGGLE))))
    rows = payload["reply_markup"]["inline_keyboard"]
    assert [one["text"] for one in rows[0]] == ["Yes", "No"]
    assert controls(payload)[:2] == [PickToggle(yes=True), PickToggle(yes=False)]


def test_an_approval_is_green_and_red() -> None:
    """In one row."""
    [payload] = render.post(drawing_of(approval()))
    [row] = payload["reply_markup"]["inline_keyboard"]
    assert [one["style"] for one in row] == ["success", "danger"]
    assert controls(payload)[0] == PressApprove()


def test_labels_of_other_scripts_keep_their_buttons() -> None:
    """PL-01: button data is ours, so that no label is too long for it."""
    ask = ask_of(choice("Отложить до понедельника утром", "Продолжить развёртывание сейчас"))
    [payload] = render.post(drawing_of(ask))
    assert [one for one in controls(payload) if isinstance(one, Pick)] == [Pick("o1"), Pick("o2")]
    assert PressOther() in controls(payload)


def test_a_label_is_never_cut_inside_a_character() -> None:
    """PL-12: a family of four is one visible character, and stays one."""
    family = "👨‍👩‍👧‍👦"
    [payload] = render.post(drawing_of(ask_of(choice(family * 40, "none", write_in=False))))
    label = payload["reply_markup"]["inline_keyboard"][0][0]["text"]
    assert label.removeprefix("1. ").rstrip("…").replace(family, "") == ""
    assert family * 40 in seen(payload)


def test_long_labels_stand_whole_in_the_text_under_the_same_number() -> None:
    """PL-09: what a phone shortens on a button is read above it."""
    labels = (
        "Keep the current schema and add a nullable column for the new value",
        "Split the table in two and backfill overnight",
    )
    [payload] = render.post(drawing_of(ask_of(choice(*labels))))
    words = seen(payload)
    rows = payload["reply_markup"]["inline_keyboard"]
    for number, label in enumerate(labels, 1):
        assert f"{number}. {label}" in words
        assert rows[number - 1][0]["text"].startswith(f"{number}. {label[:10]}")


def test_a_private_address_is_written_out() -> None:
    """Telegram takes no button to a host without a dot."""
    [payload] = render.post(drawing_of(ask_of(field(Kind.TEXT)), link="http://oz:8337/a/1"))
    assert "Open in OZ: http://oz:8337/a/1" in seen(payload)
    [payload] = render.post(drawing_of(ask_of(field(Kind.TEXT)), link="https://oz.example/a/1"))
    [[button]] = payload["reply_markup"]["inline_keyboard"][-1:]
    assert button["url"] == "https://oz.example/a/1"


def test_many_options_are_walked_through_by_their_keys() -> None:
    """A hundred: 88 on buttons of eight a row, the rest by number."""
    ask = ask_of(several(*(f"option {letter * 3}{n}" for n, letter in enumerate("xy" * 50))))
    assert Step(StepAct.START) in controls(render.post(drawing_of(ask))[-1])
    payload = render.walk(drawn(READER, ask, Standing(Draft())))
    rows = payload["reply_markup"]["inline_keyboard"]
    assert max(map(len, rows)) == 8
    assert "option yyy99" in seen(payload)


def test_the_link_that_begins_a_form_names_its_ask() -> None:
    """Within what a start link may hold."""
    word = render.begin_word("a-75eaf712473f")
    assert word == render.begin_link("oz_bot", "a-75eaf712473f").partition("start=")[2]
    assert unpack(f"S{word[1:]}0.0") == ("a-75eaf712473f", Step(StepAct.START))


def test_a_toast_is_as_long_as_the_platform_says() -> None:
    """Ours and the platform's number are the same."""
    assert (render.TEXT, render.TOAST) == (TEXT, TOAST)
