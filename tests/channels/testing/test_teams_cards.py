"""Which cards the fake Teams refuses, how it reads their words, and that it knows the schema."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from channels.testing.teams import Teams
from channels.testing.teams.card_rules import MOST_ACTIONS, REQUIRED, SINCE, CardRefused, check
from channels.testing.teams.cards import draw, plain

ANA = "29:ana"
CHANNEL = "19:c@thread.tacv2"


def card(*body: Any, version: str = "1.5", **more: Any) -> dict[str, Any]:
    return {"type": "AdaptiveCard", "version": version, "body": list(body), **more}


def text(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "Input.Text", "id": name, **more}


SUBMIT = {"type": "Action.Submit", "title": "Go"}
EXECUTE = {"type": "Action.Execute", "title": "Go"}


@pytest.mark.parametrize(
    "good",
    [
        card(),
        card(text("a"), text("b"), version="1.0"),
        card(actions=[SUBMIT] * 6),
        card(actions=[SUBMIT] * 6 + [{**SUBMIT, "mode": "secondary"}] * 5),
        card(refresh={"action": EXECUTE, "userIds": ["29:a"] * 60}),
        card({"type": "Badge", "fallback": "drop"}),
        card({"type": "ColumnSet", "columns": [{"items": [text("a")]}]}),
        card({"type": "Input.Number", "id": "n", "min": 0, "max": 1.5}),
        card({"type": "TextBlock", "text": "x", "unknown": 1}),
    ],
)
def test_cards_that_teams_takes_are_taken(good: dict[str, Any]) -> None:
    """Each is just within what is allowed."""
    check(good)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ([], "not an object"),
        ({"version": "1.5"}, "not an object"),
        (card(version="1.6"), "not supported"),
        (card(version="1"), "is none"),
        (card({"type": "Nonsense"}), "unknown type"),
        (card({"text": "x"}), "unknown type"),
        (card({"type": "Input.Text"}), "without id"),
        (card({"type": "Input.Toggle", "id": "t"}), "without title"),
        (card({"type": "TextBlock"}), "without text"),
        (card(text("a"), text("a")), "used twice"),
        (
            card(
                text("a"),
                actions=[{"type": "Action.ShowCard", "card": card(text("a"))}],
            ),
            "used twice",
        ),
        (card(actions=[SUBMIT] * 7), "7 actions"),
        (card({"type": "ActionSet", "actions": [SUBMIT] * 7}), "7 actions"),
        (card(actions=[EXECUTE], version="1.3"), "newer version"),
        (card(text("a", isRequired=True), version="1.2"), "newer version"),
        (card(refresh={"action": SUBMIT}), "no Action.Execute"),
        (card(refresh={"action": EXECUTE, "userIds": ["29:a"] * 61}), "at most 60"),
        (card(actions=[{**SUBMIT, "style": "danger"}]), "no style"),
        (card({"type": "Input.ChoiceSet", "id": "c", "choices": [{"title": "x"}]}), "choice"),
        (card({"type": "Input.Number", "id": "n", "min": "1"}), "numbers"),
        (card({"type": "Input.Date", "id": "d", "min": "1.12.2026"}), "YYYY-MM-DD"),
        (card(text("a", regex="(")), "regex"),
        (card(actions=[{"type": "Action.OpenUrl", "url": "javascript:x"}]), "opens http"),
        (card(actions=[{**SUBMIT, "data": 5}]), "object or a string"),
        (card(actions=[{**SUBMIT, "data": {"msteams": {"type": "x"}}}]), "msteams"),
        (card({"type": "Container", "items": [{"type": "Nonsense"}]}), "unknown type"),
    ],
)
def test_cards_that_teams_does_not_take_are_refused(bad: Any, why: str) -> None:
    """Each with its reason, wherever in the card it is."""
    with pytest.raises(CardRefused, match=why):
        check(bad)


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("**bold** and _thin_ and *thin*", "bold and thin and thin"),
        ("a \\*star\\* and \\[x\\](y)", "a *star* and [x](y)"),
        ("snake_case_word and 2*3*4", "snake_case_word and 2*3*4"),
        ("[here](https://example.org)", "here"),
        ("1 &lt; 2 &amp; 3", "1 < 2 & 3"),
        ("\\&lt;", "&lt;"),
        ("one\ntwo", "one two"),
        ("one\n\ntwo", "one\ntwo"),
        ("one\r\n\r\ntwo", "one\ntwo"),
        ("list:\n1. a\n2. b", "list:\n1. a\n2. b"),
    ],
)
def test_markdown_is_read_as_people_see_it(written: str, seen: str) -> None:
    """Marks are gone, escapes are not marks, and a single line break is no line break."""
    assert plain(written) == seen


def test_hidden_parts_are_not_seen_and_still_sent() -> None:
    """A hidden input is not drawn, but the action beside it has it."""
    hidden = {"type": "Container", "isVisible": False, "items": [text("a")]}
    drawn = draw(card(hidden, text("b"), actions=[SUBMIT]))
    assert [one["id"] for one in drawn.inputs] == ["b"]
    assert [one["id"] for one in drawn.actions[0].inputs] == ["a", "b"]


# Held to the published schemas, where they are


@pytest.fixture(scope="module")
def specs() -> Path:
    """The folder with the platforms' own schemas, named by OZ_SPECS."""
    found = os.environ.get("OZ_SPECS")
    if not found or not (Path(found) / "teams").is_dir():
        pytest.skip("OZ_SPECS names no folder with the platforms' schemas")
    return Path(found) / "teams"


def _requirements(schema: dict[str, Any], name: str) -> Iterator[str]:
    found = schema["definitions"][name]
    yield from found.get("required", [])
    for part in found.get("allOf", []):
        yield from _requirements(schema, part["$ref"].split("/")[-1])


def test_the_rules_are_those_of_the_schema(specs: Path) -> None:
    """Types, what they need and since when they are there agree with schema 1.5."""
    schema = json.loads((specs / "adaptivecards/adaptive-card-1.5.0.json").read_text("utf-8"))
    for name, required in REQUIRED.items():
        assert sorted(_requirements(schema, name)) == sorted(required), name
        version = schema["definitions"][name].get("version", "1.0")
        assert SINCE.get(name, (1, 0)) == tuple(map(int, version.split("."))), name
    host = json.loads(
        (specs / "adaptivecards/HostConfig-microsoft-teams-light.json").read_text("utf-8")
    )
    assert host["actions"]["maxActions"] == MOST_ACTIONS


async def test_activities_fit_the_published_protocol(specs: Path) -> None:
    """Every activity the fake sends, and every answer it gives, is one of the protocol's."""
    swagger = json.loads((specs / "botframework/botframework-channel.json").read_text("utf-8"))

    def validate(name: str, value: Any) -> None:
        known = set(swagger["definitions"][name]["properties"])
        jsonschema_rs.Draft4Validator({**swagger, "$ref": f"#/definitions/{name}"}).validate(value)
        assert set(value) <= known, set(value) - known

    async with Teams() as teams:
        teams.person(ANA, "Ana")
        teams.channel(CHANNEL, members=[ANA])
        teams.hold()
        message = await teams.type(ANA, CHANNEL, "@AskBot hello")
        await teams.edit(ANA, CHANNEL, message, "@AskBot 2")
        await teams.delete(ANA, CHANNEL, message)
        await teams.type(ANA, teams.chat(ANA), "")
        await teams.uninstall(CHANNEL, by=ANA)
        await teams.install(CHANNEL, by=ANA)
        await teams.leave(ANA, CHANNEL)
        await teams.join(ANA, CHANNEL)
        await teams.release()
        for activity in teams.bot.sent:
            for attachment in activity.get("attachments", []):
                # The document knows objects only; Teams puts the HTML there as it is.
                attachment.pop("content", None)
            validate("Activity", activity)
            validate("ChannelAccount", activity["from"])
            validate("ConversationAccount", activity["conversation"])
        assert len(teams.bot.sent) == 10
