"""The agent of `oz0 demo`: no model, a few questions through each contract, and what it reads.

It asks and waits as any agent does, and its run's stream makes the transcript.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from gateway.api.views import ask_view, event_view
from gateway.ask import Contract, Run, RunStatus
from gateway.cli.transcript import Line, lines
from gateway.person import Caller, Role
from gateway.store import ENDINGS, EventType
from gateway.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gateway.ask import AskRecord
    from gateway.broker import Broker
    from gateway.store import Event

NAME = "asker"
WAIT_S = 600
"""Ours: how long the demo's questions wait for somebody who went to fetch a coffee."""

LOOK = timedelta(seconds=60)
"""Ours: one long poll; it is asked again until there is an outcome."""


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call, as a model would make it."""

    tool: Contract
    arguments: Mapping[str, Any]

    @property
    def shown(self) -> str:
        """The arguments as transcripts have them: compact, keys sorted."""
        text = json.dumps(self.arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return one_line(text)


CALLS = (
    Call(
        Contract.OZ_ASK_USER,
        {
            "question": "Which colour should the report use?",
            "choices": ["red", "blue", "green"],
        },
    ),
    Call(
        Contract.OZ_ASK_USER,
        {
            "question": "When should I send the report, and how many copies?",
            "fields": [
                {"name": "on", "kind": "date", "label": "Send on", "required": True},
                {"name": "copies", "kind": "number", "integer": True, "min": 1, "max": 9},
            ],
        },
    ),
    Call(
        Contract.ASK_USER,
        {
            "questions": [
                {
                    "id": "target",
                    "header": "Target",
                    "question": "Where should build 41 go?",
                    "options": [
                        {"label": "Staging (Recommended)", "description": "nobody else sees it"},
                        {"label": "Production", "description": "everybody does"},
                    ],
                },
                {
                    "id": "checks",
                    "header": "Checks",
                    "question": "Which checks should run before?",
                    "multiSelect": True,
                    "options": [{"label": "Lint"}, {"label": "Tests"}, {"label": "Docs"}],
                },
                {
                    "id": "notify",
                    "header": "Notify",
                    "question": "Who should hear of it?",
                    "options": [{"label": "The team"}, {"label": "Nobody"}],
                },
            ]
        },
    ),
    Call(Contract.ASK_A_HUMAN, {"question": "What should the release be called?"}),
)


class Agent:
    """The demo's agent with its one run. `show` prints a line of the transcript."""

    def __init__(self, broker: Broker, tenant: str, show: Callable[[Line], None]) -> None:
        self._broker = broker
        self._caller = Caller(tenant, Role.AGENT, f"agent:{NAME}", agent=NAME)
        self._run = Run(id=f"job-{uuid4()}", tenant=tenant, agent=NAME, timeout_s=WAIT_S)
        self._show = show

    async def run(self, pen: asyncio.Lock) -> None:
        """Makes each call and reads its result; the run is finished then.

        Whoever holds `pen` writes: a call is shown whole before its question is.
        """
        await self._broker.create_run(self._caller, self._run)
        for number, call in enumerate(CALLS, 1):
            async with pen:
                self._show(Line("→", f"{NAME} → {call.tool.value} {call.shown}"))
                standing = await self._broker.open(
                    self._caller,
                    self._run.id,
                    tool=call.tool.value,
                    arguments=call.arguments,
                    call_id=f"call-{number}",
                )
                await self._tell({EventType.ASK_OPENED})
            while not standing.ended and standing.record is not None:
                standing = await self._broker.wait(self._caller, standing.record.ask.id, LOOK)
            async with pen:
                await self._tell(ENDINGS)
        await self._broker.end_run(self._caller, self._run.id, RunStatus.FINISHED, None)

    async def stop(self) -> None:
        """Ends the run as it is; what it still asks is withdrawn, and answered by nobody."""
        await self._broker.end_run(self._caller, self._run.id, RunStatus.CANCELLED, None)

    async def _tell(self, types: set[EventType] | frozenset[EventType]) -> None:
        """Shows the run's last event of these types, as its history has it."""
        history = await self._broker.history(self._caller, self._run.id)
        event = next(event for event in reversed(history) if event.type in types)
        record = await self._broker.ask(self._caller, event.ask_id or "")
        for line in lines(NAME, self._json(event, record), lambda _: self._ask(record)):
            # The call was shown as it was made; the command that answers is for another terminal.
            if line.mark not in ("", "→"):
                self._show(line)

    def _json(self, event: Event, record: AskRecord) -> dict[str, Any]:
        told = event_view(event, record, self._caller)
        return told.model_dump(mode="json", exclude_unset=True)

    def _ask(self, record: AskRecord) -> dict[str, Any]:
        """The ask as the API would tell it."""
        return ask_view(record, self._caller).model_dump(mode="json")
