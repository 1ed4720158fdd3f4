"""`oz0 doctor` against each fake platform set wrong: every fault is named, with how to mend it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from channels.testing.discord.refusals import Permission
from channels.testing.discord.shapes import application
from channels.testing.town import Place, Town
from gateway.cli.doctor import Found, _examine, _print
from gateway.embedded_redis import find_server
from tests.channels.gatewayed import settings
from tests.channels.slack.rooms import without_proxy

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
CASES = [
    pytest.param(name, wrong, id=f"{name}: {wrong}")
    for name, several in ALL.items()
    for wrong in several
]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    without_proxy(monkeypatch)


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    """The four, set up as they should be."""
    async with Town() as made:
        yield made


async def doctored(
    place: Place, folder: Path, *, table: dict[str, Any] | None = None, room: str | None = None
) -> list[Found]:
    """What the doctor finds of one platform, with one route there."""
    tables = {place.name: place.platform.settings() | (table or {})}
    route = f'[[route]]\nconversation = "{place.name}:{room or place.room}"\ncontent = true'
    return await _examine(settings(tables, "", route, folder), None)


@pytest.mark.parametrize("name", ALL)
async def test_what_is_set_right_needs_no_mending(town: Town, name: str, tmp_path: Path) -> None:
    """Every platform as it should be: nothing is wrong, and nothing was posted to find out."""
    place = town.places[name]
    found = await doctored(place, tmp_path)
    assert [one for _, one in found if not one.fine or one.mend] == []
    assert [one.what for of, one in found if of == name and place.room in one.what]
    assert place.posts() == []


@pytest.mark.parametrize(("name", "wrong"), CASES)
async def test_what_is_set_wrong_is_named_with_how_to_mend_it(
    town: Town, name: str, wrong: Wrong, tmp_path: Path
) -> None:
    """In the words of what has to be changed."""
    place = town.places[name]
    table = place.platform.settings() | wrong.table  # as they were before
    wrong.platform(place.platform)
    found = await doctored(place, tmp_path, table=table, room=wrong.room)
    faults = [one for of, one in found if of == name and not one.fine]
    assert faults
    assert all(one.mend for one in faults)
    words = "\n".join(f"{one.what}: {one.mend}" for one in faults)
    for said in wrong.said:
        assert said in words


def test_each_platform_is_set_wrong_in_ten_ways() -> None:
    """The issue's number, and one more each is welcome."""
    assert {name: len(several) >= 10 for name, several in ALL.items()} == dict.fromkeys(ALL, True)


async def test_what_is_wrong_is_printed_with_its_platform(
    town: Town, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line a finding, and below a wrong one how to mend it."""
    place = town.places["slack"]
    place.platform.remove_bot(place.room)
    _print(await doctored(place, tmp_path), as_json=False)
    printed = " ".join(capsys.readouterr().out.split())
    assert "wrong slack: conversation C00000001: not_in_channel" in printed
    assert "type /invite @OZ there." in printed
    assert "fine slack: bot token: OZ in Example" in printed


async def test_a_route_to_a_channel_that_is_not_configured_is_named(
    town: Town, tmp_path: Path
) -> None:
    """It would lead nowhere."""
    tables = {"slack": town.places["slack"].platform.settings()}
    routes = '[[route]]\nconversation = "slack:C00000001"\n[[route]]\nconversation = "discord:1"'
    found = await _examine(settings(tables, "", routes, tmp_path), None)
    (fault,) = [one for _, one in found if not one.fine]
    assert fault.mend == "Add a table [channel.discord], or drop the route."


# Redis


@pytest.fixture(scope="module")
def own_redis() -> Iterator[str]:
    """The URL of a server whose settings a test may change: durable, and full of nothing."""
    # Not pytest's own folder: a socket's path must be short, and macOS's is not.
    folder = Path(tempfile.mkdtemp(prefix="oz-doctor-", dir="/tmp"))
    socket = folder / "redis.sock"
    process = subprocess.Popen(
        [
            *(str(find_server()), "--port", "0", "--unixsocket", str(socket)),
            *("--dir", str(folder), "--save", "", "--appendonly", "yes"),
        ],
        stdout=subprocess.DEVNULL,
    )
    url = f"unix://{socket}"
    patient = Retry(ConstantBackoff(0.05), 400)
    try:
        with redis.Redis.from_url(url, retry=patient) as client:
            client.ping()
        yield url
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


async def about_redis(url: str, folder: Path) -> list[str]:
    """What is wrong with that server, in words."""
    config = settings({}, "", f'[gateway]\nredis = "{url}"', folder)
    found = await _examine(config, None)
    return [f"{one.what}: {one.mend}" for of, one in found if of == "redis" and not one.fine]


async def test_a_durable_redis_needs_no_mending(own_redis: str, tmp_path: Path) -> None:
    """Append-only, and it drops nothing."""
    assert await about_redis(own_redis, tmp_path) == []


@pytest.mark.parametrize(
    ("setting", "wrong", "right", "said"),
    [
        ("appendonly", "no", "yes", "Set `appendonly yes`."),
        ("appendfsync", "no", "everysec", "Set `appendfsync everysec` or `always`."),
        ("maxmemory-policy", "allkeys-lru", "noeviction", "Set `maxmemory-policy noeviction`."),
    ],
)
async def test_a_redis_that_forgets_is_named(
    own_redis: str, tmp_path: Path, setting: str, wrong: str, right: str, said: str
) -> None:
    """By the setting that has to change, and to what."""
    assert await about_redis(own_redis, tmp_path) == []
    with redis.Redis.from_url(own_redis) as client:
        client.config_set(setting, wrong)
        try:
            (fault,) = await about_redis(own_redis, tmp_path)
        finally:
            client.config_set(setting, right)
    assert said in fault


async def test_a_redis_that_is_a_replica_is_named(own_redis: str, tmp_path: Path) -> None:
    """It takes no writes."""
    assert await about_redis(own_redis, tmp_path) == []
    with redis.Redis.from_url(own_redis) as client:
        client.replicaof("127.0.0.1", "9")
        try:
            faults = await about_redis(own_redis, tmp_path)
        finally:
            client.replicaof("NO", "ONE")
    assert ["does a primary run there, not a replica?" in one for one in faults] == [True]


async def test_a_redis_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With where its address is set."""
    config = settings({}, "", f'[gateway]\nredis = "unix://{tmp_path}/none.sock"', tmp_path)
    (fault,) = [one for _, one in await _examine(config, None) if not one.fine]
    assert "Is the address of OZ_REDIS_URL right" in fault.mend


async def test_a_store_of_other_partitions_is_named(own_redis: str, tmp_path: Path) -> None:
    """With the number it was made with."""
    assert await about_redis(own_redis, tmp_path) == []
    toml = f'[gateway]\nredis = "{own_redis}"\npartitions = 32'
    found = await _examine(settings({}, "", toml, tmp_path), None)
    assert [one.mend for _, one in found if not one.fine] == [
        "This store was made with 16 partitions, not 32."
    ]
