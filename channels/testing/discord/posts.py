"""Messages: what may be written, how it stands, whom it pings, and what the bot is told of it.

The bot's own and people's go the same way; only what was found good is ever kept.
"""

from __future__ import annotations

import re
from typing import Any

from channels.testing.discord import shapes
from channels.testing.discord.bodies import (
    COMPONENTS_V2,
    KEPT_FLAGS,
    LOADING,
    check_message,
)
from channels.testing.discord.components import CONTAINER, SELECT, SEPARATOR, walk
from channels.testing.discord.gateway import MESSAGE_CONTENT
from channels.testing.discord.refusals import Permission, Problems, Refusal
from channels.testing.discord.shapes import DM, EPHEMERAL, THREAD, Channel, Person, Post
from channels.testing.discord.world import BOT_ID, World

NONCE_S = 300.0
"""How long a nonce is remembered: "a few minutes" in the documentation."""

_DEFAULTS: dict[int, dict[str, Any]] = {
    SELECT: {"min_values": 1, "max_values": 1},
    SEPARATOR: {"spacing": 1, "divider": True},
    CONTAINER: {"accent_color": None, "spoiler": False},
}
"""What Discord fills in where a component does not say."""
_USER_MENTION = re.compile(r"<@!?(\d+)>")


class Messages(World):
    """A world in which things are written."""

    def thread(
        self, conversation: str, name: str = "thread", *, owner: str = BOT_ID, on: str | None = None
    ) -> str:
        """A public thread in a channel, `on` a message of it or on none; its id."""
        parent = self.channels[conversation]
        thread = on or self.snowflake()
        place = Channel(thread, THREAD, name, parent.guild, parent, owner=owner)
        place.members, place.denied = parent.members, parent.denied
        self.channels[thread] = place
        self.tell_place("THREAD_CREATE", place, newly_created=True)
        if on is not None:
            post = parent.posts[on]
            post.raw |= {"thread": shapes.channel(place, self.bot), "flags": post.raw["flags"] | 32}
            self.tell_post("MESSAGE_UPDATE", parent, post)
        return thread

    def post_in(self, place: Channel, message: str) -> Post:
        """A message that all there can see. Raises: Refusal 10008."""
        post = place.posts.get(message)
        if post is None or post.private_to is not None:
            raise Refusal(10008)
        return post

    def may_write(self, place: Channel) -> None:
        """Raises: Refusal, with the reason why the bot may not write there."""
        if place.recipient is not None:
            if not any(place.recipient.id in one.members for one in self.joined()):
                raise Refusal(50278)
            if not place.recipient.dms:
                raise Refusal(50007)
        in_thread = place.kind == THREAD
        wanted = Permission.SEND_MESSAGES_IN_THREADS if in_thread else Permission.SEND_MESSAGES
        if place.denied & wanted:
            raise Refusal(50013)
        if place.locked:
            raise Refusal(160005)

    def say(self, place: Channel, body: dict[str, Any]) -> Post:
        """A message of the bot by the channel's route. Raises: Refusal."""
        self.may_write(place)
        flags = (body.get("flags") or 0) & KEPT_FLAGS & ~EPHEMERAL
        check_message(body, v2=bool(flags & COMPONENTS_V2))
        if (earlier := self._same_nonce(body)) is not None:
            return self.post_in(*earlier)
        reply = self._reply(place, body.get("message_reference"))
        post = self.write(place, self.bot, body, flags=flags, reply=reply)
        if body.get("nonce") is not None:
            self.nonces[str(body["nonce"])] = (self.now_s(), place, post.raw["id"])
        place.archived = False
        return post

    def _same_nonce(self, body: dict[str, Any]) -> tuple[Channel, str] | None:
        if not body.get("enforce_nonce") or body.get("nonce") is None:
            return None
        found = self.nonces.get(str(body["nonce"]))
        if found is None or found[0] < self.now_s() - NONCE_S:
            return None
        return found[1:]

    def _reply(self, place: Channel, reference: dict[str, Any] | None) -> Post | None:
        if reference is None:
            return None
        if place.denied & Permission.READ_MESSAGE_HISTORY:
            raise Refusal(160002)
        problems = Problems()
        # Ids come as texts or as numbers; the SDK sends numbers here.
        elsewhere = str(reference.get("channel_id") or place.id) != place.id
        post = place.posts.get(str(reference.get("message_id")))
        if elsewhere:
            code = "REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL"
            words = "Cannot reply to a message in a different channel"
            problems.add(("message_reference",), code, words)
        elif post is None and reference.get("fail_if_not_exists", True):
            problems.add(("message_reference",), "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        problems.settle()
        return post

    def write(
        self,
        place: Channel,
        author: Person,
        body: dict[str, Any],
        *,
        flags: int = 0,
        reply: Post | None = None,
        private_to: str | None = None,
        extra: dict[str, Any] | None = None,
    ) -> Post:
        """A message that was found good comes to stand. Raises: Refusal 50006 for an empty one."""
        raw = shapes.message(self.snowflake(), place, author)
        raw |= {"flags": flags} | (extra or {})
        if body.get("nonce") is not None:
            raw["nonce"] = body["nonce"]
        if reply is not None:
            raw |= {"type": 19, "referenced_message": _without_reference(reply.raw)}
            raw["message_reference"] = {"type": 0, "message_id": reply.raw["id"]}
            raw["message_reference"] |= {"channel_id": place.id}
            if place.guild is not None:
                raw["message_reference"]["guild_id"] = place.guild.id
        post = Post(raw, private_to)
        self._fill(post, body, reply)
        place.posts[raw["id"]] = post
        self.tell_post("MESSAGE_CREATE", place, post)
        return post

    def revise(self, place: Channel, post: Post, body: dict[str, Any], path: Any = ()) -> Post:
        """Keys that are there replace what stood. Raises: Refusal 50035 or 50006."""
        old = post.raw
        flags = (old["flags"] | (body.get("flags") or 0) & KEPT_FLAGS) & ~LOADING
        v2 = bool(flags & COMPONENTS_V2)
        standing = {"content": old["content"], "embeds": old["embeds"]} if v2 else {}
        check_message(standing | body, v2=v2, path=path)
        trial = Post(old | {"flags": flags, "edited_timestamp": shapes.stamp(self.snowflake())})
        self._fill(trial, body, None)
        post.raw = trial.raw
        self.tell_post("MESSAGE_UPDATE", place, post)
        return post

    def erase(self, conversation: str, message: str) -> None:
        """A message is deleted, by whomever."""
        place = self.channels[conversation]
        del place.posts[message]
        gone = {"id": message, "channel_id": place.id}
        if place.guild is not None:
            gone["guild_id"] = place.guild.id
        self.dispatch_in("MESSAGE_DELETE", place, lambda _: gone)

    def _fill(self, post: Post, body: dict[str, Any], reply: Post | None) -> None:
        raw = post.raw
        if "content" in body:
            # Discord trims what is sent.
            raw["content"] = (body["content"] or "").strip()
        if "embeds" in body:
            raw["embeds"] = [_shown(one) for one in body["embeds"] or []]
        if "components" in body:
            raw["components"] = _stored(body["components"] or [])
        if "attachments" in body:
            raw["attachments"] = body["attachments"] or []
        told = (raw["content"], raw["embeds"], raw["components"], raw["attachments"])
        if not any(told) and not raw["flags"] & LOADING and raw["type"] in (0, 19, 20):
            raise Refusal(50006)
        self._mention(post, body.get("allowed_mentions"), reply)

    def _mention(self, post: Post, allowed: dict[str, Any] | None, reply: Post | None) -> None:
        """Whom a message mentions, and so pings; without `allowed_mentions`, whomever it names."""
        raw = post.raw
        everyone = raw.get("webhook_id") is None
        if allowed is None:
            allowed = {"parse": ["users", "roles"] + ["everyone"] * everyone, "replied_user": True}
        parse = allowed.get("parse") or []
        users = [str(one) for one in allowed.get("users") or []]
        named = dict.fromkeys(_USER_MENTION.findall(raw["content"]))
        pinged = [one for one in named if "users" in parse or one in users]
        if reply is not None and allowed.get("replied_user"):
            pinged.append(reply.raw["author"]["id"])
        people = [self.people[one] for one in dict.fromkeys(pinged) if one in self.people]
        raw["mentions"] = [shapes.user(one) for one in people]
        called = any(word in raw["content"] for word in ("@everyone", "@here"))
        raw["mention_everyone"] = called and "everyone" in parse
        self.pings += [(one.id, raw["id"]) for one in people]
        if raw["mention_everyone"]:
            self.pings.append(("everyone", raw["id"]))

    def speaks_to_bot(self, place: Channel, post: Post) -> bool:
        """Whether the bot may read it without the message content intent."""
        told = any(one["id"] == self.bot.id for one in post.raw["mentions"])
        return place.kind == DM or post.raw["author"]["id"] == self.bot.id or told

    def tell_post(self, name: str, place: Channel, post: Post) -> None:
        """Dispatches a message, without its content to those who may not read it."""
        whole = shapes.dispatched(post.raw, place)
        bare = whole if self.speaks_to_bot(place, post) else shapes.without_content(whole)
        self.dispatch_in(name, place, lambda intents: whole if intents & MESSAGE_CONTENT else bare)


def _stored(components: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Components as Discord keeps them: nothing that is null, and each with an id."""
    kept: list[dict[str, Any]] = _bare(components)
    for number, (_, one) in enumerate(walk(kept), 1):
        one.setdefault("id", number)
        for key, value in _DEFAULTS.get(one["type"], {}).items():
            one.setdefault(key, value)
    return kept


def _shown(embed: dict[str, Any]) -> dict[str, Any]:
    fields = [{"inline": False} | one for one in embed.get("fields") or []]
    return {"type": "rich"} | embed | ({"fields": fields} if fields else {})


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(one) for key, one in value.items() if one is not None}
    return [_bare(one) for one in value] if isinstance(value, list) else value


def _without_reference(raw: dict[str, Any]) -> dict[str, Any]:
    """A message inside another holds no third."""
    return {key: value for key, value in raw.items() if key != "referenced_message"}
