"""Entries that failed for good: listed, and given another start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gateway.api.endpoints import Call, reply
from gateway.api.shapes import Letter, LetterList, OneLetter
from gateway.errors import NotAllowed, NotFound
from gateway.person import Role
from gateway.store import Group
from gateway.tokens import MANAGING

if TYPE_CHECKING:
    from aiohttp import web

    from gateway.api.bodies import Nothing
    from gateway.store import DeadLetter

AnyCall = Call[Any, Any]


async def list_dead(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """What failed for good in one group, oldest first."""
    letters = tuple(_shape(letter) for letter in await _letters(call))
    return reply(200, LetterList(letters=letters))


async def redrive(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """Gives one another start."""
    letter_id = call.request.match_info["letter_id"]
    for letter in await _letters(call):
        if _id(letter) == letter_id and await call.parts.store.redrive(letter):
            return reply(200, OneLetter(letter=_shape(letter)))
    raise NotFound("There is no such dead letter.")


async def _letters(call: AnyCall) -> list[DeadLetter]:
    """Those of the caller's tenant; one that could not be read belongs to none, so owners see it.

    Raises: NotAllowed, NotFound.
    """
    caller = call.caller
    if caller.role not in MANAGING:
        raise NotAllowed("Admins and owners look after dead letters.")
    try:
        group = Group(call.request.match_info["group"])
    except ValueError:
        raise NotFound(f"The groups are {', '.join(Group)}.") from None
    letters = await call.parts.store.dead(group)
    tenants = {subject: await _tenant(call, subject) for subject in {one.ask_id for one in letters}}
    seen = {caller.tenant, None} if caller.role is Role.OWNER else {caller.tenant}
    return [letter for letter in letters if tenants[letter.ask_id] in seen]


async def _tenant(call: AnyCall, subject: str) -> str | None:
    """Whose the ask or run of that id is; None where it does not read, or is gone."""
    store = call.parts.store
    try:
        if subject.startswith("a-"):
            record = await store.read(subject)
            return None if record is None else record.ask.tenant
        run = await store.read_run(subject) if subject else None
    except ValueError:  # pydantic's too
        return None
    return None if run is None else run.run.tenant


def _shape(letter: DeadLetter) -> Letter:
    return Letter(
        id=_id(letter),
        group=letter.group,
        reason=letter.reason,
        at=letter.at,
        subject=letter.ask_id or None,
    )


def _id(letter: DeadLetter) -> str:
    """Partitions count their entries each for itself: the subject says in which one it lies."""
    return f"{letter.id}.{letter.ask_id}" if letter.ask_id else letter.id
