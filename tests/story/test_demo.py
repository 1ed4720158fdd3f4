"""`oz0 demo`, as a stranger runs it: piped, refused, cut short."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

ANSWERS = "2\n2026-10-20\n2\n1\n1, 3\n2\nAurora\n"
"""One line for each thing the demo asks."""

TRANSCRIPT = """
asker → oz.ask_user {"choices":["red","blue","green"],"question":"Which colour should the report
asker ▶ user:you answered: blue
asker ← oz.ask_user The answer: blue
asker ← oz.ask_user The answer: {"on": "2026-10-20", "copies": 2}
asker ← ask_user {"status": "answered", "answers": {"answers": {"target": ["Staging (Recommended)"]
asker ← ask_a_human {"answer": "Aurora"}
"""
"""How lines of it begin."""


def demo(answers: str) -> subprocess.CompletedProcess[str]:
    """The demo in a process of its own, its answers piped."""
    return subprocess.run(
        [sys.executable, "-m", "gateway.cli", "demo"],
        input=answers,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


def test_piped_answers_run_it_through_and_print_each_contracts_result() -> None:
    """All three contracts ask, are answered, and read their results; then what to do next."""
    began = time.monotonic()
    done = demo(ANSWERS)
    assert done.returncode == 0, done.stderr
    for beginning in TRANSCRIPT.strip().splitlines():
        assert f"\n{beginning}" in done.stdout
    assert '"checks": ["Lint", "Docs"], "notify": ["Nobody"]}}}' in done.stdout
    assert done.stdout.rstrip().splitlines()[-1].startswith("That was the demo. Next: `oz0 up`")
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert time.monotonic() - began < 45


def test_bad_replies_are_refused_in_words_and_asked_again() -> None:
    """Each is told why, nothing is taken, and the demo goes on."""
    done = demo("7\nskip\n" + ANSWERS.replace("2\n1\n", "12\n2\n1\n", 1))
    assert done.returncode == 0, done.stderr
    assert "There is no option 7. Reply 1, 2 or 3." in done.stdout
    assert "This one cannot be skipped." in done.stdout
    assert "copies: It goes from 1 to 9; you wrote 12." in done.stdout


@pytest.mark.parametrize("answers", ["", "2\n2026-10-20\n"])
def test_an_input_that_ends_early_answers_nothing(answers: str) -> None:
    """The run is cancelled, it is said so, and the exit code tells scripts."""
    done = demo(answers)
    assert done.returncode == 1
    assert "The input ended while the agent still asked." in done.stdout
    assert done.stderr == ""


def test_words_of_ones_own_a_decline_and_a_skip_are_answers_too() -> None:
    """Each contract has its way out, and its agent reads which was taken."""
    done = demo("decline: ask Ana\n2026-10-20\ndone\nskip\nRed Panda\n")
    assert done.returncode == 0, done.stderr
    assert "asker ← oz.ask_user user:you declined to answer: ask Ana." in done.stdout
    assert 'asker ← oz.ask_user The answer: {"on": "2026-10-20"}' in done.stdout
    assert 'asker ← ask_user {"status": "no_answer"}' in done.stdout
    assert 'asker ← ask_a_human {"answer": "Red Panda"}' in done.stdout
