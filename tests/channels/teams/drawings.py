"""Asks drawn for Teams, what people see of them, and what comes back when they are filled in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from channels.callback import MOST_BYTES, unpack
from channels.catalogue import Reader
from channels.contract import (
    Submitted,
)
from channels.drawing import Drawing, draw
from channels.teams import render
from channels.teams.parse import Did, parse
from channels.teams.render import CAPABILITIES, DATA
from channels.testing.teams.cards import Drawn, held
from channels.testing.teams.cards import draw as draw_card
from channels.testing.teams.message_rules import check_message
from gateway.answer import Picked
from gateway.ask import Ask, Outcome
from gateway.question import Field, Kind, Option
from tests.strategies import record_of

NOW = datetime(2026, 10, 20, 9, 5, tzinfo=UTC)
READER = Reader(buttons=True, zone="Europe/Berlin")


def drawn(ask: Ask, outcome: Outcome | None = None, link: str | None = None) -> Drawing:
    """The post in a place that sees everything."""
    record = record_of(ask, outcome)
    return draw(READER, record, CAPABILITIES, code="K7", waits_for="acme", now=NOW, link=link)


def messages(drawing: Drawing) -> list[dict[str, Any]]:
    """All that is sent for it, found good by the platform."""
    sent = render.post(drawing)
    for one in sent:
        check_message(one, {})
    return sent


def card(message: dict[str, Any]) -> Drawn:
    """What people see of a message's card."""
    return draw_card(message["attachments"][0]["content"])


def seen(drawing: Drawing) -> str:
    """Its words as people read them."""
    return "\n".join("\n".join(card(one).words) for one in messages(drawing))


def flat(text: str) -> str:
    """Without what only moves words about."""
    return "".join(text.replace("\u2068", "").replace("\u2069", "").split())


def controls(message: dict[str, Any]) -> list[Any]:
    """What its actions mean when they come back."""
    found = []
    for action in card(message).actions:
        if action.kind == "OpenUrl":
            continue
        packed = action.node["data"][DATA]
        assert len(packed.encode("ascii")) <= MOST_BYTES
        back = unpack(packed)
        assert back is not None
        found.append(back[1])
    return found


def options(ask: Ask) -> list[Option]:
    return [option for one in ask.question.fields for option in one.options]


def submitted(shown: Drawn, values: dict[str, Any]) -> Submitted:
    """What comes back of a card filled in so, through the fake's own client and our parser."""
    filled = {name: held(shown.input(name), value) for name, value in values.items()}
    send = next(one for one in shown.actions if one.inputs)
    data = {**send.node["data"], **{name: text for name, text in filled.items() if text}}
    activity = {
        "type": "invoke",
        "name": "adaptiveCard/action",
        "id": "f:1",
        "from": {"id": "29:a"},
        "conversation": {"id": "a:1"},
        "value": {"action": {"data": data}},
    }
    found = parse(activity, NOW)
    assert isinstance(found, Did)
    assert isinstance(found.interaction, Submitted)
    return found.interaction


def filled(value: Any, one: Field) -> dict[str, Any]:
    """A kept value as a person puts it into the inputs, by their ids."""
    name = one.name
    match value:
        case bool():
            return {f"y:{name}": "y" if value else "n"}
        case Picked(picked, words):
            letter = "m" if one.kind is Kind.MULTI_CHOICE else "c"
            found = {f"{letter}:{name}": list(picked)} if picked else {}
            return found | ({f"w:{name}": words} if words else {})
        case str() if one.kind is Kind.DATE and one.date_time:
            return {f"d:{name}": value[:10], f"h:{name}": value[11:16]}
        case str() if one.kind is Kind.DATE:
            return {f"d:{name}": value}
        case str():
            return {f"t:{name}": value}
        case _:
            exact = all(bound is None or abs(bound) <= 2**53 for bound in (one.min, one.max))
            return {f"{'n' if exact else 'x'}:{name}": str(value)}
