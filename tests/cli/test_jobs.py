"""`oz0 job`: a run's transcript as it happens, from its history, and over broken connections."""

from __future__ import annotations

import json

from tests.cli.running import COLOURS, TYPED, Gateway, oz0, reading, short_folder, start
from tests.ports import kept_port


def test_watching_prints_the_originals_transcript(up: Gateway) -> None:
    """Called, asked, the command that answers, answered, read: to the letter, then the end."""
    job = up.run()
    with reading(up, "job", "watch", job) as watch:
        watch.until("has begun")
        ask = up.ask(job, COLOURS)
        watch.until(f"oz0 approval answer {job} {ask}")
        up.call("POST", f"/v1/asks/{ask}/answer", {"answer": "blue"})
        watch.until("← oz.ask_user")
        up.call("POST", f"/v1/runs/{job}/end", {"status": "finished"})
        assert watch.end() == 0
    arguments = '{"choices":["red","blue"],"question":"Which colour should the report use?"}'
    assert watch.lines == [
        f"asker · {job} has begun",
        f"asker → oz.ask_user {arguments}",
        f"asker ? asks {ask}: Which colour should the report use? [red / blue]",
        f'  oz0 approval answer {job} {ask} "..."   (or deny)',
        "asker ▶ owner:admin answered: blue",
        "asker ← oz.ask_user The answer: blue",
        f"asker · {job} has ended: finished",
    ]


def test_history_prints_what_was_and_no_command_for_what_is_over(up: Gateway) -> None:
    """A settled ask needs no command any more; a waiting one shows its fields and its command."""
    job = up.run()
    first = up.ask(job, COLOURS)
    up.call("POST", f"/v1/asks/{first}/decline", {"reason": "ask Ana"})
    second = up.ask(job, TYPED, call_id="c2")
    lines = up.here("job", "history", job).stdout.splitlines()
    assert not [line for line in lines if first in line and "oz0" in line]
    assert "asker ▶ owner:admin declined: ask Ana" in lines
    assert "asker ← oz.ask_user owner:admin declined to answer: ask Ana." in lines
    asked = f"asker ? asks {second}: {TYPED['question']} {{on: date, copies: number}}"
    at = lines.index(asked)
    assert lines[at + 1] == "  on: Send on"
    assert lines[at + 2].startswith(f"  oz0 approval answer {job} {second} '{{")


def test_json_gives_the_events_as_the_api_tells_them(up: Gateway) -> None:
    """One event a line from `watch`, one list from `history`."""
    job = up.run()
    ask = up.ask(job, COLOURS)
    up.call("POST", f"/v1/runs/{job}/end", {"status": "failed", "reason": "no paper"})
    watched = [
        json.loads(line) for line in up.here("job", "watch", job, "--json").stdout.splitlines()
    ]
    assert [event["type"] for event in watched] == [
        *("run.created", "ask.opened", "ask.cancelled", "run.ended"),
    ]
    assert up.json("job", "history", job)["events"] == watched
    assert watched[1]["ask_id"] == ask


def test_who_may_not_see_content_watches_without_it(up: Gateway) -> None:
    """The transcript says that somebody was asked and has answered, and not what."""
    token = up.here("token", "make", "reader", "--role", "reader").stdout.strip()
    job = up.run()
    ask = up.ask(job, COLOURS)
    up.call("POST", f"/v1/asks/{ask}/answer", {"answer": "blue"})
    shown = up.here("job", "history", job, OZ_TOKEN=token).stdout
    assert f"asker ? asks {ask}: (you may not see the question)" in shown
    assert "asker ▶ owner:admin answered" in shown.splitlines()
    assert "blue" not in shown
    assert "colour" not in shown


def test_a_sub_runs_question_shows_on_its_callers_transcript(up: Gateway) -> None:
    """With the command that answers the sub-run itself."""
    caller = up.run()
    child = up.run(agent="helper", parent=caller)
    ask = up.ask(child, {"question": "Which file?"}, tool="ask_a_human")
    with reading(up, "job", "watch", caller) as watch:
        watch.until(f"asker · its sub-run {child} asks")
        watch.until(f"helper ? asks {ask}: Which file?")
        watch.until(f'  oz0 approval answer {child} {ask} "..."')


def test_a_run_that_asks_nobody_says_so(up: Gateway) -> None:
    """The mode is part of the transcript."""
    job = up.run(on_question="none")
    body = {"tool": "ask_a_human", "arguments": {"question": "Which?"}, "call_id": "c1"}
    up.call("POST", f"/v1/runs/{job}/asks", body)
    shown = up.here("job", "history", job).stdout
    assert "asker · nobody was asked, because on_question is none" in shown


def test_ending_a_run_withdraws_what_it_asks(up: Gateway) -> None:
    """`job end` is `cancelled` unless it says otherwise, and what waited waits no more."""
    job = up.run()
    ask = up.ask(job, COLOURS)
    done = up.oz0("job", "end", job, "--reason", "changed my mind")
    assert (done.returncode, done.stdout) == (0, f"{job} has ended: cancelled.\n"), done.stderr
    assert up.result(ask) == "The question was withdrawn."
    late = up.here("approval", "answer", job, ask, "blue")
    assert late.returncode == 1
    assert "Too late: The question was withdrawn" in late.stderr
    assert up.here("job", "end", job, "--status", "done").returncode == 1


def test_a_run_that_is_not_there_is_refused(up: Gateway) -> None:
    """Exit code 1, in one line; nothing is watched forever."""
    for command in ("watch", "history", "end"):
        done = up.here("job", command, "job-00000000-0000-0000-0000-000000000000")
        assert done.returncode == 1
        assert done.stderr.startswith("oz0: There is no run ")


def test_watching_goes_on_where_it_was_after_the_gateway_was_killed() -> None:
    """Every event is printed once, although the connection broke and the gateway was away."""
    port = kept_port()
    with short_folder() as root:
        environ = {"OZ_DATA": f"{root}/data", "OZ_BIND": f"127.0.0.1:{port}"}
        first = start(**environ)
        try:
            job = first.run()
            ask = first.ask(job, COLOURS)
            with reading(first, "job", "watch", job) as watch:
                watch.until("(or deny)")
                first.kill()
                watch.until("the connection broke")
                second = start(**environ)
                second.call("POST", f"/v1/asks/{ask}/answer", {"answer": "red"})
                second.call("POST", f"/v1/runs/{job}/end", {"status": "finished"})
                assert watch.end() == 0
                assert second.stop() == 0
        finally:
            first.kill()
    told = [line for line in watch.lines if not line.startswith("oz0:")]
    assert len(told) == len(set(told)) == 7
    assert told[-1] == f"asker · {job} has ended: finished"


def test_a_reader_that_goes_away_ends_the_command_quietly(up: Gateway) -> None:
    """`oz0 job history … | head -1` complains of nothing."""
    job = up.run()
    for n in range(20):
        up.ask(job, COLOURS, call_id=f"c{n}")
    import subprocess

    from tests.cli.running import OZ0

    piped = subprocess.run(
        ["sh", "-c", f"{' '.join(OZ0)} job history {job} | head -1"],
        env=up.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (piped.stdout, piped.stderr) == (f"asker · {job} has begun\n", "")
    assert oz0("job", environ=up.environ).returncode == 2
