"""What a channel must remember of its chats, kept in the store: the channels' second door.

An ask joins a conversation before it is posted there, so that a reply to a post nobody recorded
yet still finds its ask. Everything here is safe to do twice, on any replica.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from gateway.facts import Facts
from gateway.fold import fold
from gateway.reply.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from gateway.ask import Ask, AskRecord
    from gateway.store import Store

LETTERS = "ACDEFGHJKLMNPRTUVWXY"
"""Of a code: none that is read as a digit (B, I, O, Q, S, Z)."""

DIGITS = "2346789"
"""Of a code: none that is read as a letter (0, 1, 5)."""

TRIES_PER_LENGTH = 24
"""Ours: codes tried with so many digits before one more is added; 140 codes have one digit."""

LONGEST_CODE = 6
"""Ours: a letter and five digits, 336,000 codes; no conversation has as many asks at once."""

REMEMBERED = timedelta(days=1)
"""How long an event stays bound to its ask (design, The store)."""

ENDED_REMEMBERED = timedelta(minutes=10)
"""Ours: so long a message written before an ask's end finds it; longer than a chat takes."""

TIDY_EVERY = 32
"""Ours: every so many asks that join a conversation, those that have ended are taken out."""

POSTS_REMEMBERED = timedelta(days=60)
"""Ours: a post names its ask twice as long as a settled ask is kept, so never shorter."""

NOBODY = "-"
SEVERAL = "?"


@dataclass(frozen=True, slots=True)
class Waiting:
    """One ask of a conversation, under the code people call it by there."""

    code: str
    record: AskRecord
    thread: str | None = None


@dataclass(frozen=True, slots=True)
class Posted:
    """What a post of ours shows; `at_ms` is when it appeared, by the platform's clock."""

    ask_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """A draft, and the text it is kept as: what a change of it is checked against."""

    draft: Draft
    text: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """What an event was found to belong to. Where that is not `sure`, its author must say which."""

    ask_ids: tuple[str, ...] = ()
    sure: bool = True

    def __str__(self) -> str:
        if not self.ask_ids:
            return NOBODY
        return " ".join(self.ask_ids if self.sure else (SEVERAL, *self.ask_ids))

    @classmethod
    def read(cls, kept: str) -> Bound:
        """What `str` wrote."""
        ids = tuple(part for part in kept.split() if part not in (NOBODY, SEVERAL))
        return cls(ids, sure=not kept.startswith(SEVERAL))


def codes(ask_id: str) -> Iterator[str]:
    """The codes an ask may get, in the order they are tried: always the same for one ask. Pure."""
    for size in range(2, LONGEST_CODE + 1):
        for turn in range(TRIES_PER_LENGTH):
            drawn = blake2b(f"{ask_id} {size} {turn}".encode(), digest_size=size).digest()
            digits = (DIGITS[byte % len(DIGITS)] for byte in drawn[1:])
            yield LETTERS[drawn[0] % len(LETTERS)] + "".join(digits)


class Conversations:
    """Built in `cli`, beside the broker. A conversation is named `channel:conversation`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.facts = Facts(store)

    async def now(self) -> datetime:
        """By the store's clock, which deadlines are by."""
        return await self._store.now()

    async def read(self, ask_id: str) -> AskRecord | None:
        """An ask as it stands, for whoever decides who may see it."""
        return await self._store.read(ask_id)

    # Which asks wait in a conversation

    async def join(self, conversation: str, ask: Ask, thread: str | None = None) -> str:
        """The ask's code there, the same again for whoever joins it again. Raises: Unavailable."""
        entry = f"{ask.id} {thread or NOBODY}"
        joined = await self._store.joined(conversation)
        if len(joined) % TIDY_EVERY == TIDY_EVERY - 1:
            await self.waiting(conversation)
        for code, held in joined.items():
            if held == entry:
                return code
        taken = {fold(option.label) for field in ask.question.fields for option in field.options}
        for code in codes(ask.id):
            if any(label.split(" ")[0] == code.lower() for label in taken):
                continue  # `K7` would mean two things
            if await self._store.join(conversation, code, entry) == entry:
                return code
        raise RuntimeError(f"every code of {conversation} is taken")

    async def waiting(self, conversation: str) -> list[Waiting]:
        """Its asks that wait, or did until a moment ago, oldest first. Others leave on the way."""
        found: dict[tuple[str, str], Waiting] = {}
        now: datetime | None = None
        for code, held in (await self._store.joined(conversation)).items():
            ask_id, _, thread = held.partition(" ")
            record = await self._store.read(ask_id)
            if record is not None and record.settled_at is not None:
                now = now or await self._store.now()
            ended = record and record.settled_at
            if record is None or (now and ended and ended + ENDED_REMEMBERED < now):
                await self._store.leave(conversation, code)
                continue
            named = Waiting(code, record, None if thread == NOBODY else thread)
            earlier = found.setdefault((ask_id, thread), named)
            if code < earlier.code:
                found[ask_id, thread] = named
        return sorted(found.values(), key=lambda one: (one.record.opened_at, one.record.ask.id))

    async def posted(self, conversation: str, message: str, post: Posted) -> None:
        """A message of ours shows that ask."""
        kept = f"{post.ask_id} {post.at_ms}"
        await self._store.bind(f"post:{conversation}:{message}", kept, POSTS_REMEMBERED)
        await self.appeared(conversation, post.ask_id, post.at_ms)

    async def appeared(self, conversation: str, ask_id: str, at_ms: int) -> None:
        """The ask is before people there since then, by the platform's clock; the first stays."""
        await self._store.bind(f"shown:{conversation}:{ask_id}", str(at_ms), POSTS_REMEMBERED)

    async def shown_ms(self, conversation: str, ask_id: str) -> int | None:
        """When the ask first appeared there, by the platform's clock; None if that is not known."""
        kept = await self._store.look(f"shown:{conversation}:{ask_id}")
        return None if kept is None else int(kept)

    async def post(self, conversation: str, message: str) -> Posted | None:
        """The ask that a message of ours shows, pending or not; None for any other message."""
        kept = await self._store.look(f"post:{conversation}:{message}")
        if kept is None:
            return None
        ask_id, _, at_ms = kept.partition(" ")
        return Posted(ask_id, int(at_ms))

    # What an event belongs to, and what people began

    async def bind(self, event: str, bound: Bound) -> Bound:
        """Binds an event for good; what it is bound to now, whoever was first."""
        return Bound.read(await self._store.bind(f"event:{event}", str(bound), REMEMBERED))

    async def bound(self, event: str) -> Bound | None:
        """What the event is bound to, or None for one never seen."""
        kept = await self._store.look(f"event:{event}")
        return None if kept is None else Bound.read(kept)

    async def first_time(self, event: str) -> bool:
        """True once a day for an event that belongs to no ask."""
        mine = uuid4().hex
        return await self._store.bind(f"told:{event}", mine, REMEMBERED) == mine

    async def keep(self, name: str, kept: dict[str, Any]) -> None:
        """Keeps a typed message a day, until its author says what it is for; the first stays."""
        await self._store.bind(f"kept:{name}", json.dumps(kept, ensure_ascii=False), REMEMBERED)

    async def kept(self, name: str) -> dict[str, Any] | None:
        found = await self._store.look(f"kept:{name}")
        if found is None:
            return None
        kept: dict[str, Any] = json.loads(found)
        return kept

    async def draft(self, ask: Ask, person: str) -> Draft:
        """What that person has answered so far of an ask."""
        return (await self.kept_draft(ask, person)).draft

    async def kept_draft(self, ask: Ask, person: str) -> KeptDraft:
        """The same, to be changed and saved."""
        text = await self._store.draft(ask.id, person) or ""
        draft = Draft.from_dict(ask.question, json.loads(text)) if text else Draft()
        return KeptDraft(draft, text)

    async def save_draft(
        self, ask_id: str, person: str, draft: Draft, token: str, over: str | None = None
    ) -> bool:
        """Keeps a draft and marks its try done; False if it was, or if the ask has ended.

        `over` is the text of the one that it was made from, None for whatever is there.

        Raises: DraftMoved, another is kept by now.
        """
        kept = json.dumps(draft.to_dict(), ensure_ascii=False) if draft.order else ""
        return await self._store.save_draft(ask_id, person, kept, token, over)

    async def pressed_other(self, ask_id: str, person: str) -> str | None:
        """The field whose Other that person pressed last, until their next reply."""
        return await self._store.draft(ask_id, _other(person))

    async def press_other(self, ask_id: str, person: str, field: str, token: str) -> bool:
        """Remembers, or with "" forgets, a pressed Other; False as for `save_draft`."""
        return await self._store.save_draft(ask_id, _other(person), field, token)

    async def walked(self, ask_id: str, person: str) -> tuple[str, tuple[str, ...]] | None:
        """Of one who walks through an ask's form: a field of several picks, and those made so far.

        None for one who does not.
        """
        kept = await self._store.draft(ask_id, _walk(person))
        if kept is None:
            return None
        field, *chosen = json.loads(kept)
        return field, tuple(chosen)

    async def save_walked(
        self, ask_id: str, person: str, field: str, chosen: tuple[str, ...], token: str
    ) -> bool:
        """Keeps what `walked` reads; False as for `save_draft`."""
        kept = json.dumps([field, *chosen])
        return await self._store.save_draft(ask_id, _walk(person), kept, token)

    async def was_tried(self, ask_id: str, token: str) -> bool:
        """Whether that try of an ask has had its effect, other than ending it."""
        return await self._store.tried(ask_id, token)

    async def first(self, ask_id: str, token: str) -> bool:
        """Marks a try of an ask done; False if it was, so that nothing is said twice."""
        return await self._store.mark(ask_id, token)


def _other(person: str) -> str:
    return f"other {person}"


def _walk(person: str) -> str:
    return f"walk {person}"
