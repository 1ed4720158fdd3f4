"""The chats of the fake Telegram as a test sees them: set up, looked at, acted in.

Ids are strings here, as everywhere in the adapters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from channels.testing.platform import Control, Form, Message, Platform
from channels.testing.telegram.view import page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.testing.telegram.methods import Methods, Press
    from channels.testing.telegram.people import People
    from channels.testing.telegram.places import Chat, Kept, Kind, Person, Standing, World


class Chats(Platform):
    """People and places, for the server to serve."""

    world: World
    people: People
    methods: Methods

    # People and places

    def person(
        self,
        account: str,
        name: str = "",
        *,
        username: str | None = None,
        language: str | None = None,
        started: bool = True,
        is_bot: bool = False,
    ) -> str:
        """Adds an account; its id. `started=False`: they never opened their chat with the bot."""
        self.people.person(
            int(account),
            name or f"Person {account}",
            username=username,
            language=language,
            started=started,
            is_bot=is_bot,
        )
        return account

    def group(
        self,
        chat: str,
        title: str = "Group",
        *,
        members: Sequence[str] = (),
        admins: Sequence[str] = (),
        forum: bool = False,
        username: str | None = None,
    ) -> str:
        """Adds a group with the bot in it; its id. `-100…` is a supergroup, `-…` a basic one."""
        kind: Kind = "supergroup" if chat.startswith("-100") else "group"
        self.people.chat(
            int(chat),
            kind,
            [int(one) for one in members],
            [int(one) for one in admins],
            title=title,
            forum=forum,
            username=username,
        )
        return chat

    def channel(self, chat: str, title: str = "Channel", *, admins: Sequence[str] = ()) -> str:
        """Adds a channel with the bot among its admins; its id."""
        self.people.chat(int(chat), "channel", [], [int(one) for one in admins], title=title)
        return chat

    def topic(self, chat: str, name: str) -> str:
        """Adds a topic to a forum; its thread id."""
        return str(self.people.topic(self.world.chat(chat), name))

    def close_topic(self, chat: str, topic: str | None = None, *, delete: bool = False) -> None:
        """Closes (or deletes) a topic; None is the general one."""
        found = self.world.chat(chat)
        one = found.general if topic is None else found.topics[int(topic)]
        one.closed, one.deleted = True, delete

    def admin(self, chat: str, account: str | None = None, *, anonymous: bool = False) -> None:
        """Makes somebody (None: the bot) an admin; an anonymous one writes as the group."""
        found = self.world.chat(chat)
        one = self.world.bot.id if account is None else int(account)
        self.people.stand(found, one, "administrator", self._somebody(found))
        if anonymous:
            found.anonymous.add(one)

    def mute(self, chat: str) -> None:
        """Members may no longer write there, and the bot is one."""
        self.world.chat(chat).muted = True

    def join(self, chat: str, account: str) -> None:
        """Somebody comes into a group."""
        person = self.world.person(account)
        self.people.stand(self.world.chat(chat), person.id, "member", person)

    def leave(self, chat: str, account: str) -> None:
        """Somebody leaves a group."""
        person = self.world.person(account)
        self.people.stand(self.world.chat(chat), person.id, "left", person)

    def remove_bot(self, chat: str) -> None:
        """An admin throws the bot out."""
        found = self.world.chat(chat)
        self.people.stand(found, self.world.bot.id, "kicked", self._somebody(found))

    def add_bot(self, chat: str) -> None:
        """The bot is taken in (again); the privacy mode of this moment holds for it there."""
        found = self.world.chat(chat)
        self.people.stand(found, self.world.bot.id, "member", self._somebody(found))

    def migrate(self, chat: str, to: str | None = None) -> str:
        """A basic group becomes a supergroup; its new id."""
        found = self.world.chat(chat)
        return str(self.people.migrate(found, int(to or f"-100{chat[1:]}")).id)

    async def start(self, account: str, payload: str = "") -> str:
        """Opens the chat with the bot, perhaps by a link `t.me/bot?start=payload`; the message."""
        self.block(account, blocked=False)
        return await self.type(account, account, f"/start {payload}".strip())

    async def follow(self, press: Press) -> str:
        """Opens the link that a press was answered with, and begins there; the message's id.

        Raises: LookupError, where it was answered with none.
        """
        _, found, payload = press.link.partition("?start=")
        if not found:
            raise LookupError(f"press {press.id} was answered with no link")
        return await self.start(str(press.account), payload)

    def block(self, account: str, *, blocked: bool = True) -> None:
        """Blocks the bot, or lets it in again."""
        person = self.world.person(account)
        if person.blocked != blocked:
            person.blocked = blocked
            standing: Standing = "kicked" if blocked else "member"
            self.people.stand(self.world.chat(account), self.world.bot.id, standing, person)

    def deactivate(self, account: str) -> None:
        """The account is deleted."""
        self.world.person(account).deactivated = True

    def delete(self, chat: str, message: str) -> None:
        """Somebody deletes a message. Bots are not told."""
        self._kept(chat, message).deleted = True

    def out_of_reach(self, chat: str, message: str) -> None:
        """A message is too old for the bot: a press on it shows it as inaccessible."""
        self._kept(chat, message).out_of_reach = True

    # Looking

    def messages(
        self,
        conversation: str,
        *,
        account: str | None = None,  # noqa: ARG002 - all in a chat see the same
    ) -> list[Message]:
        chat = self.world.chat(conversation)
        return [self._message(one) for one in _standing(chat) if not one.service]

    def told(self, account: str) -> list[str]:
        return [
            one.text
            for one in self.methods.presses
            if one.account == int(account) and one.answered and one.text
        ]

    @property
    def presses(self) -> list[Press]:
        """Every press there was, and how it was answered."""
        return self.methods.presses

    def spinning(self, account: str | None = None) -> list[Press]:
        """Presses that were never answered, whether or not it is too late by now."""
        return [
            one
            for one in self.methods.presses
            if not one.answered and account in (None, str(one.account))
        ]

    def form(self, account: str) -> Form | None:  # noqa: ARG002
        """Telegram has no forms."""
        return None

    def html(self, conversation: str, *, account: str | None = None) -> str:  # noqa: ARG002
        chat = self.world.chat(conversation)
        title = chat.title or self.world.bot.name
        shown = [one for one in _standing(chat) if not one.service]
        return page(title, chat, self.world.bot.id, shown)

    # Acting as a person

    async def press(self, account: str, message: Message, label: str) -> None:
        control = message.control(label)
        if control.kind == "button" and control.enabled:
            kept = self._kept(message.conversation, message.id)
            self.people.press(int(account), kept, control.name)
            await self.changed()

    async def choose(
        self, account: str, message: Message, label: str, options: Sequence[str]
    ) -> None:
        raise LookupError(f"no menu {label!r} for {account} on {message.id}, nor {options}")

    async def submit(self, account: str, values: dict[str, Any]) -> None:
        raise LookupError(f"no form before {account} to take {list(values)}")

    async def type(
        self,
        account: str,
        conversation: str,
        text: str,
        *,
        thread: str | None = None,
        reply_to: str | None = None,
        desktop: bool = False,
    ) -> str:
        """Writes; more than 4,096 units become several messages, cut as Telegram for Android does,
        or as Telegram `desktop`. The id of the first.
        """
        chat = self.world.chat(conversation)
        answered = self._kept(conversation, reply_to) if reply_to is not None else None
        topic = int(thread) if thread is not None else answered.topic if answered else None
        sent = self.people.write(int(account), chat, text, topic, answered, desktop=desktop)
        await self.changed()
        return str(sent[0].id)

    async def edit(self, account: str, conversation: str, message: str, text: str) -> None:
        self.people.edit(int(account), self._kept(conversation, message), text)
        await self.changed()

    async def photo(self, account: str, conversation: str, caption: str = "") -> str:
        """Sends a picture; the message's id."""
        kept = self.people.photo(int(account), self.world.chat(conversation), caption)
        await self.changed()
        return str(kept.id)

    # Within

    def _kept(self, chat: str, message: str) -> Kept:
        found = self.world.chat(chat).find(int(message))
        if found is None:
            raise LookupError(f"no message {message} in {chat}")
        return found

    def _somebody(self, chat: Chat) -> Person:
        """Who does what nobody in particular does: an admin where there is one."""
        others = [one for one in chat.standing if one != self.world.bot.id]
        others.sort(key=lambda one: not chat.admin(one))
        return self.world.person(others[0]) if others else self.world.bot

    def _message(self, kept: Kept) -> Message:
        return Message(
            str(kept.id),
            str(kept.chat.id),
            str(kept.author.id if kept.author and not kept.anonymous else kept.chat.id),
            kept.text or kept.extra.get("caption", ""),
            tuple(_control(one) for row in kept.keyboard or () for one in row),
            None if kept.topic is None else str(kept.topic),
            edited=kept.edited is not None,
            raw=kept.json(),
        )


def _standing(chat: Chat) -> list[Kept]:
    return [one for one in chat.messages.values() if not one.deleted]


def _control(given: dict[str, Any]) -> Control:
    enabled = "disabled" not in given
    if "callback_data" in given or not enabled:
        return Control(given["text"], given.get("callback_data", ""), enabled=enabled)
    return Control(given["text"], given.get("url", ""), "link")
