"""Discord's events as interactions. Pure and total: any JSON in, and what is none of ours is None.

Only ids are trusted; names are shown and mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

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
from channels.discord import modal
from channels.discord.render import CHANNEL, EPHEMERAL

EPOCH_MS = 1_420_070_400_000
"""Ids count milliseconds from the start of 2015 (documentation, "Snowflakes")."""

ID_DIGITS = 20
"""Of the largest 64-bit number."""

COMMAND, COMPONENT, MODAL_SUBMIT = 2, 3, 5
GUILD_TEXT, DM, THREADS = 0, 1, (10, 11, 12)
WRITTEN = (0, 19)
"""Types of messages that somebody wrote: as such, or as a reply. All others are Discord's own."""

FORWARD = 1
"""A reference to a message that was passed on, which is no reply to it."""


@dataclass(slots=True)
class Known:
    """What events so far told of the bot and of places: whose threads are whose, and what else is
    a channel. `roles` are the bot's own, one a server: mentioning one mentions it.
    """

    me: str = ""
    roles: set[str] = field(default_factory=set)
    parents: dict[str, str] = field(default_factory=dict)
    channels: set[str] = field(default_factory=set)

    def place(self, conversation: str) -> bool:
        """Whether it is known what that place is."""
        return conversation in self.parents or conversation in self.channels


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: `pending`, `help` or `link`."""

    where: Destination
    sender: Sender
    at: datetime
    event: str
    name: str


@dataclass(frozen=True, slots=True)
class Stale:
    """Something was pressed, or a form sent, that no post of ours has."""

    where: Destination
    sender: Sender


@dataclass(frozen=True, slots=True)
class Withheld:
    """A message whose words Discord keeps from us. `to_us`: it replies to one of ours; else it was
    written in a thread, which may be under one.
    """

    where: Destination
    sender: Sender
    message: str
    to_us: bool


@dataclass(frozen=True, slots=True)
class Ticket:
    """What an interaction is answered with. `on_message`: it came from a message's component."""

    id: str
    token: str
    application: str
    on_message: bool = False


Acted = Pressed | Submitted | Command | Stale


def moment(snowflake: str) -> datetime:
    """When an id was made."""
    return datetime.fromtimestamp(moment_ms(snowflake) / 1000, UTC)


def moment_ms(snowflake: str) -> int:
    return (int(snowflake) >> 22) + EPOCH_MS


def snowflake(at: datetime) -> str:
    """The lowest id that can be made at that time."""
    return str(max(0, int(at.timestamp() * 1000) - EPOCH_MS) << 22)


def learn(known: Known, name: str, data: Any) -> None:
    """Takes from an event what `Known` keeps."""
    event = _dict(data)
    if name == "READY":
        known.me = _id(_dict(event.get("user")).get("id")) or known.me
        return
    if name == "GUILD_CREATE":
        known.roles |= set(_own_roles(event.get("roles"), known.me))
        places = [*_dicts(event.get("channels")), *_dicts(event.get("threads"))]
    elif name == "THREAD_LIST_SYNC":
        places = list(_dicts(event.get("threads")))
    elif name in ("THREAD_CREATE", "THREAD_UPDATE", "CHANNEL_CREATE", "CHANNEL_UPDATE"):
        places = [event]
    else:
        return
    for place in places:
        learn_place(known, place)


def _own_roles(roles: Any, me: str) -> Iterator[str]:
    for role in _dicts(roles):
        name = _id(role.get("id"))
        if name is not None and me and _dict(role.get("tags")).get("bot_id") == me:
            yield name


def learn_place(known: Known, data: Any) -> None:
    """Takes one channel's parent, where it is a thread."""
    place = _dict(data)
    conversation, parent = _id(place.get("id")), _id(place.get("parent_id"))
    if conversation is None:
        return
    if place.get("type") in THREADS and parent is not None:
        known.parents[conversation] = parent
    else:
        known.channels.add(conversation)


def conversation_of(data: Any) -> str | None:
    """The channel or thread that a message event is about."""
    return _id(_dict(data).get("channel_id"))


def deleted(data: Any, known: Known) -> Iterator[tuple[Destination, str]]:
    """The messages that are gone, one or several, and where they stood."""
    event = _dict(data)
    place = _id(event.get("channel_id"))
    ids = event.get("ids")
    for one in ids if isinstance(ids, list) else [event.get("id")]:
        gone = _id(one)
        if place is not None and gone is not None:
            parent = known.parents.get(place)
            where = Destination(CHANNEL, parent, place) if parent else Destination(CHANNEL, place)
            yield where, gone


def message(
    data: Any, known: Known, *, edited: bool = False, shared: bool | None = None
) -> Typed | Withheld | None:
    """A message that somebody wrote, or edited.

    `shared` says whether others read there, for messages of the history, which name no server.
    """
    event = _dict(data)
    sent, place = _id(event.get("id")), _id(event.get("channel_id"))
    sender = _sender(_dict(event.get("author")), _dict(event.get("member")))
    if sent is None or place is None or sender is None or not _is_written(event):
        return None
    changed = event.get("edited_timestamp")
    if edited and not isinstance(changed, str):
        # A preview was added, or something pinned: nobody changed a word.
        return None
    if shared is None:
        # Bots are in no group of people, so a message without a server is from its one person.
        shared = event.get("guild_id") is not None
    where = _destination(place, sender.account, known, shared=shared)
    reply = _reply(event)
    mentions = [one for one in _dicts(event.get("mentions")) if _id(one.get("id")) is not None]
    roles = event.get("mention_roles")
    named = map(_id, roles) if isinstance(roles, list) else ()
    ours = [one for one in named if one in known.roles]
    addressed = bool(ours) or any(one["id"] == known.me for one in mentions)
    text = clean(event.get("content"))
    if not text and not addressed and not where.direct and not _has_other(event):
        to_us = _is_to_us(event, known)
        return Withheld(where, sender, sent, to_us) if to_us or where.thread else None
    return Typed(
        where=where,
        sender=sender,
        at=moment(sent),
        message=sent,
        text=text,
        edit=_edit(changed) if edited else None,
        reply_to=reply,
        addressed=addressed,
        mention=(f"<@{known.me}>", f"<@!{known.me}>", *(f"<@&{one}>" for one in ours)),
        names=tuple(_names(mentions, known.me)),
    )


def ticket(data: Any) -> Ticket | None:
    """What the interaction is answered with."""
    event = _dict(data)
    name, application = _id(event.get("id")), _id(event.get("application_id"))
    token = event.get("token")
    if name is None or application is None or not isinstance(token, str) or not token:
        return None
    return Ticket(name, token, application, isinstance(event.get("message"), dict))


def interaction(data: Any) -> Acted | None:
    """A press, a choice, a form that was sent, or a command."""
    event = _dict(data)
    name, place = _id(event.get("id")), _dict(event.get("channel"))
    conversation = _id(event.get("channel_id")) or _id(place.get("id"))
    member = _dict(event.get("member"))
    sender = _sender(_dict(event.get("user") or member.get("user")), member)
    if name is None or conversation is None or sender is None:
        return None
    where = _where(conversation, place, event.get("guild_id"), sender.account)
    inner = _dict(event.get("data"))
    match event.get("type"):
        case 3:
            return _pressed(event, inner, where, sender, name)
        case 5:
            return _submitted(event, inner, where, sender, name)
        case 2:
            options = list(_dicts(inner.get("options")))
            chosen = options[0].get("name") if options else None
            if inner.get("name") == "oz" and chosen in ("pending", "help", "link"):
                return Command(where, sender, moment(name), name, chosen)
            return Stale(where, sender)
        case _:
            return None


def clean(text: Any) -> str:
    """Text as it can be kept: half a surrogate pair becomes the mark of what cannot be read."""
    if not isinstance(text, str):
        return ""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _pressed(
    event: Mapping[str, Any], data: Mapping[str, Any], where: Destination, sender: Sender, name: str
) -> Acted:
    values = data.get("values")
    pressed = values[0] if isinstance(values, list) and values else data.get("custom_id")
    found = unpack(pressed) if isinstance(pressed, str) else None
    if found is None:
        return Stale(where, sender)
    ask_id, control = found
    # Send and Drop stand on what was said back, which shows no ask.
    post = None if isinstance(control, Send | Drop) else _post(event)
    return Pressed(where, sender, moment(name), name, ask_id, control, post)


def _submitted(
    event: Mapping[str, Any], data: Mapping[str, Any], where: Destination, sender: Sender, name: str
) -> Acted:
    filled = modal.read(data)
    if filled is None:
        return Stale(where, sender)
    at, post = moment(name), _post(event)
    if filled.reason is not None:
        control = PressDecline(filled.reason or None)
        return Pressed(where, sender, at, name, filled.ask_id, control, post)
    return Submitted(
        where,
        sender,
        at,
        name,
        filled.ask_id,
        filled.values or {},
        post,
        filled.texts or {},
        filled.page,
        filled.pages,
    )


def opens_a_form(acted: Acted) -> bool:
    """Whether the first answer has to be the form itself."""
    return isinstance(acted, Pressed) and isinstance(acted.control, OpenForm | AskReason)


def kept(data: Any) -> Mapping[str, Any]:
    """What stood in each part of a form that was sent."""
    filled = modal.read(_dict(_dict(data).get("data")))
    return (filled.kept or {}) if filled is not None else {}


def _post(event: Mapping[str, Any]) -> str | None:
    """The post that was pressed; what only the presser saw is none."""
    shown = _dict(event.get("message"))
    flags = shown.get("flags")
    if isinstance(flags, int) and flags & EPHEMERAL:
        return None
    return _id(shown.get("id"))


def _where(conversation: str, place: Mapping[str, Any], guild: Any, account: str) -> Destination:
    parent = _id(place.get("parent_id"))
    if place.get("type") in THREADS and parent is not None:
        return Destination(CHANNEL, parent, conversation)
    alone = guild is None and place.get("type") == DM
    return Destination(CHANNEL, conversation, account=account if alone else None)


def _destination(place: str, account: str, known: Known, *, shared: bool) -> Destination:
    parent = known.parents.get(place)
    if parent is not None:
        return Destination(CHANNEL, parent, place)
    return Destination(CHANNEL, place, account=None if shared else account)


def _sender(author: Mapping[str, Any], member: Mapping[str, Any]) -> Sender | None:
    """Who acted; None for bots, and for hooks, which have nobody behind them."""
    account = _id(author.get("id"))
    if account is None or author.get("bot") or author.get("system"):
        return None
    names = (member.get("nick"), author.get("global_name"), author.get("username"))
    return Sender(account, next((clean(one) for one in names if clean(one)), ""))


def _is_written(event: Mapping[str, Any]) -> bool:
    flags = event.get("flags")
    private = isinstance(flags, int) and flags & EPHEMERAL
    return event.get("type") in WRITTEN and event.get("webhook_id") is None and not private


def _reply(event: Mapping[str, Any]) -> str | None:
    reference = _dict(event.get("message_reference"))
    return None if reference.get("type") == FORWARD else _id(reference.get("message_id"))


def _is_to_us(event: Mapping[str, Any], known: Known) -> bool:
    author = _dict(_dict(event.get("referenced_message")).get("author"))
    return bool(known.me) and _reply(event) is not None and author.get("id") == known.me


def _has_other(event: Mapping[str, Any]) -> bool:
    """Whether it holds something other than words, so that nothing was kept from us."""
    parts = ("attachments", "embeds", "sticker_items", "components", "message_snapshots")
    return any(event.get(part) for part in parts)


def _edit(changed: Any) -> str:
    """Tells one edit from another."""
    return "".join(one for one in str(changed) if one.isascii() and one.isalnum())[:40]


def _names(mentions: list[Mapping[str, Any]], me: str) -> Iterator[tuple[str, str]]:
    for one in mentions:
        name = clean(_dict(one.get("member")).get("nick"))
        name = name or clean(one.get("global_name")) or clean(one.get("username"))
        if one["id"] != me and name:
            yield f"<@{one['id']}>", f"@{name}"
            yield f"<@!{one['id']}>", f"@{name}"


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _id(value: Any) -> str | None:
    """A snowflake; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return value if len(value) <= ID_DIGITS and int(value) < 1 << 64 else None
    return None
