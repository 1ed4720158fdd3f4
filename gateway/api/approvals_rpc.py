"""`oz.v1.Approvals`: the inbox and its decision, as Connect calls with JSON.

`approve` with an `answer` answers a question, without one it approves; `approve: false` declines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.api.endpoints import Call, reply
from gateway.api.pages import page
from gateway.api.shapes import DecideApprovalReply, ListApprovalsReply
from gateway.api.tries import answer_by, approve_by, decline_by, plain_answer
from gateway.api.views import approval_view, outcome_view
from gateway.ask import AskKind
from gateway.errors import NotFound, WrongKind

if TYPE_CHECKING:
    from aiohttp import web

    from gateway.api.bodies import DecideApprovalBody, ListApprovalsBody, Nothing
    from gateway.ask import AskRecord


async def list_approvals(call: Call[Nothing, ListApprovalsBody]) -> web.StreamResponse:
    """Pending questions and approvals, oldest first."""
    body = call.body
    records, more = await page(call, body.run_id, body.limit, body.cursor)
    approvals = tuple(approval_view(record, call.caller) for record in records)
    return reply(200, ListApprovalsReply(approvals=approvals, **more))


async def decide_approval(call: Call[Nothing, DecideApprovalBody]) -> web.StreamResponse:
    """Answers or declines a question, approves or denies an approval."""
    record = await _decide(call)
    return reply(
        200,
        DecideApprovalReply(
            id=record.ask.id,
            run_id=record.ask.run_id,
            status=record.status,
            outcome=outcome_view(record, call.caller),
        ),
    )


async def _decide(call: Call[Nothing, DecideApprovalBody]) -> AskRecord:
    body = call.body
    record = await call.parts.broker.ask(call.caller, body.id)
    if body.run_id is not None and record.ask.run_id != body.run_id:
        raise NotFound(f"There is no ask {body.id} of this run.")
    is_question = record.ask.kind is AskKind.QUESTION
    if not body.approve:
        if body.answer is not None:
            raise WrongKind("A decline takes no answer; say why in the comment.")
        return await decline_by(call, body.id, body.comment)
    if body.answer is None:
        if is_question:
            raise WrongKind("A question needs an answer; approving alone is for approvals.")
        return await approve_by(call, body.id, body.comment)
    if not is_question:
        raise WrongKind("Only a question takes an answer; an approval is approved or denied.")
    if body.comment:
        raise WrongKind("An answer takes no comment.")
    return await answer_by(call, body.id, lambda waiting: plain_answer(call, waiting, body.answer))
