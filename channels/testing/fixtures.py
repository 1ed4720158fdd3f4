"""The four fake platforms as pytest's fixtures, each started for one test.

Nothing of a platform is imported before its fixture is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest_asyncio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from channels.testing.discord import Discord
    from channels.testing.slack import Slack
    from channels.testing.teams import Teams
    from channels.testing.telegram import Telegram


@pytest_asyncio.fixture
async def fake_slack() -> AsyncIterator[Slack]:
    """A Slack workspace with one app in it."""
    from channels.testing.slack import Slack

    async with Slack() as platform:
        yield platform


@pytest_asyncio.fixture
async def fake_teams() -> AsyncIterator[Teams]:
    """A Teams tenant with one bot in it."""
    from channels.testing.teams import Teams

    async with Teams() as platform:
        yield platform


@pytest_asyncio.fixture
async def fake_discord() -> AsyncIterator[Discord]:
    """A Discord with one bot in it."""
    from channels.testing.discord import Discord

    async with Discord() as platform:
        yield platform


@pytest_asyncio.fixture
async def fake_telegram() -> AsyncIterator[Telegram]:
    """A Telegram with one bot in it."""
    from channels.testing.telegram import Telegram

    async with Telegram() as platform:
        yield platform
