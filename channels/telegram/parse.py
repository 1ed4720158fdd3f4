"""An update of Telegram's as what somebody did. Pure and total: whatever comes, nothing is raised.

Only the platform's numeric ids say who it was; names are passed on for showing alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from channels.callback import unpack
from channels.contract import Destination, Drop, Pressed, Send, Sender, Step, StepAct, Typed

CHANNEL = "telegram"
GROUP_ADMIN, CHANNEL_AUTHOR = 1087968824, 136817688
"""Bots in whose name anonymous admins and channels write (Bot API, Message.sender_chat)."""

LATEST = 253_402_300_799
"""The last second of the year 9999, which is all that a date can say."""

CONTENT = frozenset(
    (
        *("animation", "audio", "checklist", "contact", "dice", "document", "game", "live_photo"),
        *("location", "paid_media", "photo", "poll", "sticker", "story", "venue", "video"),
        *("video_note", "voice"),
    )
)
"""What people send besides words; any other message tells of the chat itself."""

_BEGIN = re.compile(r"f([A-Za-z0-9_-]{8})", re.ASCII)
_SAID_SO = ("pending", "help")


@dataclass(frozen=True, slots=True)
class Me:
    """The bot, as getMe says."""

    id: int
    username: str


@dataclass(frozen=True, slots=True)
class Said:
    """A message. `topic` is where an answer to it goes, in a forum."""

    typed: Typed
    topic: int | None = None


@dataclass(frozen=True, slots=True)
class Press:
    """A button. `query` is to be answered; None for one that was a link (`/start`).

    `message` is where the button was; `pressed` names it only where it shows the ask. `of_mine`: it
    stood under a reply to a message of the same person.
    """

    pressed: Pressed
    query: str | None
    message: int | None = None
    topic: int | None = None
    of_mine: bool = False


@dataclass(frozen=True, slots=True)
class Stray:
    """A press that is none of ours; it is to be answered all the same."""

    where: Destination
    sender: Sender
    query: str


@dataclass(frozen=True, slots=True)
class Command:
    """What is no message to an ask: `link` (what is my account called?), or, in somebody's own
    chat with us, `pending` (what waits for me anywhere?).
    """

    word: str
    where: Destination
    sender: Sender
    message: str
    topic: int | None = None


@dataclass(frozen=True, slots=True)
class Migrated:
    """A group has another id now."""

    old: Destination
    new: Destination


Incoming = Said | Press | Stray | Command | Migrated


def parse(update: Any, me: Me, now: datetime) -> Incoming | None:
    """What was done; None where it is nothing to us. A press has no time but `now`."""
    if not isinstance(update, dict):
        return None
    query = update.get("callback_query")
    if isinstance(query, dict):
        return _pressed(query, now)
    for kind in ("message", "edited_message", "channel_post", "edited_channel_post"):
        message = update.get(kind)
        if isinstance(message, dict):
            return _message(message, me, edited=kind.startswith("edited"))
    return None


def _pressed(query: dict[str, Any], now: datetime) -> Press | Stray | None:
    name, sender = _text(query.get("id")), _person(query.get("from"))
    if not name or sender is None:
        return None
    message = _dict(query.get("message"))
    where = _where(_dict(message.get("chat")), _topic(message))
    number = _number(message.get("message_id"))
    found = unpack(_text(query.get("data")))
    if where is None or number is None or found is None:
        own = Destination(CHANNEL, sender.account, account=sender.account)
        return Stray(where or own, sender, name)
    ask_id, control = found
    replied = _dict(_dict(message.get("reply_to_message")).get("from"))
    # A step of a form, or what was said back, does not show the ask: it is no post of it.
    aside = isinstance(control, Send | Drop) or (
        isinstance(control, Step) and control.act is not StepAct.START
    )
    shows = None if aside else str(number)
    pressed = Pressed(where, sender, now, name, ask_id, control, shows)
    of_mine = str(replied.get("id")) == sender.account
    return Press(pressed, name, number, _topic(message), of_mine=of_mine)


def _message(message: dict[str, Any], me: Me, *, edited: bool) -> Incoming | None:
    moved = _moved(message)
    if moved is not None:
        return moved
    number, at = _number(message.get("message_id")), _time(message.get("date"))
    sender = _sender(message, me)
    topic = _topic(message)
    where = _where(_dict(message.get("chat")), None)
    if number is None or at is None or sender is None or where is None:
        return None
    words = _words(message, edited=edited)
    if words is None:
        return None
    text, entities = words
    said = _Words(text, entities, me)
    if not edited:
        command = _command(said, where, sender, number, at, topic)
        if command is not None:
            return command
    if said.for_others:
        return None
    answered = _dict(message.get("reply_to_message"))
    to_us = _number(_dict(answered.get("from")).get("id")) == me.id
    spoken_to = said.mentions or said.commanded
    if topic is not None and (spoken_to or to_us):
        # A topic is a place like a group: talk in it is not said under the ask.
        where = Destination(CHANNEL, where.conversation, str(topic), where.account)
    typed = Typed(
        where=where,
        sender=sender,
        at=at,
        message=str(number),
        text=said.text,
        edit=_edit(message, text) if edited else None,
        reply_to=_reply_to(answered, topic),
        addressed=bool(spoken_to),
        mention=said.mentions,
    )
    return Said(typed, topic)


class _Words:
    """The words of a message, with what in them is for us."""

    def __init__(self, text: str, entities: list[Any], me: Me) -> None:
        self.text = text
        self.command, self.arguments = "", ""
        self.commanded = self.for_others = False
        found: list[str] = []
        wire = text.encode("utf-16-le", "surrogatepass")
        own = f"@{me.username}".casefold()
        for one in map(_dict, entities):
            start, length = _number(one.get("offset")), _number(one.get("length"))
            if start is None or length is None or start < 0 or length <= 0:
                continue
            raw = wire[2 * start : 2 * (start + length)]
            word = raw.decode("utf-16-le", "replace")
            kind = one.get("type")
            named = _number(_dict(one.get("user")).get("id"))
            by_name = kind == "mention" and word.casefold() == own
            if by_name or (kind == "text_mention" and named == me.id):
                found.append(word)
            elif kind == "bot_command" and start == 0:
                self._read_command(word, own)
        self.mentions = tuple(dict.fromkeys(found))

    def _read_command(self, word: str, own: str) -> None:
        name, at, bot = word[1:].partition("@")
        if at and f"@{bot}".casefold() != own:
            self.for_others = True
            return
        self.command, self.arguments = name.casefold(), self.text[len(word) :].strip()
        if at:
            # `/skip@oz_bot`: spoken to us, and the word itself is what was said.
            self.commanded = True
            self.text = f"{name} {self.arguments}".strip()


def _command(
    said: _Words,
    where: Destination,
    sender: Sender,
    number: int,
    at: datetime,
    topic: int | None,
) -> Incoming | None:
    """One of our own commands."""
    message = str(number)
    word = said.command
    if word == "link" or (word == "pending" and where.direct):
        return Command(word, where, sender, message, topic)
    if word == "start" and where.direct:
        began = _BEGIN.fullmatch(said.arguments)
        found = unpack(f"S{began[1]}0.0") if began else None
        if found is not None:
            event = f"start {message}"
            pressed = Pressed(where, sender, at, event, found[0], Step(StepAct.START))
            return Press(pressed, None)
        word = "help"
    if word in _SAID_SO:
        if topic is not None:
            where = Destination(CHANNEL, where.conversation, str(topic), where.account)
        return Said(Typed(where, sender, at, message, word, addressed=True), topic)
    return None


def _moved(message: dict[str, Any]) -> Migrated | None:
    here = _number(_dict(message.get("chat")).get("id"))
    to = _number(message.get("migrate_to_chat_id"))
    of = _number(message.get("migrate_from_chat_id"))
    if here is None or (to is None and of is None):
        return None
    old, new = (here, to) if to is not None else (of, here)
    return Migrated(Destination(CHANNEL, str(old)), Destination(CHANNEL, str(new)))


def _sender(message: dict[str, Any], me: Me) -> Sender | None:
    """Whoever wrote; hidden where Telegram names a chat instead. None for bots, and for echoes."""
    if message.get("is_automatic_forward") is True:
        return None
    author = _dict(message.get("from"))
    number = _number(author.get("id"))
    chat = _number(_dict(message.get("sender_chat")).get("id"))
    if chat is not None and number in (None, GROUP_ADMIN, CHANNEL_AUTHOR):
        return Sender(str(number if number is not None else chat), hidden=True)
    if number is None or number == me.id or author.get("is_bot") is True:
        return None
    return _person(author)


def _person(author: Any) -> Sender | None:
    given = _dict(author)
    number = _number(given.get("id"))
    if number is None:
        return None
    name = f"{_text(given.get('first_name'))} {_text(given.get('last_name'))}".strip()
    return Sender(str(number), name)


def _where(chat: dict[str, Any], topic: int | None) -> Destination | None:
    number = _number(chat.get("id"))
    if number is None:
        return None
    own = str(number) if chat.get("type") == "private" else None
    return Destination(CHANNEL, str(number), None if topic is None else str(topic), own)


def _topic(message: dict[str, Any]) -> int | None:
    """The forum topic; a supergroup's replies name a thread too, which is none."""
    if message.get("is_topic_message") is not True:
        return None
    return _number(message.get("message_thread_id"))


def _reply_to(answered: dict[str, Any], topic: int | None) -> str | None:
    """What it is marked as a reply to; all in a topic hang on the message that made it."""
    number = _number(answered.get("message_id"))
    if number is None or number == topic or "forum_topic_created" in answered:
        return None
    return str(number)


def _words(message: dict[str, Any], *, edited: bool) -> tuple[str, list[Any]] | None:
    """The words and their entities; empty ones for a picture; None for news of the chat.

    Nor for an edit without words: a live location is edited as it moves, and says nothing by that.
    """
    for key, marks in (("text", "entities"), ("caption", "caption_entities")):
        if isinstance(message.get(key), str):
            entities = message.get(marks)
            return _text(message[key]), entities if isinstance(entities, list) else []
    return None if edited or CONTENT.isdisjoint(message) else ("", [])


def _edit(message: dict[str, Any], text: str) -> str:
    """Tells this edit from others, two of one second too."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{_number(message.get('edit_date')) or 0}-{digest}"


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    """Words as they may be kept: half a surrogate pair is none that could be."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _time(value: Any) -> datetime | None:
    number = _number(value)
    if number is None or not 0 < number <= LATEST:
        return None
    return datetime.fromtimestamp(number, UTC)
