"""Teams set wrong, in ways that people do it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.channels.set_wrong.wrong import NOBODY, PAST, Wrong


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
