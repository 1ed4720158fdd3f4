"""Telegram's MarkdownV2, read as its server reads it and refused in the same words.

Of its quotes, only those that are open from the start.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from channels.testing.telegram.markup import WEB, units
from channels.testing.telegram.refusals import bad

RESERVED = "_*[]()~`>#+-=|{}.!"
"""Bot API, MarkdownV2 style: each must be escaped wherever it marks nothing."""

MARKS = {
    "__": ("underline", "Underline"),
    "_": ("italic", "Italic"),
    "*": ("bold", "Bold"),
    "~": ("strikethrough", "Strikethrough"),
    "||": ("spoiler", "Spoiler"),
    "```": ("pre", "Pre"),
    "`": ("code", "Code"),
    "![": ("custom_emoji", "CustomEmoji"),
    "[": ("text_link", "TextUrl"),
}
"""What begins an entity: its type, and what errors call it. The longer ones first."""

ENDS = {"![": "]", "[": "]"}
"""What ends one, where it is not what began it."""

_LANGUAGE = re.compile(r"([^\s`]+)?\n")
_ADDRESS = re.compile(r"\(((?:[^)\\]|\\.)*)\)", re.DOTALL)
_EMOJI = re.compile(r"tg://emoji\?id=(\d+)")


@dataclass(slots=True)
class _Open:
    mark: str
    begin: int
    byte: int
    language: str | None = None


@dataclass(slots=True)
class _Reader:
    source: str
    at: int = 0
    text: str = ""
    nested: list[_Open] = field(default_factory=list)
    entities: list[dict[str, Any]] = field(default_factory=list)
    quote: int | None = None

    def read(self) -> None:
        while self.at < len(self.source):
            self.next()
        if self.nested:
            left = self.nested[-1]
            name = MARKS[left.mark][1]
            raise _cannot(f"Can't find end of {name} entity at byte offset {left.byte}")
        self.end_quote()

    def next(self) -> None:
        here = self.source[self.at]
        inner = self.nested[-1] if self.nested else None
        if here == "\\" and "\0" < self.source[self.at + 1 : self.at + 2] <= "~":
            self.take(self.source[self.at + 1], 2)
        elif inner and self.ends(inner.mark):
            self.end(self.nested.pop())
        elif inner and inner.mark in ("`", "```"):
            if here == "`":
                raise _reserved(here)
            self.take(here, 1)
        elif here == ">" and self.text[-1:] in ("", "\n"):
            self.quote = len(self.text) if self.quote is None else self.quote
            self.at += 1
        elif here in RESERVED:
            self.begin(here)
        else:
            if here == "\n" and not self.source.startswith(">", self.at + 1):
                self.end_quote()
            self.take(here, 1)

    def ends(self, mark: str) -> bool:
        underline = mark == "_" and self.source.startswith("__", self.at)
        return not underline and self.source.startswith(ENDS.get(mark, mark), self.at)

    def take(self, words: str, length: int) -> None:
        self.text += words
        self.at += length

    def begin(self, here: str) -> None:
        mark = next((one for one in MARKS if self.source.startswith(one, self.at)), None)
        if mark is None:
            raise _reserved(here)
        opened = _Open(mark, len(self.text), len(self.source[: self.at].encode()))
        self.at += len(mark)
        named = _LANGUAGE.match(self.source, self.at) if mark == "```" else None
        if named:
            opened.language = named[1]
            self.at = named.end()
        self.nested.append(opened)

    def end(self, opened: _Open) -> None:
        self.at += len(ENDS.get(opened.mark, opened.mark))
        kind = MARKS[opened.mark][0]
        extra: dict[str, Any] = {"language": opened.language} if opened.language else {}
        if opened.mark in ENDS:
            address = self.address() or self.text[opened.begin :]
            if kind == "custom_emoji":
                emoji = _EMOJI.fullmatch(address)
                if emoji is None:
                    raise _cannot("Custom emoji URL must have an emoji identifier")
                extra = {"custom_emoji_id": emoji[1]}
            elif not WEB.fullmatch(address):
                return  # a link that leads nowhere is plain text
            else:
                extra = {"url": address}
        self.add(kind, opened.begin, extra)

    def address(self) -> str:
        found = _ADDRESS.match(self.source, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return re.sub(r"\\(.)", r"\1", found[1])

    def end_quote(self) -> None:
        if self.quote is not None:
            self.add("blockquote", self.quote, {})
            self.quote = None

    def add(self, kind: str, begin: int, extra: dict[str, Any]) -> None:
        offset, length = units(self.text[:begin]), units(self.text[begin:])
        if length:
            self.entities.append({"type": kind, "offset": offset, "length": length, **extra})


def parse_markdown(source: str) -> tuple[str, list[dict[str, Any]]]:
    """The words and the entities of a text in MarkdownV2. Raises: Refused."""
    reader = _Reader(source)
    reader.read()
    reader.entities.sort(key=lambda one: (one["offset"], -one["length"]))
    return reader.text, reader.entities


def _reserved(character: str) -> Exception:
    return _cannot(
        f"Character '{character}' is reserved and must be escaped with the preceding '\\'"
    )


def _cannot(why: str) -> Exception:
    return bad(f"can't parse entities: {why}")
