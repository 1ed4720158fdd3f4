"""Every error a caller of the gateway can meet, as one short tree.

GatewayError
├─ AskError            the agent's mistake          data for the model, never retried blindly
│  ├─ InvalidQuestion    invalid_argument    problems: one entry per fault
│  ├─ AskInFlight        ask_in_flight       the run already waits on ask_id
│  ├─ NotAvailable       not_available       this run may not call this contract
│  └─ Conflict           conflict            same call id, other arguments
├─ AnswerError         the person's mistake         shown to the person; the ask keeps waiting
│  ├─ InvalidAnswer      invalid_argument    problems: one entry per fault
│  ├─ WrongKind          failed_precondition an answer for an approval, and the like
│  └─ AlreadySettled     already_settled     with the outcome
├─ NotFound              not_found           also another tenant's ids
├─ NotAllowed            permission_denied
├─ Unauthenticated       unauthenticated
├─ BadRequest            invalid_argument    a request that does not read
├─ TooLarge              resource_exhausted  a bound of ours, named
└─ Unavailable           unavailable         the store is away, nothing was recorded

A class decides the policy; nobody matches on text. Messages are written for whoever sees them and
never hold a question, a choice or an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gateway.ask import AskRecord


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: where it is, and the bound it broke, in words.

    `path` reads like `questions[0].options[1].label`, or a field's name for an answer; "" is the
    whole. `code` is stable, for programs and for the message catalogue (`too_long`, `out_of_range`,
    `not_an_option`, `missing`, `duplicate`, …); `limit` is the bound where there is one.
    """

    path: str
    message: str
    code: str = "invalid"
    limit: int | float | str | None = None


class GatewayError(Exception):
    """The root; only its children are raised."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.problems = tuple(problems)


class AskError(GatewayError):
    """The agent's call cannot become an ask."""


class InvalidQuestion(AskError):
    code = "invalid_argument"


class AskInFlight(AskError):
    code = "ask_in_flight"

    def __init__(self, ask_id: str) -> None:
        super().__init__(f"This run already waits on {ask_id}; one question at a time.")
        self.ask_id = ask_id


class NotAvailable(AskError):
    code = "not_available"


class Conflict(AskError):
    code = "conflict"


class AnswerError(GatewayError):
    """A person's try that changes nothing; the ask keeps waiting."""


class InvalidAnswer(AnswerError):
    code = "invalid_argument"


class WrongKind(AnswerError):
    code = "failed_precondition"


class AlreadySettled(AnswerError):
    """Too late: `record` holds the outcome that stands."""

    code = "already_settled"

    def __init__(self, record: AskRecord) -> None:
        super().__init__(f"{record.ask.id} has ended: {record.status.value}.")
        self.record = record


class NotFound(GatewayError):
    code = "not_found"


class NotAllowed(GatewayError):
    code = "permission_denied"


class Unauthenticated(GatewayError):
    code = "unauthenticated"


class BadRequest(GatewayError):
    code = "invalid_argument"


class TooLarge(GatewayError):
    code = "resource_exhausted"


class DraftMoved(GatewayError):
    """The draft has changed since it was read: it is to be read, and changed, anew."""


class Unavailable(GatewayError):
    code = "unavailable"
