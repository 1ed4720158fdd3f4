"""What people do on the fake Telegram, and what the bot hears of it.

Everything a person does goes through here, so that the bot hears it as it would there.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from channels.testing.telegram.markup import marked, units
from channels.testing.telegram.methods import TEXT, Press
from channels.testing.telegram.places import Chat, Kept, Kind, Person, Standing, Topic, member_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from channels.testing.telegram.methods import Methods
    from channels.testing.telegram.places import World
    from channels.testing.telegram.updates import Updates

BREAK = 300
"""Telegram for Android: how far back it looks for a place to break a long text at."""
DESKTOP_BREAKS = tuple(
    map(re.compile, (r"\n(?=\n)", r"\n", r"(?<=[.!?])\s", r"(?<=[,;:])\s", r"\s"))
)
"""Telegram Desktop (TextUtilities::CutPart): where it cuts, the best first."""
FIRST_QUERY = 4_000_000_000_000_000_001


@dataclass
class People:
    """Acts for everybody but the bot."""

    world: World
    updates: Updates
    methods: Methods
    queries: Iterator[int] = field(default_factory=lambda: itertools.count(FIRST_QUERY))

    # Who and where

    def person(self, account: int, name: str, **parts: Any) -> Person:
        """A new account, with its private chat. Until they start it, the bot may not write."""
        person = Person(account, name, **parts)
        self.world.people[account] = person
        chat = Chat(account, "private", person=person)
        chat.standing = {account: "member", self.world.bot.id: "member"}
        self.world.chats[account] = chat
        return person

    def chat(
        self, chat_id: int, kind: Kind, members: list[int], admins: list[int], **parts: Any
    ) -> Chat:
        """A new chat, the bot a member of it (of a channel, an admin)."""
        chat = Chat(chat_id, kind, hears_all=not self.world.privacy, **parts)
        for account in (*members, *admins):
            self.world.person(account)
            chat.standing[account] = "administrator" if account in admins else "member"
        chat.standing[self.world.bot.id] = "administrator" if kind == "channel" else "member"
        self.world.chats[chat_id] = chat
        return chat

    def topic(self, chat: Chat, name: str) -> int:
        """A new topic of a forum; its thread id. The bot hears of it."""
        author = next(self.world.person(one) for one in chat.standing if one != self.world.bot.id)
        made = {"forum_topic_created": {"name": name, "icon_color": 7322096}}
        kept = self.world.keep(chat, author, extra=made, service=True)
        kept.topic = kept.id
        chat.topics[kept.id] = Topic(name)
        self.hear("message", kept)
        return kept.id

    # Membership

    def stand(self, chat: Chat, account: int, standing: Standing, by: Person) -> None:
        """A standing in a chat changes. The bot hears of its own, and of others' as an admin."""
        person = self.world.person(account)
        before = chat.standing.get(account, "left")
        own = person is self.world.bot
        if own and not chat.member(account):
            chat.hears_all = not self.world.privacy
        chat.standing[account] = standing
        change = {
            "chat": chat.json(),
            "from": by.json(),
            "date": int(self.world.now()),
            "old_chat_member": member_json(person, before),
            "new_chat_member": member_json(person, standing),
        }
        if own or chat.admin(self.world.bot.id):
            kind = "my_chat_member" if own else "chat_member"
            self.updates.add(kind, f"chat {chat.id}", change)
        came = before in ("left", "kicked") and standing not in ("left", "kicked")
        if chat.kind != "channel" and not (own and not came) and (came or not chat.member(account)):
            said = (
                {"new_chat_members": [person.json()]}
                if came
                else {"left_chat_member": person.json()}
            )
            self.hear("message", self.world.keep(chat, by, extra=said, service=True))

    def migrate(self, chat: Chat, new_id: int) -> Chat:
        """A group becomes a supergroup of another id. What was written stays in the old one."""
        new = Chat(new_id, "supergroup", chat.title, hears_all=chat.hears_all)
        new.standing = dict(chat.standing)
        self.world.chats[new_id] = new
        by = next(self.world.person(one) for one in chat.standing if one != self.world.bot.id)
        to, of = {"migrate_to_chat_id": new_id}, {"migrate_from_chat_id": chat.id}
        self.hear("message", self.world.keep(chat, by, extra=to, service=True))
        chat.migrated_to = new_id
        self.hear("message", self.world.keep(new, by, extra=of, service=True))
        return new

    # Words

    def write(
        self,
        account: int,
        chat: Chat,
        text: str,
        topic: int | None = None,
        answered: Kept | None = None,
        *,
        desktop: bool = False,
    ) -> list[Kept]:
        """Writes; a long text becomes several messages, as clients cut it. Raises: LookupError."""
        self._may_write(account, chat, topic)
        sent = []
        for part in split(text, desktop=desktop):
            kept = self._keep(
                account, chat, text=part, entities=marked(part), topic=topic, reply_to=answered
            )
            self.hear("channel_post" if chat.kind == "channel" else "message", kept)
            sent.append(kept)
        return sent

    def photo(self, account: int, chat: Chat, caption: str) -> Kept:
        """Sends a picture, perhaps with words under it."""
        self._may_write(account, chat, None)
        size = {"file_id": "AgACAgQ", "file_unique_id": "AQAD", "width": 90, "height": 67}
        shown: dict[str, Any] = {"photo": [size]}
        if caption:
            shown["caption"] = caption
        kept = self._keep(account, chat, extra=shown)
        self.hear("message", kept)
        return kept

    def edit(self, account: int, kept: Kept, text: str) -> None:
        """Raises: LookupError for a message that is not theirs."""
        if kept.author is None or kept.author.id != account:
            raise LookupError(f"message {kept.id} is not of {account}")
        kept.text, kept.entities = text, marked(text)
        kept.edited = int(self.world.now())
        self.hear("edited_message", kept)

    def press(self, account: int, kept: Kept, data: str) -> Press:
        """Raises: LookupError for a message that is gone or not before them."""
        person = self.world.person(account)
        if kept.deleted or not kept.chat.member(account):
            raise LookupError(f"message {kept.id} is not before {account}")
        at = asyncio.get_running_loop().time()
        press = Press(str(next(self.queries)), account, kept.chat.id, kept.id, data, at)
        self.methods.presses.append(press)
        query = {
            "id": press.id,
            "from": person.json(),
            "message": kept.json(),
            "chat_instance": str(-(2**60) - kept.chat.id),
            "data": data,
        }
        self.updates.add("callback_query", f"presses of {account}", query)
        return press

    # What the bot hears

    def hear(self, kind: str, kept: Kept) -> None:
        if self.world.hears(kept):
            self.updates.add(kind, f"chat {kept.chat.id}", kept.json())

    def _keep(self, account: int, chat: Chat, **parts: Any) -> Kept:
        author = None if chat.kind == "channel" else self.world.person(account)
        return self.world.keep(chat, author, anonymous=account in chat.anonymous, **parts)

    def _may_write(self, account: int, chat: Chat, topic: int | None) -> None:
        person = self.world.person(account)
        if not chat.member(account) or (chat.kind == "channel" and not chat.admin(account)):
            raise LookupError(f"{account} may not write in {chat.id}")
        if topic is not None and topic not in chat.topics:
            raise LookupError(f"no topic {topic} in {chat.id}")
        if chat.kind == "private":
            if person.blocked:
                raise LookupError(f"{account} blocked the bot")
            person.started = True


def split(text: str, *, desktop: bool = False) -> list[str]:
    """A text as Telegram's clients send it: at most 4,096 units each, broken at a blank: of the
    last 300 characters by Telegram for Android, of the second half by Telegram Desktop.
    """
    parts = []
    while units(text) > TEXT:
        cut = _within(text, TEXT)
        end = _desktop_end(text, cut) if desktop else _android_end(text, cut)
        parts.append(text[:end].strip())
        text = text[end:].lstrip() if end < cut else text[end:]
    return [part for part in (*parts, text.strip()) if part]


def _android_end(text: str, cut: int) -> int:
    for mark in ("\n\n", "\n", " "):
        found = text.rfind(mark, max(cut - BREAK, 1), cut)
        if found > 0:
            return found
    return cut


def _desktop_end(text: str, cut: int) -> int:
    half = _within(text, TEXT // 2)
    for mark in DESKTOP_BREAKS:
        found = [one.start() for one in mark.finditer(text, half + 1) if one.start() < cut]
        if found:
            return found[-1]
    return cut


def _within(text: str, limit: int) -> int:
    """How many characters fit into so many units."""
    wire = text.encode("utf-16-le")[: 2 * limit]
    return len(wire.decode("utf-16-le", "ignore"))
