"""`oz0 demo --chat`, run as a person would: one ask, four chats, one tap, eight pictures."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.cli.demo_chat import CHROMIUM

PNG = b"\x89PNG\r\n"
FOUR = ("discord", "slack", "teams", "telegram")


@pytest.mark.timeout(150)
def test_one_tap_ends_it_on_all_four_and_leaves_pictures(tmp_path: Path) -> None:
    """In the folder that was named, wherever that is named from."""
    done = subprocess.run(
        [sys.executable, "-m", "gateway.cli", "demo", "--chat", "--pictures", "pictures"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "The agent reads: The answer: Let them keep it" in done.stdout
    for name in FOUR:
        assert f"  {name}: posted as " in done.stdout
        assert any(
            line.startswith(f"  {name}: ") and "Answered: Let them keep it" in line
            for line in done.stdout.splitlines()
        )
    folder = tmp_path / "pictures"
    pages = sorted(page.name for page in folder.glob("*.html"))
    assert pages == sorted(f"{n}-{name}.html" for n in ("1-asked", "2-answered") for name in FOUR)
    if not any(shutil.which(name) for name in CHROMIUM):
        if os.environ.get("CI"):
            pytest.fail("There is no Chromium to take the pictures with.")
        pytest.skip("The pages are there; the pictures want a Chromium.")
    for page in folder.glob("*.html"):
        assert page.with_suffix(".png").read_bytes().startswith(PNG)
