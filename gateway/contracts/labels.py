"""What people pick from: labels that can be read and told apart, as options with stable ids."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gateway.fold import alike, clashes, fold
from gateway.question import Option

if TYPE_CHECKING:
    from gateway.contracts.faults import Faults

LABEL_CHARS = 2_000
"""Characters of a choice (contracts, decision 2); held for every label and description."""

MAX_CHOICES = 100
"""Choices of one question (contracts, decision 2)."""

OTHER_LABEL = "Other"
"""What the third original calls the option it injects."""


def read_labels(faults: Faults, value: object, path: str) -> tuple[Option, ...]:
    """The options of a list of labels, 1 to 100 of them, all different."""
    labels = read_each(faults, value, path, 1, MAX_CHOICES)
    refuse_alike(faults, labels)
    return options([label for _, label in labels])


def read_each(
    faults: Faults, value: object, path: str, least: int, most: int
) -> list[tuple[str, str]]:
    """The labels that read, as authored, each with its path."""
    items = faults.items(value, path, least, most)
    paths = [f"{path}[{index}]" for index in range(len(items))]
    read = [
        (at, faults.text(item, at, LABEL_CHARS, trimmed=True))
        for at, item in zip(paths, items, strict=True)
    ]
    return [(at, label) for at, label in read if label is not None]


def refuse_alike(faults: Faults, labels: Sequence[tuple[str, str]]) -> None:
    """Notes each label (behind its path) that nobody could tell from an earlier one."""
    for earlier, later in clashes([label for _, label in labels]):
        (first_path, first), (path, label) = labels[earlier], labels[later]
        if fold(first) == fold(label):
            message = f"Is the same as {first_path} but for case, width or spacing."
            faults.add(path, message, "duplicate")
        else:
            message = f"Looks like {first_path} but is written with {_foreign(first, label)}."
            faults.add(path, message, "look_alike")


def refuse_others_names(faults: Faults, named: Sequence[tuple[str, str, str]]) -> None:
    """Notes each label (behind its path, before its field's name) that is another field's name.

    A reply that begins with it would be read for the other one.
    """
    for path, label, name in named:
        for other_path, other_label, other_name in named:
            if other_name == name or not label or alike(label, other_label):
                continue
            if alike(label, other_name):
                owner = other_path.rpartition(".")[0]
                faults.add(path, f"Is the name of {owner}: replies could not tell.", "duplicate")


def is_other(label: str) -> bool:
    """Whether it is the write-in, authored: `Other` in any case, with trailing dots or without."""
    return fold(label).rstrip(". ") == fold(OTHER_LABEL)


def refuse_like_other(faults: Faults, labels: Sequence[tuple[str, str]]) -> None:
    """Notes labels (behind their paths) that look like the injected `Other` and are not it."""
    for path, label in labels:
        if label.isascii() or is_other(label):  # two ASCII labels never mix scripts
            continue
        if alike(label.rstrip(" .…"), OTHER_LABEL):
            foreign = _foreign(OTHER_LABEL, label)
            message = f"Looks like the Other that is added, but is written with {foreign}."
            faults.add(path, message, "look_alike")


def options(labels: Sequence[str]) -> tuple[Option, ...]:
    """The options of these labels, numbered `o1`, `o2`… in their order."""
    return tuple(
        Option(id=option_id(number), label=label) for number, label in enumerate(labels, 1)
    )


def option_id(number: int) -> str:
    """The id of the option shown under this number, from 1."""
    return f"o{number}"


def _foreign(first: str, label: str) -> str:
    """The characters that only the later label has, by code point and Unicode name."""
    new = sorted(set(label) - set(first) - {" "})
    names = (f"U+{ord(char):04X} ({unicodedata.name(char, 'unnamed')})" for char in new[:3])
    return ", ".join(names) or "other letters"
