"""How a value is held against a shape, with complaints in Slack's words. Pure.

A key that a shape does not know is refused, as Slack refuses unknown keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

Check = Callable[[Any, str], Iterator[str]]
"""Takes a value and its JSON pointer; yields what is wrong, in Slack's words."""

MOST_ID = 255


def wrong(what: str, at: str) -> Iterator[str]:
    yield f"{what} [json-pointer:{at}]"


# Checks of plain values


def string(most: int = MOST_ID, least: int = 1, like: str = "") -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, str):
            yield from wrong("must be a string", at)
        elif len(value) > most:
            yield from wrong(f"must be less than {most + 1} characters", at)
        elif len(value) < least:
            yield from wrong(f"must be more than {least - 1} characters", at)
        elif like and not re.fullmatch(like, value):
            yield from wrong("invalid format", at)

    return check


def whole(least: int, most: int) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, int) or isinstance(value, bool):
            yield from wrong("must be an integer", at)
        elif not least <= value <= most:
            yield from wrong(f"must be between {least} and {most}", at)

    return check


def flag(value: Any, at: str) -> Iterator[str]:
    if not isinstance(value, bool):
        yield from wrong("must be a boolean", at)


def one_of(*values: str) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        if value not in values:
            yield from wrong("must be a valid enum value", at)

    return check


def numeric(value: Any, at: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield from wrong("must be a string", at)
        return
    try:
        Decimal(value)
    except InvalidOperation:
        yield from wrong("must be a number", at)


def anything(_value: Any, _at: str) -> Iterator[str]:
    yield from ()


def items(check: Check, most: int, least: int = 1) -> Check:
    def checked(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield from wrong("must provide an array", at)
            return
        if len(value) > most:
            yield from wrong(f"no more than {most} items allowed", at)
        if len(value) < least:
            yield from wrong(f"no fewer than {least} items allowed", at)
        for number, one in enumerate(value):
            yield from check(one, f"{at}/{number}")

    return checked


# Checks of objects


@dataclass(frozen=True, slots=True)
class Shape:
    """An object: the keys it may have, those it must have, and what must hold between them."""

    keys: Mapping[str, Check]
    needs: tuple[str, ...] = ()
    also: Check = anything
    typed: bool = True
    """Whether it has a `type`, which is checked by whoever chose this shape by it."""

    def __call__(self, value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield from wrong("must provide an object", at)
            return
        for name in self.needs:
            if name not in value:
                yield from wrong(f"missing required field: {name}", at)
        broken = False
        for name, part in value.items():
            if name == "type" and self.typed:
                continue
            if name not in self.keys:
                yield from wrong(f"invalid additional property: {name}", at)
                continue
            for problem in self.keys[name](part, f"{at}/{name}"):
                broken = True
                yield problem
        if not broken:
            yield from self.also(value, at)


def by_type(shapes: Mapping[str, Check], allowed: frozenset[str] | None = None) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in shapes or kind not in (allowed or shapes):
            yield from wrong(f"unsupported type: {kind}", f"{at}/type")
        else:
            yield from shapes[kind](value, at)

    return check
