"""Every platform set wrong, in ways that people do it, with what the doctor has to say."""

from __future__ import annotations

import time
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
    """One wrong set-up: what is done to the platform, to the table, to the route; what is said.

    The route leads to `room`, else the town's, and `thread` there; or to the person `account`.
    """

    name: str
    said: tuple[str, ...]
    platform: Callable[[Any], object] = nothing
    table: dict[str, Any] = field(default_factory=dict)
    room: str | None = None
    thread: str | None = None
    account: str | None = None

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


HTTP = {"mode": "http", "signing_secret": "hush", "path": "/slack/events"}


def slack_calls(url: str) -> Callable[[Any], object]:
    return lambda slack: setattr(slack.carrier, "request_url", url)


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
        "an archived conversation",
        ("conversation C00000001: is_archived", "Unarchive it"),
        lambda slack: slack.archive("C00000001"),
    ),
    Wrong(
        "a thread that is not there",
        ("conversation C00000001: thread_not_found", "Copy the link to its first message"),
        thread="1700000000.000001",
    ),
    Wrong(
        "a person who is not there",
        ("person T0001/U404: user_not_found", "Copy member ID"),
        account="T0001/U404",
    ),
    Wrong(
        "no event subscriptions",
        ("events: app_home_opened, app_mention", "message.channels for replies in channels"),
        lambda slack: slack.rules.events.clear(),
    ),
    Wrong(
        "the Messages tab off",
        ("the Messages tab is on", "Switch the Messages Tab on, at App Home"),
        lambda slack: setattr(slack.rules, "messages_tab", False),
        account="T0001/U00000001",
    ),
    Wrong(
        "Socket Mode off",
        ("Socket Mode is on", 'or set mode = "http"'),
        slack_calls("https://oz.example.com/slack/events"),
    ),
    Wrong(
        "Socket Mode on where requests are awaited",
        ("request URLs", "while it is on, Slack calls no address"),
        table=HTTP,
    ),
    Wrong(
        "a request URL with another path",
        ("request URLs", "https://YOUR.ADDRESS/slack/events; now one is 'https://oz.example.com/'"),
        slack_calls("https://oz.example.com/"),
        table=HTTP,
    ),
    Wrong(
        "a configuration token that is over",
        ("manifest: invalid_auth", "each is good for twelve hours"),
        table={"config_token": "xoxe.xoxp-other"},
    ),
)


def teams_in_the_past(teams: Any) -> None:
    body = {"jwks_uri": f"{teams.identity.url}/v1/.well-known/keys"}
    teams.fail("openid", status=200, body=body, headers={"Date": PAST})


def not_installed(teams: Any) -> None:
    teams.rooms.rooms["19:general@thread.tacv2"].installed = False


def blocked(teams: Any) -> None:
    teams.rooms.rooms["19:general@thread.tacv2"].blocked = True


def teams_said(status: int, body: Any) -> Callable[[Any], object]:
    return lambda teams: teams.fail("createConversation", status=status, body=body)


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
        "a person without the app",
        ("The bot is in nobody", "They have not added the app"),
        account="nobody",
    ),
    Wrong(
        "a thread that can be none",
        ("Thread first is there", "the number behind parentMessageId="),
        thread="first",
    ),
    Wrong(
        "a service that is another server",
        ("The service refuses the bot (HTTP 404)", "Take service_url out"),
        teams_said(404, {}),
    ),
    Wrong(
        "a service that leads on to a page",
        ("The service refuses the bot (HTTP 302)",),
        teams_said(302, {}),
    ),
    Wrong(
        "a service that says yes to all",
        ("What answers at service_url is no bot service",),
        teams_said(200, {}),
    ),
    Wrong(
        "a service that does not want the bot",
        ("The service refuses the bot (Forbidden)", "compare tenant"),
        teams_said(403, {"error": {"code": "Forbidden"}}),
    ),
    Wrong(
        "keys that are no keys",
        ("keys_url is not the address",),
        lambda teams: teams.fail("openid", status=200, body=[]),
    ),
    Wrong("a clock that is off", ("s off", "Set it by NTP"), teams_in_the_past),
)


def calls_elsewhere(discord: Any) -> None:
    body = application(discord.bot, discord.bot, 0, 1)
    body |= {"interactions_endpoint_url": "https://other.example"}
    discord.fail("get_application", status=200, body=body)


def started_too_often(discord: Any) -> None:
    body = {"url": discord.gateway_url, "shards": 1, "session_start_limit": {"remaining": 3}}
    discord.fail("get_gateway", status=200, body=body)


ROOM = "2000000000000000001"
THREAD = "3000000000000000001"


def discord_thread(discord: Any) -> None:
    body = {"id": THREAD, "type": 11, "parent_id": ROOM}
    discord.fail("get_channel", status=200, body=body)


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
        "an address of another server",
        ("Discord answers", "It is refused (HTTP 404). Is http"),
        lambda discord: discord.fail("get_application", status=404, body="<h1>Not found</h1>"),
    ),
    Wrong(
        "a thread for a conversation",
        (f"can write in {THREAD}", f'set conversation = "discord:{ROOM}" and thread = "{THREAD}"'),
        discord_thread,
        room=THREAD,
    ),
    Wrong(
        "a thread of another channel",
        (f"can write in 7, thread {THREAD}", f'set conversation = "discord:{ROOM}"'),
        discord_thread,
        room="7",
        thread=THREAD,
    ),
    Wrong("a channel for a thread", ("it is no thread",), room=ROOM, thread=ROOM),
    Wrong("a person who is not there", ("write to 404", "nobody has that id"), account="404"),
)

HOOK = "https://oz.example.com/telegram"
GROUP = "-1001000000001"
FORUM = "-1007000000001"


def posts_to(url: str) -> Callable[[Any], object]:
    return lambda telegram: telegram.updates.set_webhook({"url": url})


def posts_in_vain(telegram: Any) -> None:
    telegram.updates.set_webhook({"url": HOOK})
    telegram.updates.webhook.error = (int(time.time()) - 60, "Wrong response: 502 Bad Gateway")


def forum(telegram: Any) -> None:
    """With a topic that was deleted, and one that was closed."""
    telegram.group(FORUM, "Forum", members=["1001"], forum=True)
    telegram.close_topic(FORUM, telegram.topic(FORUM, "Old"), delete=True)
    telegram.close_topic(FORUM, telegram.topic(FORUM, "Done"))


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
        "a topic that was deleted",
        (f"can write in {FORUM}, topic 2", "There is no such topic"),
        forum,
        room=FORUM,
        thread="2",
    ),
    Wrong(
        "a topic that was closed",
        (f"can write in {FORUM}, topic 3", "The topic is closed"),
        forum,
        room=FORUM,
        thread="3",
    ),
    Wrong(
        "a topic by its name",
        ("topic general", "thread takes the topic's number"),
        room=FORUM,
        thread="general",
    ),
    Wrong(
        "a person of a route who never pressed Start",
        ("can write in 77", "opens t.me/oz_test_bot and presses Start"),
        lambda telegram: telegram.person("77", "Cem", started=False),
        account="77",
    ),
)

NOT_THERE = (
    ("slack", "api_url", "bot token"),
    ("teams", "login_url", "Microsoft gives the bot a token"),
    ("teams", "service_url", "The bot is registered, and the service is reached"),
    ("teams", "keys_url", "The keys that Microsoft signs with can be read"),
    ("discord", "api_url", "Discord answers"),
    ("telegram", "api_url", "Telegram answers"),
)
"""An address where nobody answers: platform, setting, and what could not be looked at."""

CALLS = {
    "slack": (
        "auth.test",
        "bots.info",
        "apps.manifest.export",
        "conversations.history",
        "conversations.info",
        "apps.connections.open",
    ),
    "teams": ("token", "createConversation", "getConversationPagedMembers", "openid", "keys"),
    "discord": ("get_application", "get_guilds", "get_gateway", "get_channel", "typing"),
    "telegram": ("getMe", "sendChatAction", "getWebhookInfo"),
}
"""What the doctor calls of each, by the fakes' names."""

ALL = {"slack": SLACK, "teams": TEAMS, "discord": DISCORD, "telegram": TELEGRAM}
