"""Discord's markup as a reader sees it: what is formatted loses its marks, what is escaped stays.

Follows the order and the patterns of the client's own parser, as far as bots write them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType

_FENCE = re.compile(r"```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][\s\S]*?)\n*```", re.IGNORECASE)
_CODE = re.compile(r"(`+)([\s\S]*?[^`])\1(?!`)")
_ESCAPE = re.compile(r"\\([^0-9A-Za-z\s])")
_EMOTICON = re.compile(r"¯\\_\(ツ\)_/¯")
_LINK = re.compile(
    r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*)\]\(\s*<?((?:[^\s\\]|\\.)*?)>?(?:\s+['\"].*?['\"])?\s*\)"
)
_AUTOLINK = re.compile(r"<(https?://[^\s>]+)>")
_URL = re.compile(r"https?://[^\s<]+[^<.,:;\"')\]\s]")
_MENTION = re.compile(r"<(@!?|@&|#)(\d+)>")
_EMOJI = re.compile(r"<a?(:\w+:)\d+>")
_CODE_OF_EMOJI = re.compile(r":[\w+-]+:")
_PICTURE = "\u25a1"
"""What stands for every emoji that is named by its code; here any name is taken for one."""
_TIME = re.compile(r"<t:(-?\d{1,13})(?::([tTdDfFR]))?>")
_WRAPPED = (
    re.compile(r"\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)"),
    re.compile(r"__((?:\\[\s\S]|[^\\])+?)__(?!_)"),
    re.compile(r"~~([\s\S]+?)~~(?!_)"),
    re.compile(r"\|\|([\s\S]+?)\|\|"),
    re.compile(r"\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)"),
    re.compile(r"\b_((?:__|\\[\s\S]|[^\\_])+?)_\b"),
)
_LINE_STARTS = (
    re.compile(r" *>>> ?"),
    re.compile(r" *> "),
    re.compile(r"-# +(?=\S)"),
    re.compile(r"#{1,3} +(?=\S)"),
)
_BULLET = re.compile(r"( *)[*+-] +(?=\S)")
_NUMBER = re.compile(r"( *)(\d+)[.)] +(?=\S)")
_TIME_FORMATS = {
    "t": "%H:%M",
    "T": "%H:%M:%S",
    "d": "%d/%m/%Y",
    "D": "%-d %B %Y",
    "f": "%-d %B %Y %H:%M",
    "F": "%A, %-d %B %Y %H:%M",
    "R": "%-d %B %Y %H:%M",
}
NOBODY: Mapping[str, str] = MappingProxyType({})
_LAST_SECOND = 253_402_300_799
"""The end of the year 9999; beyond it the client shows the mark as it was written."""


def plain(text: str, names: Mapping[str, str] = NOBODY) -> str:
    """The words of a message. `names` are shown names by id, of people and channels."""
    out: list[str] = []
    at, line_start = 0, True
    number: int | None = None
    while at < len(text):
        if line_start and (item := _NUMBER.match(text, at)):
            # The client counts a list itself, from its first number on.
            number = int(item[2]) if number is None else number + 1
            out.append(f"{item[1]}{number}. ")
            at, line_start = item.end(), False
            continue
        if line_start:
            number = None
        found = _start_of_line(text, at) if line_start else None
        shown, end = found or _inline(text, at, names)
        out.append(shown)
        line_start = found is None and text[end - 1] == "\n"
        at = end
    return "".join(out)


def _start_of_line(text: str, at: int) -> tuple[str, int] | None:
    for pattern in _LINE_STARTS:
        if found := pattern.match(text, at):
            return "", found.end()
    if found := _BULLET.match(text, at):
        return f"{found[1]}• ", found.end()
    return None


def _inline(text: str, at: int, names: Mapping[str, str]) -> tuple[str, int]:
    if found := _EMOTICON.match(text, at):
        return found[0], found.end()
    for pattern, show in _SPANS:
        if found := pattern.match(text, at):
            shown = show(found, names)
            if shown is not None:
                return shown, found.end()
    for pattern in _WRAPPED:
        if found := pattern.match(text, at):
            return plain(found[1], names), found.end()
    return text[at], at + 1


def _show_link(found: re.Match[str], names: Mapping[str, str]) -> str | None:
    """A link shows its label; where label or address is none, it stays as written."""
    if not found[1].strip() or not found[2].startswith(("http://", "https://")):
        return None
    return plain(found[1], names)


def _show_time(found: re.Match[str], _names: Mapping[str, str]) -> str:
    seconds = int(found[1])
    if not 0 <= seconds <= _LAST_SECOND:
        return found[0]
    return datetime.fromtimestamp(seconds, UTC).strftime(_TIME_FORMATS[found[2] or "f"])


def _show_mention(found: re.Match[str], names: Mapping[str, str]) -> str:
    mark = "#" if found[1] == "#" else "@"
    unknown = {"#": "unknown", "@&": "unknown-role"}.get(found[1], "unknown-user")
    return mark + names.get(found[2], unknown)


_SPANS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Mapping[str, str]], str | None]], ...]
_SPANS = (
    (_ESCAPE, lambda found, _: found[1]),
    (_FENCE, lambda found, _: found[1]),
    (_CODE, lambda found, _: found[2]),
    (_LINK, _show_link),
    (_AUTOLINK, lambda found, _: found[1]),
    (_URL, lambda found, _: found[0]),
    (_MENTION, _show_mention),
    (_EMOJI, lambda found, _: found[1]),
    (_CODE_OF_EMOJI, lambda _found, _: _PICTURE),
    (_TIME, _show_time),
)
