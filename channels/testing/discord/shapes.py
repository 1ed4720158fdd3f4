"""JSON as Discord sends it: people, places, messages, interactions. Pure; every key is there.

Held to the platform's own OpenAPI document by a test.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from channels.testing.discord.refusals import EVERYONE, Permission

EPOCH_MS = 1_420_070_400_000
"""Snowflakes count from the first second of 2015 (platform documentation, "Snowflakes")."""

LOCALE = "en-GB"
TEXT, DM, THREAD = 0, 1, 11
NOTHING = Permission(0)
EPHEMERAL = 1 << 6


@dataclass(slots=True)
class Person:
    """An account. `dms`: whether they take direct messages from apps."""

    id: str
    name: str
    bot: bool = False
    dms: bool = True
    locale: str = LOCALE


@dataclass(slots=True)
class Guild:
    """A server. `joined`: the bot is in it."""

    id: str
    name: str
    members: set[str] = field(default_factory=set)
    joined: bool = True


@dataclass(slots=True)
class Post:
    """A message that stands. `private_to` is the only account that sees it."""

    raw: dict[str, Any]
    private_to: str | None = None


@dataclass(slots=True)
class Channel:
    """A place to write: a server's channel, a thread in one, or a chat of one person and the bot.

    `members` None: all of the server. `denied` is what the bot may not do there.
    """

    id: str
    kind: int
    name: str
    guild: Guild | None = None
    parent: Channel | None = None
    recipient: Person | None = None
    owner: str = ""
    members: set[str] | None = None
    denied: Permission = NOTHING
    archived: bool = False
    locked: bool = False
    posts: dict[str, Post] = field(default_factory=dict)

    def within(self, conversation: str) -> bool:
        """Whether it is that channel, or a thread of it."""
        return conversation == self.id or (
            self.parent is not None and self.parent.within(conversation)
        )


def stamp(snowflake: str) -> str:
    """When an id was made, as Discord writes times."""
    ms = (int(snowflake) >> 22) + EPOCH_MS
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="microseconds")


def user(person: Person) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "id": person.id,
        "username": person.name.lower().replace(" ", "_"),
        "global_name": None if person.bot else person.name,
        "discriminator": "0000" if person.bot else "0",
        "avatar": None,
        "avatar_decoration_data": None,
        "banner": None,
        "accent_color": None,
        "collectibles": None,
        "primary_guild": None,
        "public_flags": 0,
        "flags": 0,
    }
    return shape | {"bot": True} if person.bot else shape


def me(bot: Person) -> dict[str, Any]:
    private = {"mfa_enabled": True, "locale": "en-US", "verified": True, "email": None}
    return user(bot) | private | {"bio": ""}


def member(guild: Guild) -> dict[str, Any]:
    """Somebody in a server, without the `user` that stands beside it in messages."""
    return {
        "nick": None,
        "avatar": None,
        "banner": None,
        "roles": [],
        "joined_at": stamp(guild.id),
        "premium_since": None,
        "communication_disabled_until": None,
        "pending": False,
        "deaf": False,
        "mute": False,
        "flags": 0,
    }


def application(bot: Person, owner: Person, flags: int, guilds: int) -> dict[str, Any]:
    return {
        "id": bot.id,
        "name": bot.name,
        "icon": None,
        "description": "",
        "summary": "",
        "type": None,
        "bot": user(bot),
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": flags,
        "flags_new": str(flags),
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "owner": user(owner),
        "team": None,
        "hook": True,
        "approximate_guild_count": guilds,
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "eligible_oauth2_scopes": [],
        "integration_types_config": {"0": {}},
    }


def channel(place: Channel, bot: Person) -> dict[str, Any]:
    """A channel of any kind."""
    last = next(reversed(place.posts), None)
    shape: dict[str, Any] = {
        "id": place.id,
        "type": place.kind,
        "flags": 0,
        "last_message_id": last,
        "last_pin_timestamp": None,
    }
    if place.recipient is not None:
        return shape | {"recipients": [user(place.recipient)]}
    shape |= {"guild_id": place.guild.id if place.guild else None, "name": place.name}
    if place.parent is None:
        return shape | {
            "parent_id": None,
            "position": 0,
            "topic": None,
            "nsfw": False,
            "rate_limit_per_user": 0,
            "default_auto_archive_duration": 1440,
            "permission_overwrites": overwrites(place, bot),
        }
    return shape | {
        "parent_id": place.parent.id,
        "owner_id": place.owner,
        "rate_limit_per_user": 0,
        "message_count": len(place.posts),
        "member_count": 1,
        "total_message_sent": len(place.posts),
        "thread_metadata": {
            "archived": place.archived,
            "archive_timestamp": stamp(place.id),
            "auto_archive_duration": 1440,
            "locked": place.locked,
            "create_timestamp": stamp(place.id),
        },
    }


def overwrites(place: Channel, bot: Person) -> list[dict[str, Any]]:
    """What the bot is denied there, as a rule of that channel for it."""
    if not place.denied:
        return []
    return [{"id": bot.id, "type": 1, "allow": "0", "deny": str(int(place.denied))}]


_GUILD_EMPTY = (
    "emojis",
    "features",
    "guild_scheduled_events",
    "presences",
    "soundboard_sounds",
    "stage_instances",
    "stickers",
    "voice_states",
)
_GUILD_WITHOUT = (
    "afk_channel_id",
    "application_id",
    "banner",
    "description",
    "discovery_splash",
    "icon",
    "max_presences",
    "public_updates_channel_id",
    "rules_channel_id",
    "safety_alerts_channel_id",
    "splash",
    "system_channel_id",
    "vanity_url_code",
)


def guild(
    place: Guild, bot: Person, members: list[Person], channels: list[Channel]
) -> dict[str, Any]:
    """A server as GUILD_CREATE brings it."""
    role = {
        "id": place.id,
        "name": "@everyone",
        "permissions": str(int(EVERYONE)),
        "position": 0,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": False,
        "mentionable": False,
        "icon": None,
        "unicode_emoji": None,
        "flags": 0,
    }
    people = [member(place) | {"user": user(one)} for one in (bot, *members)]
    return (
        dict.fromkeys(_GUILD_WITHOUT)
        | {key: [] for key in _GUILD_EMPTY}
        | {
            "id": place.id,
            "name": place.name,
            "owner_id": members[0].id if members else bot.id,
            "roles": [role],
            "members": people,
            "member_count": len(people),
            "channels": [channel(one, bot) for one in channels if one.parent is None],
            "threads": [channel(one, bot) for one in channels if one.parent is not None],
            "joined_at": stamp(place.id),
            "large": False,
            "unavailable": False,
            "version": 1,
            "afk_timeout": 300,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "verification_level": 0,
            "mfa_level": 0,
            "nsfw_level": 0,
            "premium_tier": 0,
            "premium_subscription_count": 0,
            "premium_progress_bar_enabled": False,
            "preferred_locale": LOCALE,
            "system_channel_flags": 0,
            "max_members": 500_000,
            "max_video_channel_users": 25,
            "max_stage_video_channel_users": 50,
        }
    )


def message(snowflake: str, place: Channel, author: Person) -> dict[str, Any]:
    """A message without anything in it."""
    return {
        "id": snowflake,
        "type": 0,
        "channel_id": place.id,
        "author": user(author),
        "content": "",
        "timestamp": stamp(snowflake),
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "components": [],
        "pinned": False,
        "flags": 0,
    }


def dispatched(raw: dict[str, Any], place: Channel) -> dict[str, Any]:
    """A message as the gateway sends it. One for a single person names no server."""
    extra: dict[str, Any] = {"channel_type": place.kind}
    if place.guild is not None and not raw["flags"] & EPHEMERAL:
        extra |= {"guild_id": place.guild.id, "member": member(place.guild)}
    return raw | extra


def without_content(raw: dict[str, Any]) -> dict[str, Any]:
    """A message as an app without the message content intent gets it."""
    bare = raw | {"content": "", "embeds": [], "attachments": [], "components": []}
    bare.pop("poll", None)
    if bare.get("referenced_message"):
        bare["referenced_message"] = without_content(bare["referenced_message"])
    return bare


def interaction(
    snowflake: str, token: str, kind: int, person: Person, place: Channel, bot: Person
) -> dict[str, Any]:
    """An interaction without its `data` and `message`."""
    shape: dict[str, Any] = {
        "id": snowflake,
        "application_id": bot.id,
        "type": kind,
        "token": token,
        "version": 1,
        "channel_id": place.id,
        "channel": channel(place, bot) | {"permissions": str(int(EVERYONE))},
        "app_permissions": str(int(EVERYONE & ~place.denied)),
        "locale": person.locale,
        "entitlements": [],
        "entitlement_sku_ids": [],
        "attachment_size_limit": 10 * 1024 * 1024,
        "authorizing_integration_owners": {"0": place.guild.id if place.guild else "0"},
        "context": 0 if place.guild else 1,
    }
    if place.guild is None:
        return shape | {"user": user(person)}
    return shape | {
        "guild_id": place.guild.id,
        "guild": {"id": place.guild.id, "locale": LOCALE, "features": []},
        "guild_locale": LOCALE,
        "member": member(place.guild) | {"user": user(person), "permissions": str(int(EVERYONE))},
    }
