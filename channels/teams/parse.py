"""What Teams sends, as interactions. Pure and total: any JSON in, and never an exception.

The sender is who the service signed; names, addresses and whatever a card's data claims are not
looked at for that.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from channels.callback import unpack
from channels.contract import (
    AskReason,
    Destination,
    Drop,
    OpenForm,
    PressDecline,
    Pressed,
    Send,
    Sender,
    Submitted,
    Typed,
)
from channels.teams.inputs import moment, read
from channels.teams.render import DATA, LOOK, REASON

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from channels.contract import Control, Interaction

CHANNEL = "teams"

_THREAD = ";messageid="
_REPLY = re.compile(
    r"<blockquote\b[^<>]*schema\.skype\.com/Reply[^<>]*\bitemid=[\"']?([^\"'\s<>]+)[^<>]*>",
    re.IGNORECASE,
)
_END = "</blockquote>"
_TAG = re.compile(r"<[^<>]*>")
_COMMAND = re.compile(r"/?oz\s+(pending|help|link)", re.IGNORECASE)
_BLANK = re.compile(r"(?:\s|&nbsp;)+")

MOST_QUOTED_WORDS = 200
"""Ours: clients quote the beginning of a message; what is longer is left in the text."""


class Way(StrEnum):
    """How an interaction came, which says how it is answered."""

    TYPED = "typed"
    SUBMIT = "submit"
    """A press that came as a message: of an older client, or of an old card."""
    EXECUTE = "execute"
    FETCH = "fetch"
    DIALOG = "dialog"


@dataclass(frozen=True, slots=True)
class Did:
    """Somebody did something. `raw` is what a form's inputs held, by id."""

    way: Way
    interaction: Interaction
    raw: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AskedLink:
    """Somebody wants to know how their account becomes theirs."""

    sender: Sender
    where: Destination
    message: str


@dataclass(frozen=True, slots=True)
class Looked:
    """A client asks for the card of a post as it stands now; nobody pressed anything."""

    where: Destination
    message: str
    ask_id: str


def parse(activity: Any, now: datetime) -> Did | AskedLink | Looked | None:
    """What an activity says; None for what nothing follows from.

    Args:
        activity: the JSON of a request that was found to be the service's.
        now: when it arrived, for activities without a time that can be read.
    """
    source = _source(activity)
    if source is None:
        return None
    match activity.get("type"):
        case "message" | "messageUpdate" as kind:
            value = activity.get("value")
            if kind == "message" and isinstance(value, dict) and DATA in value:
                return _pressed(activity, source, value, Way.SUBMIT, now)
            return _typed(activity, source, now)
        case "invoke":
            return _invoked(activity, source, now)
        case _:
            return None


# Who and where


@dataclass(frozen=True, slots=True)
class _Source:
    sender: Sender
    where: Destination
    root: str | None
    bot: str
    """The bot's own id in this conversation."""


def _source(activity: Any) -> _Source | None:
    """Who did it and where; None where that is not a person in a conversation."""
    if not isinstance(activity, dict):
        return None
    author, talk = _part(activity, "from"), _part(activity, "conversation")
    account = _text(author, "aadObjectId") or _text(author, "id")
    base, _, root = _text(talk, "id").partition(_THREAD)
    by_bot = _text(author, "role") == "bot" or _text(author, "id").startswith("28:")
    if not account or not base or by_bot:
        return None
    kind = _text(talk, "conversationType")
    personal = kind == "personal" if kind else base.startswith("a:")
    pressed = activity.get("type") == "invoke" or isinstance(activity.get("value"), dict)
    # A thread's first message stands at the top of its channel, and so does a press on it.
    first = _text(activity, "replyToId" if pressed else "id")
    thread = root if root and root != first else None
    where = Destination(CHANNEL, base, thread, account if personal else None)
    bot = _text(_part(activity, "recipient"), "id")
    return _Source(Sender(account, _text(author, "name")), where, root or None, bot)


def service_url(activity: Any) -> tuple[str, str] | None:
    """The conversation's id without a thread, and the address that it told."""
    if not isinstance(activity, dict):
        return None
    base = _text(_part(activity, "conversation"), "id").partition(_THREAD)[0]
    url = _text(activity, "serviceUrl").rstrip("/")
    return (base, url) if base and url else None


# What was pressed


def _invoked(activity: Mapping[str, Any], source: _Source, now: datetime) -> Did | Looked | None:
    value = _part(activity, "value")
    match activity.get("name"):
        case "adaptiveCard/action":
            action = _part(value, "action")
            data = _part(action, "data")
            if action.get("verb") == LOOK:
                return _looked(activity, source, data)
            return _pressed(activity, source, data, Way.EXECUTE, now)
        case "task/fetch":
            return _pressed(activity, source, _part(value, "data"), Way.FETCH, now)
        case "task/submit":
            return _pressed(activity, source, _part(value, "data"), Way.DIALOG, now)
        case _:
            return None


def _looked(activity: Mapping[str, Any], source: _Source, data: Mapping[str, Any]) -> Looked | None:
    found = unpack(_text(data, DATA))
    message = _text(activity, "replyToId")
    return Looked(source.where, message, found[0]) if found and message else None


def _pressed(
    activity: Mapping[str, Any], source: _Source, data: Mapping[str, Any], way: Way, now: datetime
) -> Did | None:
    packed = data.get(DATA)
    found = unpack(packed) if isinstance(packed, str) else None
    event = _text(activity, "id")
    if found is None or not event:
        return None
    ask_id, control = found
    at = _time(activity, now)
    message = _text(activity, "replyToId") or None
    sends_form = isinstance(control, OpenForm) and way is not Way.FETCH
    if sends_form:
        filled = read(data)
        form = Submitted(
            where=source.where,
            sender=source.sender,
            at=at,
            event=event,
            ask_id=ask_id,
            values=filled.values,
            message=message,
            texts=filled.texts,
        )
        return Did(way, form, filled.raw)
    meant = _meant(control, data, way)
    pressed = Pressed(
        where=source.where,
        sender=source.sender,
        at=at,
        event=event,
        ask_id=ask_id,
        control=meant,
        # What these stand on shows a message that was kept, and no ask.
        message=None if isinstance(meant, Send | Drop) else message,
    )
    return Did(way, pressed, {})


def _meant(control: Control, data: Mapping[str, Any], way: Way) -> Control:
    """The control of a press; that of the dialog asking why comes with the reason."""
    if not isinstance(control, AskReason) or way is Way.FETCH:
        return control
    reason = data.get(REASON)
    return PressDecline(reason if isinstance(reason, str) and reason.strip() else None)


# What was typed


def _typed(activity: Mapping[str, Any], source: _Source, now: datetime) -> Did | AskedLink | None:
    message = _text(activity, "id")
    if not message:
        return None
    edit = None
    sent = _time(activity, now)
    if activity["type"] == "messageUpdate":
        if _text(_part(activity, "channelData"), "eventType") != "editMessage":
            return None
        edit = _text(activity, "timestamp") or sent.isoformat()
        # Its time is that of the edit; its id has that of the message.
        sent = moment(message) or sent
    ours, names = _mentions(activity, source.bot)
    quoted, text = _unquoted(activity)
    bare = _bare(text, ours)
    command = _COMMAND.fullmatch(bare)
    if command is not None:
        if command[1].casefold() == "link":
            return AskedLink(source.sender, source.where, message)
        text = command[1]
    typed = Typed(
        where=source.where,
        sender=source.sender,
        at=sent,
        message=message,
        text=text,
        edit=edit,
        reply_to=quoted or _reply_to(activity, source),
        addressed=bool(ours) or command is not None,
        mention=ours,
        names=names,
        markup=True,
    )
    return Did(Way.TYPED, typed, {})


def _reply_to(activity: Mapping[str, Any], source: _Source) -> str | None:
    """What it is marked as a reply to; being in a thread is no such mark."""
    found = _text(activity, "replyToId")
    return found if found and found != source.root else None


def _mentions(
    activity: Mapping[str, Any], bot: str
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """How we are mentioned in this text, and others with the names they show as."""
    ours: list[str] = []
    names: list[tuple[str, str]] = []
    for entity in _list(activity, "entities"):
        piece = _text(entity, "text")
        if entity.get("type") != "mention" or not piece:
            continue
        if bot and _text(_part(entity, "mentioned"), "id") == bot:
            ours.append(piece)
        else:
            names.append((piece, _TAG.sub("", piece)))
    return tuple(dict.fromkeys(ours)), tuple(dict.fromkeys(names))


def _unquoted(activity: Mapping[str, Any]) -> tuple[str | None, str]:
    """The message that was quoted, and the text without what was quoted of it."""
    text = _text(activity, "text")
    for attachment in _list(activity, "attachments"):
        content = attachment.get("content")
        if attachment.get("contentType") != "text/html" or not isinstance(content, str):
            continue
        found = _REPLY.search(content)
        if found is not None:
            return found[1], _without(text, content[found.end() :].partition(_END)[0])
    return None, text


def _without(text: str, quoted: str) -> str:
    """The text behind what was quoted, where it stands before it."""
    words = _BLANK.sub(" ", html.unescape(_TAG.sub(" ", quoted))).split()
    if not 0 < len(words) <= MOST_QUOTED_WORDS:
        return text
    ahead = r"\W{0,8}".join(re.escape(html.escape(word, quote=False)) for word in words)
    found = re.match(rf"\W{{0,8}}{ahead}\s*", text)
    return text[found.end() :] if found else text


def _bare(text: str, ours: tuple[str, ...]) -> str:
    for mention in ours:
        text = text.replace(mention, " ")
    return _BLANK.sub(" ", text).strip()


# JSON of any shape


def _time(activity: Mapping[str, Any], now: datetime) -> datetime:
    try:
        found = datetime.fromisoformat(_text(activity, "timestamp"))
    except ValueError:
        return now
    try:
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except OverflowError:  # at the edge of the calendar
        return now


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _list(value: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    found = value.get(name)
    yield from (one for one in found if isinstance(one, dict)) if isinstance(found, list) else ()
