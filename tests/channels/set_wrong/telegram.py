"""Telegram set wrong, in ways that people do it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tests.channels.set_wrong.wrong import Wrong

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
