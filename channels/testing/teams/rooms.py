"""What the fake Teams keeps: people, conversations, what was posted, and activities about it.

An activity has every key the service sends, whether or not our own adapter reads it.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid4, uuid5
from zoneinfo import ZoneInfo

from channels.testing.teams.cards import draw, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from channels.testing.teams.card_rules import Node
    from channels.testing.teams.cards import Drawn

PERSONAL, GROUP, CHANNEL = "personal", "groupChat", "channel"
ADAPTIVE = "application/vnd.microsoft.card.adaptive"
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_BREAK = re.compile(r"<br\s*/?>|</p>", re.IGNORECASE)
THREAD = ";messageid="
"""What stands between a channel's id and the id of a thread's first message."""


class Refused(Exception):
    """A call that the connector answers with an error, under its own code."""

    def __init__(
        self, status: int, code: str, message: str, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.status = status
        self.code = code
        self.body: dict[str, Any] = {"error": {"code": code, "message": message}}
        self.headers = headers or {}


@dataclass(slots=True)
class Person:
    """Somebody with an account. `old_client`: their client does not know Action.Execute."""

    id: str
    name: str
    aad: str
    zone: str = "Europe/Berlin"
    locale: str = "en-US"
    old_client: bool = False

    @property
    def account(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "aadObjectId": self.aad}


@dataclass(slots=True)
class Post:
    """A message, of the bot or of a person. `thread` is the root it stands under in a channel."""

    id: str
    author: str
    activity: dict[str, Any]
    at: datetime
    thread: str | None = None
    private_to: str | None = None
    edited: datetime | None = None
    deleted: bool = False
    heard: bool = False
    """Whether the bot was told of it."""

    @property
    def cards(self) -> list[Node]:
        """Its Adaptive Cards, as everybody has them."""
        return [
            one["content"]
            for one in self.activity.get("attachments") or []
            if one.get("contentType") == ADAPTIVE
        ]

    def words(self, cards: Sequence[Drawn]) -> str:
        """All it says, its text first, with its cards as somebody sees them."""
        text = self.activity.get("text") or ""
        match self.activity.get("textFormat") or "markdown":
            case "plain" if self.author.startswith("28:"):
                said = text
            case "markdown":
                said = plain(_TAG.sub("", text))
            case _:
                said = html.unescape(_TAG.sub("", _BREAK.sub("\n", text)))
        parts = [said.strip(), *(word for one in cards for word in one.words)]
        # A blank that does not break looks like any other.
        return "\n".join(part for part in parts if part).replace("\xa0", " ")


@dataclass(slots=True)
class Room:
    """A conversation. `hears_all`: the bot was consented to read what does not mention it."""

    id: str
    kind: str
    name: str = ""
    team: str = ""
    members: list[str] = field(default_factory=list)
    installed: bool = True
    blocked: bool = False
    hears_all: bool = False
    posts: dict[str, Post] = field(default_factory=dict)
    last: int = 0

    def stamp(self, now: datetime) -> str:
        """An id for a message: milliseconds, as the service has it, unique in this room only."""
        self.last = max(self.last + 1, int(now.timestamp() * 1000))
        return str(self.last)


class Rooms:
    """All people and conversations of one tenant, and the bot's account in them."""

    def __init__(
        self, bot_id: str, bot_name: str, tenant: str, now: Callable[[], datetime]
    ) -> None:
        self.bot = {"id": bot_id, "name": bot_name}
        self.tenant = tenant
        self.now = now
        self.people: dict[str, Person] = {}
        self.rooms: dict[str, Room] = {}

    # Finding

    def person(self, account: str) -> Person:
        """By account or Entra object id. Raises: LookupError."""
        for one in self.people.values():
            if account in (one.id, one.aad):
                return one
        raise LookupError(f"nobody has the account {account!r}")

    def find(self, conversation: str) -> tuple[Room, str | None]:
        """A conversation and the thread in it. Raises: Refused."""
        base, _, root = conversation.partition(THREAD)
        room = self.rooms.get(base)
        if room is None or (root and root not in room.posts):
            raise Refused(404, "ConversationNotFound", "Conversation not found.")
        if root and room.kind != CHANNEL:
            raise Refused(400, "BadSyntax", "Bad format of conversation ID")
        return room, root or None

    def personal(self, account: str) -> Room:
        """The chat of the bot with one person. Raises: LookupError."""
        person = self.person(account)
        for room in self.rooms.values():
            if room.kind == PERSONAL and room.members == [person.id]:
                return room
        raise LookupError(f"the bot has no chat with {account!r}")

    def names(self, room: Room) -> dict[str, str]:
        """Account → name, of everybody who can be mentioned there."""
        found = {account: self.people[account].name for account in room.members}
        return {**found, self.bot["id"]: self.bot["name"]}

    # Activities

    def activity(
        self, person: Person, room: Room, kind: str, thread: str | None = None, **parts: Any
    ) -> dict[str, Any]:
        """What the service tells the bot that a person did. `parts` replace or add keys."""
        now = self.now().astimezone(UTC)
        local = now.astimezone(ZoneInfo(person.zone))
        client = {
            "locale": person.locale,
            "country": person.locale[-2:],
            "platform": "Web",
            "timezone": person.zone,
            "type": "clientInfo",
        }
        entities = [*parts.pop("entities", []), client]
        found = {
            "type": kind,
            "id": f"f:{uuid4()}",
            "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "localTimestamp": local.isoformat(timespec="milliseconds"),
            "localTimezone": person.zone,
            "locale": person.locale,
            "channelId": "msteams",
            "serviceUrl": "",
            "from": person.account,
            "recipient": self.bot,
            "conversation": self.conversation(room, thread),
            "entities": entities,
            "channelData": {**self.channel_data(room), **parts.pop("channelData", {})},
        }
        return {**found, **parts}

    def conversation(self, room: Room, thread: str | None) -> dict[str, Any]:
        name = room.id + (f"{THREAD}{thread}" if thread else "")
        found = {"conversationType": room.kind, "tenantId": self.tenant, "id": name}
        return found if room.kind == PERSONAL else {"isGroup": True, **found}

    def channel_data(self, room: Room) -> dict[str, Any]:
        tenant = {"tenant": {"id": self.tenant}}
        if room.kind != CHANNEL:
            return tenant
        return {
            "teamsChannelId": room.id,
            "teamsTeamId": room.team,
            "channel": {"id": room.id},
            "team": {"id": room.team},
            **tenant,
        }

    def typed(self, room: Room, text: str, quoted: Post | None) -> tuple[dict[str, Any], bool]:
        """A typed text as the service sends it, and whether it mentions the bot.

        `@Name` of a member or the bot is a mention, where the client would offer one.
        """
        entities: list[dict[str, Any]] = []
        names = sorted(self.names(room).items(), key=lambda pair: -len(pair[1]))
        pattern = "|".join(f"@{re.escape(name)}" for _, name in names)
        accounts = {name: account for account, name in names}
        plain, rich, end = [], [], 0
        for found in re.finditer(pattern, text):
            name = found[0][1:]
            shown = f"<at>{html.escape(name, quote=False)}</at>"
            mentioned = {"id": accounts[name], "name": name}
            before = _escaped(text[end : found.start()], mentioned=end > 0)
            place = f'itemtype="http://schema.skype.com/Mention" itemid="{len(entities)}"'
            entities.append({"type": "mention", "mentioned": mentioned, "text": shown})
            plain += [before, shown]
            rich += [before, f"<span itemscope {place}>{html.escape(name)}</span>"]
            end = found.end()
        rest = _escaped(text[end:], mentioned=end > 0)
        words, markup = "".join([*plain, rest]), "".join([*rich, rest]).replace("\n", "<br>")
        if entities:
            words += "\n"
        content = f"{_quotation(quoted)}<p>{markup}</p>"
        parts: dict[str, Any] = {
            "text": words,
            "textFormat": "plain",
            "attachments": [{"contentType": "text/html", "content": content}],
            "entities": entities,
        }
        if not text:
            image = {"contentType": "image/*", "contentUrl": "https://smba.example.org/image"}
            parts = {"attachments": [image], "entities": []}
        return parts, any(one["mentioned"]["id"] == self.bot["id"] for one in entities)


def _escaped(text: str, *, mentioned: bool) -> str:
    """Text as the service writes it; after a mention it starts with a space that does not break."""
    found = html.escape(text, quote=False)
    return "&nbsp;" + found[1:] if mentioned and found.startswith(" ") else found


def _quotation(quoted: Post | None) -> str:
    """How a reply in a chat carries what it replies to: in its markup, and nowhere else."""
    if quoted is None:
        return ""
    words = html.escape(quoted.words([draw(card) for card in quoted.cards]).replace("\n", " "))
    return (
        f'<blockquote itemscope itemtype="http://schema.skype.com/Reply" itemid="{quoted.id}">'
        f'<strong itemprop="mri" itemid="{quoted.author}"></strong>'
        f'<span itemprop="time" itemid="{quoted.id}"></span>'
        f'<p itemprop="preview">{words}</p></blockquote>'
    )


def entra_id(account: str) -> str:
    """An Entra object id that is always the same for an account."""
    return str(uuid5(NAMESPACE_URL, account))
