"""The REST API: routes, tokens, rate limits, and answers in Discord's own shape.

Every call meets a fault first, where a test asked for one, and is remembered whatever became of it.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web

from channels.testing.discord import shapes
from channels.testing.discord.bodies import check_commands
from channels.testing.discord.refusals import (
    EVERYONE,
    Permission,
    Problems,
    Refusal,
    Unsupported,
    check_text,
)
from channels.testing.platform import Call, cut

if TYPE_CHECKING:
    from channels.testing.discord.interactions import Interactions
    from channels.testing.discord.shapes import Channel, Post

UNLIMITED = 50
"""What a route that no test limits says it would take in a second."""
THREAD_MINUTES = (60, 1440, 4320, 10080)
HISTORY = 100
"""Messages in one page of a channel's history, at most; 50 where none is named."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came in: parts of the path, the query, and the body."""

    path: dict[str, str]
    query: dict[str, str]
    body: Any
    authorization: str | None


@dataclass(frozen=True, slots=True)
class Route:
    """One route: its name in `Call.method`, and what answers. `bot`: it takes the bot's token."""

    verb: str
    path: str
    method: str
    act: Callable[[Asked], Any]
    bot: bool = True


@dataclass(slots=True)
class Limit:
    """So many calls in so many seconds, for each channel or token on its own."""

    count: int
    per_s: float
    calls: dict[str, deque[float]] = field(default_factory=dict)

    def left(self, bucket: str, now: float) -> int:
        """How many more are free, this call among them; below 1: none."""
        taken = self.calls.setdefault(bucket, deque())
        while taken and taken[0] <= now - self.per_s:
            taken.popleft()
        return self.count - len(taken)


def limited(retry_after_s: float, *, scope: str = "user") -> dict[str, Any]:
    """The values of a `Fault` that is a 429 as Discord sends it."""
    return {
        "status": 429,
        "body": {
            "message": "You are being rate limited.",
            "retry_after": retry_after_s,
            "global": scope == "global",
        },
        "headers": {
            "Retry-After": str(max(1, round(retry_after_s))),
            "Via": "1.1 google",
            "X-RateLimit-Scope": scope,
        }
        | ({"X-RateLimit-Global": "true"} if scope == "global" else {}),
    }


class Rest:
    """Routes over a world. `limits`: by method, `global` for all but interactions."""

    def __init__(self, chat: Interactions) -> None:
        self._chat = chat
        self.limits: dict[str, Limit] = {}

    def routes(self, app: web.Application) -> None:
        """Adds the routes our bots use; any other is answered 404, as an unknown route is."""
        for route in self._table():
            app.router.add_route(route.verb, "/api/v10" + route.path, self._serve(route))
        app.router.add_route("*", "/api/{tail:.*}", self._unknown)

    def _table(self) -> list[Route]:
        channel = "/channels/{channel_id}"
        messages = channel + "/messages"
        message = messages + "/{message_id}"
        hook = "/webhooks/{application_id}/{token}"
        answer = hook + "/messages/{message_id}"
        app = "/applications/{application_id}"
        callback = "/interactions/{interaction_id}/{token}/callback"
        return [
            Route("GET", "/users/@me", "get_me", self._me),
            Route("GET", "/users/@me/guilds", "get_guilds", self._guilds),
            Route("POST", "/users/@me/channels", "create_dm", self._create_dm),
            Route("GET", "/users/{user_id}", "get_user", self._user),
            Route("GET", "/oauth2/applications/@me", "get_application", self._application),
            Route("GET", "/applications/@me", "get_application", self._application),
            Route("GET", "/gateway/bot", "get_gateway", self._gateway),
            Route("GET", channel, "get_channel", self._channel),
            Route("PATCH", channel, "edit_channel", self._edit_channel),
            Route("POST", channel + "/typing", "typing", self._typing),
            Route("GET", messages, "list_messages", self._history),
            Route("POST", messages, "create_message", self._create),
            Route("GET", message, "get_message", self._get),
            Route("PATCH", message, "edit_message", self._edit),
            Route("DELETE", message, "delete_message", self._delete),
            Route("POST", message + "/threads", "start_thread", self._thread),
            Route("PUT", app + "/commands", "put_commands", self._put_commands),
            Route("GET", app + "/commands", "get_commands", self._get_commands),
            Route("PUT", app + "/guilds/{guild_id}/commands", "put_commands", self._put_commands),
            Route("POST", callback, "interaction_callback", self._callback, bot=False),
            Route("POST", hook, "create_followup", self._follow_up, bot=False),
            Route("GET", answer, "get_response", self._response, bot=False),
            Route("PATCH", answer, "edit_response", self._revise, bot=False),
            Route("DELETE", answer, "delete_response", self._retract, bot=False),
        ]

    def _serve(self, route: Route) -> Any:
        async def handle(request: web.Request) -> web.Response:
            at = asyncio.get_running_loop().time()
            raw = await request.read()
            fault = await self._chat.fault(route.method)
            asked = Asked(
                dict(request.match_info),
                dict(request.query),
                _json(raw),
                request.headers.get("Authorization"),
            )
            payload = {**asked.path, **asked.query}
            payload |= asked.body if isinstance(asked.body, dict) else {"body": asked.body}
            if fault is not None and fault.status is not None:
                refused: str | None = str(fault.status)
                response = _response(fault.status, fault.body, fault.headers)
            else:
                response, refused = self._answer(route, asked)
            await self._chat.note(Call(route.method, payload, at, refused))
            if fault is not None and fault.lost:
                cut(request)
            return response

        return handle

    def _answer(self, route: Route, asked: Asked) -> tuple[web.Response, str | None]:
        """The response, and the code of a refusal."""
        if route.bot and asked.authorization != f"Bot {self._chat.token}":
            return _response(401, {"message": "401: Unauthorized", "code": 0}, {}), "401"
        headers = self._spend(route, asked)
        if "Retry-After" in headers:
            scope = headers["X-RateLimit-Scope"]
            how = limited(float(headers["X-RateLimit-Reset-After"]), scope=scope)
            return _response(429, how["body"], headers | how["headers"]), "429"
        try:
            answer = _unbroken(route, asked)
        except Refusal as refusal:
            return _response(refusal.status, refusal.body, headers), str(refusal.code)
        except Unsupported as unsupported:
            words = f"the fake Discord does not know this: {unsupported}"
            return _response(501, {"message": words, "code": 0}, headers), "501"
        return _response(204 if answer is None else 200, answer, headers), None

    def _spend(self, route: Route, asked: Asked) -> dict[str, str]:
        """The headers of this call; with Retry-After where it is one too many."""
        method = route.method
        bucket = asked.path.get("channel_id") or asked.path.get("token") or ""
        now = asyncio.get_running_loop().time()
        spent = [(self.limits[method], bucket, "user")] if method in self.limits else []
        if route.bot and "global" in self.limits:
            spent.append((self.limits["global"], "", "global"))
        headers = _limit_headers(method, UNLIMITED, UNLIMITED - 1, 1.0, self._chat.now_s())
        for limit, key, scope in spent:
            left = limit.left(key, now)
            reset_s = limit.per_s - (now - limit.calls[key][0]) if limit.calls[key] else limit.per_s
            if scope == "user" or left < 1:
                headers = _limit_headers(
                    method, limit.count, max(0, left - 1), reset_s, self._chat.now_s()
                )
            if left < 1:
                return headers | {"Retry-After": "1", "X-RateLimit-Scope": scope}
        for limit, key, _ in spent:
            limit.calls[key].append(now)
        return headers

    async def _unknown(self, request: web.Request) -> web.Response:
        at = asyncio.get_running_loop().time()
        await self._chat.note(Call("unknown", {"path": request.path}, at, "404"))
        return _response(404, {"message": "404: Not Found", "code": 0}, {})

    # Who and where

    def _me(self, _asked: Asked) -> Any:
        return shapes.me(self._chat.bot)

    def _user(self, asked: Asked) -> Any:
        person = self._chat.people.get(asked.path["user_id"])
        if person is None:
            raise Refusal(10013)
        return shapes.user(person)

    def _guilds(self, _asked: Asked) -> Any:
        return [
            {
                "id": one.id,
                "name": one.name,
                "icon": None,
                "banner": None,
                "owner": False,
                "permissions": str(int(EVERYONE)),
                "features": [],
            }
            for one in self._chat.joined()
        ]

    def _application(self, _asked: Asked) -> Any:
        people = (one for one in self._chat.people.values() if not one.bot)
        owner = next(people, self._chat.bot)
        flags = self._chat.application_flags()
        return shapes.application(self._chat.bot, owner, flags, len(self._chat.joined()))

    def _gateway(self, _asked: Asked) -> Any:
        starts = {
            "total": self._chat.rules.starts_a_day,
            "remaining": self._chat.gateway.starts_left(),
            "reset_after": 86_400_000,
            "max_concurrency": 1,
        }
        return {"url": self._chat.gateway_url, "shards": 1, "session_start_limit": starts}

    def _create_dm(self, asked: Asked) -> Any:
        person = self._chat.people.get(str(asked.body.get("recipient_id")))
        if person is None or person.bot:
            raise Refusal(50033)
        place = self._chat.channels[self._chat.dm(person.id)]
        return shapes.channel(place, self._chat.bot)

    def _channel(self, asked: Asked) -> Any:
        return shapes.channel(self._chat.place(asked.path["channel_id"]), self._chat.bot)

    def _edit_channel(self, asked: Asked) -> Any:
        """Of all there is to edit, our bots only open a thread that was put away."""
        place = self._chat.place(asked.path["channel_id"])
        if place.parent is None or asked.body != {"archived": False}:
            raise Unsupported("editing a channel in any way but opening a thread")
        self._chat.may_write(place)
        self._chat.reopen(place)
        return shapes.channel(place, self._chat.bot)

    def _typing(self, asked: Asked) -> None:
        self._chat.may_write(self._chat.place(asked.path["channel_id"]))

    # Messages

    def _create(self, asked: Asked) -> Any:
        return self._chat.say(self._chat.place(asked.path["channel_id"]), asked.body).raw

    def _get(self, asked: Asked) -> Any:
        place = self._chat.place(asked.path["channel_id"])
        if place.denied & Permission.READ_MESSAGE_HISTORY:
            raise Refusal(50013)
        return self._seen(place, self._chat.post_in(place, asked.path["message_id"]))

    def _edit(self, asked: Asked) -> Any:
        place = self._chat.place(asked.path["channel_id"])
        post = self._chat.post_in(place, asked.path["message_id"])
        if post.raw["author"]["id"] != self._chat.bot.id:
            raise Refusal(50005)
        if place.archived:
            raise Refusal(50083)
        return self._chat.revise(place, post, asked.body).raw

    def _delete(self, asked: Asked) -> None:
        place = self._chat.place(asked.path["channel_id"])
        post = self._chat.post_in(place, asked.path["message_id"])
        if post.raw["author"]["id"] != self._chat.bot.id:
            # Others' messages take a permission that the bot is never given here.
            raise Refusal(50013)
        self._chat.erase(place.id, post.raw["id"])

    def _thread(self, asked: Asked) -> Any:
        place = self._chat.place(asked.path["channel_id"])
        post = self._chat.post_in(place, asked.path["message_id"])
        if place.denied & Permission.CREATE_PUBLIC_THREADS:
            raise Refusal(50013)
        if "thread" in post.raw:
            raise Refusal(160004)
        problems = Problems()
        check_text(problems, ("name",), asked.body.get("name"), 1, 100)
        if asked.body.get("auto_archive_duration") not in (None, *THREAD_MINUTES):
            problems.choices(("auto_archive_duration",), THREAD_MINUTES)
        problems.settle()
        thread = self._chat.thread(place.id, asked.body["name"], on=post.raw["id"])
        return shapes.channel(self._chat.channels[thread], self._chat.bot)

    def _history(self, asked: Asked) -> Any:
        place = self._chat.place(asked.path["channel_id"])
        problems = Problems()
        limit = int(asked.query.get("limit", 50))
        if not 1 <= limit <= HISTORY:
            words = f"int value should be less than or equal to {HISTORY}."
            problems.add(("limit",), "NUMBER_TYPE_MAX", words)
        problems.settle()
        if place.denied & Permission.READ_MESSAGE_HISTORY:
            return []
        after, before = int(asked.query.get("after", 0)), asked.query.get("before")
        posts = [
            post
            for key, post in place.posts.items()
            if post.private_to is None
            and int(key) > after
            and (before is None or int(key) < int(before))
        ]
        page = posts[:limit] if "after" in asked.query else posts[-limit:]
        return [self._seen(place, one) for one in reversed(page)]

    def _seen(self, place: Channel, post: Post) -> Any:
        """The content intent, as the portal has it, counts for reading back too."""
        if self._chat.rules.message_content or self._chat.speaks_to_bot(place, post):
            return post.raw
        return shapes.without_content(post.raw)

    # Commands

    def _put_commands(self, asked: Asked) -> Any:
        self._own(asked)
        commands = asked.body or []
        check_commands(commands)
        guild = asked.path.get("guild_id")
        if guild is not None and not any(one.id == guild for one in self._chat.joined()):
            raise Refusal(50001)
        standing = [
            {
                "type": 1,
                "options": [],
                "default_member_permissions": None,
                "nsfw": False,
                **command,
                "id": self._chat.snowflake(),
                "application_id": self._chat.bot.id,
                "version": self._chat.snowflake(),
            }
            | ({"guild_id": guild} if guild else {})
            for command in commands
        ]
        self._chat.commands[guild] = {one["name"]: one for one in standing}
        return standing

    def _get_commands(self, asked: Asked) -> Any:
        self._own(asked)
        return list(self._chat.commands.get(None, {}).values())

    def _own(self, asked: Asked) -> None:
        if asked.path["application_id"] != self._chat.bot.id:
            raise Refusal(20012)

    # Interactions

    def _callback(self, asked: Asked) -> Any:
        path = asked.path
        receipt = self._chat.answer(path["interaction_id"], path["token"], asked.body)
        wanted = asked.query.get("with_response", "").lower() in ("1", "true")
        return receipt if wanted else None

    def _follow_up(self, asked: Asked) -> Any:
        turn = self._chat.turn_of(asked.path["application_id"], asked.path["token"])
        return self._chat.follow_up(turn, asked.body).raw

    def _response(self, asked: Asked) -> Any:
        turn = self._chat.turn_of(asked.path["application_id"], asked.path["token"])
        return self._chat.answered(turn, asked.path["message_id"]).raw

    def _revise(self, asked: Asked) -> Any:
        turn = self._chat.turn_of(asked.path["application_id"], asked.path["token"])
        post = self._chat.answered(turn, asked.path["message_id"])
        return self._chat.revise(turn.place, post, asked.body).raw

    def _retract(self, asked: Asked) -> None:
        turn = self._chat.turn_of(asked.path["application_id"], asked.path["token"])
        post = self._chat.answered(turn, asked.path["message_id"])
        self._chat.erase(turn.place.id, post.raw["id"])


_BROKEN = object()
"""A body that is no JSON."""


def _unbroken(route: Route, asked: Asked) -> Any:
    if asked.body is _BROKEN:
        raise Refusal(50109)
    return route.act(asked)


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else {}
    except ValueError:
        return _BROKEN


def _limit_headers(
    method: str, count: int, left: int, reset_s: float, now_s: float
) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(count),
        "X-RateLimit-Remaining": str(left),
        "X-RateLimit-Reset": f"{now_s + reset_s:.3f}",
        "X-RateLimit-Reset-After": f"{reset_s:.3f}",
        "X-RateLimit-Bucket": method,
    }


def _response(status: int, body: Any, headers: dict[str, str]) -> web.Response:
    if status == 204:
        return web.Response(status=204, headers=headers)
    if isinstance(body, str):
        return web.Response(status=status, text=body, headers=headers)
    # Without a charset, as Discord sends it: the SDK reads JSON under exactly this type.
    typed = {"Content-Type": "application/json"} | headers
    return web.Response(status=status, body=json.dumps(body).encode(), headers=typed)
