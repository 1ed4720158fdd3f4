"""`oz0 plan`: how each channel would show an ask, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gateway.cli.failure import WRONG_USE, Failure
from gateway.cli.output import AsJson, say, say_json

if TYPE_CHECKING:
    from channels.capabilities import Capabilities
    from channels.drawing import Drawing
    from gateway.ask import Ask

CODE = "K7"
"""Stands for the code that a conversation gives."""


def register(app: typer.Typer) -> None:
    app.command()(plan)


def plan(
    file: Annotated[
        Path,
        typer.Argument(metavar="ASK.json", help='{"tool": …, "arguments": …} or an approval.'),
    ],
    channel: Annotated[str | None, typer.Option(help="One channel instead of all.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Show how an ask would look on each channel.

    The file holds what an agent would send to open it.
    """
    from gateway.cli.chats import installed_channels

    ask = _ask(file)
    channels = {name: one.capabilities for name, one in installed_channels().items()}
    if channel is not None and channel not in channels:
        known = ", ".join(sorted(channels))
        raise Failure(
            f"There is no channel {channel}.", f"Installed here: {known}.", exit_code=WRONG_USE
        )
    chosen = sorted(channels.items()) if channel is None else [(channel, channels[channel])]
    drawings = {name: _draw(ask, capabilities) for name, capabilities in chosen}
    if as_json:
        say_json({name: _told(drawing) for name, drawing in drawings.items()})
        return
    for name, drawing in drawings.items():
        say(*_lines(name, drawing))


def _ask(file: Path) -> Ask:
    """The ask that the file's call would open. Raises: Failure, with every fault."""
    from gateway.ask import Ask, AskKind
    from gateway.contracts import Defaults, check_question, rules_of_tool
    from gateway.errors import InvalidQuestion
    from gateway.question import Question

    given = _read(file)
    same: dict[str, Any] = {
        "id": "a-0123456789ab",
        "run_id": "job-0a9d0000-0000-4000-8000-000000000000",
        "tenant": "default",
        "agent": "agent",
        "call_id": "call",
        "timeout_s": 4 * 3600,
    }
    try:
        if given.get("kind") == "approval":
            question = Question(prompt=str(given.get("prompt", "")))
            check_question(question)
            return Ask(**same, kind=AskKind.APPROVAL, question=question)
        rules = rules_of_tool(str(given.get("tool")))
        if rules is None:
            raise Failure(
                f"There is no tool {given.get('tool')!r} in {file}.", "`oz0 tools` lists them."
            )
        asked = rules.read(given.get("arguments"), Defaults())
        return Ask(**same, contract=rules.contract, question=asked.question)
    except InvalidQuestion as error:
        problems = tuple(f"{fault.path}: {fault.message}" for fault in error.problems)
        raise Failure(f"{file} holds no valid ask:", problems=problems) from None


def _read(file: Path) -> dict[str, Any]:
    try:
        given = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise Failure(f"{file} cannot be read: {error.strerror}.") from None
    except (UnicodeError, ValueError, RecursionError):
        raise Failure(f"{file} is not JSON.") from None
    if not isinstance(given, dict):
        raise Failure(f'{file} holds no ask: write {{"tool": …, "arguments": …}}.')
    return given


def _draw(ask: Ask, capabilities: Capabilities) -> Drawing:
    from datetime import UTC, datetime, timedelta

    from channels.catalogue import Reader
    from channels.drawing import draw
    from gateway.ask import AskRecord, Status

    now = datetime.now(UTC)
    record = AskRecord(ask, Status.PENDING, now, now + timedelta(seconds=ask.timeout_s or 0))
    reader = Reader(shared=True, buttons=capabilities.has_controls, reach=capabilities.reach)
    return draw(reader, record, capabilities, code=CODE, waits_for="operators", now=now)


def _told(drawing: Drawing) -> dict[str, Any]:
    chosen = drawing.presentation
    if chosen is None:
        raise AssertionError("an ask that waits has a presentation")
    return {
        "way": chosen.way,
        "reason": chosen.reason,
        "pages": chosen.pages,
        "buttons": [button.label for button in (*chosen.buttons, *chosen.ways_out)],
        "menus": [[choice.label for choice in menu.choices] for menu in chosen.menus],
        "texts": [*drawing.leading, drawing.text],
    }


def _lines(name: str, drawing: Drawing) -> list[Any]:
    from rich.text import Text

    told = _told(drawing)
    pages = f", {told['pages']} pages" if told["pages"] > 1 else ""
    lines = [Text(f"{name}: {told['way']}{pages}. {told['reason']}.", style="bold"), Text("")]
    for text in told["texts"]:
        lines += [Text(text), Text("")]
    for menu in told["menus"]:
        lines.append(Text(f"[ {' | '.join(menu)} ]"))
    if told["buttons"]:
        lines.append(Text(" ".join(f"[{label}]" for label in told["buttons"])))
    return [*lines, Text("")]
