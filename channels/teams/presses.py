"""Presses and sent forms: handled for as long as Teams waits, and gone on with behind the answer.

Answers are written as they are, as Teams' own JSON, in the shape of the way the press came.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from aiohttp import web

from channels.contract import OpenForm, Pressed, Response, Submitted, Tell
from channels.forms import Form, Reason
from channels.teams import render
from channels.teams.parse import Did, Way
from gateway.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from channels.desk import Desk
    from channels.teams.saying import Saying

ACKNOWLEDGE_S = 0.6
"""Ours: a press is answered within a second, with what came of it or that it takes longer."""

FORM_S = 2.3
"""Ours: a form is opened, or refused in words, within 2.5 s, while its person still looks at it."""

STEP_DONE = "\u2713"
"""Answers a press of which nothing follows: a client takes no answer without a text."""


class Presses:
    """Built by the transport. `keep` holds a task until it ends; `later` runs what nobody waits
    for.
    """

    def __init__(
        self,
        desk: Desk,
        saying: Saying,
        keep: Callable[[asyncio.Task[Any]], None],
        later: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._desk = desk
        self._saying = saying
        self._keep = keep
        self._later = later

    async def answer(self, did: Did) -> web.Response:
        """What Teams is answered, in time."""
        interaction = did.interaction
        needs_form = did.way in (Way.FETCH, Way.DIALOG) or isinstance(interaction, Submitted)
        work = asyncio.create_task(self._handle(did))
        self._keep(work)
        done, _ = await asyncio.wait({work}, timeout=FORM_S if needs_form else ACKNOWLEDGE_S)
        if done:
            return self._answered(did, await work)
        self._later(self._afterwards(did, work))
        # A dialog that did not open took nothing: it is to be pressed again.
        late = self._desk.unavailable if did.way is Way.FETCH else self._desk.taking_long
        tell = late(interaction.sender, interaction.where)
        return self._answered(did, (Response((tell,)), None))

    async def _handle(self, did: Did) -> tuple[Response, Form | None]:
        """What follows, and the form to show again where something in it was wrong."""
        interaction = did.interaction
        try:
            response = await self._desk.handle(interaction)
            if not response.faults or not isinstance(interaction, Submitted):
                return response, None
            again = Pressed(
                where=interaction.where,
                sender=interaction.sender,
                at=interaction.at,
                event=f"{interaction.event}:again",
                ask_id=interaction.ask_id,
                control=OpenForm(interaction.page),
            )
            reopened = await self._desk.handle(again)
        except Unavailable:
            tell = self._desk.unavailable(interaction.sender, interaction.where)
            return Response((tell,)), None
        form = reopened.form
        return (response, form) if isinstance(form, Form) else (reopened, None)

    def _answered(self, did: Did, outcome: tuple[Response, Form | None]) -> web.Response:
        """The answer in the shape of the way the press came."""
        response, again = outcome
        if did.way is Way.SUBMIT:
            # An older client shows no answer; what is said comes as a message.
            self._later(self._saying.tell(did.interaction, response, did.way))
            return web.Response()
        words = _words(response)
        if did.way is Way.FETCH and isinstance(response.form, Reason):
            return web.json_response(render.reason_dialog(response.form))
        if did.way is not Way.EXECUTE:
            return web.json_response(render.task_said(words) if words else {})
        if again is not None:
            card = render.form_card(again, did.raw, response.faults)
            return web.json_response(render.shown_to_presser(card))
        return web.json_response(render.toast(words or STEP_DONE))

    async def _afterwards(self, did: Did, work: asyncio.Task[tuple[Response, Form | None]]) -> None:
        """What came of a press whose answer had to go out before."""
        response, _ = await work
        interaction = did.interaction
        if did.way is Way.SUBMIT:
            await self._saying.tell(interaction, response, did.way)
        elif response.settled is None and (text := _words(response)):
            # Of an ask that has ended the post itself tells.
            await self._saying.whisper(interaction.sender.account, interaction.where, Tell(text))


def _words(response: Response) -> str:
    """Everything that is said to whoever acted, what was wrong with a form first."""
    return "\n".join((*response.faults.values(), *(tell.text for tell in response.tells)))
