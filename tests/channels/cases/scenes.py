"""The given cases' world: real gateways, one after the other, before the fake platforms.

Ana may answer, Ben may not. What a test wants to know it reads from the platforms and the record.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from channels.testing.town import Town
from gateway.posts import Posts
from gateway.store import ENDINGS
from tests.channels.acting import SEND, posted
from tests.channels.gatewayed import Gatewayed, gateway, settings
from tests.strategies_reply import choice

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from channels.testing.platform import Message
    from channels.testing.town import Place
    from gateway.ask import AskRecord
    from gateway.config import Config
    from gateway.question import Field

FOUR = ("slack", "teams", "discord", "telegram")
PROMPT = "Where should build 41 go?"
BUILD = ("Staging", "Production", "Cancel")


def in_room(place: Place) -> str:
    """A route to the room, whose members may see."""
    return f'[[route]]\nconversation = "{place.conversation}"\ncontent = true'


def in_private(_: Place) -> str:
    """A route to Ana, wherever she has an account."""
    return '[[route]]\nperson = "ana"'


def for_members(place: Place) -> str:
    """A route to the room, whose members may answer."""
    return f"{in_room(place)}\nanswer = true"


@dataclass(slots=True)
class Scene:
    """Platforms with a gateway before them. `made` is the one that runs now."""

    town: Town
    config: Config
    url: str
    made: Gatewayed = field(init=False)
    _life: AsyncExitStack = field(default_factory=AsyncExitStack)
    _lives: int = 0
    _skew_ms: int = 0

    @property
    def place(self) -> Place:
        """The only one, where there is one."""
        (only,) = self.town.places.values()
        return only

    # The gateway's life

    async def begin(self) -> None:
        """A gateway of a new name, connected."""
        self._lives += 1
        made = gateway(self.config, self.url, f"w{self._lives}")
        self.made = await self._life.enter_async_context(made)
        self.made.store._link.skew_ms = self._skew_ms
        self.town.connect(self.made.hooks)
        for platform in self.town.platforms:
            await platform.listened_to()

    async def end(self) -> None:
        await self._life.aclose()

    async def restart(self) -> None:
        """Every object of the gateway goes; only Redis and the platforms stay."""
        await self.end()
        await self.begin()

    def pass_time(self, span: timedelta) -> None:
        """The gateway's clock says so much later from now on."""
        self._skew_ms += int(span.total_seconds() * 1000)
        self.made.store._link.skew_ms = self._skew_ms

    # Asks

    async def ask(self, *labels: str, prompt: str = PROMPT, **how: Any) -> str:
        """An ask with one choice of these, own words allowed; its id."""
        return await self.made.ask(choice(*(labels or BUILD)), prompt=prompt, **how)

    async def asks(self, *fields: Field, prompt: str = PROMPT, **how: Any) -> str:
        """An ask with these fields; its id."""
        return await self.made.ask(*fields, prompt=prompt, **how)

    async def answer(self, ask_id: str) -> Any:
        """What it was answered with, once it was, and that once: labels, or own words."""
        record = await self.made.ended(ask_id)
        assert await self.endings(record) == 1
        assert record.outcome is not None
        values = record.outcome.values
        assert values is not None
        found = {name: _labels(record, name, value) for name, value in values.items()}
        return next(iter(found.values())) if len(found) == 1 else found

    async def endings(self, record: AskRecord) -> int:
        """How often the run was told that it ended."""
        history = await self.made.store.history(record.ask.run_id)
        return sum(one.type in ENDINGS for one in history)

    async def shown_in(self, ask_id: str, conversation: str) -> str:
        """The message that shows an ask in a conversation, as it was recorded."""
        posts = (await Posts(self.made.store, "test").of(ask_id)).values()
        return next(
            post.message
            for post in posts
            if post.message and f"{post.channel}:{post.conversation}" == conversation
        )

    # People

    async def post(self, place: Place | None = None, *, count: int = 1) -> Message:
        """The newest post with something to press in the room, once so much stands there."""
        return await posted(place or self.place, count=count)

    async def private_post(self, place: Place | None = None, *, count: int = 1) -> Message:
        """The same in Ana's chat with us."""
        where = place or self.place
        await where.platform.until(lambda: _exists(where, "Ana"))
        return await posted(where, where.direct("Ana"), count=count)

    async def pick(self, person: str, post: Message, label: str) -> None:
        """Presses the button whose label ends so (before it may stand its number), or chooses that
        in the post's menu and sends it. Raises: LookupError, it has neither.
        """
        place = self.of(post)
        platform, account = place.platform, place.accounts[person]
        for one in post.controls:
            if one.kind == "button" and one.label.endswith(label):
                await platform.press(account, post, one.label)
                return
            if any(option.endswith(label) for option in one.options):
                await platform.choose(account, post, one.label, [label])
                await platform.press(account, post, SEND)
                return
        raise LookupError(f"nothing on the post means {label!r}")

    async def reply(self, person: str, post: Message, text: str) -> str:
        """Replies to a post as the platform's clients do, and mentions nobody; the message."""
        place = self.of(post)
        platform, account = place.platform, place.accounts[person]
        said: str = await platform.type(account, post.conversation, text, reply_to=post.id)
        return said

    def of(self, post: Message) -> Place:
        """The platform that a post stands on."""
        return next(
            one
            for one in self.town.places.values()
            if post.conversation in (one.room, one.direct("Ana"), one.direct("Ben"))
        )

    def seen(self, person: str, place: Place | None = None) -> list[str]:
        """All they can read: in the room, in their own chat with us, and told to them alone."""
        where = place or self.place
        account, platform = where.accounts[person], where.platform
        rooms = [where.room, *([where.direct(person)] if _exists(where, person) else [])]
        said = [one.text for room in rooms for one in platform.messages(room, account=account)]
        told: Sequence[str] = platform.told(account)
        return [*said, *(one for one in told if one not in said)]

    async def reads(self, person: str, words: str, place: Place | None = None) -> None:
        """Returns once they can read it."""
        where = place or self.place
        await where.platform.until(lambda: any(words in one for one in self.seen(person, where)))


def _exists(place: Place, person: str) -> bool:
    """Whether their chat with us is open."""
    try:
        place.posts(place.direct(person))
    except (LookupError, KeyError):
        return False
    return True


def _labels(record: AskRecord, name: str, value: Any) -> Any:
    asked = record.ask.question.field(name)
    assert asked is not None
    if not asked.is_choice:
        return value
    labels = {option.id: option.label for option in asked.options}
    chosen = [labels[one] for one in value["options"]]
    if value["write_in"] is not None:
        chosen.append(value["write_in"])
    return chosen[0] if asked.kind.value == "choice" else chosen


def people(town: Town, *names: str) -> str:
    """The TOML of operators with an account on each platform."""
    return "\n".join(
        f'[[person]]\nid = "{name.lower()}"\nname = "{name}"\nrole = "operator"\ncontent = true\n'
        f"identities = {town.identities(name)}"
        for name in names
    )


@asynccontextmanager
async def scene(
    url: str,
    folder: Path,
    *names: str,
    routes: Callable[[Place], str] = in_room,
    answering: Sequence[str] = ("Ana",),
    before: Callable[[Town], Any] | None = None,
    tables: dict[str, dict[str, Any]] | None = None,
) -> AsyncIterator[Scene]:
    """These platforms, or all four, and a gateway. `before` prepares the town, and may be awaited;
    `tables` replace keys of `[channel.…]`.
    """
    async with Town(names=names or FOUR) as town:
        if before is not None:
            await before(town)
        named = town.tables()
        for name, table in (tables or {}).items():
            named[name] |= table
        told = dict.fromkeys(routes(place) for place in town.places.values())
        config = settings(named, people(town, *answering), "\n".join(told), folder)
        made = Scene(town, config, url)
        try:
            await made.begin()
            yield made
        finally:
            await made.end()
