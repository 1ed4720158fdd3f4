"""A file of scenarios as values: cases, their variants as parts, and each part's asks. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from channels.contract import Destination
from gateway.ask import AskKind
from gateway.ladder import Audience, Rung, RungEvent
from gateway.question import Field, Kind, Option, Question

TEXT_CAP = 4_000
"""The bare model's cap of a text (the cases' own README)."""

RUNS = frozenset(
    ("reply", "tap", "submit", "edit", "redeliver", "clock", "restart", "check", "wait")
)
"""The steps that can be played here."""

KINDS = {
    "choice": Kind.CHOICE,
    "multi_choice": Kind.MULTI_CHOICE,
    "multi-choice": Kind.MULTI_CHOICE,
    "text": Kind.TEXT,
    "number": Kind.NUMBER,
    "date": Kind.DATE,
    "date_time": Kind.DATE,
    "toggle": Kind.TOGGLE,
    "boolean": Kind.TOGGLE,
}
THREAD = ";messageid="
"""What stands before a thread's first message in an id of Teams."""

CHANNELS = ("slack", "teams", "discord", "telegram")
NO_PLATFORM = "chat"
"""The channel of a place that names no platform."""

_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 0.001}
_AUDIENCES = {
    "approvers": Audience.ANSWERERS,
    "answerers": Audience.ANSWERERS,
    "owner": Audience.OWNER,
    "admins": Audience.ADMINS,
}

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """A case, or one variant of it: what is asked, done and expected."""

    name: str
    case: str
    asks: Sequence[Json]
    steps: Sequence[Json]
    expect: Json
    platform: str = NO_PLATFORM
    """Whose form its steps are in, where they are in one."""


def read(text: str) -> list[Part]:
    """Every part of every case, in order. Raises: ValueError, the file is no list of cases."""
    cases = json.loads(text)
    if not isinstance(cases, list):
        raise ValueError("A file of cases is one JSON list.")  # noqa: TRY004 - of the file's text
    return [part for case in cases for part in _parts(_expanded(case))]


def _parts(case: Json) -> list[Part]:
    variants = case.get("variants") or [case]
    return [
        Part(
            name=f"{case['id']}/{number}" if len(variants) > 1 else case["id"],
            case=case["id"],
            asks=variant.get("asks") or case["asks"],
            steps=variant["steps"],
            expect=variant["expect"],
            platform=_platform(case, variant.get("asks") or case["asks"]),
        )
        for number, variant in enumerate(variants, 1)
    ]


def _platform(case: Json, asks: Sequence[Json]) -> str:
    """That of its first ask's place, else the case's only one."""
    channel = where(asks[0]["where"]).channel
    named = case.get("platforms", ())
    return named[0] if channel == NO_PLATFORM and len(named) == 1 else channel


def _expanded(value: Any) -> Any:
    """`{"$repeat": ["x", 3], "$then": "y"}` is `xxxy`."""
    match value:
        case {"$repeat": [str() as text, int() as times], **rest}:
            return text * times + str(rest.get("$then", ""))
        case dict():
            return {key: _expanded(one) for key, one in value.items()}
        case list():
            return [_expanded(one) for one in value]
        case _:
            return value


def where(text: str) -> Destination:
    """`slack:C1/T1` is a thread, `teams:C1;messageid=T1` too; `DM:U1` is a direct chat."""
    channel, _, rest = text.partition(":")
    if channel not in CHANNELS:
        channel, rest = NO_PLATFORM, text
    if rest.startswith("DM:"):
        return Destination(channel, rest, account=rest.removeprefix("DM:"))
    conversation, _, thread = rest.replace(THREAD, "/", 1).partition("/")
    return Destination(channel, conversation, thread or None)


def span(text: str) -> timedelta:
    """`2h30m`, `61s`, `59.999s`, `+15m`, `10s after the post`."""
    found = re.findall(r"(\d+(?:\.\d+)?)(ms|[dhms])", text.partition(" ")[0])
    if not found:
        raise ValueError(f"no span of time: {text}")
    seconds = sum(float(number) * _UNITS[unit] for number, unit in found)
    return timedelta(seconds=seconds) * (-1 if text.startswith("-") else 1)


def moment(text: str) -> datetime:
    """An ISO time with its zone."""
    return datetime.fromisoformat(text)


def question(ask: Json) -> Question:
    """The question on the bare model, option ids `o1`, `o2`, …"""
    prompt = ask.get("question", "")
    match ask["shape"]:
        case "approval":
            return Question(prompt=prompt)
        case "form":
            return Question(prompt=prompt, fields=tuple(map(_field, ask["fields"])), typed=True)
        case "multi_question":
            fields = tuple(map(_one_of_several, ask["questions"]))
            return Question(prompt=prompt, fields=fields)
        case _:
            return Question(
                prompt=prompt, fields=(_field({"name": "pick", "required": True, **ask}),)
            )


def arguments(ask: Json) -> dict[str, Any]:
    """A tool's arguments, for an ask of the case that names its contract."""
    labels = [one["label"] if isinstance(one, dict) else one for one in ask.get("options", ())]
    match ask["contract"]:
        case "ask_user":
            options = [{"label": label} for label in labels]
            one = {"id": "pick", "header": "Pick", "question": ask["question"], "options": options}
            several = {"multiSelect": True} if ask["shape"] != "choice" else {}
            return {"questions": ask.get("questions", [one | several])}
        case "ask_a_human":
            return {"question": ask["question"]} | ({"options": labels} if labels else {})
        case _:
            more = {"fields": ask["fields"]} if "fields" in ask else {"choices": labels}
            return {"question": ask["question"]} | (more if labels or "fields" in ask else {})


def kind(ask: Json) -> AskKind:
    is_approval = "approval" in (ask["shape"], ask.get("kind"))
    return AskKind.APPROVAL if is_approval else AskKind.QUESTION


def timeout(ask: Json) -> timedelta | None:
    given = ask.get("timeout") or ask.get("deadline")
    return span(given) if given else None


def ladder(ask: Json) -> tuple[Rung, ...] | None:
    """`1/4 approvers` is a rung; None where the case leaves the ladder as it is."""
    if "ladder" not in ask:
        return None
    rungs = []
    for text in ask["ladder"]:
        share, to = text.split(" ")
        above, below = map(int, share.split("/"))
        event = RungEvent.WAITING if _AUDIENCES[to] is Audience.ANSWERERS else RungEvent.ESCALATED
        rungs.append(Rung(share=above / below, to=_AUDIENCES[to], event=event))
    return tuple(rungs)


def _field(given: Json) -> Field:
    shape = given.get("shape", given.get("kind", "text"))
    options = given.get("options", ())
    return Field(
        name=given["name"],
        kind=KINDS["choice" if options and shape == "text" else shape],
        label=given.get("label"),
        required=given.get("required", False),
        options=tuple(_option(number, option) for number, option in enumerate(options, 1)),
        write_in=bool(options) and given.get("other", False),
        min=given.get("min"),
        max=given.get("max"),
        integer=given.get("integer", False),
        max_length=TEXT_CAP if shape == "text" or options else None,
        date_time=given.get("date_time", shape == "date_time"),
    )


def _one_of_several(given: Json) -> Field:
    field = _field({"name": given["key"], "required": True, **given})
    return field.model_copy(update={"description": given["question"]})


def _option(number: int, given: str | Json) -> Option:
    if isinstance(given, str):
        return Option(id=f"o{number}", label=given)
    return Option(id=f"o{number}", label=given["label"], description=given.get("description"))
