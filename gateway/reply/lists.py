"""A reply parted into a list: signs and words between picks, labels that hold one whole. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.reply.clean import CLOSING, unwrapped_whole, without_marks, without_polite
from gateway.reply.language import LISTING
from gateway.reply.parts import MOST_PARTS, keyed_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gateway.reply.clean import Said
    from gateway.reply.language import Words
    from gateway.reply.options import Options

_BEFORE_LABEL = " \n\"'`*(["
_BEHIND_LABEL = " \"'`*)].!"


@dataclass(frozen=True, slots=True)
class Listed:
    """The parts of a list.

    `either` says that they leave a choice; `dangling` that something is joined to nothing (`+1`,
    `1 or`).
    """

    parts: tuple[str, ...] = ()
    either: bool = False
    dangling: bool = False


def split(reply: Said, options: Options, words: Words) -> Listed | None:
    """The parts of a list; None where there are more than any list of picks has."""
    folded = without_marks(reply.folded) if reply.odd else reply.folded
    folded = without_polite(folded.rstrip(f"{CLOSING} "), words.polite)
    folded = unwrapped_whole(folded)
    joined = [core for core in options.by_length if words.separator.search(core)]
    labelled = bool(joined) or any(options.also)
    parts: list[str] = []
    either = dangling = False
    at = joins = 0
    for _ in range(MOST_PARTS):
        whole = _label_at(folded, at, joined, options, words) if labelled else ""
        separator = words.separator.search(folded, at + len(whole))
        end = separator.start() if separator else len(folded)
        if part := folded[at:end].strip():
            dangling = dangling or joins > bool(parts)
            parts.append(part)
            joins = 0
        if separator is None:
            return Listed(tuple(parts), either, dangling or joins > 0)
        either = either or words.either.fullmatch(separator[0]) is not None
        joins += separator[0] not in LISTING
        at = separator.end()
    return None


def _label_at(folded: str, at: int, joined: Sequence[str], options: Options, words: Words) -> str:
    """The longest label with a separator in it that stands here, its key and quotes included."""
    for start, labels in _starts(folded, _skipped(folded, at), joined, options, words):
        for label in labels:
            end = start + len(label)
            if not folded.startswith(label, start):
                continue
            while end < len(folded) and folded[end] in _BEHIND_LABEL:
                end += 1
            if end == len(folded) or words.separator.match(folded, end):
                return folded[at:end]
    return ""


def _starts(
    folded: str, at: int, joined: Sequence[str], options: Options, words: Words
) -> Iterator[tuple[int, Iterable[str]]]:
    """Where a label may begin: here, or behind a key, where its description may follow it."""
    yield at, joined
    keyed = words.key_and_more.match(folded, at)
    if keyed is None or "," in folded[at : keyed.start("rest")]:  # `1, red` are two parts
        return
    index = keyed_option(keyed, options, words)
    if index is not None:
        also = sorted(options.also[index], key=len, reverse=True) if index >= 0 else ()
        yield _skipped(folded, keyed.start("rest")), (*also, *joined)


def _skipped(folded: str, at: int) -> int:
    while at < len(folded) and folded[at] in _BEFORE_LABEL:
        at += 1
    return at
