"""What is wrong in a form, in words beside each of its fields. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from channels.catalogue import message

if TYPE_CHECKING:
    from channels.catalogue import Reader
    from gateway.ask import Ask
    from gateway.errors import Problem

FAULTS: Mapping[str, str] = {
    "missing": message("This one is needed."),
    "wrong_type": message("This does not fit here."),
    "not_text": message("It holds a character that cannot be kept."),
    "too_long": message("At most {limit} characters. Nothing was cut or sent."),
    "not_finite": message("It takes a finite number."),
    "not_whole": message("It takes a whole number."),
    "out_of_range": message("It goes from {min} to {max}."),
    "out_of_range above": message("It is at least {min}."),
    "out_of_range below": message("It is at most {max}."),
    "not_a_date": message("It takes a date, like 2026-10-20."),
    "needs_offset": message("Your time zone is not known here; add the offset, like +02:00."),
    "ambiguous_time": message("The clocks change at that time; add the offset, {limit}."),
    "not_an_option": message("This is none of the options."),
    "one_only": message("Only one can be picked."),
    "no_write_in": message("It takes no words of your own."),
    "empty": message("Other needs words of your own."),
    "unknown_field": message("This question has no such field."),
}
"""By the code of the problem (`gateway.answer`, `gateway.scalars`)."""


def faults(reader: Reader, ask: Ask, problems: tuple[Problem, ...]) -> dict[str, str]:
    """One sentence a field, by its name; the first problem of each."""
    told: dict[str, str] = {}
    for problem in problems:
        told.setdefault(problem.path, _fault(reader, ask, problem))
    return told


def _fault(reader: Reader, ask: Ask, problem: Problem) -> str:
    language, field = reader.language, ask.question.field(problem.path)
    limit = problem.limit
    data = {"limit": limit if limit is None or isinstance(limit, str) else language.number(limit)}
    code = problem.code
    if code == "out_of_range" and field is not None:
        bounds = {"min": field.min, "max": field.max}
        data |= {
            name: language.number(bound) for name, bound in bounds.items() if bound is not None
        }
        code += "" if len(data) > 2 else " above" if field.min is not None else " below"
    return language.say(FAULTS.get(code, FAULTS["wrong_type"]), **data)
