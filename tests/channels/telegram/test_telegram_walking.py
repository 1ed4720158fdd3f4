"""A form walked through keeps each part once, is looked over, and is sent by its last press."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from channels.contract import Destination, Pressed, Response, Sender, Step, StepAct, Typed
from gateway.ask import AskRecord
from gateway.question import Field, Kind
from tests.chats import Chats
from tests.contract.backends import InMemory
from tests.strategies_reply import choice, field, several

ALONE = Destination("telegram", "1001", account="1001")
GROUP = Destination("telegram", "-5")
KEVIN, STRANGER = Sender("1001", "Kevin"), Sender("4711", "Who")

ORDER = (
    choice("red", "blue", name="colour"),
    several("lint", "tests", "docs", name="checks", required=False, write_in=False),
    field(Kind.DATE, name="day"),
    field(Kind.TOGGLE, name="urgent"),
)

_events = count(1)


class Walker:
    """Kevin in front of one form."""

    def __init__(self, chats: Chats, ask_id: str) -> None:
        self.chats = chats
        self.ask_id = ask_id
        self.at = datetime(2026, 10, 20, 9, tzinfo=UTC)

    async def press(
        self,
        act: StepAct,
        number: int = 0,
        option: int = 0,
        *,
        where: Destination = ALONE,
        by: Sender = KEVIN,
        event: str | None = None,
    ) -> Response:
        """What follows from one press."""
        name = event or f"press {next(_events)}"
        step = Step(act, number, option)
        return await self.chats.interactions.handle(
            Pressed(where, by, self.at, name, self.ask_id, step)
        )

    async def type(self, text: str) -> Response:
        """What follows from a message, written now."""
        at = await self.chats.conversations.now() + timedelta(seconds=1)
        typed = Typed(ALONE, KEVIN, at, f"message {next(_events)}", text)
        return await self.chats.interactions.handle(typed)

    async def record(self) -> AskRecord:
        found = await self.chats.conversations.read(self.ask_id)
        assert found is not None
        return found


def text(response: Response) -> str:
    """The step's words."""
    assert response.step is not None, response
    return response.step.text


def labels(response: Response) -> list[str]:
    """What its buttons say."""
    assert response.step is not None, response
    return [one.label for row in response.step.rows for one in row]


@pytest.fixture
async def chats() -> AsyncIterator[Chats]:
    """A gateway over memory."""
    made = InMemory()
    yield Chats(made.store)
    await made.store.aclose()


async def walker(chats: Chats, *fields: Field, where: Destination = ALONE) -> Walker:
    """An ask of these fields, posted there."""
    ask = await chats.open(*(fields or ORDER), where=where)
    return Walker(chats, ask.id)


async def test_each_press_goes_one_step_and_the_last_sends(chats: Chats) -> None:
    """Nothing is sent before the review; then all of it is."""
    kevin = await walker(chats)
    assert "1 of 4" in text(await kevin.press(StepAct.START))
    assert "2 of 4" in text(await kevin.press(StepAct.PICK, 0, 1))
    assert "\u2611 1. lint" in text(await kevin.press(StepAct.TOGGLE, 1, 0))
    assert "\u2611 3. docs" in text(await kevin.press(StepAct.TOGGLE, 1, 2))
    assert "\u2610 1. lint" in text(await kevin.press(StepAct.TOGGLE, 1, 0))
    assert "3 of 4" in text(await kevin.press(StepAct.DONE, 1))
    assert "4 of 4" in text(await kevin.press(StepAct.DAY, 2, 1))
    reviewed = await kevin.press(StepAct.PICK, 3, 1)
    assert labels(reviewed) == ["Send", "Back"]
    for shown in ("colour: blue", "checks: docs", "day: 21 October 2026", "urgent: yes"):
        assert shown in text(reviewed)
    assert (await kevin.record()).pending
    sent = await kevin.press(StepAct.SEND)
    assert sent.settled is not None
    assert sent.step is not None
    assert sent.step.ended
    outcome = (await kevin.record()).outcome
    assert outcome is not None
    assert outcome.values == {
        "colour": {"options": ["o2"], "write_in": None},
        "checks": {"options": ["o3"], "write_in": None},
        "day": "2026-10-21",
        "urgent": True,
    }


async def test_a_press_delivered_again_changes_nothing_more(chats: Chats) -> None:
    """The same event, on another replica: a toggle stays as it was."""
    kevin = await walker(chats)
    await kevin.press(StepAct.START)
    await kevin.press(StepAct.PICK, 0, 1)
    first = await kevin.press(StepAct.TOGGLE, 1, 0, event="one")
    other = Walker(chats.replica(), kevin.ask_id)
    await other.press(StepAct.TOGGLE, 1, 0, event="one")
    assert "\u2611 1. lint" in text(first)
    assert "\u2611 1. lint" in text(await other.press(StepAct.START))


async def test_a_press_on_an_old_drawing_changes_nothing(chats: Chats) -> None:
    """A second tap on an option is not an answer to the next field."""
    kevin = await walker(chats)
    await kevin.press(StepAct.START)
    await kevin.press(StepAct.PICK, 0, 1)
    again = await kevin.press(StepAct.PICK, 0, 0)
    assert "colour: blue" in text(again)
    assert "2 of 4" in text(again)
    assert "2 of 4" in text(await kevin.press(StepAct.SEND))
    assert (await kevin.record()).pending


async def test_a_double_tap_answers_one_field(chats: Chats) -> None:
    """Where the next one takes such a press too."""
    kevin = await walker(chats, choice("red", "blue", name="one"), choice("a", "b", name="two"))
    await kevin.press(StepAct.START)
    await kevin.press(StepAct.PICK, 0, 1)
    assert "2 of 2" in text(await kevin.press(StepAct.PICK, 0, 1))


async def test_back_opens_the_last_again_with_what_was_chosen(chats: Chats) -> None:
    """Step by step, to the first."""
    kevin = await walker(chats)
    await kevin.press(StepAct.START)
    await kevin.press(StepAct.PICK, 0, 1)
    await kevin.press(StepAct.TOGGLE, 1, 1)
    await kevin.press(StepAct.DONE, 1)
    back = await kevin.press(StepAct.BACK)
    assert "2 of 4" in text(back)
    assert "\u2611 2. tests" in text(back)
    assert "\u2610 2. tests" in text(await kevin.press(StepAct.BACK))
    assert "1 of 4" in text(await kevin.press(StepAct.BACK))
    assert "Back" not in labels(await kevin.press(StepAct.BACK))


async def test_what_may_be_left_out_can_be(chats: Chats) -> None:
    """By its button, and by Done without any pick; what is needed cannot."""
    kevin = await walker(chats)
    await kevin.press(StepAct.START)
    assert "Leave out" not in labels(await kevin.press(StepAct.LEAVE, 0))
    await kevin.press(StepAct.PICK, 0, 0)
    assert "3 of 4" in text(await kevin.press(StepAct.DONE, 1))
    await kevin.press(StepAct.BACK)
    left = await kevin.press(StepAct.LEAVE, 1)
    assert "checks: left out" in text(left)


async def test_typed_values_are_kept_and_looked_over(chats: Chats) -> None:
    """A line for the open field; a wrong one is said and kept open."""
    kevin = await walker(chats)
    await kevin.press(StepAct.START)
    assert "2 of 4" in text(await kevin.type("blue"))
    assert "3 of 4" in text(await kevin.type("1, 3"))
    assert "4 of 4" in text(await kevin.type("21 October 2026"))
    refused = await kevin.type("perhaps")
    assert refused.tells
    reviewed = await kevin.type("yes")
    assert labels(reviewed) == ["Send", "Back"]
    assert "checks: lint and docs" in text(reviewed)
    assert (await kevin.record()).pending
    assert (await kevin.press(StepAct.SEND)).settled is not None


async def test_picks_in_hand_are_not_lost_to_the_next_field(chats: Chats) -> None:
    """Words typed while some are toggled are read for that very field."""
    kevin = await walker(chats)
    await kevin.press(StepAct.START)
    await kevin.press(StepAct.PICK, 0, 1)
    await kevin.press(StepAct.TOGGLE, 1, 0)
    assert "checks: docs" in text(await kevin.type("docs"))


async def test_own_words_follow_other(chats: Chats) -> None:
    """The next message is the pick, whatever it says."""
    kevin = await walker(chats)
    await kevin.press(StepAct.START)
    assert text(await kevin.press(StepAct.OTHER, 0)).startswith("Write your own words")
    assert "colour: a warm grey" in text(await kevin.type("a warm grey"))


async def test_without_a_walk_a_whole_answer_needs_no_review(chats: Chats) -> None:
    """Typed in one go, as everywhere."""
    kevin = await walker(chats)
    response = await kevin.type("blue\nlint\n21 October 2026\nyes")
    assert response.step is None
    assert response.settled is not None


async def test_typed_parts_without_a_walk_begin_none(chats: Chats) -> None:
    """What is kept is said in words."""
    kevin = await walker(chats)
    response = await kevin.type("blue")
    assert response.step is None
    assert "Still needed" in response.tells[0].text


async def test_words_go_to_the_form_that_is_open_though_other_asks_wait(chats: Chats) -> None:
    """And to none by guessing where two are open."""
    kevin = await walker(chats)
    other = Walker(chats, (await chats.open(*ORDER, where=ALONE)).id)
    assert "Which one" in (await kevin.type("blue")).tells[0].text
    await kevin.press(StepAct.START)
    assert "colour: red" in text(await kevin.type("red"))
    await other.press(StepAct.START)
    assert "Which one" in (await kevin.type("lint")).tells[0].text


async def test_in_a_group_it_begins_elsewhere_for_those_who_may_answer_there(
    chats: Chats,
) -> None:
    """Others are refused as everywhere."""
    kevin = await walker(chats, where=GROUP)
    begun = await kevin.press(StepAct.START, where=GROUP)
    assert begun.step is not None
    assert begun.step.elsewhere
    refused = await kevin.press(StepAct.START, where=GROUP, by=STRANGER)
    assert refused.step is None
    assert "You can't answer this one" in refused.tells[0].text
    # In the private chat nothing was posted, and what is typed there finds the form all the same.
    await kevin.press(StepAct.START)
    assert "2 of 4" in text(await kevin.type("blue"))


async def test_a_form_whose_ask_has_ended_says_how(chats: Chats) -> None:
    """At its next press, with nothing left to press."""
    kevin = await walker(chats)
    await kevin.press(StepAct.START)
    await kevin.press(StepAct.PICK, 0, 1)
    other = Walker(chats, kevin.ask_id)
    assert labels(await other.type("lint\n21 October 2026\nyes")) == ["Send", "Back"]
    await other.press(StepAct.SEND)
    late = await kevin.press(StepAct.TOGGLE, 1, 0)
    assert late.step is not None
    assert (late.step.ended, late.step.rows) == (True, ())
    assert "Answered" in text(late)


async def test_a_form_of_one_field_is_sent_by_its_button_or_by_words(chats: Chats) -> None:
    """A date alone: chosen, looked over, sent; or written, and sent at once."""
    kevin = await walker(chats, field(Kind.DATE, name="day"))
    await kevin.press(StepAct.START)
    assert labels(await kevin.press(StepAct.DAY, 0, 0)) == ["Send", "Back"]
    await kevin.press(StepAct.BACK)
    assert (await kevin.type("21 October 2026")).settled is not None


async def test_today_is_the_pressers(chats: Chats) -> None:
    """Late in the evening by UTC it is tomorrow in Berlin."""
    kevin = await walker(chats, field(Kind.DATE, name="day"))
    await kevin.press(StepAct.START)
    kevin.at = datetime(2026, 10, 20, 22, 30, tzinfo=UTC)
    assert "21 October 2026" in text(await kevin.press(StepAct.DAY, 0, 0))


async def test_an_approval_is_no_form(chats: Chats) -> None:
    """A step for it was drawn by nobody."""
    from gateway.ask import AskKind

    ask = await chats.open(where=ALONE, kind=AskKind.APPROVAL)
    response = await Walker(chats, ask.id).press(StepAct.START)
    assert response.step is None
    assert "no longer kept" in response.tells[0].text


async def test_an_upgraded_groups_asks_are_found_under_its_new_name(chats: Chats) -> None:
    """IA-14: a reply in the new chat finds the ask."""
    kevin = await walker(chats, choice("red", "blue"), where=GROUP)
    new = Destination("telegram", "-1005")
    await chats.interactions.moved(GROUP.name, new.name)
    at = await chats.conversations.now() + timedelta(seconds=1)
    typed = Typed(new, KEVIN, at, "m1", "2", addressed=True)
    assert (await chats.interactions.handle(typed)).settled is not None
    assert not (await kevin.record()).pending
