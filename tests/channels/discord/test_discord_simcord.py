"""All that we send, judged by another's Discord: its limits, its client, its rules of answering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import Phase, given, reject, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from channels.catalogue import Reader
from channels.contract import (
    AskReason,
    Button,
    OpenForm,
    PressDecline,
    Pressed,
    PressSkip,
    Submitted,
    Tell,
    Unfit,
)
from channels.discord import modal, render
from channels.discord.answering import MESSAGE, MODAL, THINKING, UPDATE_LATER
from channels.discord.render import Voice
from channels.forms import reason
from channels.testing.discord.components import walk
from gateway.answer import Picked, Value, to_json
from gateway.ask import Ask, Outcome, Status
from gateway.contracts.direct import check_question
from gateway.errors import InvalidQuestion
from gateway.question import Kind
from tests.channels.discord.simulated import Room, room
from tests.channels.discord.test_discord_modal import pages, trimmed, typed_in
from tests.channels.discord.test_discord_render import controls, drawn
from tests.channels.shapes import SHAPES, Shape
from tests.strategies import answers_to, any_text, approval, asks
from tests.strategies_reply import ask_of, choice, field

READER = Reader(buttons=True, stamps=True)
LINK = "https://oz.example/asks/a-75eaf712473f"
WORDS = "word " * 600
"""Longer than one message."""

CONTINUE = "Continue"

AS_FOUND = (Phase.reuse, Phase.generate)
"""Each example is a whole conversation: making a failing one smaller takes minutes."""


def ends(values: Mapping[str, Value]) -> tuple[Outcome, ...]:
    """Each way in which an ask ends; a decline with words as long as may be."""
    by = {"by": "user:ana", "name": "Ana", "surface": "discord"}
    answered = to_json(values) if values else {"approved": True}
    return (
        Outcome(status=Status.ANSWERED, values=answered, **by),
        Outcome(status=Status.DECLINED, reason=WORDS, **by),
        Outcome(status=Status.DECLINED, skipped=True, **by),
        Outcome(status=Status.EXPIRED),
        Outcome(status=Status.CANCELLED, reason="no longer needed"),
    )


def given_to(drawn_form: dict[str, Any], ask: Ask, values: Mapping[str, Value]) -> dict[str, Any]:
    """What somebody fills in to say these values, as that client takes it: menus by lists."""
    given = typed_in(drawn_form, ask, values)
    for _, part in walk(drawn_form["components"]):
        if part["type"] == modal.SELECT and isinstance(given.get(part["custom_id"]), str):
            given[part["custom_id"]] = [given[part["custom_id"]]]
    return given


@st.composite
def odd_asks(draw: DrawFn) -> Ask:
    """Of words of any kind and length that the gateway takes: up to three choices, and a line."""
    made = []
    for number in range(draw(st.integers(0, 3))):
        words = draw(st.lists(any_text(120), min_size=1, max_size=11))
        texts = [f"{at}{text}" for at, text in enumerate(words, 1)]
        kind = draw(st.sampled_from((Kind.CHOICE, Kind.MULTI_CHOICE)))
        one = choice(*texts, name=f"f{number}", kind=kind, write_in=draw(st.booleans()))
        described = [
            option.model_copy(update={"description": f"d{draw(any_text(120))}"})
            for option in one.options
        ]
        label = f"{number}{draw(any_text(60))}"
        made.append(one.model_copy(update={"options": tuple(described), "label": label}))
    made.append(field(Kind.TEXT, "last", description=f"d{draw(any_text(200))}"))
    ask = ask_of(*made, prompt=f"Q{draw(any_text(200))}")
    try:
        check_question(ask.question)
    except InvalidQuestion:
        reject()
    return ask


async def fill(here: Room, shown: Any, ask: Ask, values: Mapping[str, Value]) -> None:
    """Every page of its form opened, filled in and sent by Ana; all of it is read back."""
    read: dict[str, Value] = {}
    texts: dict[str, str] = {}
    given: dict[str, Any] = {}
    for page in pages(ask):
        drawn_form = modal.form(page, READER)
        await here.api.first(here.ticket, MODAL, drawn_form)
        filled = given_to(drawn_form, ask, values)
        given |= filled
        shown = await here.ana.submit_modal(shown, filled)
        sent = here.acted
        assert isinstance(sent, Submitted)
        assert (sent.ask_id, sent.page, sent.sender.account) == (
            ask.id,
            page.page,
            str(here.ana.id),
        )
        read |= sent.values
        texts |= sent.texts
        if page.page + 1 < page.pages:
            shown = await continued(here, shown, ask, page.page + 1)
    assert read.keys() | texts.keys() == values.keys()
    assert read == {name: trimmed(values[name]) for name in read}
    assert texts == {name: given[f"{modal.LINE_MARK}:{name}"] for name in texts}


async def continued(here: Room, shown: Any, ask: Ask, page: int) -> Any:
    """The press on the button between two pages, which only Ana sees."""
    await here.api.first(here.ticket, UPDATE_LATER, None)
    offer = Tell("So far kept.", None, (Button(CONTINUE, CONTINUE, ask.id, OpenForm(page)),))
    for payload in render.tell(offer, Voice.WHISPER):
        await here.api.follow_up(here.ticket, payload)
    [whisper] = shown.followups
    assert whisper.ephemeral
    return await here.ana.click(whisper, label=CONTINUE)


async def pressed(here: Room, post: Any, payload: Mapping[str, Any]) -> None:
    """Each control of the post pressed or chosen by Ana; each is read as what it stands for."""
    wanted = controls(dict(payload))
    found = []
    for _, part in walk(payload["components"]):
        if part["type"] == 3:
            for option in part["options"]:
                await here.ana.select(post, [option["value"]], custom_id=part["custom_id"])
                found.append(here.acted)
        elif "custom_id" in part:
            await here.ana.click(post, custom_id=part["custom_id"])
            found.append(here.acted)
    for press in found:
        assert isinstance(press, Pressed)
        assert (press.message, press.sender.account) == (str(post.id), str(here.ana.id))
    assert [press.control for press in found if isinstance(press, Pressed)] == wanted


async def judged(here: Room, ask: Ask, values: Mapping[str, Value], link: str | None) -> None:
    """The post, its controls, its forms and its ends: taken, and what comes of them read."""
    drawing = drawn(ask, link=link)
    payload = render.post(drawing)
    post = await here.post(drawing)
    await pressed(here, post, payload)
    if OpenForm() in controls(payload):
        shown = await here.ana.click(post, custom_id=_id_of(payload, OpenForm()))
        await fill(here, shown, ask, values)
    if AskReason() in controls(payload):
        shown = await here.ana.click(post, custom_id=_id_of(payload, AskReason()))
        await here.api.first(here.ticket, MODAL, modal.reason(reason(READER, ask)))
        await here.ana.submit_modal(shown, {"reason": "ask Ben"})
        declined = here.acted
        assert isinstance(declined, Pressed)
        assert (declined.ask_id, declined.control) == (ask.id, PressDecline("ask Ben"))
    for outcome in ends(values):
        assert (await here.redraw(post, drawn(ask, outcome))).components == []


def _id_of(payload: Mapping[str, Any], control: Any) -> str:
    parts = [part for _, part in walk(payload["components"]) if "custom_id" in part]
    return next(
        str(part["custom_id"])
        for part in parts
        if controls({"components": [{"type": 1, "components": [part]}]}) == [control]
    )


WRONG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("too long", {"content": "x" * 2001}),
    ("empty", {"content": " "}),
    ("six rows", {"rows": [["x"]] * 6}),
    ("six in a row", {"rows": [["x"] * 6]}),
    ("a long label", {"rows": [["x" * 81]]}),
)


@pytest.mark.parametrize(("_name", "wrong"), WRONG, ids=[name for name, _ in WRONG])
async def test_what_is_past_a_limit_is_refused(_name: str, wrong: Any) -> None:
    """So that being taken means something; and we read the refusal as what no retry mends."""
    async with room() as here:
        rows = [
            {
                "type": 1,
                "components": [
                    {"type": 2, "style": 1, "label": label, "custom_id": f"{row}-{at}"}
                    for at, label in enumerate(labels)
                ],
            }
            for row, labels in enumerate(wrong.get("rows", []))
        ]
        body = render.note("x")[0] | {"content": wrong.get("content", "x"), "components": rows}
        if not rows:
            del body["components"]
        with pytest.raises(Unfit) as refused:
            await here.api.create(str(here.place.id), body)
        assert refused.value.code == "50035"


async def test_a_form_past_a_limit_is_refused() -> None:
    """A modal has five parts at most, and a short title; the press can still be answered."""
    async with room() as here:
        await here.ana.click(await here.post(drawn(ask_of(field(Kind.TEXT)))), label="Answer")
        shown = modal.form(pages(ask_of(field(Kind.TEXT)))[0], READER)
        parts = [part for part in shown["components"] if part["type"] == modal.LABEL_TYPE]
        six = [
            part | {"component": part["component"] | {"custom_id": f"t:f{n}"}}
            for n, part in enumerate(parts * 6)
        ]
        for wrong in ({"title": "x" * 46}, {"components": six}):
            with pytest.raises(Unfit) as refused:
                await here.api.first(here.ticket, MODAL, shown | wrong)
            assert refused.value.code == "50035"
        await here.api.first(here.ticket, MODAL, shown)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@settings(max_examples=3, phases=AS_FOUND)
@given(data=st.data())
async def test_each_kind_of_question_is_taken(shape: Shape, data: st.DataObject) -> None:
    """Its post, every press, its form filled in, and each end; with the link into OZ."""
    ask = ask_of(*shape.fields)
    ask = ask.model_copy(
        update={"question": ask.question.model_copy(update={"typed": shape.typed})}
    )
    async with room() as here:
        await judged(here, ask, data.draw(answers_to(ask.question)), LINK)


@settings(max_examples=60, phases=AS_FOUND)
@given(data=st.data(), link=st.none() | st.just(LINK))
async def test_any_ask_is_taken(data: st.DataObject, link: str | None) -> None:
    """Whatever an agent may ask, approvals and any words among it."""
    ask = data.draw(asks() | odd_asks() | st.just(approval()))
    async with room() as here:
        await judged(here, ask, data.draw(answers_to(ask.question)), link)


@pytest.mark.parametrize("count", [25, 26, 100])
async def test_a_choice_of_many_is_taken(count: int) -> None:
    """In up to four menus; every option comes back as it was chosen."""
    async with room() as here:
        ask = ask_of(choice(*(f"Option {n} " + "long " * 30 for n in range(1, count + 1))))
        drawing = drawn(ask, link=LINK)
        post = await here.post(drawing)
        await pressed(here, post, render.post(drawing))


@pytest.mark.parametrize("size", [1_250, 1_900, 2_000, 9_000])
async def test_a_question_of_any_length_is_taken(size: int) -> None:
    """In as many messages as it needs, also once it is declined at length."""
    ask = ask_of(choice("red", "blue"), prompt=("*word* " * size)[:size])
    async with room() as here:
        post = await here.post(drawn(ask))
        for outcome in ends({"pick": Picked(("o2",))}):
            await here.redraw(post, drawn(ask, outcome))


@pytest.mark.parametrize("unit", ["x", "word ", "\U0001f600"])
async def test_long_words_in_forms_are_taken(unit: str) -> None:
    """Cut to what a title, a label, its hint and an option hold; what they stand for is not."""
    words = unit * 300
    pick = choice(f"1{words}", f"2{words}", name="pick", write_in=False, label=f"1{words}")
    described = tuple(one.model_copy(update={"description": words}) for one in pick.options)
    line = field(Kind.TEXT, "line", label=f"2{words}", description=words)
    ask = ask_of(pick.model_copy(update={"options": described, "description": words}), line)
    ask = ask.model_copy(update={"agent": "asker-" * 10})
    async with room() as here:
        await judged(here, ask, {"pick": Picked(("o2",)), "line": "because"}, LINK)


async def test_what_is_said_back_is_taken() -> None:
    """To one alone, who alone reads it, in their private chat, or to all as a reply; 60 buttons."""
    async with room() as here:
        buttons = tuple(Button(f"K{n}", f"K{n}", f"a-{n:012x}", PressSkip()) for n in range(60))
        said = Tell(WORDS, WORDS, buttons)
        post = await here.post(drawn(approval(), link=LINK))
        private = str(here.ana.user.dm_channel.id)
        for payload in render.tell(said, Voice.DIRECT):
            await here.api.create(private, payload)
        reference = {"message_reference": render.reference(str(post.id))}
        for payload in (*render.tell(said, Voice.PUBLIC), *render.note(WORDS)):
            await here.api.create(str(here.place.id), payload | reference)
        before = len(here.seen_by(here.ben))
        shown = await here.ana.click(post, label="Approve")
        first, *rest = render.tell(said, Voice.WHISPER)
        await here.api.first(here.ticket, MESSAGE, first)
        for payload in rest:
            await here.api.follow_up(here.ticket, payload)
        assert shown.response is not None
        assert shown.response.ephemeral
        assert len(shown.followups) == len(rest) > 0
        assert len(here.seen_by(here.ben)) == before
        assert len(here.seen_by(here.ana)) == before + 1 + len(rest)


async def test_what_was_announced_and_not_said_is_taken_back() -> None:
    """Nothing is left thinking; what was said stays, for its asker alone."""
    async with room() as here:
        for said in (False, True):
            shown = await here.ana.click(await here.post(drawn(approval())), label="Approve")
            await here.api.first(here.ticket, THINKING, {"flags": render.EPHEMERAL})
            if said:
                await here.api.follow_up(here.ticket, render.note("Got it.")[0])
            await here.api.retract(here.ticket)
            assert (shown.response is not None) == said
            assert len(here.seen_by(here.ana)) == len(here.seen_by(here.ben)) + said
