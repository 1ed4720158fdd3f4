"""What Microsoft publishes: the app's manifest, icons and zip, and cards, held to its schemas."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given

from channels.teams.parse import AskedLink, Did, parse
from channels.teams.render import VERSION
from channels.teams.settings import PATH
from gateway.ask import Ask
from tests.channels.teams.drawings import drawn, messages
from tests.channels.teams.test_teams_parse import NOW, typed
from tests.strategies import asks

FOLDER = Path(__file__).parents[3] / "deploy"
APP = "11111111-2222-3333-4444-555555555555"


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "teams/manifest.json").read_text("utf-8"))
    return found


def test_the_manifest_is_one_of_microsofts() -> None:
    """Held to the published schema, where that is."""
    specs = os.environ.get("OZ_SPECS")
    if not specs:
        pytest.skip("OZ_SPECS names no folder with the platforms' schemas")
    schema = json.loads((Path(specs) / "teams/manifest/MicrosoftTeams.schema.json").read_text())
    jsonschema_rs.validator_for(schema).validate(manifest())


def test_every_command_of_the_manifest_is_read() -> None:
    """What Teams offers to write is what the bot understands."""
    (listed,) = manifest()["bots"][0]["commandLists"]
    titles = [one["title"] for one in listed["commands"]]
    assert [type(parse(typed(title), NOW)) for title in titles] == [Did, Did, AskedLink]


@pytest.mark.parametrize(("name", "pixels"), [("color", 192), ("outline", 32)])
def test_icons_have_the_size_that_teams_takes(name: str, pixels: int) -> None:
    """In their own header."""
    data = (FOLDER / "teams" / manifest()["icons"][name]).read_bytes()
    assert struct.unpack(">II", data[16:24]) == (pixels, pixels)


def test_the_zip_is_the_app_of_that_bot(tmp_path: Path) -> None:
    """Three files, and the bot's id wherever it belongs."""
    subprocess.run([FOLDER / "teams/zip", APP], cwd=tmp_path, check=True, capture_output=True)
    with zipfile.ZipFile(tmp_path / "oz-teams.zip") as made:
        assert sorted(made.namelist()) == ["color.png", "manifest.json", "outline.png"]
        found = json.loads(made.read("manifest.json"))
    assert {found["id"], found["bots"][0]["botId"], found["webApplicationInfo"]["id"]} == {APP}
    ran = subprocess.run([FOLDER / "teams/zip"], capture_output=True, check=False)
    assert ran.returncode == 2


def test_the_page_names_the_endpoint() -> None:
    """And no key that the settings do not have."""
    page = (FOLDER / "teams.md").read_text("utf-8")
    assert f"https://your.address{PATH}" in page


@given(asks())
def test_cards_fit_the_published_schema(ask: Ask) -> None:
    """Every card we draw, where the schema is there to hold it to."""
    specs = os.environ.get("OZ_SPECS")
    if not specs:
        pytest.skip("OZ_SPECS names no folder with the platforms' schemas")
    validator = card_schema(Path(specs))
    for message in messages(drawn(ask, link="https://oz.example/a")):
        content = json.loads(json.dumps(message["attachments"][0]["content"]))
        # Not the schema's: the platform's own words in a card.
        del content["msteams"]
        for action in content.get("actions", []):
            action.get("data", {}).pop("msteams", None)
        validator.validate(content)


@lru_cache(maxsize=1)
def card_schema(specs: Path) -> jsonschema_rs.Draft6Validator:
    """That of the version our cards have."""
    name = f"teams/adaptivecards/adaptive-card-{VERSION}.0.json"
    return jsonschema_rs.Draft6Validator(json.loads((specs / name).read_text("utf-8")))
