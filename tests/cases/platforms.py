"""Steps in a platform's own form: written as it sends them, and read by that channel's own parse.

Pure. A case's names stand for the platform's ids; where those have a shape of their own, the names
are put back behind the parse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from channels import callback
from channels.contract import OpenForm, Pressed, Submitted, Typed
from channels.discord import parse as discord
from channels.teams import inputs
from channels.teams.parse import Did
from channels.teams.parse import parse as parse_teams
from channels.teams.render import DATA
from gateway.question import Kind
from tests.cases.reading import THREAD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from channels.contract import Destination, Interaction
    from gateway.question import Question
    from tests.cases.reading import Json

FORMS = ("entities", "html", "content_withheld", "raw_note")
"""Keys of a step that only a channel's own reading can do justice to."""

BOT = "BOT"
"""Us, in the cases' words."""

_MENTION = re.compile(r"<@|<at\b")
_INPUTS = {
    Kind.TEXT: inputs.TEXT,
    Kind.NUMBER: inputs.NUMBER,
    Kind.DATE: inputs.DAY,
    Kind.TOGGLE: inputs.TOGGLE,
    Kind.CHOICE: inputs.ONE,
    Kind.MULTI_CHOICE: inputs.SEVERAL,
}


@dataclass(frozen=True, slots=True)
class Meant:
    """A step as it is meant. `question` and `post` are of the ask that it is about."""

    step: Json
    plain: Interaction
    question: Question
    post: str | None


def is_own_form(step: Json) -> bool:
    """Whether the step is written as a platform writes it."""
    marked = any(key in step for key in FORMS)
    return marked or bool(_MENTION.search(str(step.get("text", ""))))


def read(channel: str, meant: Meant) -> Interaction | None:
    """What the channel reads in the step; None for what no desk hears of."""
    return READERS[channel](meant)


# Teams


def _teams(meant: Meant) -> Interaction | None:
    found = parse_teams(_activity(meant), meant.plain.at)
    return found.interaction if isinstance(found, Did) else None


def _activity(meant: Meant) -> dict[str, Any]:
    plain = meant.plain
    place, account = plain.where, plain.sender.account
    thread = f"{THREAD}{place.thread}" if place.thread else ""
    kind = "personal" if place.direct else "channel"
    activity = {
        "type": "message",
        "timestamp": plain.at.isoformat(),
        "channelId": "msteams",
        "serviceUrl": "https://smba.trafficmanager.net/emea/",
        "from": {"id": f"29:{account}", "aadObjectId": account, "name": plain.sender.shown},
        "recipient": {"id": BOT, "name": "AskBot"},
        "conversation": {"id": f"{place.conversation}{thread}", "conversationType": kind},
    }
    match plain:
        case Typed():
            return activity | {"id": plain.message} | _words(meant)
        case Pressed():
            data = {DATA: callback.pack(plain.ask_id, plain.control)}
            action = {"type": "Action.Execute", "data": data}
            value = {"action": action, "trigger": "manual"}
            press = {"type": "invoke", "name": "adaptiveCard/action", "value": value}
            return activity | press | {"id": plain.event, "replyToId": plain.message}
        case Submitted():
            value = {DATA: callback.pack(plain.ask_id, OpenForm()), **_filled(meant)}
            return activity | {"id": plain.event, "value": value, "replyToId": meant.post}


def _words(meant: Meant) -> dict[str, Any]:
    step = meant.step
    entities = [
        {"type": one["type"], "text": one["text"], "mentioned": {"id": one["id"]}}
        for one in step.get("entities", ())
    ]
    said: dict[str, Any] = {"text": step["text"], "textFormat": "plain", "entities": entities}
    if "html" in step:
        # What is quoted is the ask's post, whatever the case calls it.
        quoted = step["html"].replace(f'itemid="{step["reply_to"]}"', f'itemid="{meant.post}"')
        said["attachments"] = [{"contentType": "text/html", "content": quoted}]
    return said


def _filled(meant: Meant) -> dict[str, Any]:
    """The values as the client sent them, by the ids that our card's inputs have."""
    filled = {}
    for name, value in meant.step["values"].items():
        field = meant.question.field(name)
        assert field is not None
        filled[f"{_INPUTS[field.kind]}:{name}"] = value
    return filled


# Discord


def _discord(meant: Meant) -> Interaction | None:
    plain, place = meant.plain, meant.plain.where
    assert isinstance(plain, Typed)
    known = discord.Known(me=_snowflake(BOT))
    if place.thread is not None:
        known.parents[_snowflake(place.thread)] = _snowflake(place.conversation)
    found = discord.message(_event(meant), known)
    if not isinstance(found, Typed):
        return None
    assert (found.where, found.sender.account) == (_numbered(place), _account(plain))
    return replace(found, where=place, sender=plain.sender, message=plain.message)


def _event(meant: Meant) -> dict[str, Any]:
    plain, step = meant.plain, meant.step
    assert isinstance(plain, Typed)
    place = plain.where
    named = re.findall(r"<@(\w+)>", step["text"])
    return {
        "type": 0,
        "id": discord.snowflake(plain.at),
        "channel_id": _snowflake(place.thread or place.conversation),
        "guild_id": None if place.direct else _snowflake("the server"),
        "author": {"id": _account(plain), "username": plain.sender.shown},
        "content": re.sub(r"<@(\w+)>", lambda m: f"<@{_snowflake(m[1])}>", step["text"]),
        "mentions": [{"id": _snowflake(one), "username": one} for one in named],
    }


def _account(plain: Interaction) -> str:
    return _snowflake(plain.sender.account)


def _numbered(place: Destination) -> Destination:
    thread = None if place.thread is None else _snowflake(place.thread)
    account = None if place.account is None else _snowflake(place.account)
    return replace(
        place, conversation=_snowflake(place.conversation), thread=thread, account=account
    )


def _snowflake(name: str) -> str:
    """An id of Discord's shape, always the same for a name."""
    return str(int.from_bytes(blake2b(name.encode(), digest_size=7).digest()) | 1)


READERS: Mapping[str, Callable[[Meant], Interaction | None]] = {
    "teams": _teams,
    "discord": _discord,
}
