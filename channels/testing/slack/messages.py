"""The Web API's messages: posted, whispered, changed, deleted, as far as Slack lets an app."""

from __future__ import annotations

import asyncio
import json
import re
from math import ceil
from typing import TYPE_CHECKING, Any
from uuid import UUID

from channels.testing.slack import payloads
from channels.testing.slack.limits import MOST_BLOCK_TEXT, block_problems, weight
from channels.testing.slack.rules import Part
from channels.testing.slack.workspace import Posted, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from channels.testing.slack.rules import Rules
    from channels.testing.slack.workspace import Conversation, Workspace

MOST_TEXT = 40_000
"""Slack's: a longer text is cut, with a warning."""
MOST_UPDATE_BYTES = 4_000
"""Measured by others: `chat.update` with a longer text."""
MOST_ATTACHMENTS = 100

PINGS = re.compile(r"<(?:@([UW]\w+)|!(here|channel|everyone)|!subteam\^(\w+))[^>]*>")
BARE_PINGS = re.compile(r"(?<![\w@])@(here|channel|everyone)\b")
LINKS = re.compile(r"https?://[^\s|>]+")


class Messages(Part):
    """`chat.*`."""

    def __init__(
        self, space: Workspace, rules: Rules, emit: Callable[[dict[str, Any], str], None]
    ) -> None:
        super().__init__(space, rules, emit)
        self.pings: list[tuple[str, str]] = []
        """Whom messages of the bot called: conversation, and account, range or group."""
        self.previews: list[tuple[str, str]] = []
        """What Slack fetched to show beside messages of the bot: conversation, and address."""

    def chat_post_message(self, args: dict[str, Any]) -> dict[str, Any]:
        where = self._open(args.get("channel"))
        if not where.bot and not (
            where.kind == "channel" and "chat:write.public" in self.rules.scopes
        ):
            raise Refused("not_in_channel")
        self._pace(where)
        made = self.content(args, where)
        known = self._repeat(where, made.client_msg_id)
        if known is None:
            self.show(made, args, parse=args.get("parse") or "none")
        made = known or made
        answer = {"channel": where.id, "ts": made.ts, "message": payloads.message(self.space, made)}
        return answer | truncated(args)

    def show(self, made: Posted, args: Mapping[str, Any], parse: str) -> None:
        """Puts a message of the bot where it belongs, and tells the app of it as all others."""
        where = self.space.conversations[made.conversation]
        where.posted_at = asyncio.get_running_loop().time()
        self.space.add(made)
        self._noticed(made, args, parse)
        self.emit(payloads.message_event(self.space, made), where.id)

    def chat_post_ephemeral(self, args: dict[str, Any]) -> dict[str, Any]:
        where = self._open(args.get("channel"))
        if not where.bot:
            raise Refused("not_in_channel")
        if args.get("user") not in where.members:
            raise Refused("user_not_in_channel")
        made = self.content(args, where)
        self.space.whisper(args["user"], made)
        return {"message_ts": made.ts} | truncated(args)

    def chat_update(self, args: dict[str, Any]) -> dict[str, Any]:
        where = self.seen(args.get("channel"))
        if where.archived:
            raise Refused("is_archived")
        one = self._own(where, args, "cant_update_message")
        if len(str(args.get("text") or "").encode()) > MOST_UPDATE_BYTES:
            raise Refused("msg_too_long")
        before = payloads.message(self.space, one)
        made = self.content(args, where)
        one.text, one.blocks = made.text, made.blocks
        one.held.clear()
        if "metadata" in args:
            one.metadata = made.metadata
        if not made.blocks:
            one.edited = self.space.ts()
        # An edit may call people; a preview is made of what is posted only.
        self._noticed(one, args | {"unfurl_media": False}, parse=args.get("parse") or "client")
        self.emit(payloads.changed_event(self.space, one, before), where.id)
        message = payloads.message(self.space, one)
        del message["ts"]
        return {"channel": where.id, "ts": one.ts, "text": one.text, "message": message}

    def chat_delete(self, args: dict[str, Any]) -> dict[str, Any]:
        where = self.seen(args.get("channel"))
        one = self._own(where, args, "cant_delete_message")
        self.remove(one)
        return {"channel": where.id, "ts": one.ts}

    def remove(self, one: Posted) -> None:
        """Takes a message away; whoever deleted it."""
        del self.space.conversations[one.conversation].messages[one.ts]
        if one.client_msg_id is not None:
            self.space.deleted.add(one.client_msg_id)
        self.emit(payloads.deleted_event(self.space, one), one.conversation)

    def chat_get_permalink(self, args: Mapping[str, Any]) -> dict[str, Any]:
        where, ts = self.seen(args.get("channel")), str(args.get("message_ts"))
        if ts not in where.messages:
            raise Refused("message_not_found")
        link = f"https://example.slack.com/archives/{where.id}/p{ts.replace('.', '')}"
        return {"channel": where.id, "permalink": link}

    def _open(self, name: Any) -> Conversation:
        """A conversation to post to: of that id, or the one with that person."""
        user = self.space.users.get(name) if isinstance(name, str) else None
        where = self.space.dm(user.id) if user and not user.bot else self.seen(name)
        if where.archived:
            raise Refused("is_archived")
        if where.kind == "im" and not self.rules.messages_tab:
            raise Refused("messages_tab_disabled")
        return where

    def _own(self, where: Conversation, args: Mapping[str, Any], otherwise: str) -> Posted:
        one = where.messages.get(str(args.get("ts")))
        if one is None or one.private_to is not None:
            raise Refused("message_not_found")
        if one.user != self.space.bot.id:
            raise Refused(otherwise)
        return one

    def _pace(self, where: Conversation) -> None:
        if where.posted_at is None:
            return
        wait_s = where.posted_at + self.rules.post_every_s - asyncio.get_running_loop().time()
        if wait_s > 0:
            raise Refused("ratelimited", retry_after=ceil(wait_s))

    def _repeat(self, where: Conversation, key: str | None) -> Posted | None:
        """The message that was made by the same `client_msg_id`."""
        if key is None or not self.rules.remembers_client_msg_id:
            return None
        try:
            UUID(key)
        except ValueError:
            raise Refused("invalid_arguments") from None
        if key in self.space.deleted:
            raise Refused("duplicate_message_not_found")
        return next((one for one in where.messages.values() if one.client_msg_id == key), None)

    def content(self, args: Mapping[str, Any], where: Conversation) -> Posted:
        """A message as these arguments have it, not yet anywhere. Raises: Refused."""
        blocks = self._blocks(args)
        metadata = args.get("metadata") or None
        if metadata is not None and not (
            isinstance(metadata, dict)
            and isinstance(metadata.get("event_type"), str)
            and isinstance(metadata.get("event_payload"), dict)
        ):
            raise Refused("invalid_metadata_format")
        return Posted(
            conversation=where.id,
            ts=self.space.ts(),
            user=self.space.bot.id,
            text=str(args.get("text") or "")[:MOST_TEXT],
            blocks=self.space.fill(blocks),
            thread=self.thread(where, args.get("thread_ts")),
            client_msg_id=args.get("client_msg_id"),
            metadata=metadata,
        )

    def _blocks(self, args: Mapping[str, Any]) -> list[Any]:
        blocks = args.get("blocks") or []
        if args.get("attachments"):
            many = len(args["attachments"]) > MOST_ATTACHMENTS
            said = [] if many else ["this server draws no attachments"]
            raise Refused("too_many_attachments" if many else "invalid_attachments", said)
        if args.get("markdown_text"):
            if args.get("text") or blocks:
                raise Refused("markdown_text_conflict")
            blocks = [{"type": "markdown", "text": args["markdown_text"]}]
        if isinstance(blocks, str):
            try:
                blocks = json.loads(blocks)
            except ValueError:
                raise Refused("invalid_blocks_format") from None
        if not blocks and not str(args.get("text") or "").strip():
            raise Refused("no_text")
        problems = block_problems(blocks, "message")
        if problems:
            raise Refused("invalid_blocks", problems)
        if weight(blocks) > MOST_BLOCK_TEXT:
            raise Refused("msg_blocks_too_long")
        return list(blocks)

    def thread(self, where: Conversation, ts: Any) -> str | None:
        """The thread to reply in, which that message is the parent of from now on."""
        if not ts:
            return None
        parent = where.messages.get(str(ts))
        # Slack's papers do not say what it answers here; refusing is what a caller must survive.
        if parent is None or parent.private_to is not None:
            raise Refused("thread_not_found")
        if parent.thread not in (None, parent.ts):
            raise Refused("cannot_reply_to_message")
        parent.thread = parent.ts
        return parent.ts

    def _noticed(self, made: Posted, args: Mapping[str, Any], parse: str) -> None:
        """Whom the message calls, and what is fetched to be shown beside it."""
        texts = [made.text, *_marked_up(made.blocks)]
        called = [name for one in texts for found in PINGS.findall(one) for name in found if name]
        if parse in ("full", "client") or args.get("link_names"):
            called += [name for one in texts for name in BARE_PINGS.findall(one)]
        called += [name for block in made.blocks for name in _called(block)]
        self.pings += [(made.conversation, name) for name in dict.fromkeys(called)]
        if args.get("unfurl_links") or args.get("unfurl_media") is not False:
            found = [link for one in texts for link in LINKS.findall(one)]
            self.previews += [(made.conversation, link) for link in dict.fromkeys(found)]


def truncated(args: Mapping[str, Any]) -> dict[str, Any]:
    """The warning that a text was cut."""
    if len(str(args.get("text") or "")) <= MOST_TEXT:
        return {}
    return {
        "warning": "message_truncated",
        "response_metadata": {"warnings": ["message_truncated"]},
    }


def _marked_up(value: Any) -> list[str]:
    """All texts in which Slack looks for mentions and links."""
    if isinstance(value, list):
        return [text for one in value for text in _marked_up(one)]
    if not isinstance(value, dict):
        return []
    if value.get("type") in ("mrkdwn", "markdown"):
        return [str(value["text"])]
    return [text for one in value.values() for text in _marked_up(one)]


def _called(value: Any) -> list[str]:
    """Whom rich text calls."""
    if isinstance(value, list):
        return [name for one in value for name in _called(one)]
    if not isinstance(value, dict):
        return []
    if value.get("type") in ("user", "usergroup", "broadcast"):
        return [str(value.get("user_id") or value.get("usergroup_id") or value.get("range"))]
    return [name for one in value.values() for name in _called(one)]
