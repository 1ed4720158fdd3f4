"""Headers of `ask_user`: cut to what the second original takes, and still told apart. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from gateway.fold import alike

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADER_CHARS = 12
"""What the second original takes; a header is cut by user-perceived character."""

_NUMBERS = range(2, 10)
"""More than there are questions, so that one of them is always free."""


def cut_headers(headers: Sequence[str]) -> list[str]:
    """The headers cut to size; one that is then like an earlier one ends in a number.

    People begin the lines of a reply with them, so no two may read the same.
    """
    found: list[str] = []
    for header in headers:
        numbered = (f"{_cut(header, HEADER_CHARS - 2).rstrip()} {number}" for number in _NUMBERS)
        tries = (_cut(header, HEADER_CHARS), *numbered)
        found.append(next(one for one in tries if not any(alike(one, other) for other in found)))
    return found


def _cut(text: str, most: int) -> str:
    """The first visible characters: a cut never goes through an emoji or an accent."""
    text = text.strip()
    return text if len(text) <= most else "".join(regex.findall(r"\X", text)[:most])
