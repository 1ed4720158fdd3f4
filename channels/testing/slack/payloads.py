"""What Slack sends and answers, key by key, of what a `Workspace` keeps.

Keys are those of Slack's own samples; a key whose value a fake cannot have is there, and null.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from channels.testing.slack.workspace import Conversation, Posted, User, View, Workspace

TOKEN = "old-verification-token"  # noqa: S105 - nobody may rely on it: the signature says it
EMOJI = {"👍": "+1", "👎": "-1", "✅": "white_check_mark", "❌": "x", "🙂": "slightly_smiling_face"}
"""A few of those that Slack's client sends as words."""
WIDE = ("here", "channel", "everyone")

# What a person's client makes of what they type


def typed(text: str, accounts: Mapping[str, str]) -> tuple[str, list[Any]]:
    """The text on the wire, and its rich text: mentions, links and emoji made as Slack makes them.

    `accounts`: name → id of those who can be mentioned.
    """
    parts = list(_parts(text, accounts))
    line = {"type": "rich_text_section", "elements": [element for _, element in parts]}
    blocks = [{"type": "rich_text", "elements": [line]}] if text else []
    return "".join(wire for wire, _ in parts), blocks


def _parts(text: str, accounts: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    names = "|".join(map(re.escape, sorted([*accounts, *WIDE], key=len, reverse=True)))
    found = re.compile(
        rf"@(?P<name>{names})(?!\w)"
        r"|(?P<url>https?://[^\s<>]+)"
        r"|(?P<mail>[\w.+-]+@[\w-]+\.\w+)"
        r"|(?P<site>(?<![\w.@])[\w-]+\.(?:com|org|net|io|dev)(?!\w))"
        rf"|(?P<emoji>{'|'.join(EMOJI)})"
    )
    at = 0
    for one in found.finditer(text):
        if one.start() > at:
            yield _said(text[at : one.start()])
        yield _part(one.lastgroup, one.group().removeprefix("@"), accounts)
        at = one.end()
    if at < len(text):
        yield _said(text[at:])


def _said(text: str) -> tuple[str, dict[str, Any]]:
    return escape(text, quote=False), {"type": "text", "text": text}


def _part(kind: str | None, text: str, accounts: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    match kind:
        case "name" if text in accounts:
            account = accounts[text]
            return f"<@{account}>", {"type": "user", "user_id": account}
        case "name":
            return f"<!{text}>", {"type": "broadcast", "range": text}
        case "emoji":
            return f":{EMOJI[text]}:", {"type": "emoji", "name": EMOJI[text], "unicode": text}
        case "url":
            return f"<{escape(text, quote=False)}>", {"type": "link", "url": text}
        case _:
            url = f"mailto:{text}" if kind == "mail" else f"http://{text}"
            return f"<{url}|{text}>", {"type": "link", "url": url, "text": text}


# Messages


def message(space: Workspace, one: Posted) -> dict[str, Any]:
    """A message as calls and events hold it."""
    found: dict[str, Any] = {"type": "message", "user": one.user, "ts": one.ts, "text": one.text}
    found |= {"team": space.team, "blocks": one.blocks, **_author(space, one)}
    if one.subtype:
        found["subtype"] = one.subtype
    if one.thread:
        found["thread_ts"] = one.thread
        parent = space.conversations[one.conversation].messages.get(one.thread)
        if parent is not None and one.thread != one.ts:
            found["parent_user_id"] = parent.user
    if one.edited:
        found["edited"] = {"user": one.user, "ts": one.edited}
    if one.metadata:
        found["metadata"] = one.metadata
    return found


def _author(space: Workspace, one: Posted) -> dict[str, Any]:
    if one.user != space.bot.id:
        return {"client_msg_id": one.client_msg_id}
    profile = {
        "id": space.bot_id,
        "app_id": space.app,
        "user_id": space.bot.id,
        "name": space.bot.name,
        "icons": {f"image_{size}": f"https://example.com/{size}.png" for size in (36, 48, 72)},
        "deleted": False,
        "updated": space.seconds(),
        "team_id": space.team,
    }
    return {"bot_id": space.bot_id, "app_id": space.app, "bot_profile": profile}


def message_event(space: Workspace, one: Posted) -> dict[str, Any]:
    where = space.conversations[one.conversation]
    found = {**message(space, one), "channel": where.id, "event_ts": one.ts}
    return found | {"channel_type": where.kind}


def mention_event(space: Workspace, one: Posted) -> dict[str, Any]:
    found = message(space, one)
    found.pop("parent_user_id", None)
    return found | {"type": "app_mention", "channel": one.conversation, "event_ts": one.ts}


def changed_event(space: Workspace, one: Posted, before: Any) -> dict[str, Any]:
    where, now = space.conversations[one.conversation], space.ts()
    return {
        "type": "message",
        "subtype": "message_changed",
        "message": message(space, one),
        "previous_message": before,
        "channel": where.id,
        "hidden": True,
        "ts": now,
        "event_ts": now,
        "channel_type": where.kind,
    }


def deleted_event(space: Workspace, one: Posted) -> dict[str, Any]:
    where, now = space.conversations[one.conversation], space.ts()
    return {
        "type": "message",
        "subtype": "message_deleted",
        "previous_message": message(space, one),
        "channel": where.id,
        "hidden": True,
        "deleted_ts": one.ts,
        "ts": now,
        "event_ts": now,
        "channel_type": where.kind,
    }


def home_event(space: Workspace, user: str, home: View | None) -> dict[str, Any]:
    found = {"type": "app_home_opened", "user": user, "channel": space.dm(user).id}
    found |= {"tab": "home", "event_ts": space.ts()}
    return found if home is None else found | {"view": view(space, home)}


def event(space: Workspace, inner: Mapping[str, Any]) -> dict[str, Any]:
    """An event as the Events API wraps it."""
    return {
        "token": TOKEN,
        "team_id": space.team,
        "enterprise_id": None,
        "context_team_id": space.team,
        "context_enterprise_id": None,
        "api_app_id": space.app,
        "event": dict(inner),
        "type": "event_callback",
        "event_id": space.new_id("Ev"),
        "event_time": space.seconds(),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": space.team,
                "user_id": space.bot.id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": f"4-{space.app}",
    }


# Interactions


def _by(space: Workspace, user: str) -> dict[str, Any]:
    """What every interaction says of who and where."""
    one = space.users[user]
    name = one.name.lower().replace(" ", ".")
    return {
        "user": {"id": user, "username": name, "name": name, "team_id": one.team},
        "team": {"id": space.team, "domain": "example", "enterprise_id": None},
        "enterprise": None,
        "is_enterprise_install": False,
        "api_app_id": space.app,
        "token": TOKEN,
    }


def on_message(
    space: Workspace, one: Posted, account: str, actions: list[Any], answer_url: str
) -> dict[str, Any]:
    """`block_actions` of a message. One that only they see is not sent along."""
    where = space.conversations[one.conversation]
    container: dict[str, Any] = {
        "type": "message",
        "message_ts": one.ts,
        "channel_id": where.id,
        "is_ephemeral": one.private_to is not None,
    }
    if one.thread:
        container["thread_ts"] = one.thread
    found = _by(space, account) | {
        "type": "block_actions",
        "container": container,
        "trigger_id": space.trigger(account),
        "channel": {"id": where.id, "name": "directmessage" if where.kind == "im" else where.name},
        "state": {"values": one.held.get(account, {})},
        "response_url": answer_url,
        "actions": actions,
    }
    return found if one.private_to else found | {"message": message(space, one)}


def on_view(space: Workspace, one: View, actions: list[Any]) -> dict[str, Any]:
    """`block_actions` of a modal or home."""
    return _by(space, one.user) | {
        "type": "block_actions",
        "container": {"type": "view", "view_id": one.id},
        "trigger_id": space.trigger(one.user, one.id),
        "view": view(space, one),
        "hash": one.hash,
        "actions": actions,
    }


def submission(space: Workspace, one: View) -> dict[str, Any]:
    return _by(space, one.user) | {
        "type": "view_submission",
        "trigger_id": space.trigger(one.user, one.id),
        "view": view(space, one),
        "response_urls": [],
    }


def closed(space: Workspace, one: View) -> dict[str, Any]:
    found = _by(space, one.user) | {"type": "view_closed", "is_cleared": False}
    return found | {"view": view(space, one)}


def command(
    space: Workspace, account: str, where: Conversation, name: str, text: str, answer_url: str
) -> dict[str, Any]:
    """A slash command. It says nothing of a thread."""
    return {
        "token": TOKEN,
        "team_id": space.team,
        "team_domain": "example",
        "enterprise_id": None,
        "enterprise_name": None,
        "channel_id": where.id,
        "channel_name": "directmessage" if where.kind == "im" else where.name,
        "user_id": account,
        "user_name": space.users[account].name.lower().replace(" ", "."),
        "command": name,
        "text": text,
        "api_app_id": space.app,
        "is_enterprise_install": "false",
        "response_url": answer_url,
        "trigger_id": space.trigger(account),
    }


# What calls answer


def view(space: Workspace, one: View) -> dict[str, Any]:
    content = one.content
    return {
        "id": one.id,
        "team_id": space.team,
        "type": content["type"],
        "blocks": content["blocks"],
        "private_metadata": content.get("private_metadata", ""),
        "callback_id": content.get("callback_id", ""),
        "state": {"values": one.state},
        "hash": one.hash,
        "title": content.get("title", {"type": "plain_text", "text": "View Title", "emoji": True}),
        "clear_on_close": content.get("clear_on_close", False),
        "notify_on_close": content.get("notify_on_close", False),
        "close": content.get("close"),
        "submit": content.get("submit"),
        "previous_view_id": one.previous,
        "root_view_id": one.root,
        "app_id": space.app,
        "external_id": content.get("external_id", ""),
        "app_installed_team_id": space.team,
        "bot_id": space.bot_id,
    }


def user(one: User, *, locale: bool = False) -> dict[str, Any]:
    """A person as `users.info` has them."""
    profile = {
        "real_name": one.name,
        "display_name": one.name,
        "team": one.team,
        "email": one.email,
    }
    found = {"locale": one.locale} if locale else {}
    return found | {
        "id": one.id,
        "team_id": one.team,
        "name": one.name.lower().replace(" ", "."),
        "deleted": False,
        "real_name": one.name,
        "tz": one.tz,
        "tz_label": one.tz,
        "tz_offset": 0,
        "profile": {key: value for key, value in profile.items() if value is not None},
        "is_admin": False,
        "is_owner": False,
        "is_bot": one.bot,
        "is_app_user": False,
        "updated": 0,
    }


def channel(space: Workspace, where: Conversation) -> dict[str, Any]:
    """A conversation as `conversations.info` has it."""
    found: dict[str, Any] = {
        "id": where.id,
        "created": 0,
        "is_archived": where.archived,
        "is_im": where.kind == "im",
        "is_org_shared": False,
        "context_team_id": space.team,
        "updated": 0,
    }
    if where.kind == "im":
        return found | {"user": next(iter(where.members))}
    return found | {
        "name": where.name,
        "name_normalized": where.name,
        "is_channel": where.kind == "channel",
        "is_group": where.kind == "group",
        "is_mpim": where.kind == "mpim",
        "is_private": where.kind != "channel",
        "is_member": where.bot,
        "is_ext_shared": False,
        "is_shared": False,
        "num_members": len(where.members) + where.bot,
    }
