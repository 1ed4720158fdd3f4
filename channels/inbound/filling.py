"""Forms: opened for those who may answer, read page by page, plain lines read as replies are.

A page that is not the last is kept as a draft, so that the next may be filled on another replica.
"""

from __future__ import annotations

from asyncio import gather
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, assert_never

from channels.contract import AskReason, OpenForm, Response
from channels.forms import form, reason
from channels.words import refusals
from channels.words.faults import faults
from gateway.answer import check
from gateway.errors import DraftMoved, InvalidAnswer, NotAllowed
from gateway.reply.clean import said
from gateway.reply.kinds import read_field
from gateway.reply.language import words_for
from gateway.reply.meaning import Refusal, Refused
from gateway.reply.place import Place
from gateway.reply.reading import Failed, Left, Read, WantsWords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from channels.contract import Pressed, Submitted
    from channels.forms import Form
    from channels.inbound.actors import Actor
    from channels.inbound.effects import Effects
    from gateway.answer import Value, Values
    from gateway.ask import AskRecord
    from gateway.broker import Broker
    from gateway.conversations import Conversations
    from gateway.question import Field
    from gateway.reply.draft import Draft


@dataclass(frozen=True, slots=True)
class Filled:
    """A page as it was read: `values` are checked; `faults` say by field what is wrong."""

    values: Values = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)


class Filling:
    """Built with `Interactions`. `per_page` is how many fields a page of a channel's form takes."""

    def __init__(
        self,
        broker: Broker,
        conversations: Conversations,
        effects: Effects,
        per_page: Mapping[str, int],
    ) -> None:
        self._broker = broker
        self._conversations = conversations
        self._effects = effects
        self._per_page = per_page

    async def open(
        self,
        pressed: Pressed,
        record: AskRecord,
        actor: Actor,
        control: OpenForm | AskReason,
        token: str,
    ) -> Response:
        """The form that was asked for, or in words why there is none. Raises: Unavailable."""
        if not record.pending:
            return await self._effects.too_late(actor, record, pressed.at, token)
        declining = isinstance(control, AskReason)
        try:
            # Together: a platform waits three seconds for a form, and the store may be far away.
            _, draft = await gather(
                self._broker.admit(actor.caller, record.ask.id, declining=declining),
                self._conversations.draft(record.ask, actor.caller.name),
            )
        except NotAllowed:
            return await self._effects.not_theirs(actor, record, token)
        match control:
            case AskReason():
                return Response(form=reason(actor.own, record.ask))
            case OpenForm(page):
                return Response(form=self._page(pressed.where.channel, record, actor, draft, page))
            case _:
                assert_never(control)

    async def with_kept(self, filled: Submitted, record: AskRecord, actor: Actor) -> Submitted:
        """The page, with what was kept of fields that had no input there. Raises: Unavailable."""
        shown = filled.shown
        if shown is None or shown.issuperset(one.name for one in self._fields(filled, record)):
            return filled
        draft = await self._conversations.draft(record.ask, actor.caller.name)
        kept = {
            one.name: draft.values[one.name]
            for one in self._fields(filled, record)
            if one.name not in shown and one.name in draft.values
        }
        return replace(filled, values={**kept, **filled.values})

    def read(self, filled: Submitted, record: AskRecord, actor: Actor) -> Filled:
        """One page's values as they are kept, or what is wrong. Pure."""
        question = record.ask.question
        here = self._fields(filled, record)
        values: dict[str, object] = dict(filled.values)
        wrong: dict[str, str] = {}
        for name, text in filled.texts.items():
            one = question.field(name)
            if one is None or not text.strip():
                continue
            read = _typed(text, one, filled, actor)
            if isinstance(read, Refused):
                wrong[name] = refusals.refusal(actor.own, record.ask, read)
            elif read is not None:
                values[name] = read
        try:
            page = question.model_copy(update={"fields": tuple(here)})
            checked = check(page, values, actor.own.zone)
        except InvalidAnswer as bad:
            return Filled(faults=faults(actor.own, record.ask, bad.problems) | wrong)
        return Filled(faults=wrong) if wrong else Filled(checked)

    async def turn(
        self, filled: Submitted, record: AskRecord, actor: Actor, values: Values, token: str
    ) -> Form | Values:
        """Keeps a page: the next one to fill, or after the last all values together.

        Raises: Unavailable.
        """
        ask, person = record.ask, actor.caller.name
        if filled.pages == 1:
            return values
        while True:
            kept = await self._conversations.kept_draft(ask, person)
            draft = kept.draft
            for one in self._fields(filled, record):
                draft = draft.without(one.name)
                if one.name in values:
                    draft = draft.fill(one.name, values[one.name])
            if filled.page + 1 >= filled.pages:
                return draft.values
            with suppress(DraftMoved):
                await self._conversations.save_draft(ask.id, person, draft, token, kept.text)
                return self._page(filled.where.channel, record, actor, draft, filled.page + 1)

    def _page(self, channel: str, record: AskRecord, actor: Actor, draft: Draft, page: int) -> Form:
        per_page = self._per_page.get(channel, 0)
        return form(actor.own, record.ask, draft, page=page, per_page=per_page)

    def _fields(self, filled: Submitted, record: AskRecord) -> Sequence[Field]:
        """The fields that this page has."""
        fields = record.ask.question.fields
        size = self._per_page.get(filled.where.channel, 0) if filled.pages > 1 else 0
        return fields[filled.page * size : (filled.page + 1) * size] if size else fields


def _typed(text: str, one: Field, filled: Submitted, actor: Actor) -> Value | Refused | None:
    """What a plain line of a form says for its field; None leaves it out."""
    reader = actor.own
    words = words_for(reader.language.tag)
    place = Place(now=filled.at, zone=reader.zone, locale=reader.language.tag, addressed=True)
    reading = read_field(said(text, words.polite), one, words, place)
    match reading:
        case Read(value):
            return value
        case Left():
            return None
        case Failed(refused):
            return Refused(refused.code, refused.data, one.name)
        case WantsWords():
            return Refused(Refusal.NO_WORDS, {}, one.name)
        case _:
            assert_never(reading)
