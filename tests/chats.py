"""A gateway's chats over any store, and people who press, type and edit in them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from channels.capabilities import Capabilities, Reach
from channels.contract import (
    Control,
    Destination,
    Interaction,
    Pick,
    Pressed,
    Response,
    Sender,
    Submitted,
    Typed,
)
from channels.inbound.actors import Everyone
from channels.inbound.interactions import Interactions
from gateway.ask import AskKind, AskRecord, Run
from gateway.broker import Broker
from gateway.conversations import Conversations, Posted
from gateway.people import People
from gateway.person import Caller, Person, Role, Tenant
from gateway.question import Question
from gateway.waiting import Waiters
from tests.strategies_reply import WHERE, choice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gateway.answer import Value
    from gateway.question import Field
    from gateway.routes import Route
    from gateway.store import Event, Store

ACME = Tenant(id="acme", name="acme", zone="Europe/Berlin")
AGENT = Caller("acme", Role.AGENT, "agent:asker", agent="asker")

KEVIN = Person(
    id="kevin",
    tenant="acme",
    name="Kevin",
    role=Role.OPERATOR,
    content=True,
    identities=("slack:T1/U1", "telegram:1001"),
)
ANA = Person(
    id="ana",
    tenant="acme",
    name="Ana",
    role=Role.ADMIN,
    content=True,
    identities=("slack:T1/U2",),
)
BLIND = Person(
    id="blind", tenant="acme", name="Bo", role=Role.OPERATOR, identities=("slack:T1/U3",)
)
READER = Person(
    id="reader",
    tenant="acme",
    name="Rita",
    role=Role.READER,
    content=True,
    identities=("slack:T1/U4",),
)
STRANGER_TENANT = Person(
    id="eve",
    tenant="other",
    name="Eve",
    role=Role.OWNER,
    content=True,
    identities=("slack:T1/U5",),
)
PEOPLE = (KEVIN, ANA, BLIND, READER, STRANGER_TENANT)

U1, U2, U3, U4, U5, U9 = (Sender(f"T1/U{n}", f"U{n}") for n in (1, 2, 3, 4, 5, 9))

DIRECT = Destination("slack", "D1", account="T1/U1")
CHANNEL = Destination("slack", "C1")
THREAD = Destination("slack", "C1", "T1")

PRODUCTION = {"pick": {"options": ["o2"], "write_in": None}}
"""The second option of the question that asks open with, as outcomes hold it."""

THREADS = Capabilities(channel="slack", text=4_000, reach=Reach.THREAD)

_numbers = count(1)


class Chats:
    """One replica of a gateway, with the way in from its chats."""

    def __init__(
        self, store: Store, routes: Sequence[Route] = (), people: Sequence[Person] = PEOPLE
    ) -> None:
        self.store = store
        self.routes = routes
        self.people = people
        self.broker = Broker(store, Waiters(store))
        self.conversations = Conversations(store)
        self.everyone = Everyone(People(people), {"acme": ACME}, routes, {"slack": THREADS})
        self.interactions = Interactions(self.broker, self.conversations, self.everyone)

    def replica(self) -> Chats:
        """Another gateway over the same store, as after a restart."""
        return Chats(self.store, self.routes, self.people)

    async def open(
        self,
        *fields: Field,
        where: Destination = DIRECT,
        posted: bool = True,
        run: str | None = None,
        kind: AskKind = AskKind.QUESTION,
        waits: timedelta | None = None,
        audience: Sequence[str] = (),
        destinations: Sequence[str] = (),
        tool: tuple[str, Any] | None = None,
    ) -> Ask:
        """An ask that waits there, with its post, unless nobody recorded that."""
        run_id = run or f"job-{next(_numbers)}"
        await self.broker.create_run(AGENT, Run(id=run_id, tenant="acme", agent="asker"))
        if tool is not None:
            standing = await self.broker.open(
                AGENT, run_id, tool=tool[0], arguments=tool[1], call_id=f"call-{next(_numbers)}"
            )
        else:
            standing = await self.broker.open_question(
                AGENT,
                run_id,
                Question(
                    prompt="Where should build 41 go?",
                    fields=() if kind is AskKind.APPROVAL else fields or (choice(*WHERE),),
                ),
                call_id=f"call-{next(_numbers)}",
                kind=kind,
                timeout_s=None if waits is None else int(waits.total_seconds()),
                audience=audience,
                destinations=destinations,
            )
        assert standing.record is not None
        ask = Ask(self, standing.record.ask.id, where, f"post-{next(_numbers)}")
        ask.code = await self.conversations.join(where.name, standing.record.ask, where.thread)
        if posted:
            now_ms = int((await self.store.now()).timestamp() * 1000)
            await self.conversations.posted(where.name, ask.post, Posted(ask.id, now_ms))
        return ask

    async def typed(
        self, text: str, by: Sender = U1, where: Destination = DIRECT, **more: Any
    ) -> Typed:
        """A message sent now."""
        message = str(more.pop("message", f"m{next(_numbers)}"))
        at = more.pop("at", None) or await self.store.now()
        return Typed(where, by, at, message, text, **more)

    async def reply(
        self, text: str, by: Sender = U1, where: Destination = DIRECT, **more: Any
    ) -> Response:
        """Sends a message and hands it in."""
        return await self.hand(await self.typed(text, by, where, **more))

    async def hand(self, interaction: Interaction) -> Response:
        return await self.interactions.handle(interaction)


class Ask:
    """One ask in one place."""

    def __init__(self, chats: Chats, ask_id: str, where: Destination, post: str) -> None:
        self._chats = chats
        self.id = ask_id
        self.where = where
        self.post = post
        self.code = ""

    async def record(self) -> AskRecord:
        found = await self._chats.store.read(self.id)
        assert found is not None
        return found

    async def status(self) -> str:
        return (await self.record()).status.value

    async def values(self) -> Mapping[str, Any] | None:
        outcome = (await self.record()).outcome
        return outcome.values if outcome else None

    async def press(
        self, control: Control | str = "o1", by: Sender = U1, event: str | None = None
    ) -> Response:
        """Presses an option by its id, or a control."""
        return await self._chats.hand(await self.pressed(control, by, event))

    async def pressed(
        self, control: Control | str = "o1", by: Sender = U1, event: str | None = None
    ) -> Pressed:
        meant = Pick(control) if isinstance(control, str) else control
        at = await self._chats.store.now()
        name = event or f"e{next(_numbers)}"
        return Pressed(self.where, by, at, name, self.id, meant, self.post)

    async def submit(self, values: Mapping[str, Value], by: Sender = U1) -> Response:
        """Sends a form."""
        at = await self._chats.store.now()
        form = Submitted(self.where, by, at, f"f{next(_numbers)}", self.id, values)
        return await self._chats.hand(form)

    async def refusals(self) -> list[Event]:
        """What the run's history has of people who were refused."""
        return [event for event in await self.history() if event.type.value == "ask.refused"]

    async def history(self) -> list[Event]:
        """Its run's events."""
        return await self._chats.store.history((await self.record()).ask.run_id)


def edited(message: Typed, text: str, edit: str = "1") -> Typed:
    """The message with other words, as its author changed it."""
    return replace(message, text=text, edit=edit)


def texts(response: Response) -> list[str]:
    """What is said to the author alone."""
    return [tell.text for tell in response.tells]


def public(response: Response) -> list[str]:
    """What may stand where others read it."""
    return [tell.public for tell in response.tells if tell.public is not None]
