"""The manifests we hand out: what they ask for is what the adapter needs, and Slack takes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from channels.slack.examine import SCOPES
from channels.slack.settings import PATH
from channels.testing.slack.rules import EVENTS
from channels.testing.slack.rules import SCOPES as GRANTED

FOLDER = Path(__file__).parents[3] / "deploy" / "slack"


def manifest(name: str) -> Any:
    """One of the two."""
    return json.loads((FOLDER / name).read_text())


@pytest.mark.parametrize("name", ["manifest.json", "manifest-http.json"])
def test_a_manifest_asks_for_what_is_needed(name: str) -> None:
    """Scopes, events, the tab in which people can write; and what the fake grants is no more."""
    made = manifest(name)
    scopes = set(made["oauth_config"]["scopes"]["bot"])
    assert set(SCOPES) <= scopes
    assert scopes <= set(GRANTED)
    assert set(made["settings"]["event_subscriptions"]["bot_events"]) == set(EVENTS)
    home = made["features"]["app_home"]
    assert (home["messages_tab_enabled"], home["messages_tab_read_only_enabled"]) == (True, False)
    assert home["home_tab_enabled"]
    assert made["settings"]["interactivity"]["is_enabled"]


@pytest.mark.parametrize("name", ["manifest.json", "manifest-http.json"])
def test_a_manifest_keeps_to_slacks_limits(name: str) -> None:
    """Lengths of what people read (platform facts, 1.11)."""
    made = manifest(name)
    shown = made["display_information"]
    assert len(shown["name"]) <= 35
    assert len(shown["description"]) <= 140
    assert len(made["features"]["bot_user"]["display_name"]) <= 80


def test_only_the_one_without_socket_mode_has_addresses() -> None:
    """All of them are the one route that we serve."""
    made = manifest("manifest-http.json")
    urls = [
        made["settings"]["event_subscriptions"]["request_url"],
        made["settings"]["interactivity"]["request_url"],
        made["features"]["slash_commands"][0]["url"],
    ]
    assert {url.removeprefix("https://oz.example.com") for url in urls} == {PATH}
    assert made["settings"]["socket_mode_enabled"] is False
    assert manifest("manifest.json")["settings"]["socket_mode_enabled"] is True
    assert "url" not in json.dumps(manifest("manifest.json"))
