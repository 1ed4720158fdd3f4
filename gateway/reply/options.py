"""The options of a choice as replies name them: keys as drawn, labels as folded. Pure.

Keys are numbers, unless a label could be taken for one or two labels are alike; then they are
letters, and only keys and whole labels are read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING

from gateway.fold import RECOMMENDED
from gateway.reply.clean import core_of, folded_line
from gateway.reply.language import DASHES, every_language

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gateway.question import Field, Option

KEPT = 1024
"""Fields kept compiled; ours: what is pending is asked about again and again."""

JOINING_LETTERS = frozenset("eouy")
"""Never keys: they are "and" and "or" in Spanish, and `a y c` must stay a list."""

_DENIAL = re.compile(r"not?\b")


@dataclass(frozen=True, slots=True)
class Options:
    """One field's options, ready to be looked up.

    `keys` are as drawn, in the options' order; `by_key` folds them. `denies` says that a label is
    "no" or begins so. `exact`, `folded` and `cores` give the options of that label, from strict to
    loose. `by_length` are the cores, longest first. `also` are the cores with descriptions, as a
    copied line has them.
    """

    field: Field
    keys: tuple[str, ...]
    letters: bool
    denies: bool
    by_key: dict[str, int]
    exact: dict[str, int]
    folded: dict[str, tuple[int, ...]]
    cores: dict[str, tuple[int, ...]]
    by_length: tuple[str, ...]
    also: tuple[frozenset[str], ...]

    def named(self, core: str) -> tuple[int, ...]:
        """The options with that label, more than one where labels are alike."""
        unmarked = core.removesuffix(RECOMMENDED).rstrip()
        return self.cores.get(core) or self.cores.get(unmarked) or self.folded.get(core) or ()

    def unlabelled(self, phrases: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the phrases that are no label here."""
        return tuple(phrase for phrase in phrases if not self.named(phrase))

    def core(self, index: int) -> str:
        """That option's label as it is compared."""
        return label_core(self.field.options[index].label)


@lru_cache(maxsize=KEPT)
def options_of(field: Field) -> Options:
    """The field's options, ready to be looked up."""
    labels = [option.label for option in field.options]
    folded = [folded_line(label) for label in labels]
    cores = [label_core(label) for label in labels]
    letters = len(set(cores)) < len(cores) or any(map(_reads_as_key, cores))
    keys = tuple(_letters(cores) if letters else map(str, range(1, len(labels) + 1)))
    return Options(
        field=field,
        keys=keys,
        letters=letters,
        denies=any(map(_DENIAL.match, cores)),
        by_key={key.casefold(): index for index, key in enumerate(keys)},
        exact={label: index for index, label in enumerate(labels)},
        folded=_grouped(folded),
        cores=_grouped(cores),
        by_length=tuple(sorted(set(cores), key=len, reverse=True)),
        also=tuple(map(_with_description, field.options)),
    )


def option_keys(field: Field) -> tuple[str, ...]:
    """What to draw before each option, in order: `1` `2` `3`, or `A` `B` `C`."""
    return options_of(field).keys


def label_core(label: str) -> str:
    """The label as it is compared: folded, without punctuation around or `(Recommended)`.

    A label's own question mark is punctuation; a reply's says that its author is not sure.
    """
    folded = folded_line(label)
    core = core_of(folded.removesuffix(RECOMMENDED).rstrip() or folded)
    return core.rstrip("? ") or core


def _reads_as_key(core: str) -> bool:
    bare = re.sub(rf"^[{DASHES}!~]\s*|\s*\?$", "", core)
    found = every_language().key_alone.fullmatch(bare)
    return found is not None and found["letters"] is None


def _letters(cores: Sequence[str]) -> Iterator[str]:
    taken = JOINING_LETTERS.union(cores)
    free = (name for size in count(1) for name in _names(size) if name not in taken)
    return (name.upper() for _, name in zip(cores, free, strict=False))


def _names(size: int) -> Iterator[str]:
    if size == 0:
        yield ""
        return
    for head in _names(size - 1):
        for letter in "abcdefghijklmnopqrstuvwxyz":
            yield head + letter


def _grouped(names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for index, name in enumerate(names):
        found[name] = (*found.get(name, ()), index)
    return found


def _with_description(option: Option) -> frozenset[str]:
    if not option.description:
        return frozenset()
    core, described = label_core(option.label), core_of(folded_line(option.description))
    joins = (", ", " ", ": ", " - ", " \u2013 ", " \u2014 ")
    return frozenset({*(f"{core}{join}{described}" for join in joins), f"{core} ({described})"})
