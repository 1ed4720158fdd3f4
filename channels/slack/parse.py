"""What Slack sends, as what people did. Pure and total: any JSON in, and no error out.

Ids are the only identity. What bots say, our own echoes, and edits that nobody made are nothing.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from channels.callback import unpack
from channels.contract import (
    Destination,
    PressDecline,
    Pressed,
    Sender,
    Submitted,
    Typed,
)
from channels.slack.modal import FORM, REASON, Opened
from channels.slack.render import TELL
from channels.slack.returned import filled_in

if TYPE_CHECKING:
    from collections.abc import Mapping

CHANNEL = "slack"

WORDS_OF_PEOPLE = (None, "thread_broadcast", "file_share")
"""Subtypes that are somebody's words; every other is Slack's own or a bot's (facts, 1.10)."""

_TOKEN = re.compile(r"<([@#!])([^<>|]*)(?:\|([^<>]*))?>")


@dataclass(frozen=True, slots=True)
class Us:
    """Who we are there, as `auth.test` says."""

    team: str
    user: str
    bot: str


@dataclass(frozen=True, slots=True)
class Homed:
    """Somebody looks at our Home."""

    where: Destination
    sender: Sender


@dataclass(frozen=True, slots=True)
class Deleted:
    """A message of ours was deleted."""

    where: Destination
    message: str


@dataclass(frozen=True, slots=True)
class Commanded:
    """A slash command: `text` behind it. It is answered in private, where it was given."""

    where: Destination
    sender: Sender
    text: str
    event: str
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Revoked:
    """The app was taken out of the workspace, or its token is no longer good."""


Event = Typed | Homed | Deleted | Revoked
Interaction = Pressed | Submitted


def event(body: Any, us: Us) -> Event | None:
    """What an Events API body says."""
    match body:
        case {"event": dict() as inner}:
            if inner.get("type") in ("message", "app_mention"):
                return _message(inner, body, us)
            return _other(inner, body, us)
    return None


def _message(inner: Mapping[str, Any], body: Mapping[str, Any], us: Us) -> Event | None:
    match inner:
        case {"subtype": "message_changed", "message": dict() as message}:
            return _edited(inner, message, body, us)
        case {"subtype": "message_deleted"}:
            return _deleted(inner, us)
        case _ if inner.get("subtype") in WORDS_OF_PEOPLE:
            return _typed(inner, inner, body, us)
    return None


def _other(inner: Mapping[str, Any], body: Mapping[str, Any], us: Us) -> Event | None:
    match inner:
        case {"type": "app_home_opened", "tab": "home", "user": str(user), "channel": str(channel)}:
            account = _account(user, body.get("team_id"), us)
            return Homed(Destination(CHANNEL, channel, account=account), Sender(account))
        case {"type": "app_uninstalled"}:
            return Revoked()
        case {"type": "tokens_revoked", "tokens": {"bot": list(bots)}} if us.user in bots:
            return Revoked()
    return None


def _typed(
    inner: Mapping[str, Any], message: Mapping[str, Any], body: Mapping[str, Any], us: Us
) -> Typed | None:
    """The message, in the conversation that `inner` names."""
    match inner, message:
        case {"channel": str(channel)}, {"user": str(user), "ts": str(ts)}:
            at = _moment(ts)
        case _:
            return None
    if at is None or user == us.user or message.get("bot_id") is not None:
        return None
    sender = _sender(user, message, body, us)
    text = message.get("text")
    text = text if isinstance(text, str) else ""
    ours = tuple(dict.fromkeys(re.findall(rf"<@{re.escape(us.user)}(?:\|[^<>]*)?>", text)))
    direct = _is_direct(channel, inner.get("channel_type"))
    thread = message.get("thread_ts")
    return Typed(
        where=Destination(
            CHANNEL,
            channel,
            thread if isinstance(thread, str) and thread != ts else None,
            sender.account if direct else None,
        ),
        sender=sender,
        at=at,
        message=ts,
        text=text,
        addressed=bool(ours) or inner.get("type") == "app_mention",
        mention=ours,
        names=_names(text, us),
        markup=True,
    )


def _edited(
    inner: Mapping[str, Any], message: Mapping[str, Any], body: Mapping[str, Any], us: Us
) -> Typed | None:
    """The message as its author changed it; a preview that Slack put under it is no change."""
    if message.get("subtype") not in WORDS_OF_PEOPLE:
        return None
    match message.get("edited"), inner.get("previous_message"):
        case {"ts": str(edit)}, {"text": before} if before != message.get("text"):
            pass
        case _:
            return None
    found = _typed(inner, message, body, us)
    if found is None:
        return None
    return Typed(
        found.where,
        found.sender,
        found.at,
        found.message,
        found.text,
        edit=edit,
        addressed=found.addressed,
        mention=found.mention,
        names=found.names,
        markup=True,
    )


def _deleted(inner: Mapping[str, Any], us: Us) -> Deleted | None:
    match inner:
        case {
            "channel": str(channel),
            "deleted_ts": str(ts),
            "previous_message": {"user": str(user), **rest},
        } if user == us.user:
            thread = rest.get("thread_ts")
            thread = thread if isinstance(thread, str) and thread != ts else None
            return Deleted(Destination(CHANNEL, channel, thread), ts)
    return None


def _names(text: str, us: Us) -> tuple[tuple[str, str], ...]:
    """Slack's tokens but for us and for links, with what they are read as. A person's name is not
    in theirs: it is their id until the transport looks it up.
    """
    found: dict[str, str] = {}
    for token in _TOKEN.finditer(text):
        sign, inside, label = token.groups()
        if sign == "@" and inside == us.user:
            continue
        shown = label if label is not None else inside
        if sign in "@#" or not inside.startswith("date^"):
            shown = f"{'#' if sign == '#' else '@'}{shown.removeprefix('@')}"
        found[token[0]] = shown
    return tuple(found.items())


def person_of(token: str) -> str | None:
    """The account that a mention without a name is of."""
    found = _TOKEN.fullmatch(token)
    return found[2] if found and found[1] == "@" and found[3] is None else None


# Interactions


def interaction(body: Any, us: Us, now: datetime) -> Interaction | None:
    """What a press, a choice in a menu or a sent modal says; `now` is when it came."""
    match body:
        case {"type": "block_actions", "actions": [dict() as action, *_], "container": dict()}:
            return _pressed(body, action, us)
        case {"type": "view_submission", "view": dict() as view}:
            return _submitted(body, view, us, now)
    return None


def _pressed(body: Mapping[str, Any], action: Mapping[str, Any], us: Us) -> Pressed | None:
    match action:
        case {"value": str(data)} | {"selected_option": {"value": str(data)}}:
            found = unpack(data)
        case _:
            return None
    at = _moment(action.get("action_ts"))
    sender = _presser(body, us)
    match body["container"]:
        case {"type": "message", "channel_id": str(channel), "message_ts": str(ts)}:
            pass
        case _:
            return None
    if found is None or at is None or sender is None:
        return None
    container = body["container"]
    thread = container.get("thread_ts")
    said = container.get("is_ephemeral") is True or str(action.get("block_id")).startswith(TELL)
    ask_id, control = found
    return Pressed(
        where=Destination(
            CHANNEL,
            channel,
            thread if isinstance(thread, str) and thread != ts else None,
            sender.account if _is_direct(channel, None) else None,
        ),
        sender=sender,
        at=at,
        event=f"{sender.account}:{action['action_ts']}:{data}",
        ask_id=ask_id,
        control=control,
        # What was said back is no post, and must not be taken for one.
        message=None if said else ts,
    )


def _submitted(
    body: Mapping[str, Any], view: Mapping[str, Any], us: Us, now: datetime
) -> Interaction | None:
    opened = Opened.unpacked(view.get("private_metadata"))
    sender = _presser(body, us)
    state = view.get("state")
    values = state.get("values") if isinstance(state, dict) else None
    if opened is None or sender is None or not isinstance(view.get("id"), str):
        return None
    filled = filled_in(values)
    # Sent twice the same it is one event; with other values it is another.
    digest = blake2b(_canonical(values), digest_size=8).hexdigest()
    name = f"{sender.account}:{view['id']}:{digest}"
    if view.get("callback_id") == REASON:
        control = PressDecline(filled.why)
        return Pressed(opened.where, sender, now, name, opened.ask_id, control, opened.message)
    if view.get("callback_id") != FORM:
        return None
    return Submitted(
        where=opened.where,
        sender=sender,
        at=now,
        event=name,
        ask_id=opened.ask_id,
        values=filled.values,
        message=opened.message,
        page=opened.page,
        pages=opened.pages,
        shown=filled.shown,
    )


def command(body: Any, us: Us) -> Commanded | None:
    """What a slash command says."""
    match body:
        case {
            "command": str(),
            "user_id": str(user),
            "channel_id": str(channel),
            "trigger_id": str(trigger),
        }:
            account = _account(user, body.get("team_id"), us)
            shown = body.get("user_name")
            direct = account if _is_direct(channel, None) else None
            given = body.get("text")
            text = given.strip() if isinstance(given, str) else ""
            return Commanded(
                Destination(CHANNEL, channel, account=direct),
                Sender(account, shown if isinstance(shown, str) else ""),
                text,
                trigger,
                _names(text, us),
            )
    return None


# Who and when


def user_of(account: str) -> str:
    """Slack's id of a person, whichever team they are of."""
    return account.rpartition("/")[2]


def _sender(user: str, message: Mapping[str, Any], body: Mapping[str, Any], us: Us) -> Sender:
    team = next((t for k in ("user_team", "team", "source_team") if (t := message.get(k))), None)
    if not isinstance(team, str):
        if body.get("is_ext_shared_channel") is True:
            # Of which team, nobody says.
            return Sender(_account(user, "?", us), hidden=True)
        team = us.team
    return Sender(_account(user, team, us))


def _presser(body: Mapping[str, Any], us: Us) -> Sender | None:
    match body.get("user"):
        case {"id": str(user), **rest}:
            shown = rest.get("name") or rest.get("username")
            account = _account(user, rest.get("team_id"), us)
            return Sender(account, shown if isinstance(shown, str) else "")
    return None


def _account(user: str, team: Any, us: Us) -> str:
    """With their team's id: people of another workspace may write here too, by Slack Connect."""
    named = us.team if team is None else team
    return f"{named if isinstance(named, str) else '?'}/{user}"


def _is_direct(channel: str, kind: Any) -> bool:
    return kind == "im" or (kind is None and channel.startswith("D"))


def _moment(ts: Any) -> datetime | None:
    """Slack's timestamp as a time."""
    try:
        return datetime.fromtimestamp(float(ts), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _canonical(values: Any) -> bytes:
    return json.dumps(values, sort_keys=True, default=str).encode("utf-8", "surrogatepass")
