"""Slack set wrong, in ways that people do it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.channels.set_wrong.wrong import PAST, Wrong


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
