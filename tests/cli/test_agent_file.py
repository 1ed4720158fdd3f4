"""What is wrong with an agent's file, and where: `gateway.agent_file`, and `oz0 lint` on top."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.agent_file import Fault, check
from tests.cli.running import oz0

CLEAN = """\
name: acme-support
runtime: pydantic-ai
model:
  primary: anthropic/claude-sonnet-5-5
tools: [acme_crm.find_order, acme_crm.refund, oz.ask_user]
ask_user:
  timeout: 4h            # how long a question waits
  on_timeout: continue
approvals:
  escalation:
    - {after: 15m, to: answerers}
    - {after: 0.5, to: person, person: ana, event: approval.escalated}
    - {after: .75, to: admins}
limits: {timeout: 1d 12h}
permissions: true
"""


def test_a_sound_file_has_no_fault() -> None:
    """Every key that is known, in every form it takes."""
    assert check(CLEAN) == ()
    assert check("approvals: {escalation: off, escalation_reason: nobody is on call}") == ()
    assert check("x: &x {timeout: 4h}\n".replace("x:", "limits:") + "ask_user: {<<: *x}\n") == ()


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("ask_user:\n  on_timout: x\n", 2, 3, "ask_user.on_timout: There is no such key. Did you"),
        ("ask_user:\n  on_timout: x\n", 2, 3, "Did you mean on_timeout?"),
        ("nmae: x\n", 1, 1, "Did you mean name?"),
        ("ask_user: {timeout: 90}\n", 1, 21, "ask_user.timeout: A wait is written like"),
        ("ask_user: {timeout: 4:00:00}\n", 1, 21, "A wait is written like"),
        ("limits:\n  timeout: 4 hours\n", 2, 12, "limits.timeout: A wait is written like"),
        ("limits: {timeout: 99999d}\n", 1, 19, "at most 3650 days"),
        ("ask_user: {on_timeout: contine}\n", 1, 24, "Did you mean continue?"),
        ("tools: [a.b, oz.ask_human]\n", 1, 14, "Write oz.ask_user."),
        ("tools: [oz.ask_usr]\n", 1, 9, "Did you mean oz.ask_user?"),
        ("tools: oz.ask_user\n", 1, 8, "Write a list of tools"),
        ("approvals: {escalation: off}\n", 1, 25, "say why in escalation_reason"),
        ("approvals: {escalation: []}\n", 1, 25, "say why in escalation_reason"),
        ('approvals: {escalation: "off", escalation_reason: " "}\n', 1, 51, "Write a text."),
        ("approvals: {escalation: [{to: owner}]}\n", 1, 26, "escalation[0].after: Needed"),
        ("approvals: {escalation: [{after: 1.5}]}\n", 1, 34, "escalation[0].after"),
        ("approvals: {escalation: [{after: 15}]}\n", 1, 34, "escalation[0].after"),
        ("approvals: {escalation: [{after: 1m, to: ownr}]}\n", 1, 42, "Did you mean owner?"),
        ("approvals: {escalation: [{after: 1m, to: person}]}\n", 1, 26, "id of the person"),
        ("approvals: {escalation: [{after: 1m, person: x}]}\n", 1, 46, "Only for `to: person`."),
        ("name: a\nname: b\n", 2, 1, "Written twice"),
        ("permissions: maybe\n", 1, 14, "true or false"),
        ("model: gpt\n", 1, 8, "Write a table of primary."),
        ("- a\n", 1, 1, "Write a table of name"),
        ("", 1, 1, "The file is empty."),
        ("a: [\n", 2, 1, "Not YAML: "),
        ("a: \x00\n", 1, 1, "Not YAML: "),
        ("a: 1\n---\nb: 2\n", 2, 1, "Not YAML: "),
        ("[" * 1000, 1, 1, "nested too deeply"),
        ("#" * 1_048_577, 1, 1, "1,048,576 is the most"),
    ],
)  # fmt: skip
def test_a_fault_has_its_place_and_what_to_write_instead(
    text: str, line: int, column: int, words: str
) -> None:
    """One fault, at the line and column an editor jumps to."""
    [fault] = check(text)
    assert (fault.line, fault.column) == (line, column)
    assert words in fault.message


def test_all_faults_come_at_once_in_the_files_order() -> None:
    """Nobody mends a file one run of the tool at a time."""
    faults = check("tool: x\ntools: [oz.ask_human]\nlimits: {timeout: soon}\n")
    assert [fault.line for fault in faults] == [1, 2, 3]


@given(
    st.text(alphabet=st.sampled_from(list("abot_user:[]{}&*<-?|>'\"#%@ \n\t0.é\x85\u2028\ud800")))
)
def test_any_text_whatever_is_checked(text: str) -> None:
    """It is total: faults come out, never an exception."""
    for fault in check(text):
        assert fault.line >= 1
        assert fault.column >= 1


KEYS = ["name", "tools", "ask_user", "approvals", "escalation", "after", "to", "timeout", "<<"]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)


@given(
    st.recursive(
        SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_any_document_whatever_is_checked(document: object) -> None:
    """Every shape under every key: JSON is YAML."""
    assert all(isinstance(fault, Fault) for fault in check(json.dumps(document)))


def test_lint_prints_one_line_a_fault_and_exits_1(tmp_path: Path) -> None:
    """file:line:column: message; a clean file prints nothing and exits 0."""
    bad, good = tmp_path / "bad.yaml", tmp_path / "good.yaml"
    bad.write_text("tools: [oz.ask_human]\nask_user: {timeout: soon}\n", "utf-8")
    good.write_text(CLEAN, "utf-8")
    done = oz0("lint", str(good), str(bad))
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first.startswith(f"{bad}:1:9: ")
    assert second.startswith(f"{bad}:2:21: ask_user.timeout: ")
    clean = oz0("lint", str(good))
    assert (clean.returncode, clean.stdout, clean.stderr) == (0, "", "")
    told = json.loads(oz0("lint", "--json", str(bad)).stdout)
    assert [(fault["line"], fault["column"]) for fault in told] == [(1, 9), (2, 21)]


def test_lint_of_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    """A folder, a missing file, bytes that are no text."""
    odd = tmp_path / "odd.yaml"
    odd.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path, tmp_path / "none.yaml", odd):
        done = oz0("lint", str(path))
        assert done.returncode == 1
        assert done.stderr.startswith(f"oz0: {path} ")
    assert oz0("lint").returncode == 2
