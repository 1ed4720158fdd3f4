"""The manifests we hand out: what they ask for is what the adapter needs, and Slack takes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.slack.examine import SCOPES
from channels.slack.manifest import EVENTS as NEEDED
from channels.slack.manifest import findings
from channels.slack.settings import PATH, Settings
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
    assert set(made["settings"]["event_subscriptions"]["bot_events"]) == set(EVENTS) == set(NEEDED)
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


@pytest.mark.parametrize(
    ("name", "mode"), [("manifest.json", "socket"), ("manifest-http.json", "http")]
)
def test_the_doctor_has_nothing_against_a_manifest_of_ours(name: str, mode: str) -> None:
    """What it reads there is what we hand out, in the mode that each is for and in no other."""
    tokens = {"bot_token": "xoxb-1", "app_token": "xapp-1", "signing_secret": "x"}
    for tried in ("socket", "http"):
        found = list(findings(manifest(name), Settings.model_validate(tokens | {"mode": tried})))
        assert all(one.fine for one in found) is (tried == mode)
        assert all(bool(one.mend) is not one.fine for one in found)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"settings": {"interactivity": {"is_enabled": False}}}, "Switch Interactivity on"),
        ({"features": {"slash_commands": [{"command": "/other"}]}}, "Add the command /oz"),
        (
            {
                "features": {
                    "app_home": {
                        "messages_tab_enabled": True,
                        "messages_tab_read_only_enabled": True,
                    }
                }
            },
            "let users send messages from it",
        ),
    ],
)
def test_what_a_manifest_lacks_is_named(change: dict[str, Any], said: str) -> None:
    """With the page of Slack's where it is mended."""
    changed = {key: value | change.get(key, {}) for key, value in OURS.items()}
    settings = Settings.model_validate({"bot_token": "xoxb-1", "app_token": "xapp-1"})
    (fault,) = [one for one in findings(changed, settings) if not one.fine]
    assert said in fault.mend


OURS = {
    key: value
    for key, value in manifest("manifest.json").items()
    if key in ("features", "settings")
}

KEYS = [
    "features",
    "settings",
    "slash_commands",
    "app_home",
    "command",
    "url",
    "/oz",
    "event_subscriptions",
    "bot_events",
    "interactivity",
    "request_url",
]

parts = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner | st.just("/oz") | st.just("http://[") | st.just("message.im"),
            max_size=4,
        )
    ),
)


@given(found=st.dictionaries(st.sampled_from(["features", "settings"]), parts))
@pytest.mark.parametrize("mode", ["socket", "http"])
def test_any_manifest_is_read(found: Any, mode: str) -> None:
    """Whatever Slack makes of it one day."""
    tokens = {"bot_token": "xoxb-1", "app_token": "xapp-1", "signing_secret": "x", "mode": mode}
    told = list(findings(found, Settings.model_validate(tokens)))
    assert all(bool(one.mend) is not one.fine for one in told)
