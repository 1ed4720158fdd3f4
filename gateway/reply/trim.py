"""A message as its author typed it: without our mention, quotes of the ask and mail's additions.

Pure. What the person wrote is kept to the letter, inner blanks and line breaks included.
"""

from __future__ import annotations

import html
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from gateway.reply.catalogue import CATALOGUES
from gateway.reply.clean import folded_line
from gateway.reply.language import forms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gateway.question import Question
    from gateway.reply.place import Place

SIGNATURE = "-- "
"""RFC 3676, 4.3: the line that a mail's signature begins with, its blank included."""

KEPT = 256
"""Questions whose lines are kept; ours: what is pending is quoted again and again."""

SHORTEST_PIECE_CHARS = 12
"""Ours: a quoted line at least so long counts as the ask's when it is a piece of one of its lines;
shorter ones must be whole, or `> 2` would always be a quote."""

MOST_MENTIONS = 16
"""Ours: mentions of us dropped from one end; more is somebody playing."""

MOST_QUOTED = 400
"""Ours: lines of a quote that are looked at; an ask with a hundred described options has fewer."""

LONGEST_ADVERT_CHARS = 80
"""Ours: "Sent from my …" fits a line of mail; a longer line is somebody's sentence."""

_BLANK = " \t\n\u00a0"
_EMPTY_TAG = re.compile(r"<at\b[^<>]{0,200}>\s*</at>", re.IGNORECASE)
_LINK = re.compile(r"<((?:https?|mailto|tel):[^<>|\s]+)(?:\|([^<>]*))?>")
_SCHEME = re.compile(r"^(?:mailto:|tel:|https?://)")
_ESCAPE = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_QUOTE = re.compile(r"^\s{0,3}>+\s?")
_LIST_MARK = re.compile(r"^\S{1,3}[.)]\s+")


def own_text(text: str, question: Question, place: Place) -> str:
    """What the person typed, of a message as it arrived. Total; "" where nothing is left."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _without_mention(text, place)
    for mention, name in place.names:
        text = text.replace(mention, name) if mention else text
    if place.markup:
        text = _ESCAPE.sub(_unescaped, _LINK.sub(_as_typed, text))
    text = _without_mail(text)
    if ">" in text:
        text = _without_quotes(text, question)
    return _without_mention(text, place).strip()


def _without_mention(text: str, place: Place) -> str:
    """The text without mentions of us at either end, and what parts them from the rest."""
    lowered = text.casefold()
    ours = sorted((one for one in place.mention if one.casefold() in lowered and one), key=len)[
        ::-1
    ]
    if not ours and "<at" not in lowered:
        return text
    for _ in range(MOST_MENTIONS):
        start = text.lstrip(_BLANK)
        start = start.removeprefix("&nbsp;") if place.markup else start
        start = start.lstrip(_BLANK)
        tag = _EMPTY_TAG.match(start)
        length = tag.end() if tag else _leading(start, ours)
        if not length:
            break
        text = start[length:].lstrip(_BLANK)
        text = text[1:] if text[:1] in (",", ":") else text
    if not ours:
        return text
    end = text.rstrip(_BLANK)
    last = next((one for one in ours if end.casefold().endswith(one.casefold())), None)
    before = end[: len(end) - len(last)] if last else ""
    return before.rstrip(_BLANK) if before[-1:].isspace() else text


def _leading(text: str, ours: list[str]) -> int:
    """How long the mention of us is that the text begins with; 0 for none."""
    for one in ours:
        head, after = text[: len(one)], text[len(one) : len(one) + 1]
        # `@oz` is not `@ozzy`
        if head.casefold() == one.casefold() and not (
            one[-1].isalnum() and (after.isalnum() or after == "_")
        ):
            return len(one)
    return 0


def _as_typed(link: re.Match[str]) -> str:
    """A link mark as its author typed it; a name put over another address keeps that beside it."""
    url, shown = link[1], link[2]
    if not shown:
        return _SCHEME.sub("", url) if url.startswith(("mailto:", "tel:")) else url
    bare = _SCHEME.sub("", url)
    return shown if _SCHEME.sub("", shown).rstrip("/") == bare.rstrip("/") else f"{shown} ({url})"


def _unescaped(escape: re.Match[str]) -> str:
    return html.unescape(escape[0])


def _without_quotes(text: str, question: Question) -> str:
    """The text without blocks of `>` lines that quote the ask."""
    kept: list[str] = []
    block: list[str] = []
    for line in [*text.split("\n"), ""]:
        if _QUOTE.match(line):
            block.append(line)
            continue
        if block and not any(_is_ours(quoted, question) for quoted in block[:MOST_QUOTED]):
            kept.extend(block)
        block = []
        kept.append(line)
    return "\n".join(kept)


def _is_ours(quoted: str, question: Question) -> bool:
    line = folded_line(_QUOTE.sub("", quoted))
    lines, whole = _lines_of(question)
    return any(
        form in lines or (len(form) >= SHORTEST_PIECE_CHARS and form in whole)
        for form in (line, _LIST_MARK.sub("", line))
    )


@lru_cache(maxsize=KEPT)
def _lines_of(question: Question) -> tuple[frozenset[str], str]:
    """Every line of the ask that a quote of its post may hold, folded; and all of them in one."""
    texts = [question.prompt]
    for field in question.fields:
        texts += [field.title, field.description or ""]
        for option in field.options:
            texts += [option.label, option.description or ""]
    folded = (folded_line(line) for text in texts for line in text.splitlines())
    lines = [line for line in folded if line]
    return frozenset(lines), "\n".join(lines)


def _without_mail(text: str) -> str:
    """The text without what mail clients put below it: the quoted mail, a signature, an advert."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.replace("\u00a0", " ") == SIGNATURE and _any_text(lines[:index]):
            lines = lines[:index]
            break
        length = _attribution(lines, index)
        if length and _any_text(lines[:index]):
            lines = lines[:index]
            break
        if length:  # the answer stands below the quote
            rest = lines[index + length :]
            lines = [one for one in rest if not _QUOTE.match(one)] if _quoted_next(rest) else lines
            break
    text = "\n".join(lines).rstrip()
    above, _, last = text.rpartition("\n")
    return above if above.strip() and _is_advert(last) else text


def _is_advert(line: str) -> bool:
    folded = folded_line(line)
    return any(
        folded.startswith(start) and folded.endswith(end) and len(line) <= LONGEST_ADVERT_CHARS
        for start, end in _mail_words()[0]
    )


def _attribution(lines: list[str], index: int) -> int:
    """How many lines "On … wrote:" takes here, 0 where it does not stand here.

    Mail clients put a date in it, and wrap it once.
    """
    if ":" not in "".join(lines[index : index + 2]):
        return 0
    for length in (1, 2):
        text = folded_line(" ".join(lines[index : index + length]))
        if not text.endswith(":") or not any(map(str.isdecimal, text)):
            continue
        for opening, verb in _mail_words()[1]:
            if text.startswith(f"{opening} ") and f" {verb}" in text:
                return length
    return 0


def _quoted_next(lines: list[str]) -> bool:
    first = next((line for line in lines if line.strip()), "")
    return _QUOTE.match(first) is not None


def _any_text(lines: Iterable[str]) -> bool:
    return any(line.strip() for line in lines)


@cache
def _mail_words() -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """How adverts begin and end, and how attributions begin and go on, in every language.

    A mail client's language need not be its owner's.
    """
    adverts: set[tuple[str, str]] = set()
    attributions: set[tuple[str, str]] = set()
    for one in CATALOGUES.values():
        for text in one.sent_from:
            start, _, end = text.partition("\u2026")
            adverts |= {(first, last) for first in forms(start) for last in forms(end)}
        for opening, verb in one.wrote:
            attributions |= {(opening, form) for form in forms(verb)}
    return tuple(sorted(adverts)), tuple(sorted(attributions))
