"""`oz0 approval`: what waits for people, and people's words to it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gateway.cli.failure import Failure
from gateway.cli.output import AsJson, say, say_json
from gateway.cli.streams import read_input

if TYPE_CHECKING:
    from gateway.cli.asking import Ask
    from gateway.cli.client import Client

app = typer.Typer(
    name="approval",
    help="What waits for people: list, show, answer, approve, deny, skip.",
)

Job = Annotated[str, typer.Argument(metavar="JOB", help="The run: job-…")]
AskId = Annotated[str, typer.Argument(metavar="ASK", help="The question or approval: a-…")]
Comment = Annotated[str | None, typer.Option(help="Why, for the agent to read.")]

PAGE = 200
"""The most that one call of the API gives."""


@app.command("list")
def list_(
    job: Annotated[str | None, typer.Option(help="Only this run's.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, oldest first.")] = 50,
    *,
    as_json: AsJson = False,
) -> None:
    """List the questions and approvals that wait, oldest first."""
    from gateway.cli.client import Client

    with Client() as client:
        found = list(_pending(client, job, limit + 1))
    shown, more = found[:limit], len(found) > limit
    if as_json:
        say_json({"asks": shown, "more": more})
        return
    from rich.text import Text

    for ask in shown:
        say(*_entry(ask))
    if not shown:
        say(Text("Nothing waits for an answer."))
    if more:
        say(Text(f"More wait; --limit {limit * 2} shows more of them."))


@app.command()
def show(job: Job, ask_id: AskId, *, as_json: AsJson = False) -> None:
    """Show one question or approval whole."""
    from gateway.cli.client import Client

    with Client() as client:
        ask = _read(client, job, ask_id)
    if as_json:
        say_json({"ask": ask})
        return
    from gateway.cli.ask_page import page

    say(*page(ask, datetime.now().astimezone()))


@app.command()
def answer(
    job: Job,
    ask_id: AskId,
    answer: Annotated[
        str,
        typer.Argument(
            metavar="ANSWER",
            help="A whole label or words; one JSON object for typed questions. - reads it from "
            "standard input; one that begins with - stands after --.",
        ),
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Answer a question."""
    text = answer
    if answer == "-":
        text = read_input().removesuffix("\n")
    from gateway.cli.client import Client

    with Client() as client:
        ask = _read(client, job, ask_id)
        _settle(client, ask, "answer", f'{{"answer": {_value(ask, text)}}}', as_json=as_json)


@app.command()
def approve(job: Job, ask_id: AskId, comment: Comment = None, *, as_json: AsJson = False) -> None:
    """Approve an approval."""
    from gateway.cli.client import Client

    with Client() as client:
        ask = _read(client, job, ask_id)
        _settle(client, ask, "approve", _given(comment=comment), as_json=as_json)


@app.command()
def deny(job: Job, ask_id: AskId, comment: Comment = None, *, as_json: AsJson = False) -> None:
    """Deny an approval, or decline to answer a question."""
    from gateway.cli.client import Client

    with Client() as client:
        ask = _read(client, job, ask_id)
        if ask["kind"] == "approval":
            _settle(client, ask, "deny", _given(comment=comment), as_json=as_json)
        else:
            _settle(client, ask, "decline", _given(reason=comment), as_json=as_json)


@app.command()
def skip(job: Job, ask_id: AskId, *, as_json: AsJson = False) -> None:
    """Skip a question of `ask_user`: the agent goes on without an answer."""
    from gateway.cli.client import Client

    with Client() as client:
        ask = _read(client, job, ask_id)
        _settle(client, ask, "skip", {}, as_json=as_json)


def _given(**words: str | None) -> dict[str, Any]:
    return {name: word for name, word in words.items() if word is not None}


def _pending(client: Client, job: str | None, limit: int) -> Iterator[dict[str, Any]]:
    """At most `limit` asks; as many calls as that takes."""
    cursor = None
    while limit > 0:
        found = client.get(
            "/v1/asks", state="pending", run_id=job, limit=min(limit, PAGE), cursor=cursor
        )
        yield from found["asks"]
        limit -= len(found["asks"])
        cursor = found.get("cursor")
        if cursor is None:
            return


def _entry(ask: Ask) -> Iterator[Any]:
    """An entry of the list: who and until when, what, and the command."""
    from rich.text import Text

    from gateway.cli import asking
    from gateway.visible import one_line

    until = "until it is answered"
    if ask["deadline"]:
        until = f"until {asking.moment(ask['deadline'], datetime.now().astimezone())}"
    head = Text.assemble(
        (ask["id"], "bold"), f"  {ask['kind']} of {one_line(ask['agent'])}, waits {until}"
    )
    yield head
    yield Text(f"  {asking.sentence(ask)}")
    if how := asking.command(ask):
        yield Text(f"  {how}", style="dim")


def _read(client: Client, job: str, ask_id: str) -> dict[str, Any]:
    """The ask, if it is that run's. Raises: Failure."""
    from urllib.parse import quote

    ask: dict[str, Any] = client.get(f"/v1/asks/{quote(ask_id, safe='')}")["ask"]
    if ask["run_id"] != job:
        words = f"{job} has no ask {ask_id}."
        raise Failure(
            words, "`oz0 approval list` shows both.", body={"code": "not_found", "message": words}
        )
    return ask


def _value(ask: Ask, text: str) -> str:
    """The answer as JSON. A text is a whole label or words, never a number to pick.

    JSON that was given is passed on as it stands, every digit of it.
    """
    shape = ask.get("shape")
    labels = {
        option["label"] for field in ask.get("fields", ()) for option in field.get("options", ())
    }
    several = shape == "multi-choice" and text.lstrip().startswith("[") and text not in labels
    if not several and shape not in ("fields", "number", "toggle"):
        return json.dumps(text)
    try:
        json.loads(text)
    except ValueError:
        from gateway.cli.asking import command

        words = "This question takes JSON for an answer, and this is none."
        body = {"code": "invalid_argument", "message": words}
        raise Failure(words, command(ask), body=body) from None
    return text


def _settle(
    client: Client, ask: Ask, verb: str, body: dict[str, Any] | str, *, as_json: bool
) -> None:
    """Sends one try, under a key of its own: sent again by the client, it is the same try."""
    try:
        told = client.post(f"/v1/asks/{ask['id']}/{verb}", body, key=uuid.uuid4().hex)
    except Failure as failure:
        raise _in_words(failure, ask) from None
    if as_json:
        say_json(told)
        return
    from rich.text import Text

    from gateway.cli.asking import answer_text

    got = answer_text(told["ask"]["outcome"].get("answer"))
    words = {"answer": f"Got it: {got}" if got else "Got it", "approve": "Approved"}
    words |= {"deny": "Denied", "decline": "Declined", "skip": "Skipped"}
    say(Text(f"{words[verb]}."))


def _in_words(failure: Failure, ask: Ask) -> Failure:
    """The API's refusal; of one that came too late, who was first."""
    from gateway.cli.asking import ended, moment

    outcome = failure.body.get("outcome")
    if failure.body["code"] == "already_settled" and outcome:
        at = moment(outcome["at"], datetime.now().astimezone())
        words = f"Too late: {ended({**ask, 'outcome': outcome})} ({at})."
        return Failure(words, "Yours was not used.", body=failure.body)
    if failure.body["code"] == "failed_precondition":
        from gateway.cli.asking import command

        return Failure(failure.message, command(ask), body=failure.body)
    return failure
