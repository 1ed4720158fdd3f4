"""Every platform set wrong, in ways that people do it, with what the doctor has to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from channels.testing.discord.refusals import Permission
from channels.testing.discord.shapes import application

PAST = "Wed, 01 Jan 2020 00:00:00 GMT"
NOBODY = "00000000-0000-0000-0000-000000000000"
NOWHERE = "http://127.0.0.1:9"


def nothing(_platform: Any) -> None:
    """The platform is as it should be; the settings are not."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """One wrong set-up: what is done to the platform, to the table, to the route; what is said."""

    name: str
    said: tuple[str, ...]
    platform: Callable[[Any], object] = nothing
    table: dict[str, Any] = field(default_factory=dict)
    room: str | None = None

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def scopeless(*scopes: str) -> Callable[[Any], object]:
    return lambda slack: slack.rules.scopes.difference_update(scopes)


def slack_said(code: str) -> Callable[[Any], object]:
    return lambda slack: slack.revoke(code)


def slack_in_the_past(slack: Any) -> None:
    body = {"ok": True, "user": "OZ", "team": "Example"}
    scopes = ",".join(slack.rules.scopes)
    headers = {"Date": PAST, "x-oauth-scopes": scopes}
    slack.fail("auth.test", status=200, body=body, headers=headers)


SLACK = (
    Wrong(
        "a wrong bot token",
        ("bot token: invalid_auth", "Copy the Bot User OAuth Token"),
        table={"bot_token": "xoxb-other"},
    ),
    Wrong(
        "a revoked token",
        ("bot token: token_revoked", "Install the app again"),
        slack_said("token_revoked"),
    ),
    Wrong(
        "an app taken out of the workspace",
        ("bot token: account_inactive", "Install the app in the workspace again"),
        slack_said("account_inactive"),
    ),
    Wrong(
        "a token that rotates",
        ("bot token: token_expired", "Switch token rotation off"),
        slack_said("token_expired"),
    ),
    Wrong(
        "no scope to post",
        ("scopes: chat:write missing", "Add chat:write for posts at OAuth & Permissions"),
        scopeless("chat:write"),
    ),
    Wrong(
        "no scopes for private messages and /oz",
        ("im:write, im:history, commands missing", "im:history for replies in direct messages"),
        scopeless("im:write", "im:history", "commands"),
    ),
    Wrong(
        "no scope to read the conversation",
        ("conversation C00000001: missing_scope", "Add channels:history"),
        scopeless("channels:history", "groups:history", "im:history", "mpim:history"),
    ),
    Wrong(
        "a wrong app-level token",
        ("app token: invalid_auth", "make an app-level token with connections:write"),
        table={"app_token": "xapp-other"},
    ),
    Wrong(
        "an app-level token without its scope",
        ("app token: missing_scope", "Add connections:write to the app-level token"),
        lambda slack: slack.rules.app_scopes.clear(),
    ),
    Wrong(
        "a clock that is off",
        ("s from Slack's", "Set this machine's clock, with NTP"),
        slack_in_the_past,
    ),
    Wrong(
        "the app is not in the conversation",
        ("conversation C00000001: not_in_channel", "type /invite @OZ there"),
        lambda slack: slack.remove_bot("C00000001"),
    ),
    Wrong(
        "a conversation that does not exist",
        ("conversation C404: channel_not_found", "Copy its id, C…"),
        room="C404",
    ),
    Wrong(
        "a private conversation the app is not in",
        ("conversation G1: channel_not_found", "in a private channel type /invite @OZ first"),
        lambda slack: slack.group("G1", bot=False),
        room="G1",
    ),
    Wrong(
        "an address where no Slack is",
        ("bot token: connection_failed", "Is its address reachable?"),
        table={"api_url": NOWHERE},
    ),
)


def teams_in_the_past(teams: Any) -> None:
    body = {"jwks_uri": f"{teams.identity.url}/v1/.well-known/keys"}
    teams.fail("openid", status=200, body=body, headers={"Date": PAST})


def not_installed(teams: Any) -> None:
    teams.rooms.rooms["19:general@thread.tacv2"].installed = False


def blocked(teams: Any) -> None:
    teams.rooms.rooms["19:general@thread.tacv2"].blocked = True


TEAMS = (
    Wrong("an app id of no app", ("No app has this app_id",), table={"app_id": NOBODY}),
    Wrong("an app id that is none", ("app_id looks like",), table={"app_id": "my bot"}),
    Wrong(
        "a wrong secret", ("Make a new client secret", "not its id"), table={"app_password": "x"}
    ),
    Wrong("a tenant that is not there", ("There is no such tenant",), table={"tenant": NOBODY}),
    Wrong("a tenant by its name", ("tenant looks like",), table={"tenant": "example.org"}),
    Wrong(
        "a scope of another service",
        ("Take scope out of the settings",),
        table={"scope": "https://graph.microsoft.com/.default"},
    ),
    Wrong(
        "a bot that is not registered",
        ("Register the bot with this app_id", "Microsoft Teams channel"),
        lambda teams: setattr(teams, "registered", False),
    ),
    Wrong(
        "a bot that an admin switched off",
        ("Teams admin center",),
        lambda teams: setattr(teams, "disabled_by_admin", True),
    ),
    Wrong(
        "a service of another region",
        ("service_url is another region's",),
        lambda teams: setattr(teams, "region", "amer"),
    ),
    Wrong(
        "the app is not in the conversation",
        ("The bot is in 19:general@thread.tacv2", "Add the app to that team or chat"),
        not_installed,
    ),
    Wrong("an app that was blocked there", ("The app was blocked there",), blocked),
    Wrong(
        "a conversation that does not exist",
        ("The bot is in 19:none@thread.tacv2", "Copy its id from the channel's link"),
        room="19:none@thread.tacv2",
    ),
    Wrong(
        "keys that are no keys",
        ("keys_url is not the address",),
        lambda teams: teams.fail("openid", status=200, body=[]),
    ),
    Wrong("a clock that is off", ("s off", "Set it by NTP"), teams_in_the_past),
    Wrong(
        "a login that cannot be reached",
        ("login_url could not be reached",),
        table={"login_url": NOWHERE},
    ),
    Wrong(
        "a service that cannot be reached",
        ("service_url could not be reached",),
        table={"service_url": NOWHERE},
    ),
)


def calls_elsewhere(discord: Any) -> None:
    body = application(discord.bot, discord.bot, 0, 1)
    body |= {"interactions_endpoint_url": "https://other.example"}
    discord.fail("get_application", status=200, body=body)


def started_too_often(discord: Any) -> None:
    body = {"url": discord.gateway_url, "shards": 1, "session_start_limit": {"remaining": 3}}
    discord.fail("get_gateway", status=200, body=body)


ROOM = "2000000000000000001"

DISCORD = (
    Wrong("a wrong token", ("the token is taken", "Bot page"), table={"token": "other"}),
    Wrong("a revoked token", ("or reset it there",), lambda discord: discord.revoke_token()),
    Wrong(
        "an intent that is off",
        ("Message Content Intent", "message_content = false"),
        table={"message_content": True},
    ),
    Wrong(
        "an address for interactions left set",
        ("presses come over the socket", "empty the Interactions Endpoint URL"),
        calls_elsewhere,
    ),
    Wrong(
        "a bot in no server",
        ("the bot is in a server", "invite the bot: https://discord.com/oauth2/authorize?"),
        lambda discord: discord.remove_bot("500"),
    ),
    Wrong("too many starts", ("connections are left", "stop whatever restarts"), started_too_often),
    Wrong(
        "a channel that does not exist",
        ("can write in 404", "there is no such channel"),
        room="404",
    ),
    Wrong(
        "a channel the bot cannot see",
        (f"can write in {ROOM}", "give its role View Channel"),
        lambda discord: discord.deny(ROOM, Permission.VIEW_CHANNEL),
    ),
    Wrong(
        "a channel the bot may not write in",
        (f"can write in {ROOM}", "give the bot's role Send Messages there"),
        lambda discord: discord.deny(ROOM, Permission.SEND_MESSAGES),
    ),
    Wrong(
        "a forum, where no message stands by itself",
        ("no text channel or thread",),
        lambda discord: discord.fail("get_channel", status=200, body={"id": ROOM, "type": 15}),
    ),
    Wrong(
        "a gateway that does not answer",
        ("the gateway answers", "takes no WebSocket"),
        table={"gateway_url": "ws://127.0.0.1:9"},
    ),
    Wrong(
        "an address where no Discord is",
        ("Discord answers", f"{NOWHERE} does not answer"),
        table={"api_url": NOWHERE},
    ),
)

HOOK = "https://oz.example.com/telegram"
GROUP = "-1001000000001"


def posts_to(url: str) -> Callable[[Any], object]:
    return lambda telegram: telegram.updates.set_webhook({"url": url})


def posts_in_vain(telegram: Any) -> None:
    telegram.updates.set_webhook({"url": HOOK})
    telegram.updates.webhook.error = (1_700_000_000, "Wrong response: 502 Bad Gateway")


def upgraded(telegram: Any) -> None:
    telegram.group("-77", "Old", members=["1001"])
    telegram.migrate("-77", "-1007700000001")


TELEGRAM = (
    Wrong(
        "a wrong token",
        ("Telegram does not know this token", "@BotFather"),
        table={"token": "5000001:AAanother-token-of-somebody-else0"},
    ),
    Wrong(
        "a revoked token",
        ("Telegram does not know this token",),
        lambda telegram: telegram.revoke(),
    ),
    Wrong(
        "privacy mode off",
        ("privacy mode", "Send /setprivacy to @BotFather"),
        lambda telegram: setattr(telegram.world, "privacy", False),
    ),
    Wrong(
        "a webhook left set",
        ("A webhook is set", "give each its own bot"),
        posts_to("https://other.example/hook"),
    ),
    Wrong(
        "a webhook that is not set",
        ("Telegram posts to nowhere", "sets webhook_url"),
        table={"mode": "webhook", "webhook_url": HOOK},
    ),
    Wrong(
        "a webhook somewhere else",
        ("Telegram posts to https://other.example/hook",),
        posts_to("https://other.example/hook"),
        table={"mode": "webhook", "webhook_url": HOOK},
    ),
    Wrong(
        "a webhook that does not answer",
        ("502 Bad Gateway", "must reach the port"),
        posts_in_vain,
        table={"mode": "webhook", "webhook_url": HOOK},
    ),
    Wrong(
        "the bot was thrown out",
        (f"can write in {GROUP}", "is not in it, or was blocked. Add it as a member"),
        lambda telegram: telegram.remove_bot(GROUP),
    ),
    Wrong(
        "a chat that does not exist",
        ("can write in -100404", "Groups have ids like -100"),
        room="-100404",
    ),
    Wrong(
        "a person who never pressed Start",
        ("can write in 77", "opens t.me/oz_test_bot and presses Start"),
        lambda telegram: telegram.person("77", "Cem", started=False),
        room="77",
    ),
    Wrong(
        "a group where members may not write",
        ("Members may not write there",),
        lambda telegram: telegram.mute(GROUP),
    ),
    Wrong(
        "a channel the bot does not run",
        ("must be an administrator",),
        lambda telegram: telegram.channel("-10088") and telegram.add_bot("-10088"),
        room="-10088",
    ),
    Wrong(
        "a group that was upgraded",
        ("Route to telegram:-1007700000001 instead",),
        upgraded,
        room="-77",
    ),
    Wrong(
        "an address where no Telegram is",
        ("Telegram answers", f"{NOWHERE} could not be reached"),
        table={"api_url": NOWHERE},
    ),
)

ALL = {"slack": SLACK, "teams": TEAMS, "discord": DISCORD, "telegram": TELEGRAM}
