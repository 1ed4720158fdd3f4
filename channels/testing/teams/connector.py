"""The Bot Connector's REST routes: what a bot may call, and what each call is refused for."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from channels.testing.platform import Call, Fault, cut
from channels.testing.teams.message_rules import check_message
from channels.testing.teams.rooms import CHANNEL, PERSONAL, THREAD, Post, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from channels.testing.teams import Teams
    from channels.testing.teams.rooms import Person, Room

SEND_RATES = ((7, 1.0), (8, 2.0), (60, 30.0), (1800, 3600.0))
"""Sends or creates per conversation and seconds, for one bot, as documented."""

READ_RATES = ((14, 1.0), (16, 2.0), (120, 30.0), (3600, 3600.0))
"""Roster calls likewise."""

MESSAGES = {
    401: ("Unauthorized", "Authorization has been denied for this request."),
    412: ("PreconditionFailed", "Precondition failed, please try again."),
    429: ("Throttled", "Too many requests."),
    500: ("ServiceError", "Unknown"),
    502: ("BadGateway", "Failed to send activity."),
    503: ("ServiceUnavailable", "The service is unavailable."),
    504: ("GatewayTimeout", "The service did not answer."),
}
"""What a fault says that was given a status and no body."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One call: the parts of its path, its query and its body."""

    path: dict[str, str]
    query: dict[str, str]
    body: Any

    @property
    def targeted(self) -> bool:
        return self.query.get("isTargetedActivity") == "true"


class Connector:
    """Serves the routes for one bot, and keeps its rate where that is asked for."""

    def __init__(self, teams: Teams) -> None:
        self._teams = teams
        self._rooms = teams.rooms
        self._rates: defaultdict[str, deque[float]] = defaultdict(deque)

    def routes(self, app: web.Application) -> None:
        talk = "/conversations/{conversation}"
        for verb, path, method, work in (
            ("POST", "/conversations", "createConversation", self._create),
            ("POST", f"{talk}/activities", "sendToConversation", self._send),
            ("POST", f"{talk}/activities/{{activity}}", "replyToActivity", self._send),
            ("PUT", f"{talk}/activities/{{activity}}", "updateActivity", self._update),
            ("DELETE", f"{talk}/activities/{{activity}}", "deleteActivity", self._delete),
            ("GET", f"{talk}/members", "getConversationMembers", self._members),
            ("GET", f"{talk}/pagedmembers", "getConversationPagedMembers", self._paged),
            ("GET", f"{talk}/members/{{member}}", "getConversationMember", self._member),
            ("GET", "/teams/{team}", "getTeam", self._team),
            ("GET", "/teams/{team}/conversations", "getTeamChannels", self._channels),
        ):
            app.router.add_route(verb, "/{region}/v3" + path, self._handler(method, work))

    def _handler(self, method: str, work: Callable[[_Asked], tuple[int, Any]]) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            at = asyncio.get_running_loop().time()
            raw = await request.text()
            path = dict(request.match_info)
            region = path.pop("region")
            asked = _Asked(path, dict(request.query), _read(raw))
            payload = {**path, **asked.query, "body": asked.body}
            fault = await self._teams.fault(method)
            if fault is not None and fault.status is not None:
                body, code = _told(fault)
                await self._teams.note(Call(method, payload, at, code))
                return web.json_response(body, status=fault.status, headers=fault.headers)
            try:
                self._admit(request, region)
                self._count(method, path.get("conversation", ""))
                status, answer = work(asked)
            except Refused as error:
                await self._teams.note(Call(method, payload, at, error.code))
                if fault is not None:
                    cut(request)
                return web.json_response(error.body, status=error.status, headers=error.headers)
            await self._teams.note(Call(method, payload, at))
            if fault is not None:
                cut(request)
            return web.json_response(answer, status=status)

        return handle

    # Before anything is done

    def _admit(self, request: web.Request, region: str) -> None:
        if not self._teams.identity.admits(request.headers.get("Authorization")):
            denied = Refused(401, *MESSAGES[401])
            # The gate in front of the connector answers in a shape of its own.
            denied.body = {"message": MESSAGES[401][1]}
            raise denied
        if not self._teams.registered:
            raise Refused(401, "BotNotRegistered", "The bot is not registered.")
        if self._teams.disabled_by_admin:
            raise Refused(403, "BotDisabledByAdmin", "The tenant admin disabled this bot")
        if region != self._teams.region:
            raise Refused(403, "InvalidBotApiHost", "The service URL is not of this region.")

    def _count(self, method: str, conversation: str) -> None:
        """Raises: Refused, where the bot calls faster than it may in one conversation."""
        if not self._teams.rate_limits:
            return
        reads = method.startswith("get")
        made = self._rates[f"{'read' if reads else 'send'} {conversation}"]
        now = asyncio.get_running_loop().time()
        for most, seconds in READ_RATES if reads else SEND_RATES:
            recent = [at for at in made if at > now - seconds]
            if len(recent) >= most:
                wait = max(1, round(recent[-most] + seconds - now + 0.5))
                raise Refused(429, *MESSAGES[429], headers={"Retry-After": str(wait)})
        made.append(now)

    def _entered(self, asked: _Asked) -> tuple[Room, str | None]:
        """The conversation of a call, where the bot may still write."""
        room, thread = self._rooms.find(asked.path["conversation"])
        self._check_open(room)
        return room, thread

    def _check_open(self, room: Room) -> None:
        if room.blocked:
            refused = Refused(403, "MessageWritesBlocked", "Thread is not writable")
            refused.body["error"]["innerHttpError"] = {"statusCode": 403, "body": {"subCode": 209}}
            raise refused
        if not room.installed:
            raise Refused(
                403, "BotNotInConversationRoster", "The bot is not part of the conversation roster."
            )

    # Messages

    def _create(self, asked: _Asked) -> tuple[int, Any]:
        body = asked.body if isinstance(asked.body, dict) else {}
        extra = body.get("channelData") or {}
        if body.get("isGroup"):
            return self._create_thread(body, extra)
        members = body.get("members") or []
        if len(members) != 1:
            raise Refused(400, "BadSyntax", "Incorrect conversation creation parameters")
        # The SDK writes `tenantID`, which the service does not read.
        tenant = body.get("tenantId") or (extra.get("tenant") or {}).get("id")
        if tenant != self._rooms.tenant:
            raise Refused(403, "Forbidden", "The bot is not allowed in this tenant")
        try:
            room = self._rooms.personal(str(members[0].get("id")))
        except LookupError as error:
            raise Refused(
                403, "BotNotInConversationRoster", "The bot is not part of the conversation roster."
            ) from error
        self._check_open(room)
        found = {"id": room.id, "serviceUrl": self._teams.service_url}
        if body.get("activity"):
            found["activityId"] = self._post(room, None, body["activity"], None)
        return 201, found

    def _create_thread(self, body: dict[str, Any], extra: dict[str, Any]) -> tuple[int, Any]:
        channel = (extra.get("channel") or {}).get("id") or extra.get("teamsChannelId")
        if not channel or not body.get("activity"):
            raise Refused(400, "BadSyntax", "Incorrect conversation creation parameters")
        room, _ = self._rooms.find(channel)
        if room.kind != CHANNEL:
            raise Refused(400, "BadSyntax", "Incorrect conversation creation parameters")
        self._check_open(room)
        root = self._post(room, None, body["activity"], None)
        found = {"id": f"{room.id}{THREAD}{root}", "activityId": root}
        return 201, {**found, "serviceUrl": self._teams.service_url}

    def _send(self, asked: _Asked) -> tuple[int, Any]:
        # The id after `activities/` decides nothing: the SDK puts random ones there.
        room, thread = self._entered(asked)
        reader = None
        if asked.targeted:
            reader = ((asked.body or {}).get("recipient") or {}).get("id")
            if room.kind == PERSONAL or reader not in room.members:
                raise Refused(400, "BadArgument", "A targeted message needs a member to read it")
        return 201, {"id": self._post(room, thread, asked.body, reader)}

    def _post(self, room: Room, thread: str | None, activity: Any, reader: str | None) -> str:
        """Adds what an activity becomes: two messages, where it has both text and a card."""
        self._check(activity, room)
        if activity["type"] == "typing":
            return room.stamp(self._rooms.now())
        parts = [activity]
        if activity.get("text") and activity.get("attachments"):
            words = {name: value for name, value in activity.items() if name != "attachments"}
            parts = [words, {**activity, "text": ""}]
        ids = []
        for part in parts:
            now = self._rooms.now()
            post = Post(room.stamp(now), self._rooms.bot["id"], part, now, thread, reader)
            room.posts[post.id] = post
            ids.append(post.id)
        return ids[0]

    def _own(self, asked: _Asked) -> tuple[Room, Post]:
        """The message of the bot that a call names."""
        room, thread = self._entered(asked)
        post = room.posts.get(asked.path["activity"])
        # Without a thread only the first messages of threads are found.
        inside = post is not None and thread in (post.thread, post.id)
        if post is None or post.deleted or not inside:
            raise Refused(
                404, "ActivityNotFoundInConversation", "Message does not exist in the thread."
            )
        if post.author != self._rooms.bot["id"]:
            raise Refused(400, "BadArgument", "not a known activity id")
        if asked.targeted != (post.private_to is not None):
            raise Refused(400, "BadArgument", "isTargetedActivity does not fit the message")
        return room, post

    def _update(self, asked: _Asked) -> tuple[int, Any]:
        room, post = self._own(asked)
        self._check(asked.body, room)
        if asked.body["type"] != "message":
            raise Refused(400, "BadSyntax", "Only a message can replace a message")
        if asked.body.get("text") and asked.body.get("attachments"):
            raise Refused(400, "BadSyntax", "Activity resulted into multiple skype activities")
        if asked.targeted and asked.body.get("recipient"):
            raise Refused(400, "BadArgument", "The recipient of a targeted message stays")
        post.activity = asked.body
        post.edited = self._rooms.now()
        self._teams.clients.redrawn(room, post)
        return 200, {"id": post.id}

    def _delete(self, asked: _Asked) -> tuple[int, Any]:
        _, post = self._own(asked)
        post.deleted = True
        return 200, {}

    def _check(self, activity: Any, room: Room) -> None:
        check_message(
            activity,
            self._rooms.names(room),
            message_bytes=self._teams.message_bytes,
            card_bytes=self._teams.card_bytes,
        )

    # Rosters

    def _members(self, asked: _Asked) -> tuple[int, Any]:
        room, _ = self._entered(asked)
        return 200, [self._roster(self._rooms.people[one]) for one in room.members]

    def _paged(self, asked: _Asked) -> tuple[int, Any]:
        room, _ = self._entered(asked)
        start = int(asked.query.get("continuationToken") or 0)
        end = start + max(1, int(asked.query.get("pageSize") or 200))
        members = [self._roster(self._rooms.people[one]) for one in room.members[start:end]]
        found: dict[str, Any] = {"members": members}
        if end < len(room.members):
            found["continuationToken"] = str(end)
        return 200, found

    def _member(self, asked: _Asked) -> tuple[int, Any]:
        room, _ = self._entered(asked)
        for account in room.members:
            person = self._rooms.people[account]
            if asked.path["member"] in (person.id, person.aad):
                return 200, self._roster(person)
        raise Refused(404, "MemberNotFoundInConversation", "Member not found in conversation.")

    def _roster(self, person: Person) -> dict[str, Any]:
        first, _, last = person.name.partition(" ")
        mail = f"{person.aad}@example.org"
        return {
            **person.account,
            "objectId": person.aad,
            "givenName": first,
            "surname": last,
            "email": mail,
            "userPrincipalName": mail,
            "tenantId": self._rooms.tenant,
            "userRole": "user",
        }

    def _team_rooms(self, asked: _Asked) -> list[Room]:
        team = asked.path["team"]
        found = [one for one in self._rooms.rooms.values() if one.team == team and one.installed]
        if not found:
            raise Refused(404, "NotFound", "Team not found.")
        return found

    def _team(self, asked: _Asked) -> tuple[int, Any]:
        rooms = self._team_rooms(asked)
        team = asked.path["team"]
        counts = {"channelCount": len(rooms), "memberCount": len(rooms[0].members)}
        return 200, {"id": team, "name": rooms[0].name, "aadGroupId": team, **counts}

    def _channels(self, asked: _Asked) -> tuple[int, Any]:
        rooms = self._team_rooms(asked)
        return 200, {"conversations": [{"id": one.id, "name": one.name} for one in rooms]}


def _read(raw: str) -> Any:
    """A body's JSON; the raw text where it is none, which no route takes."""
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw


def _told(fault: Fault) -> tuple[Any, str]:
    """The body of a fault, the service's own where it was given none, and its code."""
    code, message = MESSAGES.get(fault.status or 500, (str(fault.status), ""))
    body = fault.body if fault.body is not None else {"error": {"code": code, "message": message}}
    error = body.get("error") if isinstance(body, dict) else None
    return body, str(error.get("code", code)) if isinstance(error, dict) else code
