"""Plays a part's steps as a channel would hand them in, and says what came out otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from channels.contract import (
    Control,
    Destination,
    Interaction,
    Pick,
    PressApprove,
    PressDecline,
    Pressed,
    PressOther,
    PressSkip,
    Sender,
    Submitted,
    Typed,
)
from gateway.answer import Picked
from gateway.question import Kind
from tests.cases import platforms, reading
from tests.cases.checks import unmet
from tests.cases.stage import Stage

if TYPE_CHECKING:
    from gateway.answer import Value
    from gateway.embedded_redis import EmbeddedRedis
    from gateway.question import Field
    from tests.cases.reading import Json, Part

CONTROLS: dict[str, Control] = {
    "skip": PressSkip(),
    "decline": PressDecline(),
    "deny": PressDecline(),
    "approve": PressApprove(),
    "other": PressOther(),
}


async def play(engine: EmbeddedRedis, part: Part) -> list[str]:
    """What did not come out as the part expects; empty where all did."""
    async with Stage(engine, part) as stage:
        return await Player(stage, part).play()


class Player:
    """One part on its stage."""

    def __init__(self, stage: Stage, part: Part) -> None:
        self._stage = stage
        self._part = part
        self._events: dict[str, tuple[str, Interaction]] = {}
        self._began = self._last = datetime.min.replace(tzinfo=UTC)
        self._asks = {ask["id"]: ask for ask in part.asks}
        self._number = 0

    async def play(self) -> list[str]:
        """Opens the asks, takes each step, and checks."""
        for ask in self._part.asks:
            await self._stage.open(ask)
        self._began = self._last = await self._stage.now()
        faults: list[str] = []
        for step in self._part.steps:
            await self._wait_for(step.get("at"))
            faults += await self._take(step)
            self._last = await self._stage.now()
        return faults + await unmet(self._stage, self._part.expect)

    async def _wait_for(self, at: str | None) -> None:
        """`3s` counts from the opening, `+1s` from the step before."""
        if at is None:
            return
        base = self._last if at.startswith("+") else self._began
        if base + reading.span(at) > await self._stage.now():
            await self._stage.pass_time(base + reading.span(at))

    async def _take(self, step: Json) -> list[str]:
        match step["t"]:
            case "check":
                return await unmet(self._stage, step["expect"])
            case "clock":
                await self._clock(step)
            case "wait":
                await self._stage.pass_time(await self._stage.now() + timedelta(seconds=step["s"]))
            case "restart":
                what = step.get("what", "")
                await self._stage.restart(engine="all" in what or "redis" in what)
            case "redeliver":
                await self._stage.act(*self._events[step["of"]])
            case "reply" if step.get("bot") or step["by"] == platforms.BOT:
                pass  # no channel hands in what a bot says
            case "reply" | "tap" | "submit" | "edit":
                await self._act(step)
            case other:
                raise AssertionError(f"no step {other}")
        return []

    async def _act(self, step: Json) -> None:
        """What a person does, as a channel hands it in; nothing, where it hands in nothing."""
        who, meant = await self._interaction(step)
        interaction = await self._as_written(step, meant)
        if interaction is None:
            return
        for name in (step.get("event_id"), step.get("message_id")):
            if name is not None:
                self._events[name] = (who, interaction)
        await self._stage.act(who, interaction)

    async def _clock(self, step: Json) -> None:
        now = await self._stage.now()
        to = reading.moment(step["to"]) if "to" in step else now + reading.span(step["advance"])
        await self._stage.pass_time(to)

    async def _interaction(self, step: Json) -> tuple[str, Interaction]:
        self._number += 1
        who = step["by"]
        where = self._where(step)
        sender = Sender(
            account=who.rpartition(":")[2],
            shown=step.get("display_name", who),
            hidden="sender_chat" in step,
        )
        at = await self._sent_at(step)
        event = step.get("event_id", f"event-{self._number}")
        match step["t"]:
            case "reply":
                return who, self._typed(step, where, sender, at, event)
            case "edit":
                return who, self._edited(step, at)
            case "tap":
                record = await self._stage.record(step["ask"])
                field = record.ask.question.single
                control = _control(step["option"], field)
                post = self._stage.chat.post_of(record.ask.id)
                return who, Pressed(where, sender, at, event, record.ask.id, control, post)
            case _:
                record = await self._stage.record(step["ask"])
                question = record.ask.question
                values = {
                    name: _value(question.field(name), value)
                    for name, value in step["values"].items()
                }
                return who, Submitted(where, sender, at, event, record.ask.id, values)

    async def _as_written(self, step: Json, meant: Interaction) -> Interaction | None:
        """The step as its platform's own channel reads it, where it is in the platform's form."""
        thread_in_id = (
            self._part.platform == "teams" and ";messageid=" in self._part.asks[0]["where"]
        )
        if not thread_in_id and not platforms.is_own_form(step):
            return meant
        name = step.get("ask", self._part.asks[0]["id"])
        record = await self._stage.record(name)
        post = self._stage.chat.post_of(record.ask.id)
        written = platforms.Meant(step, meant, record.ask.question, post)
        return platforms.read(self._part.platform, written)

    def _typed(
        self, step: Json, where: Destination, sender: Sender, at: datetime, event: str
    ) -> Typed:
        marked = step.get("is_reply_to", "")
        replied = self._stage.ids.get(marked.removesuffix(" post"))
        return Typed(
            where=where,
            sender=sender,
            at=at,
            message=step.get("message_id", event),
            text=step.get("text") or "",
            reply_to=step.get("reply_to") or (replied and self._stage.chat.post_of(replied)),
            addressed=bool(
                step.get("addressed") or step.get("mentions_bot") or step.get("mention")
            ),
        )

    def _edited(self, step: Json, at: datetime) -> Typed:
        _, first = self._events[step.get("of") or step.get("message_id") or step["event_id"]]
        if not isinstance(first, Typed):
            raise TypeError("only a message is edited")
        text = step.get("text", step.get("new", ""))
        return Typed(
            where=first.where,
            sender=first.sender,
            at=first.at,
            message=first.message,
            text=text,
            edit=at.isoformat(),
            reply_to=first.reply_to,
            addressed=first.addressed,
        )

    def _where(self, step: Json) -> Destination:
        """Where the step happens: where it says, else where the ask is; never in another's chat."""
        if "where" in step:
            return reading.where(step["where"])
        ask = self._asks.get(step.get("ask", ""), self._part.asks[0])
        place = reading.where(ask["where"])
        account = step["by"].rpartition(":")[2]
        if place.account is not None and place.account != account:
            return Destination(place.channel, f"DM:{account}", account=account)
        return place

    async def _sent_at(self, step: Json) -> datetime:
        """By the platform's clock; `-5s` is before the ask was opened."""
        at = step.get("at", "")
        if at.startswith("-"):
            return self._began + reading.span(at)
        return await self._stage.now()


def _control(option: Any, field: Field | None) -> Control:
    """What is tapped: an option by its label or its place, or a control by its name."""
    options = field.options if field else ()
    if isinstance(option, int):
        return Pick(f"o{option}")
    found = next((one.id for one in options if one.label == option), None)
    # What is neither is a button of somebody else's making: an id that no option has.
    return Pick(found) if found else CONTROLS.get(option.casefold(), Pick(option))


def _value(field: Field | None, value: Any) -> Value:
    """A form's value as a channel hands it in: numbers read, labels and ids picks."""
    if field is not None and field.kind is Kind.NUMBER and isinstance(value, str):
        return float(value) if "." in value else int(value)
    if field is None or not field.is_choice:
        return value  # type: ignore[no-any-return]  # JSON, as the case has it
    given = [value] if isinstance(value, str) else value
    ids = tuple(option.id for option in field.options if {option.id, option.label} & set(given))
    known = {name for option in field.options for name in (option.id, option.label)}
    own = [one for one in given if one not in known]
    return Picked(ids, own[0] if own else None)
