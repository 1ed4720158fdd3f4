"""Labels as they are compared: without case, width and decoration, and by how they look. Pure.

One rule for refusing labels nobody could tell apart and for matching what people type, so that
whatever was accepted as two labels can be answered as two.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

import regex

from gateway.text import without_heaps
from gateway.visible import FLAG, HIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

RECOMMENDED = "(recommended)"
"""The mark an agent puts behind the option it favours (the second original), folded."""

_STRAIGHT = str.maketrans("\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f", "''''\"\"\"\"")
_DROPPED = regex.compile(
    rf"({FLAG})"  # kept: without its tags one country's flag is another's
    # a joiner between digits stays, so that 1\u200b2 is never read as 12
    r"|(?<!\p{N})[\u200B-\u200D\u2060\uFEFF]|[\u200B-\u200D\u2060\uFEFF](?!\p{N})"
    rf"|[{HIDDEN}--[\u200B-\u200D\u2060\uFEFF\p{{Cs}}]]"
    r"|(?<=\S)[\U0001F3FB-\U0001F3FF]|\u20E3",  # skin tones, the keycap mark
    regex.VERSION1,
)
_LATIN = regex.compile(r"[\p{Latin}\p{Common}\p{Inherited}]*")
"""Labels that mix no scripts for sure, so that most calls do without the table of look-alikes."""

_LEFT_TO_RIGHT_MARK = "\u200e"
_SHARED_SCRIPTS = frozenset({"COMMON", "INHERITED", "Unknown"})


def fold(label: str) -> str:
    """The label for matching, on one line and trimmed; folding it again changes nothing. Total.

    NFKC and case folding; digits of any script are ASCII, curly quotes straight; invisible
    characters, skin tones, the keycap mark and heaps of marks are gone; blanks in a row are one
    space.
    """
    if label.isascii() and label.isprintable():
        return " ".join(label.casefold().split())
    text = without_heaps(_DROPPED.sub(r"\1", " ".join(label.split())))
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    text = "".join(map(_ascii_digit, text)).translate(_STRAIGHT)
    return " ".join(without_heaps(_DROPPED.sub(r"\1", text)).split())


def unmarked(label: str) -> str:
    """The label folded, without a trailing `(Recommended)` unless that is all there is."""
    folded = fold(label)
    return folded.removesuffix(RECOMMENDED).rstrip() or folded


def alike(first: str, second: str) -> bool:
    """Whether people could not tell two labels apart.

    They fold to the same, or they look the same and mix scripts (`Delete` with a Cyrillic ie).
    Letters of one script that look alike (`l`, `I`) are two letters.
    """
    return bool(clashes((first, second)))


def clash(labels: Sequence[str]) -> tuple[int, int] | None:
    """The first two labels that are alike, as indices, or None."""
    return next(iter(clashes(labels)), None)


def clashes(labels: Sequence[str]) -> list[tuple[int, int]]:
    """Every label that is like an earlier one, as (earlier, later), in the later ones' order."""
    found: list[tuple[int, int]] = []
    folded: dict[str, int] = {}
    looks: dict[str, list[int]] = defaultdict(list)
    together = "".join(labels)
    mixable = not together.isascii() and _LATIN.fullmatch(together) is None
    for index, label in enumerate(labels):
        earlier = folded.setdefault(fold(label), index)
        if mixable:
            keys = _looks(label)
            if earlier == index:
                similar = (other for key in keys for other in looks[key])
                earlier = min((o for o in similar if _mixes(labels[o] + label)), default=index)
            for key in keys:
                looks[key].append(index)
        if earlier != index:
            found.append((earlier, index))
    return found


def _ascii_digit(character: str) -> str:
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


def _looks(label: str) -> frozenset[str]:
    # Some letters look alike in one case only (Cyrillic ve: as a capital), so both ways count.
    return frozenset((_skeleton(fold(label)), fold(_skeleton(label))))


def _skeleton(text: str) -> str:
    """The text in the letters each of its letters looks like (UTS 39, 4)."""
    table = _prototypes()
    # Twice: a prototype of several letters may hold one that has a prototype here.
    return unicodedata.normalize("NFD", text).translate(table).translate(table)


def _mixes(text: str) -> bool:
    from confusable_homoglyphs.categories import unique_aliases

    return len(unique_aliases(text) - _SHARED_SCRIPTS) > 1


@cache
def _prototypes() -> dict[int, str]:
    """Letter → what it looks like, from Unicode's table of confusables.

    Read on first need: the package loads a megabyte of JSON when it is imported.
    """
    from confusable_homoglyphs.confusables import confusables_data

    # The package keeps Unicode's layout marks around right-to-left letters.
    similar: dict[str, list[str]] = defaultdict(list)
    for letter, found in confusables_data.items():
        similar[letter.strip(_LEFT_TO_RIGHT_MARK)] += [
            other["c"].strip(_LEFT_TO_RIGHT_MARK) for other in found
        ]
    return {
        ord(letter): prototype
        for letter in similar
        if len(letter) == 1 and (prototype := _prototype(letter, similar)) != letter
    }


def _prototype(letter: str, similar: dict[str, list[str]]) -> str:
    """The one of a group that stands for all.

    The package lists pairs both ways: a letter has its prototype, a prototype all its letters. Of
    a group of two either would do; the longer, else the lower, is taken for both.
    """
    others = similar[letter]
    if len(others) > 1:
        return letter
    if len(similar[others[0]]) > 1:
        return others[0]
    return min(letter, others[0], key=lambda text: (-len(text), text))
