"""Who and what there is on the fake Telegram: people, chats, topics, messages.

Each as the API shows it. Ids of messages count per supergroup, and over all other chats
together, as on the platform.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Kind = Literal["private", "group", "supergroup", "channel"]
Standing = Literal["creator", "administrator", "member", "left", "kicked"]

ANONYMOUS = 1087968824
"""@GroupAnonymousBot, whose name stands on what anonymous admins write."""

RIGHTS = (
    *("can_be_edited", "is_anonymous", "can_manage_chat", "can_delete_messages"),
    *("can_manage_video_chats", "can_restrict_members", "can_promote_members"),
    *("can_change_info", "can_invite_users", "can_post_stories", "can_edit_stories"),
    *("can_delete_stories", "can_pin_messages", "can_manage_topics"),
)
_NOT_GIVEN = ("can_be_edited", "is_anonymous", "can_promote_members")


@dataclass(slots=True)
class Person:
    """An account. `started`: they opened their chat with the bot, and it may write there."""

    id: int
    name: str
    username: str | None = None
    language: str | None = None
    is_bot: bool = False
    started: bool = False
    blocked: bool = False
    deactivated: bool = False

    def json(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"id": self.id, "is_bot": self.is_bot, "first_name": self.name}
        if self.username:
            shown["username"] = self.username
        if self.language:
            shown["language_code"] = self.language
        return shown


@dataclass(slots=True)
class Topic:
    """A topic of a forum. Its id is that of the message that says it was made."""

    name: str
    closed: bool = False
    deleted: bool = False


@dataclass(slots=True)
class Kept:
    """A message as the server holds it. `author` is None where a channel speaks."""

    id: int
    chat: Chat
    author: Person | None
    date: int
    text: str = ""
    entities: list[dict[str, Any]] = field(default_factory=list)
    keyboard: list[list[dict[str, Any]]] | None = None
    reply_to: Kept | None = None
    topic: int | None = None
    edited: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    """What else the API shows of it: a photo with its caption, what a service message says."""
    service: bool = False
    anonymous: bool = False
    deleted: bool = False
    out_of_reach: bool = False
    """Too old for the bot: a press shows it as an inaccessible message."""

    def json(self, *, replies: bool = True) -> dict[str, Any]:
        if self.out_of_reach:
            return {"message_id": self.id, "chat": self.chat.json(), "date": 0}
        shown: dict[str, Any] = {"message_id": self.id, "chat": self.chat.json(), "date": self.date}
        if self.anonymous or self.author is None:
            shown["sender_chat"] = self.chat.json()
        if self.anonymous:
            shown["from"] = Person(ANONYMOUS, "Group", "GroupAnonymousBot", is_bot=True).json()
        elif self.author is not None:
            shown["from"] = self.author.json()
        if self.edited is not None:
            shown["edit_date"] = self.edited
        shown |= self._thread()
        answered = self.reply_to or self.chat.opening(self.topic)
        if replies and answered is not None and answered is not self and not answered.deleted:
            shown["reply_to_message"] = answered.json(replies=False)
        if self.text:
            shown["text"] = self.text
        if self.entities:
            shown["entities"] = self.entities
        if self.keyboard:
            shown["reply_markup"] = {"inline_keyboard": self.keyboard}
        return shown | self.extra

    def _thread(self) -> dict[str, Any]:
        if self.topic is not None:
            return {"message_thread_id": self.topic, "is_topic_message": True}
        if self.chat.kind == "supergroup" and not self.chat.forum and self.reply_to is not None:
            # Replies in a supergroup name a thread, though it is no forum.
            first = self.reply_to
            while first.reply_to is not None:
                first = first.reply_to
            return {"message_thread_id": first.id}
        return {}


@dataclass(slots=True)
class Chat:
    """A chat. `standing` is everybody's, the bot's own too."""

    id: int
    kind: Kind
    title: str = ""
    username: str | None = None
    forum: bool = False
    standing: dict[int, Standing] = field(default_factory=dict)
    anonymous: set[int] = field(default_factory=set)
    hears_all: bool = False
    """Privacy mode was off when the bot came in."""
    muted: bool = False
    migrated_to: int | None = None
    topics: dict[int, Topic] = field(default_factory=dict)
    general: Topic = field(default_factory=lambda: Topic("General"))
    messages: dict[int, Kept] = field(default_factory=dict)
    # The first message of a supergroup says that it was made; in a forum that is the general topic.
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(2))
    person: Person | None = None

    def json(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"id": self.id, "type": self.kind}
        if self.person is not None:
            shown["first_name"] = self.person.name
        else:
            shown["title"] = self.title
        username = self.person.username if self.person is not None else self.username
        if username:
            shown["username"] = username
        if self.forum:
            shown["is_forum"] = True
        return shown

    def member(self, account: int) -> bool:
        return self.standing.get(account, "left") not in ("left", "kicked")

    def admin(self, account: int) -> bool:
        return self.standing.get(account) in ("creator", "administrator")

    def opening(self, topic: int | None) -> Kept | None:
        """The message that says a topic was made, which all in it count as replies to."""
        return self.messages.get(topic) if topic is not None else None

    def find(self, message: int) -> Kept | None:
        found = self.messages.get(message)
        return None if found is None or found.deleted else found


def member_json(person: Person, standing: Standing) -> dict[str, Any]:
    """A ChatMember."""
    shown: dict[str, Any] = {"user": person.json(), "status": standing}
    match standing:
        case "administrator":
            shown |= {right: right not in _NOT_GIVEN for right in RIGHTS}
        case "creator":
            shown["is_anonymous"] = False
        case "kicked":
            shown["until_date"] = 0
        case "member" | "left":
            pass
    return shown


class World:
    """All of it. `now` is Unix time in seconds; `privacy` is the bot's setting of this moment."""

    def __init__(self, bot: Person, now: Callable[[], float], *, privacy: bool) -> None:
        self.bot = bot
        self.privacy = privacy
        self.now = now
        self.people: dict[int, Person] = {bot.id: bot}
        self.chats: dict[int, Chat] = {}
        self._ids = itertools.count(1)

    def chat(self, account_or_chat: str | int) -> Chat:
        """A chat by its id, or a public one by its @name. Raises: LookupError."""
        wanted = str(account_or_chat)
        for chat in self.chats.values():
            if str(chat.id) == wanted or (chat.username and f"@{chat.username}" == wanted):
                return chat
        raise LookupError(f"no chat {wanted}")

    def person(self, account: str | int) -> Person:
        """Raises: LookupError."""
        try:
            return self.people[int(account)]
        except (KeyError, ValueError):
            raise LookupError(f"no account {account}") from None

    def keep(self, chat: Chat, author: Person | None, **parts: Any) -> Kept:
        """A new message in a chat."""
        own = chat.kind in ("supergroup", "channel")
        kept = Kept(next(chat.ids if own else self._ids), chat, author, int(self.now()), **parts)
        chat.messages[kept.id] = kept
        return kept

    def hears(self, message: Kept) -> bool:
        """Whether a message reaches the bot."""
        chat = message.chat
        if message.author is not None and message.author.is_bot:
            return False
        if chat.kind == "private":
            return True
        if not chat.member(self.bot.id):
            return False
        if chat.admin(self.bot.id) or chat.kind == "channel":
            return chat.admin(self.bot.id)
        return chat.hears_all or message.service or self._meant(message)

    def _meant(self, message: Kept) -> bool:
        """What privacy mode lets through: commands, mentions of the bot, replies to it."""
        if message.reply_to is not None and message.reply_to.author is self.bot:
            return True
        own = f"@{self.bot.username}".lower()
        wire = message.text.encode("utf-16-le")
        for entity in message.entities:
            start, end = entity["offset"], entity["offset"] + entity["length"]
            word = wire[2 * start : 2 * end].decode("utf-16-le").lower()
            if entity["type"] == "mention" and word == own:
                return True
            if entity["type"] == "bot_command" and ("@" not in word or word.endswith(own)):
                return True
        return False
