"""JSON from outside: UTF-8, no deeper than allowed, no key twice, only finite numbers. Pure.

Integers keep every digit, both ways.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any, NoReturn

from gateway.api.limits import JSON_DEPTH
from gateway.errors import BadRequest, Problem

# Possessive, and the closing quote optional: a string that never ends is read once only.
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def read(raw: bytes) -> Any:
    """The value. Raises: BadRequest, with what is wrong and nothing of what was sent."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise BadRequest(f"The body is not UTF-8 (at byte {error.start}).") from None
    if depth(text) > JSON_DEPTH:
        raise BadRequest(f"The body nests deeper than {JSON_DEPTH} levels.")
    try:
        return json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        raise BadRequest(
            f"The body is not JSON: {error.msg} (line {error.lineno}, column {error.colno})."
        ) from None
    except ValueError:  # an integer of more digits than Python reads
        raise BadRequest("The body holds a number of too many digits.") from None


def write(value: Any) -> bytes:
    """The value as UTF-8. Raises: ValueError for a number that JSON does not have."""
    return _encode(value).encode(
        "utf-8", "backslashreplace"
    )  # half a pair, which only JSON can spell


def depth(text: str) -> int:
    """How deep brackets outside strings nest; text that is not JSON has some depth, too."""
    if text.count("[") + text.count("{") <= JSON_DEPTH:
        return 0  # it cannot be over, however they stand
    deepest = level = 0
    for found in _BRACKETS.finditer(text):
        if found[0] in "[{":
            level += 1
            deepest = max(deepest, level)
        elif found[0] in "]}":
            level -= 1
    return deepest


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise BadRequest(
            "The body gives a key twice.", [Problem(shown(twice), "Is given twice.", "duplicate")]
        )
    return value


def shown(key: str) -> str:
    """A key from outside, as a path may name it."""
    return key[:64].encode("utf-8", "replace").decode()


def _no_constant(name: str) -> NoReturn:
    raise BadRequest(f"The body holds {name}, which JSON does not have.")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadRequest("The body holds a number that is not finite.")
    return number
