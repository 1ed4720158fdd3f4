"""A Discord to test against: looked at and acted in as people do, spoken to by the real SDK.

What the platform's own client checks before it sends is checked here before it is sent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from channels.testing.discord import client
from channels.testing.discord.bodies import LOADING
from channels.testing.discord.components import BUTTON, LABEL, SELECT, TEXT, walk
from channels.testing.discord.gateway import HEARTBEAT_S, STARTS_A_DAY
from channels.testing.discord.interactions import (
    COMMAND,
    COMPONENT,
    FAILED,
    MODAL_SUBMIT,
    Interactions,
)
from channels.testing.discord.markup import plain
from channels.testing.discord.page import page
from channels.testing.discord.rest import Limit, Rest, limited
from channels.testing.discord.shapes import THREAD, Channel, Person, Post
from channels.testing.discord.world import Rules
from channels.testing.platform import Form, Message

if TYPE_CHECKING:
    from aiohttp import web

TOKEN = "fake-discord-token"  # noqa: S105 - of this fake's own making
ACK_WITHIN_S = 3.0
"""How long an interaction waits for its first answer: documentation, "Interaction Callback"."""
TOKEN_LIFE_S = 900.0
"""How long an interaction's token takes further answers; the same page."""


class Discord(Interactions):
    """One Discord with one app, its bot, and the server `500`.

    Point the SDK at `api` and `gateway_url`. Its account, and the app's id, are `bot.id`.

    Args:
        token: the bot's token.
        message_content: the privileged intent is switched on in the portal.
        ack_within_s: how long an interaction waits for its first answer.
        token_life_s: how long its token takes further ones.
        heartbeat_s: what the hello asks for.
        identify_every_s: identifies closer together are refused; 0 takes any (Discord's is
            `gateway.IDENTIFY_EVERY_S`, which two replicas of a test would have to wait for).
        starts_a_day: identifies in 24 hours, after which the token is reset.
    """

    def __init__(
        self,
        *,
        token: str = TOKEN,
        message_content: bool = False,
        ack_within_s: float = ACK_WITHIN_S,
        token_life_s: float = TOKEN_LIFE_S,
        heartbeat_s: float = HEARTBEAT_S,
        identify_every_s: float = 0.0,
        starts_a_day: int = STARTS_A_DAY,
    ) -> None:
        rules = Rules(
            message_content,
            ack_within_s,
            token_life_s,
            heartbeat_s,
            identify_every_s,
            starts_a_day,
        )
        super().__init__(token, rules)
        self.rest = Rest(self)

    def routes(self, app: web.Application) -> None:
        app.router.add_get("/gateway", self.gateway.connect)
        app.router.add_get("/gateway/", self.gateway.connect)
        self.rest.routes(app)

    def settings(self) -> dict[str, Any]:
        """The table `[channel.discord]` with which a gateway talks to this one."""
        return {
            "token": self.token,
            "message_content": self.rules.message_content,
            "api_url": self.api,
            "gateway_url": self.gateway_url,
        }

    # Faults

    def limit(self, method: str, count: int, per_s: float) -> None:
        """From now on so many calls of a method in so many seconds; `global`: of all together."""
        self.rest.limits[method] = Limit(count, per_s)

    def slow_down(self, method: str, retry_after_s: float, *, scope: str = "user") -> None:
        """The next call of a method is answered 429; `scope`: `user`, `shared` or `global`."""
        self.fail(method, **limited(retry_after_s, scope=scope))

    @asynccontextmanager
    async def outage(self) -> AsyncGenerator[None, None]:
        """The platform is away while this is open: sockets break, and nothing is answered."""
        async with super().outage():
            self.gateway.cut()
            yield

    @contextmanager
    def out_of_order(self) -> Iterator[None]:
        """What happens meanwhile reaches the bot afterwards, the last first."""
        with self.gateway.held():
            yield

    # Looking

    async def listened_to(self) -> None:
        """Returns once a bot is connected: what happens before that, Discord keeps for nobody."""
        await self.until(
            lambda: any(one.wire is not None for one in self.gateway.sessions.values())
        )

    def messages(self, conversation: str, *, account: str | None = None) -> list[Message]:
        """See `Platform.messages`. A channel's threads are in it, each message with `thread`."""
        places = [one for one in self.channels.values() if one.within(conversation)]
        if not places:
            raise LookupError(f"no conversation {conversation!r}")
        found = [
            self._message(place, post)
            for place in places
            for post in place.posts.values()
            if post.private_to in (None, account)
        ]
        return sorted(found, key=lambda one: int(one.id))

    def told(self, account: str) -> list[str]:
        """See `Platform.told`: what was whispered to them, and their interactions that failed."""
        said = [(int(one), FAILED) for one in self.failed(account)]
        for place in self.channels.values():
            for key, post in place.posts.items():
                if post.private_to == account and not post.raw["flags"] & LOADING:
                    said.append((int(key), self._message(place, post).text))
        return [text for _, text in sorted(said)]

    def form(self, account: str) -> Form | None:
        modal = self.modals.get(account)
        if modal is None:
            return None
        parts = modal.data["components"]
        texts = [plain(one["content"]) for one in parts if one["type"] == TEXT]
        entries = tuple(client.entry(one) for one in parts if one["type"] == LABEL)
        data = modal.data
        return Form(data["custom_id"], account, data["title"], entries, "\n".join(texts), raw=data)

    def _message(self, place: Channel, post: Post) -> Message:
        raw = post.raw
        names = {one.id: one.name for one in self.people.values()}
        names |= {one.id: one.name for one in self.channels.values()}
        in_thread = place.kind == THREAD and place.parent is not None
        return Message(
            id=raw["id"],
            conversation=place.parent.id if in_thread and place.parent else place.id,
            author=raw["author"]["id"],
            text="\n".join(plain(one, names) for one in client.texts(raw)),
            controls=tuple(client.controls(raw["components"])),
            thread=place.id if in_thread else None,
            private_to=post.private_to,
            edited=raw["edited_timestamp"] is not None,
            raw=raw,
        )

    def html(self, conversation: str, *, account: str | None = None) -> str:
        """See `Platform.html`: much as Discord's own client draws it."""
        place = self.channels[conversation]
        names = {one.id: one.name for one in self.people.values()}
        title = place.name or (place.recipient.name if place.recipient else "")
        messages = self.messages(conversation, account=account)
        return page(title, messages, names, self.bot.id)

    # Acting as a person

    async def press(self, account: str, message: Message, label: str) -> None:
        """See `Platform.press`. What has lost the button since is refused, as Discord does."""
        person, place, post = self._at(account, message)
        control = self._message(place, post).control(label)
        if control.kind != "button" or not control.enabled:
            raise LookupError(f"{label!r} cannot be pressed")
        button = _component(post, control.name)
        data = {"component_type": BUTTON, "custom_id": control.name, "id": button["id"]}
        await self.begin(COMPONENT, person, place, data, post)

    async def choose(
        self, account: str, message: Message, label: str, options: Sequence[str]
    ) -> None:
        """See `Platform.choose`; a menu's label is its placeholder. Raises: also ValueError."""
        person, place, post = self._at(account, message)
        control = self._message(place, post).control(label)
        if control.kind != "menu" or not control.enabled:
            raise LookupError(f"{label!r} is no menu to choose from")
        menu = _component(post, control.name)
        values = client.picked(menu, options)
        data = {"component_type": SELECT, "custom_id": control.name, "id": menu["id"]}
        await self.begin(COMPONENT, person, place, data | {"values": values}, post)

    async def submit(self, account: str, values: dict[str, Any]) -> None:
        """See `Platform.submit`. Choices are option labels, one or a list; toggles are booleans."""
        form, modal = self.form(account), self.modals.get(account)
        if form is None or modal is None:
            raise LookupError(f"no form is open in front of {account}")
        known = {key for one in form.entries for key in (one.label, one.name)}
        if values.keys() - known:
            raise LookupError(f"no entries {sorted(values.keys() - known)} among {sorted(known)}")
        parts: list[dict[str, Any]] = []
        for number, part in enumerate(modal.data["components"], 1):
            shape = {"type": part["type"], "id": number}
            if part["type"] == LABEL:
                shape["component"] = client.filled(part, values) | {"id": number * 100}
            parts.append(shape)
        del self.modals[account]
        data = {"custom_id": form.id, "components": parts}
        await self.begin(MODAL_SUBMIT, self.people[account], modal.place, data, modal.source)

    async def dismiss(self, account: str) -> None:
        """Closes their form without sending it; the bot never hears of that."""
        del self.modals[account]

    async def type(
        self,
        account: str,
        conversation: str,
        text: str,
        *,
        thread: str | None = None,
        reply_to: str | None = None,
        ping: bool = True,
        files: Sequence[str] = (),
    ) -> str:
        """See `Platform.type`. `ping`: a reply mentions whom it is to; `files`: their names."""
        person, place = self._in(account, thread or conversation)
        reply = place.posts[reply_to] if reply_to is not None else None
        allowed = {"parse": ["users", "roles", "everyone"], "replied_user": ping}
        body: dict[str, Any] = {"content": text, "allowed_mentions": allowed}
        body["attachments"] = [_attachment(self.snowflake(), one) for one in files]
        post = self.write(place, person, body, reply=reply)
        place.archived = False
        await self.changed()
        return str(post.raw["id"])

    async def announce(self, account: str, conversation: str, kind: int) -> str:
        """A message of Discord's own in somebody's name, such as 7, they joined; its id."""
        person, place = self._in(account, conversation)
        post = self.write(place, person, {}, extra={"type": kind})
        await self.changed()
        return str(post.raw["id"])

    async def edit(self, account: str, conversation: str, message: str, text: str) -> None:
        """See `Platform.edit`. `conversation` may be the channel of the thread it is in."""
        place = self._of(conversation, message)
        post = place.posts[message]
        if post.raw["author"]["id"] != account:
            raise LookupError(f"{message} is not a message of {account}")
        self.revise(place, post, {"content": text})
        await self.changed()

    async def unfurl(self, conversation: str, message: str) -> None:
        """Discord adds the preview of a link: an update that is no edit."""
        place = self._of(conversation, message)
        post = place.posts[message]
        post.raw = post.raw | {"embeds": [{"type": "link", "url": "https://example.com"}]}
        self.tell_post("MESSAGE_UPDATE", place, post)
        await self.changed()

    async def slash(self, account: str, conversation: str, command: str, **options: Any) -> None:
        """Runs a registered command, `oz link` being a subcommand. Raises: LookupError."""
        person, place = self._in(account, conversation)
        name, *path = command.split()
        guild = place.guild.id if place.guild is not None else None
        known = self.commands.get(None, {}) | (self.commands.get(guild, {}) if guild else {})
        if name not in known:
            raise LookupError(f"no command {name!r} among {sorted(known)}")
        data = {"id": known[name]["id"], "name": name, "type": 1}
        data["options"] = client.options(known[name], path, options)
        await self.begin(COMMAND, person, place, data, None)

    # Who, where

    def _in(self, account: str, conversation: str) -> tuple[Person, Channel]:
        place = self.channels.get(conversation)
        if place is None:
            raise LookupError(f"no conversation {conversation!r}")
        person = self.people[account]
        there = place.members if place.members is not None else set()
        if place.guild is not None and place.members is None:
            there = place.guild.members
        if place.recipient is not None:
            there = {place.recipient.id}
        if account not in there:
            raise LookupError(f"{account} is not in {conversation}")
        return person, place

    def _of(self, conversation: str, message: str) -> Channel:
        """The place a message is in: that conversation, or a thread of it."""
        for place in self.channels.values():
            if message in place.posts and place.within(conversation):
                return place
        raise LookupError(f"no message {message!r} in {conversation}")

    def _at(self, account: str, message: Message) -> tuple[Person, Channel, Post]:
        """What a person acts on, as it stands now."""
        person, place = self._in(account, message.thread or message.conversation)
        post = place.posts.get(message.id)
        if post is None or post.private_to not in (None, account):
            raise LookupError(f"{account} sees no message {message.id}")
        return person, place, post


def _component(post: Post, custom_id: str) -> dict[str, Any]:
    components = walk(post.raw["components"])
    return next(one for _, one in components if one.get("custom_id") == custom_id)


def _attachment(snowflake: str, name: str) -> dict[str, Any]:
    url = f"https://cdn.discordapp.com/attachments/{snowflake}/{name}"
    return {"id": snowflake, "filename": name, "size": 1, "url": url, "proxy_url": url}
