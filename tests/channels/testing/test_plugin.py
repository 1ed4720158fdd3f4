"""The pytest plugin as other projects have it: their tests, in a folder of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = """
import channels.testing.slack, channels.testing.telegram

async def test_with_two(fake_slack, fake_telegram):
    assert isinstance(fake_slack, channels.testing.slack.Slack)
    assert fake_telegram.calls == []

def test_without():
    pass
"""
HIDDEN = "import sys; sys.modules['pytest_asyncio'] = None; import pytest; sys.exit(pytest.main())"
"""As where nobody installed it."""


def tried(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """What pytest says of that project's tests; nothing of ours is its configuration."""
    (folder / "pytest.ini").write_text(
        "[pytest]\naddopts = -q -p channels.testing.plugin -p no:cacheprovider\n",
        "utf-8",
    )
    (folder / "test_theirs.py").write_text(TESTS, "utf-8")
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_project_has_the_fake_platforms_as_fixtures(tmp_path: Path) -> None:
    """Each of them started, and gone after the test."""
    done = tried(tmp_path, "-m", "pytest", "-p", "pytest_asyncio.plugin", "--asyncio-mode=auto")
    assert "2 passed" in done.stdout, done.stdout


def test_a_project_without_pytest_asyncio_keeps_its_tests(tmp_path: Path) -> None:
    """The gateway may be installed for something else; the fixtures are what is missing then."""
    done = tried(tmp_path, "-c", HIDDEN)
    assert "1 passed, 1 error" in done.stdout, done.stdout + done.stderr
    assert "fixture 'fake_slack' not found" in done.stdout
