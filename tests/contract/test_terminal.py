"""The terminal as a chat: lines in, numbered text out, words where others have buttons."""

from __future__ import annotations

import asyncio
import os
import tempfile
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import pytest

from channels.capabilities import PLAIN
from channels.catalogue import Language, Reader
from channels.desk import desk_for
from channels.inbound.actors import Everyone
from channels.inbound.interactions import Interactions
from channels.inbound.mine import Mine
from channels.terminal.lines import LONGEST_LINE_BYTES, Lines
from channels.terminal.transport import Terminal
from channels.worker import Outlet, Worker
from gateway.feed import Feed
from gateway.people import People
from gateway.person import Person, Role
from gateway.posts import Posts
from gateway.question import Kind
from gateway.routes import Route, targets
from tests.chats import ACME, AGENT, Chats
from tests.strategies_reply import choice, field
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from gateway.store import Store

YOU = Person(
    id="you",
    tenant="acme",
    name="You",
    role=Role.OWNER,
    content=True,
    identities=("terminal:you",),
)


class Page:
    """Where the terminal writes: what stands on it, a kind and a text each."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.written: list[tuple[str, str]] = []

    def post(self, text: str) -> None:
        self.written.append(("post", text))

    def said(self, text: str) -> None:
        self.written.append(("said", text))

    def prompt(self) -> None:
        self.written.append(("prompt", ""))

    def heard(self, line: str) -> None:
        self.written.append(("heard", line))

    def of(self, kind: str) -> list[str]:
        return [text for written, text in self.written if written == kind]


class Sitting:
    """One person at a terminal, over a store."""

    def __init__(self, store: Store, descriptor: int) -> None:
        self.chats = Chats(store)
        broker, conversations = self.chats.broker, self.chats.conversations
        routes = (Route(person="you", tenant="acme"),)
        everyone = Everyone(People([YOU]), {"acme": ACME}, routes)
        self.page = Page()
        outlets: dict[str, Outlet] = {}
        self.worker = Worker(
            broker,
            conversations,
            Posts(store, "terminal"),
            everyone,
            outlets,
            partial(targets, routes, everyone.people),
        )
        interactions = Interactions(broker, conversations, everyone)
        mine = Mine(broker, conversations, everyone)
        self.terminal = Terminal(
            "you",
            Reader(Language()),
            self.page,
            Lines(descriptor),
            lambda: datetime.now(UTC),
            desk_for(self.worker, interactions, mine, everyone),
        )
        outlets["terminal"] = Outlet(self.terminal, PLAIN)
        self.feed = Feed(store, "terminal")

    async def run(self) -> None:
        await self.terminal.run()


@pytest.fixture
def keyboard() -> Iterator[tuple[int, int]]:
    """A pipe: what is read, and what is typed into."""
    read, write = os.pipe()
    yield read, write
    for end in (read, write):
        try:
            os.close(end)
        except OSError:
            continue


@pytest.fixture
async def sitting(store: Store, keyboard: tuple[int, int]) -> AsyncIterator[Sitting]:
    """Somebody sits at a terminal whose worker runs."""
    one = Sitting(store, keyboard[0])
    tasks = [asyncio.create_task(one.worker.run(one.feed)), asyncio.create_task(one.run())]
    yield one
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def type_(keyboard: tuple[int, int], text: str) -> None:
    os.write(keyboard[1], text.encode())


async def test_lines_typed_ahead_meet_their_questions_in_order(
    sitting: Sitting, keyboard: tuple[int, int]
) -> None:
    """All the answers may be piped at once: each is read when its question stands."""
    type_(keyboard, "2\n1\n")
    first = await sitting.chats.open(posted=False)
    await until(has_ended(sitting, first.id), "the first is answered")
    second = await sitting.chats.open(posted=False)
    await until(has_ended(sitting, second.id), "the second is answered")
    assert sitting.page.of("said") == ["Got it: Production.", "Got it: Staging."]
    assert [kind for kind, _ in sitting.page.written] == [
        *("post", "prompt", "heard", "said"),
        *("post", "prompt", "heard", "said"),
    ]


def has_ended(sitting: Sitting, ask_id: str) -> Callable[[], Awaitable[bool]]:
    """Whether that ask has ended, and the terminal knows."""

    async def ended() -> bool:
        record = await sitting.chats.store.read(ask_id)
        return record is not None and not record.pending and not sitting.terminal.waits

    return ended


async def test_bare_assent_is_sent_by_a_word_where_nothing_can_be_pressed(
    sitting: Sitting, keyboard: tuple[int, int]
) -> None:
    """`ok` is asked about; `send` sends it, and `no` would not."""
    ask = await sitting.chats.open(field(Kind.TEXT, "pick"), posted=False)
    type_(keyboard, "ok\n")
    await until(lambda: sitting.page.of("said"), "it is asked about")
    said = sitting.page.of("said")[0]
    assert said.startswith('Send "ok" as your answer to ')
    assert said.endswith('Reply "send" or "no".')
    type_(keyboard, "no\nok\nSend\n")
    await until(has_ended(sitting, ask.id), "it is sent")
    assert sitting.page.of("said")[1] == "Nothing was sent."
    assert await ask.values() == {"pick": "ok"}


async def test_with_two_waiting_a_code_sends_the_words_to_one(
    sitting: Sitting, keyboard: tuple[int, int]
) -> None:
    """The codes of the list are the words to choose by."""
    for run in ("job-a", "job-b"):
        await sitting.chats.open(choice("red", "blue"), posted=False, run=run)
    await until(lambda: len(sitting.page.of("post")) == 2, "both stand")
    type_(keyboard, "2\n")
    await until(lambda: sitting.page.of("said"), "it is asked which")
    waiting = await sitting.chats.conversations.waiting(sitting.terminal.where.name)
    one, other = waiting
    assert sitting.page.of("said")[0].endswith(f'Reply "{one.code}" or "{other.code}".')
    type_(keyboard, f"{other.code}\n")
    await until(lambda: len(sitting.page.of("said")) == 2, "it is sent")
    assert sitting.page.of("said")[1] == "Got it: blue."
    assert sitting.terminal.waits


async def test_an_ask_that_ends_elsewhere_is_told_under_its_post(sitting: Sitting) -> None:
    """What was printed cannot be drawn anew, so its end is printed too."""
    ask = await sitting.chats.open(posted=False)
    await until(lambda: sitting.page.of("post"), "it stands")
    await sitting.chats.broker.cancel(AGENT, ask.id, None)
    await until(lambda: len(sitting.page.of("post")) == 2, "its end stands")
    assert sitting.page.of("post")[1].endswith("No longer needed: the question was withdrawn.")
    assert not sitting.terminal.waits


async def test_the_end_of_the_input_ends_the_reading(
    store: Store, keyboard: tuple[int, int]
) -> None:
    """Nothing hangs, and nothing is answered by it."""
    one = Sitting(store, keyboard[0])
    os.close(keyboard[1])
    ask = await one.chats.open(posted=False)
    await one.worker.look(ask.id)
    await one.run()
    assert await ask.status() == "pending"


# Lines


async def test_lines_are_read_from_pipes_whatever_the_pieces(keyboard: tuple[int, int]) -> None:
    """A line may come in pieces, several may come at once, and the last needs no break."""
    lines = Lines(keyboard[0])
    type_(keyboard, "on")
    waiting = asyncio.create_task(lines.next())
    await asyncio.sleep(0)
    type_(keyboard, "e\ntwo\r\n\nthr")
    assert await waiting == "one"
    assert await lines.next() == "two"
    assert await lines.next() == ""
    type_(keyboard, "ee")
    os.close(keyboard[1])
    assert await lines.next() == "three"
    assert await lines.next() is None


async def test_lines_are_read_from_a_file() -> None:
    """A file is no pipe to a selector, and never blocks."""
    with tempfile.TemporaryFile() as file:
        file.write("eins\nzw\xf6lf\n".encode())
        file.seek(0)
        lines = Lines(file.fileno())
        assert [await lines.next() for _ in range(3)] == ["eins", "zwölf", None]


async def test_bytes_that_are_no_text_and_lines_without_end_are_still_lines() -> None:
    """Whatever comes in is handed on; the grammar has the last word."""
    with tempfile.TemporaryFile() as file:
        file.write(b"\xff\xfe\n" + b"x" * (LONGEST_LINE_BYTES + 10))
        file.seek(0)
        lines = Lines(file.fileno())
        assert await lines.next() == "\ufffd\ufffd"
        assert len(await lines.next() or "") >= LONGEST_LINE_BYTES
