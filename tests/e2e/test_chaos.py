"""The short run of `make chaos`."""

from __future__ import annotations

import pytest

from tests.chaos import Chaos


@pytest.mark.timeout(120)
async def test_asks_survive_the_killing_of_gateway_and_engine() -> None:
    """None is lost, none is settled twice, each run is told, while both are killed at random."""
    report = await Chaos(asks=300, seed=7, kill_every_s=(0.1, 0.6)).run()
    assert report.clean, str(report)
    assert report.kills["gateway"], "no gateway was killed: the run proved nothing"
    assert report.kills["engine"], "no engine was killed: the run proved nothing"
