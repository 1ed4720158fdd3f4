"""`oz0 job`: what a run did and does, as a transcript, and its end."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from gateway.cli.failure import Failure
from gateway.cli.output import AsJson, note, say, say_json

if TYPE_CHECKING:
    from gateway.cli.client import Client
    from gateway.cli.transcript import Line

app = typer.Typer(name="job", help="Runs: watch one, read its history, end it.")

Job = Annotated[str, typer.Argument(metavar="JOB", help="The run: job-…")]

AGAIN_S = (0.2, 0.5, 1.0, 2.0)
"""Ours: pauses before a broken stream is opened again; the last one repeats."""

STYLES = {"→": "dim", "?": "bold yellow", "▶": "bold green", "←": "cyan", "·": "dim", "": "dim"}


@app.command()
def watch(job: Job, *, as_json: AsJson = False) -> None:
    """Follow a run until it ends: what it asks, who answers, what it reads."""
    from gateway.cli.client import Client

    with Client() as client:
        printer = _Printer(client, job, as_json=as_json)
        for event in _follow(client, job):
            printer.show(event)


@app.command()
def history(job: Job, *, as_json: AsJson = False) -> None:
    """Print what a run has done so far."""
    from gateway.cli.client import Client

    with Client() as client:
        told = client.get(f"{_path(job)}/history")
        if as_json:
            say_json(told)
            return
        printer = _Printer(client, job, as_json=False)
        for event in told["events"]:
            printer.show(event)


@app.command()
def end(
    job: Job,
    status: Annotated[str, typer.Option(help="finished, failed or cancelled.")] = "cancelled",
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """End a run; what it still asks is withdrawn."""
    from gateway.cli.client import Client

    body = {"status": status} | ({} if reason is None else {"reason": reason})
    with Client() as client:
        told = client.post(f"{_path(job)}/end", body)
    if as_json:
        say_json(told)
        return
    from rich.text import Text

    say(Text(f"{job} has ended: {told['status']}."))


def _path(job: str) -> str:
    return f"/v1/runs/{quote(job, safe='')}"


def _follow(client: Client, job: str) -> Iterator[dict[str, Any]]:
    """The run's events, each once, until it has ended, over as many connections as it takes."""
    last: str | None = None
    failed = 0
    while True:
        try:
            for event in client.events(f"{_path(job)}/events", last):
                last = event.id
                failed = 0
                told = json.loads(event.data)
                yield told
                if told["type"] == "run.ended":
                    return
        except ConnectionError:
            pass
        except Failure as failure:
            # A gateway that just came back may not reach its store yet.
            if failure.body["code"] != "unavailable" or last is None:
                raise
        if last is None:
            raise client.unreachable()
        # A stream that was cut ends like one that is done: http.client tells no difference.
        if failed == 0:
            note("the connection broke; trying again")
        time.sleep(AGAIN_S[min(failed, len(AGAIN_S) - 1)])
        failed += 1


class _Printer:
    """Prints one run's events as they come."""

    def __init__(self, client: Client, job: str, *, as_json: bool) -> None:
        self._client = client
        self._as_json = as_json
        self._agent = "" if as_json else client.get(_path(job))["agent"]

    def show(self, event: dict[str, Any]) -> None:
        if self._as_json:
            say_json(event)
            return
        from gateway.cli.transcript import lines

        for line in lines(self._agent, event, self._ask):
            self._print(line)

    def _print(self, line: Line) -> None:
        from rich.text import Text

        say(Text(line.text, style=STYLES[line.mark]))

    def _ask(self, ask_id: str) -> dict[str, Any] | None:
        try:
            return self._client.get(f"/v1/asks/{ask_id}")["ask"]  # type: ignore[no-any-return]
        except Failure as failure:
            if failure.body["code"] != "not_found":
                raise
            return None  # a sub-run's that is not ours to see, or gone with its run
