"""`oz0 plan`: how each channel would show an ask, and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gateway.cli.app import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CHOICES = {"question": "Which colour?", "choices": [f"colour {n}" for n in range(1, 31)]}


def planned(
    folder: Path, capsys: pytest.CaptureFixture[str], asked: Any, *more: str
) -> tuple[int, str, str]:
    """The exit code, and what was printed."""
    file = folder / "ask.json"
    file.write_text(asked if isinstance(asked, str) else json.dumps(asked), "utf-8")
    code = run(["plan", str(file), *more])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_each_channel_says_its_way_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Thirty options are a menu, buttons or inputs, and all of them stand in the text."""
    asked = {"tool": "oz.ask_user", "arguments": CHOICES}
    code, out, _ = planned(tmp_path, capsys, asked, "--json")
    told = json.loads(out)
    assert code == 0
    assert set(told) == {"discord", "slack", "teams", "telegram"}
    for one in told.values():
        assert one["reason"]
        assert all(f"{n}. colour {n}" in "\n".join(one["texts"]) for n in range(1, 31))
    assert told["slack"]["way"] == "menu"
    assert [len(menu) for menu in told["discord"]["menus"]] == [25, 5]


def test_one_channel_is_shown_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The text as it would look, and what can be pressed."""
    asked = {"kind": "approval", "prompt": "Delete the backups?"}
    code, out, _ = planned(tmp_path, capsys, asked, "--channel", "telegram")
    assert code == 0
    assert out.startswith("telegram: buttons. an approval has two answers.")
    assert "Delete the backups?" in out
    assert "[Approve] [Deny]" in out


def test_a_file_that_holds_no_ask_is_told_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not JSON, no tool, a bad question, no such channel: one line and how to go on."""
    for asked, words in (
        ("{", "is not JSON"),
        ([], "holds no ask"),
        ({"tool": "ask"}, "There is no tool 'ask'"),
        ({"tool": "oz.ask_user", "arguments": {}}, "holds no valid ask"),
    ):
        code, _, err = planned(tmp_path, capsys, asked)
        assert code == 1
        assert words in err
    code, _, err = planned(tmp_path, capsys, {"kind": "approval", "prompt": "x"}, "--channel", "x")
    assert code == 2
    assert "Installed here: discord, slack, teams, telegram." in err
