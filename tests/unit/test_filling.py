"""Forms as people fill them: opened for those who may, read as replies are, kept page by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from channels.contract import AskReason, OpenForm, PressDecline, Response, Sender, Submitted
from channels.forms import Form, Reason
from channels.inbound.interactions import Interactions
from gateway.answer import Picked, Value
from gateway.question import Kind
from tests.chats import CHANNEL, DIRECT, U1, U2, U3, U9, Ask, Chats, texts
from tests.contract.backends import InMemory
from tests.strategies_reply import choice, field, several

COPIES = field(Kind.NUMBER, "copies", integer=True, min=1, max=9)
WHEN = field(Kind.DATE, "on")
SHADE = choice("red", "blue", "green", name="shade")
EXTRAS = several("bow", "card", "ribbon", name="extras", required=False)
GIFT = field(Kind.TOGGLE, "gift")
WHY = field(Kind.TEXT, "why", required=False)


class Forms(Chats):
    """One replica whose Slack has forms of two fields a page."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.interactions = Interactions(
            self.broker, self.conversations, self.everyone, {"slack": 2}
        )

    def replica(self) -> Forms:
        return Forms(self.store, self.routes)


@pytest.fixture
def forms() -> Forms:
    """A gateway's chats over an empty store."""
    return Forms(InMemory().store)


async def send(
    forms: Chats,
    ask: Ask,
    values: Mapping[str, Value] | None = None,
    *,
    by: Sender = U1,
    event: str = "f1",
    **more: Any,
) -> Response:
    """Sends a form, or the page that is named."""
    at = await forms.store.now()
    return await forms.hand(Submitted(ask.where, by, at, event, ask.id, values or {}, **more))


def form_of(response: Response) -> Form:
    assert isinstance(response.form, Form)
    return response.form


def held(form: Form) -> dict[str, Value | None]:
    """What a page shows as filled in."""
    return {entry.field.name: entry.value for entry in form.entries}


# Opened


async def test_whoever_may_answer_gets_the_form(forms: Forms) -> None:
    """The page that was asked for, and nothing is answered by that."""
    ask = await forms.open(COPIES, WHEN, SHADE)
    page = form_of(await ask.press(OpenForm()))
    assert [entry.field.name for entry in page.entries] == ["copies", "on"]
    assert (page.page, page.pages) == (0, 2)
    assert form_of(await ask.press(OpenForm(1))).page == 1
    assert await ask.status() == "pending"


@pytest.mark.parametrize("control", [OpenForm(), AskReason()])
async def test_a_stranger_gets_no_form(forms: Forms, control: OpenForm | AskReason) -> None:
    """They hear that it is not theirs, and that is on record."""
    ask = await forms.open(COPIES, where=CHANNEL)
    response = await ask.press(control, U9)
    assert response.form is None
    assert len(texts(response)) == 1
    assert len(await ask.refusals()) == 1


async def test_who_may_not_see_the_content_may_decline_and_no_more(forms: Forms) -> None:
    """The form that asks why has nothing of the question in it."""
    ask = await forms.open(COPIES, where=CHANNEL)
    assert (await ask.press(OpenForm(), U3)).form is None
    assert isinstance((await ask.press(AskReason(), U3)).form, Reason)


async def test_a_form_of_what_has_ended_is_not_opened(forms: Forms) -> None:
    """Who presses late is told what stands."""
    ask = await forms.open(COPIES)
    await send(forms, ask, {"copies": 3})
    response = await ask.press(OpenForm(), U2)
    assert response.form is None
    assert texts(response)[0].startswith("Kevin answered at ")


async def test_a_reason_is_asked_for_and_then_declines(forms: Forms) -> None:
    """Its form first; what was written there is on record."""
    ask = await forms.open(COPIES)
    assert isinstance((await ask.press(AskReason())).form, Reason)
    assert await ask.status() == "pending"
    await ask.press(PressDecline("not today"))
    record = await ask.record()
    assert record.outcome is not None
    assert (record.status.value, record.outcome.reason) == ("declined", "not today")


# Read


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("copies", "3", 3),
        ("copies", " 3 ", 3),
        ("on", "2026-10-20", "2026-10-20"),
        ("on", "20 October 2026", "2026-10-20"),
        ("shade", "2", {"options": ["o2"], "write_in": None}),
        ("shade", "Blue", {"options": ["o2"], "write_in": None}),
        ("shade", "teal", {"options": [], "write_in": "teal"}),
        ("extras", "1, 3", {"options": ["o1", "o3"], "write_in": None}),
        ("gift", "yes", True),
        ("gift", "no", False),
        ("why", "because 2 of them\nare broken", "because 2 of them\nare broken"),
    ],
)
async def test_a_plain_line_is_read_as_a_reply_is(
    forms: Forms, name: str, text: str, value: object
) -> None:
    """Platforms without a field of that kind still take each kind."""
    kinds = {one.name: one for one in (COPIES, WHEN, SHADE, EXTRAS, GIFT, WHY)}
    ask = await forms.open(kinds[name])
    assert texts(await send(forms, ask, texts={name: text})) != []
    assert await ask.values() == {name: value}


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("copies", "12", "It goes from 1 to 9; you wrote 12."),
        ("copies", "many", "number"),
        ("on", "soon", "date"),
        ("shade", "7", "There is no option 7."),
        ("shade", "other", "words"),
        ("gift", "perhaps", "yes"),
    ],
)
async def test_a_line_that_does_not_fit_is_refused_beside_its_field(
    forms: Forms, name: str, text: str, fault: str
) -> None:
    """In the words of a refused reply; nothing is answered."""
    kinds = {one.name: one for one in (COPIES, WHEN, SHADE, GIFT)}
    ask = await forms.open(kinds[name])
    response = await send(forms, ask, texts={name: text})
    assert set(response.faults) == {name}
    assert fault in response.faults[name]
    assert response.tells == ()
    assert await ask.status() == "pending"


async def test_all_that_is_wrong_is_said_at_once(forms: Forms) -> None:
    """A field left empty, a value out of range, and a line that is no date."""
    ask = await forms.open(COPIES, WHEN, SHADE)
    response = await send(forms, ask, {"copies": 12}, texts={"on": "soon"})
    assert response.faults["copies"] == "It goes from 1 to 9."
    assert response.faults["shade"] == "This one is needed."
    assert set(response.faults) == {"copies", "on", "shade"}
    assert await ask.status() == "pending"


async def test_none_picks_nothing_where_nothing_is_needed(forms: Forms) -> None:
    """As a reply says it; the field is left out."""
    ask = await forms.open(EXTRAS, COPIES)
    await send(forms, ask, {"copies": 3}, texts={"extras": "none"})
    assert await ask.values() == {"copies": 3}


async def test_a_blank_line_is_an_empty_field(forms: Forms) -> None:
    """Left out where it may be, and missed where it is needed."""
    ask = await forms.open(COPIES, WHY)
    assert (await send(forms, ask, {"copies": 3}, texts={"why": "  "})).faults == {}
    assert await ask.values() == {"copies": 3}
    ask = await forms.open(COPIES, WHY)
    assert set((await send(forms, ask, texts={"copies": " "})).faults) == {"copies"}


async def test_what_the_question_does_not_have_is_refused(forms: Forms) -> None:
    """A form that was drawn for something else answers nothing."""
    ask = await forms.open(COPIES)
    response = await send(forms, ask, {"copies": 3, "price": 9}, texts={"colour": "red"})
    assert response.faults == {"price": "This question has no such field."}
    assert await ask.status() == "pending"


async def test_nobody_else_is_told_what_is_wrong_with_their_form(forms: Forms) -> None:
    """A stranger's form is refused as a whole, and says nothing of the question."""
    ask = await forms.open(COPIES, where=CHANNEL)
    response = await send(forms, ask, {"copies": 12}, by=U9)
    assert response.faults == {}
    assert "1 to 9" not in texts(response)[0]
    assert await ask.status() == "pending"
    assert len(await ask.refusals()) == 1


async def test_a_form_that_comes_too_late_hears_what_stands(forms: Forms) -> None:
    """Even one that could not have been taken."""
    ask = await forms.open(COPIES)
    await send(forms, ask, {"copies": 3})
    response = await send(forms, ask, {"copies": 99}, by=U2, event="f2")
    assert response.faults == {}
    assert texts(response)[0].startswith("Kevin answered at ")


# Page by page


async def test_pages_are_kept_and_answered_together(forms: Forms) -> None:
    """The first is no answer yet; the last, on another replica, sends both."""
    ask = await forms.open(COPIES, WHEN, SHADE, WHY)
    first = await send(forms, ask, {"copies": 3, "on": "2026-10-20"}, page=0, pages=2)
    page = form_of(first)
    assert [entry.field.name for entry in page.entries] == ["shade", "why"]
    assert (page.page, page.send, first.settled) == (1, "Send", None)
    assert await ask.status() == "pending"
    other = forms.replica()
    last = await send(other, ask, {"shade": Picked(("o2",))}, event="f2", page=1, pages=2)
    assert last.settled is not None
    assert await ask.values() == {
        "copies": 3,
        "on": "2026-10-20",
        "shade": {"options": ["o2"], "write_in": None},
    }


async def test_a_page_filled_in_again_replaces_what_was_kept(forms: Forms) -> None:
    """Another value, and a field that was emptied."""
    ask = await forms.open(COPIES, WHY, SHADE)
    await send(forms, ask, {"copies": 3, "why": "so"}, page=0, pages=2)
    assert held(form_of(await ask.press(OpenForm()))) == {"copies": 3, "why": "so"}
    await send(forms, ask, {"copies": 4}, event="f2", page=0, pages=2)
    assert held(form_of(await ask.press(OpenForm()))) == {"copies": 4, "why": None}
    await send(forms, ask, {"shade": Picked(("o1",))}, event="f3", page=1, pages=2)
    assert await ask.values() == {"copies": 4, "shade": {"options": ["o1"], "write_in": None}}


async def test_a_fault_on_one_page_loses_nothing_of_another(forms: Forms) -> None:
    """Only its own fields are looked at, and what was kept stays."""
    ask = await forms.open(COPIES, WHEN, SHADE)
    refused = await send(forms, ask, {"copies": 12}, page=0, pages=2)
    assert set(refused.faults) == {"copies", "on"}
    await send(forms, ask, {"copies": 3, "on": "2026-10-20"}, event="f2", page=0, pages=2)
    refused = await send(forms, ask, texts={"shade": "7"}, event="f3", page=1, pages=2)
    assert set(refused.faults) == {"shade"}
    await send(forms, ask, texts={"shade": "2"}, event="f4", page=1, pages=2)
    assert (await ask.values() or {}).keys() == {"copies", "on", "shade"}


async def test_each_person_has_pages_of_their_own(forms: Forms) -> None:
    """What one began, another neither sees nor sends."""
    ask = await forms.open(COPIES, WHEN, SHADE, where=CHANNEL)
    await send(forms, ask, {"copies": 3, "on": "2026-10-20"}, page=0, pages=2)
    assert held(form_of(await ask.press(OpenForm(), U2))) == {"copies": None, "on": None}
    await send(forms, ask, {"shade": Picked(("o1",))}, by=U2, event="f2", page=1, pages=2)
    assert await ask.status() == "pending"


async def test_a_page_that_is_delivered_twice_opens_the_next_one_again(forms: Forms) -> None:
    """And the last one twice is one answer, and one receipt."""
    ask = await forms.open(COPIES, WHY, SHADE)
    for _ in range(2):
        again = await send(forms, ask, {"copies": 3}, page=0, pages=2)
        assert form_of(again).page == 1
    last = {"shade": Picked(("o1",))}
    said = [texts(await send(forms, ask, last, event="f2", page=1, pages=2)) for _ in range(2)]
    assert [len(one) for one in said] == [1, 0]
    assert await ask.status() == "answered"


async def test_a_channel_without_pages_has_one(forms: Forms) -> None:
    """Whatever the question has stands on it."""
    telegram = replace(DIRECT, channel="telegram", conversation="1001", account="1001")
    ask = await forms.open(COPIES, WHEN, SHADE, where=telegram)
    page = form_of(await ask.press(OpenForm(), Sender("1001")))
    assert (len(page.entries), page.pages) == (3, 1)


async def test_a_field_that_had_no_input_stays_as_it_is_kept(forms: Forms) -> None:
    """What was left out of a form is not taken for left empty; what was in it is."""
    ask = await forms.open(COPIES, WHY, field(Kind.TEXT, "to", required=False))
    await forms.reply("why: fun")
    await forms.reply("to: Ana")
    shown = frozenset(("copies", "to"))
    assert texts(await send(forms, ask, {"copies": 2}, shown=shown)) == [
        "Got it. copies: 2; why: fun."
    ]
    assert await ask.values() == {"copies": 2, "why": "fun"}
