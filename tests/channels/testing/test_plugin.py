"""The pytest plugin as other projects have it: the README's example, in a folder of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[3] / "README.md"
EXAMPLE = re.compile(r"```python\n(.*?fake_telegram.*?)```", re.DOTALL)
ANOTHER = "\n\ndef test_without(): pass\n"

HIDDEN = "import sys; sys.modules['pytest_asyncio'] = None; import pytest; sys.exit(pytest.main())"
"""As where nobody installed it."""


def tried(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """What pytest says of that project's tests; nothing of ours is its configuration."""
    (folder / "pytest.ini").write_text(
        "[pytest]\naddopts = -q -p channels.testing.plugin -p no:cacheprovider\n",
        "utf-8",
    )
    (example,) = EXAMPLE.findall(README.read_text("utf-8"))
    (folder / "test_theirs.py").write_text(example + ANOTHER, "utf-8")
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_project_has_the_fake_platforms_as_fixtures(tmp_path: Path) -> None:
    """Started for their test, for the real library to talk to."""
    done = tried(tmp_path, "-m", "pytest", "-p", "pytest_asyncio.plugin")
    assert "2 passed" in done.stdout, done.stdout


def test_a_project_without_pytest_asyncio_keeps_its_tests(tmp_path: Path) -> None:
    """The gateway may be installed for something else; the fixtures are what is missing then."""
    done = tried(tmp_path, "-c", HIDDEN)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert "fixture 'fake_telegram' not found" in done.stdout
