"""The given scenarios, played in one process of their own as `make cases` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import runner
from tests.cases.exceptions import reason_to_skip
from tests.cases.reading import RUNS, Part, read

CASES = Path(__file__).with_name("cases.json")
STEPS = CASES.with_name("steps.json")
PARTS = {part.name: part for part in read(CASES.read_text("utf-8"))}
PLAYED = [name for name, part in PARTS.items() if reason_to_skip(part) is None]

OUTSIDE_MEMBERS = {"IA-06"}


@pytest.mark.timeout(240)
async def test_every_given_case_that_can_be_played_passes() -> None:
    """The real broker, store, clock, resume and channels' way in do what the cases expect."""
    report = await runner.run([PARTS[name] for name in PLAYED])
    assert report.failed == {}
    assert len(report.passed) == len(PLAYED)


async def test_every_step_of_the_runner_is_played() -> None:
    """Our own scenarios: one for each step and each shape that the given ones leave out."""
    parts = read(STEPS.read_text("utf-8"))
    report = await runner.run(parts)
    assert report.failed == {}
    assert len(report.passed) == len(parts)
    played = {step["t"] for part in (*PARTS.values(), *parts) for step in part.steps}
    assert played >= RUNS


def test_only_members_from_outside_are_left_out_although_their_steps_could_be_played() -> None:
    """Nothing is skipped for convenience: whatever has only the runner's steps is played."""
    left_out = {
        part.case
        for part in PARTS.values()
        if reason_to_skip(part) is not None
        and {step["t"] for step in part.steps} <= RUNS
        and not any(ask["shape"] == "none" for ask in part.asks)
    }
    assert left_out == OUTSIDE_MEMBERS


def test_a_part_with_another_step_says_which_it_needs() -> None:
    """What cannot be played is listed with its reason."""
    assert reason_to_skip(PARTS["RF-18"]) == "needs the step api"


async def test_a_case_that_expects_something_else_fails_with_what_was_found() -> None:
    """The runner can fail: it says what is and what was expected."""
    given = PARTS["RP-06/1"]
    wrong = {
        "state": {"A1": "declined"},
        "resumes": {"R1": 2},
        "answer": {"A1": {"option": "Cancel"}},
    }
    report = await runner.run([Part(given.name, given.case, given.asks, given.steps, wrong)])
    assert report.failed == {
        "RP-06/1": [
            "A1 is answered, not declined",
            "A1: option is 'Staging', not 'Cancel'",
            "R1 was resumed 1 times, not 2",
        ]
    }
    assert report.summary() == "0 passed, 1 failed, 0 skipped"


async def test_a_case_that_breaks_is_a_failure_and_the_next_is_played() -> None:
    """One broken case hides no other."""
    given = PARTS["RP-06/1"]
    broken = Part("broken", "broken", given.asks, [{"t": "redeliver", "of": "never"}], {})
    report = await runner.run([broken, given])
    assert "KeyError" in report.failed["broken"][0]
    assert report.passed == ["RP-06/1"]


def test_wrong_use_and_unreadable_files_end_with_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A file that is none is told on standard error."""
    file = tmp_path / "cases.json"
    file.write_text("{}")
    assert runner.main([]) == 2
    assert runner.main([str(file)]) == 2
    assert "one JSON list" in capsys.readouterr().err
