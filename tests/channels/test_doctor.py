"""`oz0 doctor` against each fake platform set wrong: every fault is named, with how to mend it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from channels.testing.town import Place, Town
from gateway.cli.doctor import Found, _examine, _print
from tests.channels.gatewayed import settings
from tests.channels.set_wrong import ALL, Wrong
from tests.channels.slack.rooms import without_proxy

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
