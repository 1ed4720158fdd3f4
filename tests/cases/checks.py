"""What a case expects, held against what is: states, answers, resumes, and what was said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gateway.answer import Picked, from_json, plain
from gateway.ask import AskKind, Status
from gateway.question import OTHER, Kind
from gateway.store import EventType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gateway.answer import Value
    from gateway.ask import AskRecord
    from gateway.question import Field
    from tests.cases.reading import Json
    from tests.cases.stage import Stage

KNOWN = frozenset(
    ("state", "answer", "resumes", "one_of", "any_of", "visible_posts", "tells", "never")
)
"""Keys of an expectation."""

_ONE = re.compile(
    r"exactly one correction|^(\w+: )?one correction|private (note|refusal)|one confirmation"
)
_NAMING = re.compile(r"naming '?(\w+)'?")
_ROOT = re.compile(r"all have root (\w+)")


async def unmet(stage: Stage, expect: Json) -> list[str]:
    """What of the expectation does not hold, in words."""
    if unknown := set(expect) - KNOWN:
        return [f"an expectation nobody knows: {', '.join(sorted(unknown))}"]
    faults = [
        *await _states(stage, expect.get("state", {})),
        *await _answers(stage, expect.get("answer", {})),
        *await _any_answers(stage, expect.get("any_of", {})),
        *await _resumes(stage, expect.get("resumes", {})),
        *_posts(stage, expect),
        *await _said(stage, expect),
    ]
    if "one_of" in expect:
        each = [await unmet(stage, one) for one in expect["one_of"]]
        if all(each):
            faults.append(f"none of {len(each)} outcomes: {'; '.join(one[0] for one in each)}")
    return faults


async def _states(stage: Stage, states: Mapping[str, str]) -> list[str]:
    found = {name: (await stage.record(name)).status.value for name in states}
    return [
        f"{name} is {found[name]}, not {state}"
        for name, state in states.items()
        if found[name] != state
    ]


async def _answers(stage: Stage, answers: Mapping[str, Json]) -> list[str]:
    faults = []
    for name, wanted in answers.items():
        record = await stage.record(name)
        given = _answer(record)
        faults += [
            f"{name}: {key} is {given.get(key)!r:.200}, not {value!r:.200}"
            for key, value in wanted.items()
            if given.get(key) != value and value not in _other_names(record, key)
        ]
    return faults


async def _any_answers(stage: Stage, answers: Mapping[str, list[Json]]) -> list[str]:
    faults = []
    for name, allowed in answers.items():
        each = [await _answers(stage, {name: one}) for one in allowed]
        if all(each):
            faults.append(f"{name}: none of the allowed answers: {'; '.join(e[0] for e in each)}")
    return faults


async def _resumes(stage: Stage, resumes: Mapping[str, int]) -> list[str]:
    found = {run: await stage.resumes(run) for run in resumes}
    return [
        f"{run} was resumed {found[run]} times, not {count}"
        for run, count in resumes.items()
        if found[run] != count
    ]


def _posts(stage: Stage, expect: Json) -> list[str]:
    wanted = expect.get("visible_posts")
    count = len(stage.chat.messages)
    return [] if wanted in (None, count) else [f"{count} posts are visible, not {wanted}"]


async def _said(stage: Stage, expect: Json) -> list[str]:
    """The facts of `tells` and `never` that can be counted; the others have tests of their own."""
    faults: list[str] = []
    texts = [tell.text for _, tell in stage.said]
    for fact in expect.get("tells", ()):
        if _ONE.search(fact) and len(texts) != 1:
            faults.append(f"{fact}: {len(texts)} things were said")
        naming = _NAMING.search(fact)
        if naming and not any(naming[1] in text.replace(",", "") for text in texts):
            faults.append(f"{fact}: {naming[1]} was not named")
        if "nothing is said" in fact and texts:
            faults.append(f"{fact}: {len(texts)} things were said")
        if root := _ROOT.search(fact):
            faults += _threads(stage, root[1])
        elif "reminder" in fact:
            faults += await _reminders(stage, fact)
    if "silence" in expect.get("never", ()) and not texts:
        faults.append("nothing was said")
    return faults


def _threads(stage: Stage, root: str) -> list[str]:
    """What we posted stands in that thread; notes stand under their post, wherever it is."""
    threads = [message.where.thread for message in stage.chat.messages.values()]
    return [f"a post has the root {one}, not {root}" for one in threads if one != root]


async def _reminders(stage: Stage, fact: str) -> list[str]:
    """`one reminder each at 1h, 2h, 3h` and `only the 1h reminder`, by the run's history."""
    record = await stage.record("A1")
    history = await stage.store.history(record.ask.run_id)
    rungs = (EventType.WAITING, EventType.ESCALATED)
    at = [event.at - record.opened_at for event in history if event.type in rungs]
    hours = [round(span.total_seconds() / 3600, 2) for span in at]
    wanted = [float(hour) for hour in re.findall(r"(\d+)h", fact)]
    return [] if hours == wanted else [f"{fact}: there were reminders after {hours} hours"]


def _answer(record: AskRecord) -> dict[str, Any]:
    """The outcome in every form the cases write it in."""
    outcome, question = record.outcome, record.ask.question
    told: dict[str, Any] = {"status": record.status.value}
    if outcome is not None:
        told |= {"reason": outcome.reason, "by": outcome.by, "skipped": outcome.skipped}
    if record.ask.kind is AskKind.APPROVAL:
        told["approved"] = record.status is Status.ANSWERED
    if outcome is None or outcome.values is None or record.ask.kind is AskKind.APPROVAL:
        return told
    values = from_json(question, outcome.values)
    shown = plain(question, values)
    told |= {"fields": shown, "answers": shown}
    field = question.single
    if field is None or field.name not in values:
        return told
    return told | _single(field, values[field.name], shown[field.name])


def _other_names(record: AskRecord, key: str) -> tuple[str, ...]:
    """What the contracts call an ending that is no answer."""
    silent = record.status in (Status.EXPIRED, Status.CANCELLED)
    skipped = record.outcome is not None and record.outcome.skipped
    return ("no_answer",) if key == "status" and (silent or skipped) else ()


def _single(field: Field, value: Value, shown: Any) -> dict[str, Any]:
    """The only value, under the names the cases have for its kind."""
    if not isinstance(value, Picked):
        return {field.kind.value: shown, "value": shown}
    if field.kind is Kind.MULTI_CHOICE:
        return {"values": shown, "other_text": value.write_in}
    if value.write_in is not None:
        return {"option_id": OTHER, "other_text": value.write_in}
    return {"option_id": value.options[0], "option": shown}
