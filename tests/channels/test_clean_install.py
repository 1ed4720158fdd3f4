"""With one channel's extra installed nothing of the others is needed, or as much as asked for.

Packages that `pip install oz-gateway[slack]` would not bring cannot be imported in the processes
of these tests, whatever is installed here.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from channels.testing.town import Place, Town
from tests.channels.acting import posted
from tests.channels.slack.rooms import without_proxy
from tests.channels.test_up import UP_S
from tests.ports import kept_port
from tests.waiting import until

CHANNELS = ("slack", "teams", "discord", "telegram")
SDKS = {
    "slack": {"slack_bolt", "slack_sdk"},
    "teams": {"botbuilder", "botframework", "msal", "msrest"},
    "discord": {"discord"},
    "telegram": {"telegram", "httpx"},
}
EVERY_SDK = frozenset[str]().union(*SDKS.values())
ASK = {"tool": "oz.ask_user", "arguments": {"question": "Which?", "choices": ["red", "blue"]}}


def brought(name: str, extras: frozenset[str], found: dict[str, set[str]]) -> None:
    """Adds to `found` the packages that pip would install for that one, with their extras."""
    seen = found.setdefault(name, set())
    if name in found and extras <= seen and seen:
        return
    seen |= extras | {""}
    try:
        wanted = requires(name) or []
    except PackageNotFoundError:
        return  # for another platform or Python
    for text in wanted:
        one = Requirement(text)
        fits = one.marker is None or any(one.marker.evaluate({"extra": e}) for e in seen)
        inner = frozenset(one.extras) | {""}
        if fits and not inner <= found.get(canonicalize_name(one.name), set()):
            brought(canonicalize_name(one.name), inner, found)


def absent(*extras: str) -> frozenset[str]:
    """The top-level modules that are here, and would not be with those extras alone."""
    found: dict[str, set[str]] = {}
    brought("oz-gateway", frozenset(extras), found)
    return frozenset(
        module
        for module, packages in packages_distributions().items()
        if not any(canonicalize_name(one) in found for one in packages)
    )


@dataclass(frozen=True, slots=True)
class Clean:
    """Processes that have only what some extras bring. `asked` is what they asked for in vain."""

    environ: Mapping[str, str]
    file: Path

    async def oz0(self, *arguments: str, **environ: str) -> asyncio.subprocess.Process:
        """A command, begun."""
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "gateway.cli", *arguments),
            env={**self.environ, **environ},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def done(self, *arguments: str, **environ: str) -> str:
        """What a command said that succeeded."""
        process = await self.oz0(*arguments, **environ)
        out, err = await process.communicate()
        assert process.returncode == 0, (out.decode(), err.decode())
        return out.decode()

    def asked(self) -> set[str]:
        if not self.file.exists():
            return set()
        return {one.partition(".")[0] for one in self.file.read_text("utf-8").split()}


def clean(folder: Path, *extras: str) -> Clean:
    """An environment with those extras; the engine comes as `embedded`."""
    here = Path(__file__).resolve()
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OZ_")}
    asked = folder / "asked"
    return Clean(
        plain
        | {
            "PYTHONPATH": os.pathsep.join((str(here.parent / "absent"), str(here.parents[2]))),
            "TESTS_ABSENT": " ".join(absent("embedded", *extras)),
            "TESTS_ASKED": str(asked),
            "OZ_DATA": str(folder / "data"),
            "OZ_BIND": f"127.0.0.1:{kept_port()}",
            "OZ_HOOKS": f"127.0.0.1:{kept_port()}",
        },
        asked,
    )


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    without_proxy(monkeypatch)


@pytest.mark.parametrize("name", CHANNELS)
def test_an_extra_brings_its_own_library_and_no_other(name: str) -> None:
    """By what pip would install for it; otherwise these tests would show nothing."""
    missing = absent("embedded", name)
    assert not missing & SDKS[name]
    for other in CHANNELS:
        assert other == name or SDKS[other] <= missing


@pytest.mark.parametrize("name", CHANNELS)
async def test_with_one_channel_installed_the_others_are_neither_needed_nor_imported(
    name: str, tmp_path: Path
) -> None:
    """`oz0 plan`, `oz0 doctor`, and a gateway that asks and gets its answer there."""
    made = clean(tmp_path, name)
    ask = tmp_path / "ask.json"
    ask.write_text(json.dumps(ASK), "utf-8")
    planned = json.loads(await made.done("plan", str(ask), "--json"))
    assert all(one in json.dumps(planned) for one in CHANNELS)
    async with Town(names=(name,)) as town:
        (place,) = town.places.values()
        config = tmp_path / "oz.toml"
        config.write_text(town.config_file(), "utf-8")
        town.connect(f"http://{made.environ['OZ_HOOKS']}")
        found = json.loads(await made.done("doctor", "--json", OZ_CONFIG=str(config)))
        assert all(one["fine"] for one in found)
        assert {one["of"] for one in found} >= {"redis", "routes", name}
        assert await _answered(made, place, str(config)) == "answered"
    assert not made.asked() & EVERY_SDK


async def test_a_gateway_without_channels_imports_none(tmp_path: Path) -> None:
    """Nothing is asked for that is not there, and an ask waits."""
    made = clean(tmp_path)
    assert all(SDKS[name] <= absent("embedded") for name in CHANNELS)
    process = await made.oz0("up")
    try:
        await _serving(made)
        assert (await _asked(made))["status"] == "pending"
    finally:
        process.terminate()
        await process.communicate()
    assert process.returncode == 0
    assert not made.asked() & EVERY_SDK


async def test_a_channel_whose_library_is_missing_is_named(tmp_path: Path) -> None:
    """What was asked for in vain is seen by these tests, and told by the doctor."""
    made = clean(tmp_path, "telegram")
    config = tmp_path / "oz.toml"
    async with Town(names=("slack",)) as town:
        config.write_text(town.config_file(), "utf-8")
        process = await made.oz0("doctor", "--json", OZ_CONFIG=str(config))
        out, _ = await process.communicate()
    wrong = [one for one in json.loads(out) if not one["fine"]]
    assert process.returncode == 1
    assert ["pip install 'oz-gateway[slack]'" in one["mend"] for one in wrong] == [True]
    assert made.asked() & SDKS["slack"]


async def _answered(made: Clean, place: Place, config: str) -> str:
    """How an ask ended that somebody answered by a press."""
    process = await made.oz0("up", OZ_CONFIG=config)
    try:
        await _serving(made)
        await place.platform.listened_to()
        ask = await _asked(made)
        post = await posted(place)
        await place.platform.press(place.accounts["Ana"], post, "1. red")

        result = f"/v1/asks/{ask['id']}/result"

        async def ended() -> bool:
            return bool((await _call(made, "GET", result))["status"] != "pending")

        await until(ended, "the ask ends")
        told = await _call(made, "GET", result)
    finally:
        process.terminate()
        await process.communicate()
    assert process.returncode == 0
    return str(told["status"])


async def _serving(made: Clean) -> None:
    address = Path(made.environ["OZ_DATA"]) / "address"
    await until(address.exists, "the gateway serves", within_s=UP_S)


async def _asked(made: Clean) -> Any:
    run = await _call(made, "POST", "/v1/runs", {"agent": "asker"})
    body = {**ASK, "call_id": "c"}
    return (await _call(made, "POST", f"/v1/runs/{run['id']}/asks", body))["ask"]


async def _call(made: Clean, method: str, path: str, body: Any = None) -> Any:
    token = (Path(made.environ["OZ_DATA"]) / "token").read_text("utf-8").strip()
    url = f"http://{made.environ['OZ_BIND']}{path}"
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.request(method, url, json=body) as answer,
    ):
        assert answer.status < 300, await answer.text()
        return await answer.json()
