"""`oz0 up` with a chat, and `oz0 doctor --send`: the programs, before a fake platform."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TYPE_CHECKING

from channels.testing.town import Town
from tests.channels.acting import posted
from tests.ports import kept_port
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

UP_S = 30.0


async def test_doctor_sends_a_real_ask_and_waits_for_its_tap(tmp_path: Path) -> None:
    """The running gateway posts it; whoever taps ends it; the command says where it stood."""
    config, data = tmp_path / "oz.toml", tmp_path / "data"
    async with Town(("Ana",), ("telegram",)) as town:
        (place,) = town.places.values()
        config.write_text(town.config_file(), "utf-8")
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("OZ_")},
            "OZ_CONFIG": str(config),
            "OZ_DATA": str(data),
            "OZ_BIND": f"127.0.0.1:{kept_port()}",
        }

        async def oz0(*arguments: str) -> asyncio.subprocess.Process:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "gateway.cli", *arguments),
                env=environ,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
            )

        gateway = await oz0("up")
        try:
            await until((data / "address").exists, "the gateway serves", within_s=UP_S)
            doctor = await oz0("doctor", "--send", place.conversation, "--json")
            post = await posted(place)
            await place.platform.press(place.accounts["Ana"], post, "1. Yes, I can")
            out, _ = await doctor.communicate()
            told = json.loads(out)
            assert doctor.returncode == 0
            assert told["ask"]["status"] == "answered"
            assert [one["place"] for one in told["where"]] == [place.conversation]
            again = await oz0("doctor", "--send", "telegram:-100999", "--json")
            out, _ = await again.communicate()
            assert again.returncode == 1
            assert "goes only where a route" in json.loads(out)["message"]
        finally:
            gateway.terminate()
            await gateway.communicate()
        assert gateway.returncode == 0
