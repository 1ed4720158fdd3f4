"""The real Web API client against the fake workspace: modals, their triggers, and the home."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from channels.testing.slack import Slack
from tests.channels.testing.slack_client import BLOCKS, client_of, refused, workspace


def modal(**more: Any) -> dict[str, Any]:
    """A modal with one input."""
    element = {"type": "plain_text_input", "action_id": "text"}
    label = {"type": "plain_text", "text": "Why"}
    block = {"type": "input", "block_id": "why", "label": label, "element": element}
    title, send = ({"type": "plain_text", "text": one} for one in ("Answer", "Send"))
    return {"type": "modal", "title": title, "submit": send, "blocks": [block], **more}


@pytest.fixture
async def chat() -> AsyncIterator[Slack]:
    """A workspace with two people, a channel and a private one."""
    async with workspace() as made:
        yield made


@pytest.fixture
def client(chat: Slack, monkeypatch: pytest.MonkeyPatch) -> AsyncWebClient:
    """The SDK's client with the app's token, trying once."""
    return client_of(chat, monkeypatch)


async def test_a_trigger_opens_one_view(chat: Slack, client: AsyncWebClient) -> None:
    """A trigger is good once; one that nobody gave is none."""
    trigger = chat.space.trigger("U1")
    answer = await client.views_open(trigger_id=trigger, view=modal(private_metadata="m"))
    form = chat.form("U1")
    assert form is not None
    assert (form.title, form.entries[0].label, form.entries[0].required) == ("Answer", "Why", True)
    assert answer["view"]["private_metadata"] == "m"
    assert answer["view"]["hash"]
    again = client.views_open(trigger_id=trigger, view=modal())
    assert await refused(again) == "exchanged_trigger_id"
    assert await refused(client.views_open(trigger_id="x", view=modal())) == "invalid_trigger_id"


async def test_a_trigger_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its time it opens nothing."""
    async with Slack(trigger_s=0.0) as chat:
        chat.person("U1", "Ana")
        client = AsyncWebClient("xoxb-oz", base_url=chat.api_url)
        opened = client.views_open(trigger_id=chat.space.trigger("U1"), view=modal())
        assert await refused(opened) == "expired_trigger_id"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"title": {"type": "plain_text", "text": "x" * 25}}, "invalid_arguments"),
        ({"submit": None}, "invalid_arguments"),
        ({"private_metadata": "x" * 3001}, "invalid_arguments"),
        ({"colour": "red"}, "invalid_arguments"),
        ({"type": "home"}, "invalid_arguments"),
    ],
)
async def test_a_view_that_slack_refuses_is_refused(
    chat: Slack, client: AsyncWebClient, changed: dict[str, Any], code: str
) -> None:
    """And its trigger is not spent by that."""
    trigger = chat.space.trigger("U1")
    view = {key: value for key, value in modal(**changed).items() if value is not None}
    assert await refused(client.views_open(trigger_id=trigger, view=view)) == code
    assert chat.form("U1") is None
    await client.views_open(trigger_id=trigger, view=modal())
    assert chat.form("U1") is not None


async def test_a_view_that_is_too_large_is_refused(chat: Slack, client: AsyncWebClient) -> None:
    """However well formed its blocks are."""
    said = {"type": "section", "text": {"type": "plain_text", "text": "x" * 2999}}
    opened = client.views_open(trigger_id=chat.space.trigger("U1"), view=modal(blocks=[said] * 90))
    assert await refused(opened) == "view_too_large"


async def test_views_stand_on_one_another_up_to_three(chat: Slack, client: AsyncWebClient) -> None:
    """The fourth is refused; an `external_id` is there once."""
    view = (await client.views_open(trigger_id=chat.space.trigger("U1"), view=modal()))["view"]
    for _ in range(2):
        trigger = chat.space.trigger("U1", view["id"])
        pushed = await client.views_push(trigger_id=trigger, view=modal())
        assert pushed["view"]["root_view_id"] == view["id"]
    trigger = chat.space.trigger("U1", view["id"])
    assert await refused(client.views_push(trigger_id=trigger, view=modal())) == (
        "push_limit_reached"
    )
    trigger = chat.space.trigger("U2")
    await client.views_open(trigger_id=trigger, view=modal(external_id="e"))
    twice = client.views_open(trigger_id=chat.space.trigger("U1"), view=modal(external_id="e"))
    assert await refused(twice) == "duplicate_external_id"


async def test_an_update_of_a_view_minds_its_hash(chat: Slack, client: AsyncWebClient) -> None:
    """An old hash is refused; a view that is gone is not found."""
    view = (await client.views_open(trigger_id=chat.space.trigger("U1"), view=modal()))["view"]
    title = {"type": "plain_text", "text": "Again"}
    new = modal(title=title)
    await client.views_update(view_id=view["id"], hash=view["hash"], view=new)
    form = chat.form("U1")
    assert form is not None
    assert form.title == "Again"
    stale = client.views_update(view_id=view["id"], hash=view["hash"], view=new)
    assert await refused(stale) == "hash_conflict"
    await chat.close_form("U1")
    assert await refused(client.views_update(view_id=view["id"], view=new)) == "not_found"


async def test_a_home_is_published_for_one_person(chat: Slack, client: AsyncWebClient) -> None:
    """It has no title; with the Home tab off it is refused."""
    home = {"type": "home", "blocks": BLOCKS}
    await client.views_publish(user_id="U1", view=home)
    shown = chat.home("U1")
    assert shown is not None
    assert shown.text == "Ship <it>?"
    assert chat.home("U2") is None
    assert await refused(client.views_publish(user_id="U9", view=home)) == "invalid_arguments"
    assert await refused(client.views_publish(user_id="U1", view=modal())) == "invalid_arguments"
    stale = client.views_publish(user_id="U1", view=home, hash="old")
    assert await refused(stale) == "hash_conflict"
    chat.rules.home_tab = False
    assert await refused(client.views_publish(user_id="U2", view=home)) == "not_enabled"
