"""A pytest plugin: the fixtures of `channels.testing.fixtures`.

Pytest loads it wherever the gateway is installed; without pytest-asyncio, which comes with
`pip install oz-gateway[testing]`, it brings nothing and breaks nothing.
"""

from __future__ import annotations

from contextlib import suppress

with suppress(ImportError):  # of pytest-asyncio, the one thing that module imports
    from channels.testing.fixtures import fake_discord, fake_slack, fake_teams, fake_telegram

    __all__ = ["fake_discord", "fake_slack", "fake_teams", "fake_telegram"]
