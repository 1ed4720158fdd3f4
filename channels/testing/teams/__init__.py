"""A fake Microsoft Teams: the bot connector, Entra's tokens, and the clients of people."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from channels.testing.platform import Call, Form, Message, Platform
from channels.testing.teams.bot import GIVES_UP_S, Activity, Answer, Bot
from channels.testing.teams.clients import Clients
from channels.testing.teams.connector import MESSAGES, Connector
from channels.testing.teams.identity import ISSUER, SCOPE, WRONG, Identity
from channels.testing.teams.message_rules import CARD_BYTES, MESSAGE_BYTES
from channels.testing.teams.rooms import (
    CHANNEL,
    GROUP,
    PERSONAL,
    THREAD,
    Person,
    Post,
    Room,
    Rooms,
    entra_id,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from aiohttp import web

__all__ = ["ISSUER", "SCOPE", "WRONG", "Answer", "Person", "Room", "Teams"]


def _utc() -> datetime:
    return datetime.now(UTC)


class Teams(Platform):
    """One tenant, and one bot in it.

        async with Teams() as teams:
            teams.person("29:ana", "Ana")
            teams.channel("19:c@thread.tacv2", members=["29:ana"])
            teams.connect("http://127.0.0.1:3978/api/messages")

    `client_checks` off is a client that sends inputs unchecked, `send_empty` one that sends empty
    inputs too, and `card_bytes` None leaves cards the size of a message. `rate_limits` counts calls
    as the service does. `registered`, `disabled_by_admin` and `region` may be changed at any time.

    Calls are named by the operations of the connector: `createConversation`, `sendToConversation`,
    `replyToActivity`, `updateActivity`, `deleteActivity`, `getConversationMembers` and others;
    `token`, `openid` and `keys` are fetched; `invokeResponse` and `acknowledge` are the bot's
    answers to what it was sent.
    """

    name = "teams"

    def __init__(
        self,
        *,
        app_id: str = "",
        password: str = "a secret of this test",  # noqa: S107
        tenant: str = "",
        bot_name: str = "AskBot",
        gives_up_s: float = GIVES_UP_S,
        message_bytes: int = MESSAGE_BYTES,
        card_bytes: int | None = CARD_BYTES,
        now: Callable[[], datetime] = _utc,
    ) -> None:
        super().__init__()
        self.app_id = app_id or str(uuid4())
        self.tenant = tenant or str(uuid4())
        self.message_bytes = message_bytes
        self.card_bytes = card_bytes
        self.region = "emea"
        self.client_checks = True
        self.send_empty = False
        self.rate_limits = False
        self.registered = True
        self.disabled_by_admin = False
        self.rooms = Rooms(f"28:{self.app_id}", bot_name, self.tenant, now)
        self.bot = Bot(self, gives_up_s)
        self.clients = Clients(self)
        self.identity = Identity(
            self.app_id,
            password,
            self.tenant,
            take=self.take,
            heard=self._heard,
            down=lambda: self.down,
        )
        self._loop: asyncio.AbstractEventLoop | None = None

    # Life

    def routes(self, app: web.Application) -> None:
        """Adds the connector's routes; tokens and keys have a server of their own."""
        Connector(self).routes(app)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self.identity.start()
        return await super().__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await super().__aexit__(kind, error, traceback)
        await self.bot.close()
        await asyncio.to_thread(self.identity.stop)

    def _heard(self, call: Call) -> None:
        """A call of the other server, told from its thread."""
        self.calls.append(call)
        if self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self.changed(), self._loop)

    @property
    def service_url(self) -> str:
        """Where the bot is told to call; it moves with `region`."""
        return f"{self.url}/{self.region}/"

    def settings(self) -> dict[str, Any]:
        """The `[channel.teams]` table with which a gateway talks to this fake."""
        return {
            "app_id": self.app_id,
            "app_password": self.identity.password,
            "tenant": self.tenant,
            "login_url": self.identity.url,
            "keys_url": self.identity.metadata_url,
            "service_url": self.service_url,
        }

    def connect(self, endpoint: str) -> None:
        """Where the bot listens: the URL of its `/api/messages`."""
        self.bot.endpoint = endpoint

    def throttle(self, method: str, *, retry_after_s: int | None = 1, times: int = 1) -> None:
        """The next calls of a method are too many, with the seconds to wait or without."""
        headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
        code, message = MESSAGES[429]
        body = {"error": {"code": code, "message": message}}
        self.fail(method, times=times, status=429, body=body, headers=headers)

    # People and places

    def person(self, account: str, name: str, **how: Any) -> Person:
        """Adds somebody, with a chat with the bot. `aad`, `zone`, `locale`, `old_client` as given.

        `installed=False`: they have not got the bot.
        """
        installed = how.pop("installed", True)
        person = Person(account, name, how.pop("aad", None) or entra_id(account), **how)
        self.rooms.people[account] = person
        chat = Room(f"a:{entra_id(f'chat {account}')}", PERSONAL, members=[account])
        chat.installed = installed
        self.rooms.rooms[chat.id] = chat
        return person

    def chat(self, account: str) -> str:
        """The conversation of the bot with one person alone."""
        return self.rooms.personal(account).id

    def group(self, conversation: str, *, members: Sequence[str], **how: Any) -> str:
        """Adds a group chat. `name`, `installed` and `hears_all` as given."""
        self.rooms.rooms[conversation] = Room(conversation, GROUP, members=list(members), **how)
        return conversation

    def channel(self, conversation: str, *, members: Sequence[str], **how: Any) -> str:
        """Adds a channel of a team. `team`, `name`, `installed` and `hears_all` as given."""
        how.setdefault("team", "19:team@thread.tacv2")
        self.rooms.rooms[conversation] = Room(conversation, CHANNEL, members=list(members), **how)
        return conversation

    def block(self, account: str) -> None:
        """They block the bot: it is not told, and finds out when it writes."""
        self.rooms.personal(account).blocked = True

    async def install(self, conversation: str, *, by: str) -> None:
        """Somebody adds the bot there; it is told of both, as the service does."""
        await self._installation(conversation, by, added=True)

    async def uninstall(self, conversation: str, *, by: str) -> None:
        """Somebody takes the bot out, and it is told."""
        await self._installation(conversation, by, added=False)

    async def _installation(self, conversation: str, by: str, *, added: bool) -> None:
        room, _ = self.rooms.find(conversation)
        room.installed = added
        person = self.rooms.person(by)
        where = {"settings": {"selectedChannel": {"id": room.id}}} if room.kind == CHANNEL else {}
        members: dict[str, Any] = {"membersAdded" if added else "membersRemoved": [self.rooms.bot]}
        update = self.rooms.activity(person, room, "conversationUpdate", **members)
        if room.kind == CHANNEL:
            update["channelData"]["eventType"] = "teamMemberAdded" if added else "teamMemberRemoved"
        action = "add" if added else "remove"
        change = self.rooms.activity(
            person, room, "installationUpdate", action=action, channelData=where
        )
        for activity in (update, change):
            self.bot.send(activity)
        await self.changed()

    async def join(self, account: str, conversation: str) -> None:
        """Somebody comes in, and the bot is told."""
        await self._membership(account, conversation, "membersAdded")

    async def leave(self, account: str, conversation: str) -> None:
        """Somebody leaves, and the bot is told."""
        await self._membership(account, conversation, "membersRemoved")

    async def _membership(self, account: str, conversation: str, key: str) -> None:
        room, _ = self.rooms.find(conversation)
        person = self.rooms.person(account)
        if key == "membersAdded":
            room.members.append(person.id)
        else:
            room.members.remove(person.id)
        parts: dict[str, Any] = {key: [{"id": person.id, "aadObjectId": person.aad}]}
        self.bot.send(self.rooms.activity(person, room, "conversationUpdate", **parts))
        await self.changed()

    # Looking

    def messages(self, conversation: str, *, account: str | None = None) -> list[Message]:
        """What stands in a conversation, or in a thread of it; with `account`, as they see it."""
        return self.clients.messages(conversation, account)

    def named(self, account: str) -> str:
        if account == self.rooms.bot["id"]:
            return str(self.rooms.bot["name"])
        return self.rooms.person(account).name

    def told(self, account: str) -> list[str]:
        """What their client alone showed them: toasts, and errors of presses."""
        return list(self.clients.told[self.rooms.person(account).id])

    def form(self, account: str) -> Form | None:
        """Their open dialog, else the newest message they see with something to fill in."""
        return self.clients.form(self.rooms.person(account).id)

    # Acting as a person

    async def press(self, account: str, message: Message, label: str) -> None:
        """Presses an action, with what stands in the inputs beside it.

        Ends once the client has dealt with the bot's answer. Raises: LookupError for one that is
        not drawn, ValueError where an input holds it back.
        """
        await self.clients.press(account, message, label)

    def fill(self, account: str, message: Message, values: Mapping[str, Any]) -> None:
        """Puts values into a message's inputs, by label or id; nothing is sent."""
        self.clients.fill(self.rooms.person(account).id, message, values)

    async def choose(
        self, account: str, message: Message, label: str, options: Sequence[str]
    ) -> None:
        """Chooses in a list on a card. As in Teams nothing is sent before an action is pressed."""
        self.clients.fill(self.rooms.person(account).id, message, {label: list(options)})
        await self.changed()

    async def submit(
        self, account: str, values: Mapping[str, Any], *, label: str | None = None
    ) -> None:
        """Fills in their form, and presses `label`, or the first action that sends it."""
        await self.clients.submit(self.rooms.person(account).id, values, label)

    async def open(self, account: str, conversation: str) -> None:
        """Opens a chat and leaves it open: cards that refresh are asked for."""
        await self.clients.open(account, conversation)

    async def type(
        self,
        account: str,
        conversation: str,
        text: str,
        *,
        thread: str | None = None,
        reply_to: str | None = None,
    ) -> str:
        """Writes a message. `@Name` mentions; without a mention of the bot it may not hear it.

        `reply_to` quotes a message in a chat, and is its thread in a channel. No text at all is a
        picture.
        """
        room, inside = self.rooms.find(conversation)
        person = self.rooms.person(account)
        if person.id not in room.members:
            raise LookupError(f"{account} is not in {conversation}")
        quoted = room.posts[reply_to] if reply_to else None
        thread = thread or inside
        if quoted is not None and room.kind == CHANNEL:
            # In a channel a reply stands in the thread, and quotes nothing.
            thread, quoted = thread or quoted.thread or quoted.id, None
        now = self.rooms.now()
        post = Post(room.stamp(now), person.id, {}, now, thread)
        self._write(room, post, person, "message", text, quoted)
        await self.changed()
        return post.id

    async def edit(self, account: str, conversation: str, message: str, text: str) -> None:
        """Edits a message of theirs."""
        room, post = self._theirs(account, conversation, message)
        post.edited = self.rooms.now()
        self._write(room, post, self.rooms.person(account), "messageUpdate", text, None)
        await self.changed()

    async def delete(self, account: str, conversation: str, message: str) -> None:
        """Deletes a message of theirs."""
        _, post = self._theirs(account, conversation, message)
        post.deleted = True
        activity = {**post.activity, "type": "messageDelete"}
        activity["channelData"] = {**activity["channelData"], "eventType": "softDeleteMessage"}
        if post.heard:
            self.bot.send(activity)
        await self.changed()

    def _theirs(self, account: str, conversation: str, message: str) -> tuple[Room, Post]:
        room, _ = self.rooms.find(conversation)
        post = room.posts.get(message)
        if post is None or post.deleted or post.author != self.rooms.person(account).id:
            raise LookupError(f"{account} has no message {message} there")
        return room, post

    def _write(
        self, room: Room, post: Post, person: Person, kind: str, text: str, quoted: Post | None
    ) -> None:
        parts, mentioned = self.rooms.typed(room, text, quoted)
        parts["id"] = post.id
        if kind == "messageUpdate":
            parts["channelData"] = {"eventType": "editMessage"}
        thread = (post.thread or post.id) if room.kind == CHANNEL else None
        activity = self.rooms.activity(person, room, kind, thread, **parts)
        post.heard = room.installed and (room.kind == PERSONAL or room.hears_all or mentioned)
        post.activity = activity
        room.posts[post.id] = post
        if post.heard:
            self.bot.send(activity)

    # The service

    async def deliver(self, activity: Activity, **how: Any) -> Answer:
        """Posts any activity to the bot. `authorization` replaces the header, None drops it."""
        return await self.bot.deliver(activity, **how)

    async def again(self, activity: str) -> Answer:
        """Delivers something a second time, by the id of the message or the activity."""
        return await self.bot.again(activity)

    def hold(self) -> None:
        """What people write from now on is kept back, until `release`."""
        self.bot.hold()

    async def release(
        self, order: Callable[[Sequence[Activity]], Sequence[Activity]] = list
    ) -> None:
        """Delivers what was held back, in an order of the test's own."""
        await self.bot.release(order)

    def thread(self, conversation: str, root: str) -> str:
        """The id by which the service knows a thread of a channel."""
        return f"{conversation}{THREAD}{root}"
