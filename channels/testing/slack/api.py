"""Slack's Web API: what an app may call, and the scope it needs for it.

Each method takes its arguments and answers what follows `ok`, or raises `Refused`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from channels.testing.slack import payloads
from channels.testing.slack.messages import Messages
from channels.testing.slack.views import Views
from channels.testing.slack.workspace import Conversation, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

READS = ("channels:read", "groups:read", "im:read", "mpim:read")
HISTORIES = ("channels:history", "groups:history", "im:history", "mpim:history")
METHODS: dict[str, tuple[str, ...]] = {
    "auth.test": (),
    "bots.info": ("users:read",),
    "chat.delete": ("chat:write",),
    "chat.getPermalink": (),
    "chat.postEphemeral": ("chat:write",),
    "chat.postMessage": ("chat:write",),
    "chat.update": ("chat:write",),
    "conversations.history": HISTORIES,
    "conversations.info": READS,
    "conversations.members": READS,
    "conversations.open": ("im:write",),
    "conversations.replies": HISTORIES,
    "users.info": ("users:read",),
    "users.lookupByEmail": ("users:read.email",),
    "views.open": (),
    "views.publish": (),
    "views.push": (),
    "views.update": (),
}
"""Method → the scopes of which one must be there."""


class Api(Messages, Views):
    """The methods of one workspace."""

    def call(self, method: str, args: dict[str, Any], token: str | None) -> dict[str, Any]:
        """Raises: Refused."""
        if method not in METHODS:
            raise Refused("unknown_method", req_method=method)
        self._admit(token, METHODS[method])
        name = re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", method.replace(".", "_"))
        answer: dict[str, Any] = getattr(self, name)(args)
        return answer

    def _admit(self, token: str | None, scopes: tuple[str, ...]) -> None:
        if not token:
            raise Refused("not_authed")
        if token == self.rules.app_token:
            raise Refused("not_allowed_token_type")
        if token != self.rules.token:
            raise Refused("invalid_auth")
        if self.rules.dead is not None:
            raise Refused(self.rules.dead)
        if scopes and not self.rules.scopes & set(scopes):
            provided = ",".join(sorted(self.rules.scopes))
            raise Refused("missing_scope", needed=scopes[0], provided=provided)

    # Who and where

    def auth_test(self, _args: Mapping[str, Any]) -> dict[str, Any]:
        space = self.space
        return {
            "url": "https://example.slack.com/",
            "team": "Example",
            "user": space.bot.name,
            "team_id": space.team,
            "user_id": space.bot.id,
            "bot_id": space.bot_id,
            "is_enterprise_install": False,
        }

    def bots_info(self, args: Mapping[str, Any]) -> dict[str, Any]:
        if args.get("bot") != self.space.bot_id:
            raise Refused("bot_not_found")
        return {
            "bot": {
                "id": self.space.bot_id,
                "deleted": False,
                "name": self.space.bot.name,
                "updated": 0,
                "app_id": self.space.app,
                "user_id": self.space.bot.id,
                "icons": {},
            }
        }

    def users_info(self, args: Mapping[str, Any]) -> dict[str, Any]:
        found = self.space.users.get(str(args.get("user")))
        if found is None:
            raise Refused("user_not_found")
        wanted = str(args.get("include_locale")).lower() in ("true", "1")
        user = payloads.user(found, locale=wanted)
        if "users:read.email" not in self.rules.scopes:
            user["profile"].pop("email", None)
        return {"user": user}

    def users_lookup_by_email(self, args: Mapping[str, Any]) -> dict[str, Any]:
        for one in self.space.users.values():
            if one.email is not None and one.email == args.get("email"):
                return {"user": payloads.user(one)}
        raise Refused("users_not_found")

    def conversations_open(self, args: Mapping[str, Any]) -> dict[str, Any]:
        accounts = str(args.get("users") or "").split(",")
        if args.get("channel"):
            where = self.seen(args["channel"])
        elif any(one not in self.space.users for one in accounts):
            raise Refused("user_not_found")
        elif len(accounts) == 1:
            where = self.space.dm(accounts[0])
        else:
            name = f"G{'-'.join(accounts)}"
            made = Conversation(name, name, "mpim", set(accounts))
            where = self.space.conversations.setdefault(name, made)
        whole = str(args.get("return_im")).lower() in ("true", "1")
        return {"channel": payloads.channel(self.space, where) if whole else {"id": where.id}}

    def conversations_info(self, args: Mapping[str, Any]) -> dict[str, Any]:
        return {"channel": payloads.channel(self.space, self.seen(args.get("channel")))}

    def conversations_members(self, args: Mapping[str, Any]) -> dict[str, Any]:
        where = self.seen(args.get("channel"))
        members = sorted(where.members | ({self.space.bot.id} if where.bot else set()))
        return {"members": members, "response_metadata": {"next_cursor": ""}}

    def conversations_history(self, args: Mapping[str, Any]) -> dict[str, Any]:
        where = self.inside(args.get("channel"))
        found = [
            one
            for one in where.messages.values()
            if one.private_to is None and one.thread in (None, one.ts)
        ]
        newest = [payloads.message(self.space, one) for one in reversed(found)]
        return {"messages": newest[: int(args.get("limit") or 100)], "has_more": False}

    def conversations_replies(self, args: Mapping[str, Any]) -> dict[str, Any]:
        where, ts = self.inside(args.get("channel")), str(args.get("ts"))
        if ts not in where.messages:
            raise Refused("thread_not_found")
        found = [
            payloads.message(self.space, one)
            for one in where.messages.values()
            if one.private_to is None and ts in (one.ts, one.thread)
        ]
        return {"messages": found, "has_more": False}
