"""Whether a piece of text is a pick: a key, a whole label, or both agreeing. Pure.

What is shaped like a pick and fails is refused, and never taken for anything else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gateway.reply.clean import CLOSING, without_marks, without_polite
from gateway.reply.language import DASHES
from gateway.reply.meaning import Detail, Refusal, Refused
from gateway.reply.reading import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gateway.reply.clean import Said
    from gateway.reply.language import Words
    from gateway.reply.options import Options

LONGEST_NUMBER_CHARS = 64
"""Ours: "option number 2." and its kin are far shorter; nothing longer is tried as a number."""

MOST_PARTS = 400
"""Ours: four times the most options a choice has; a longer list is text, not picks."""

MOST_TOKENS = 40
"""Ours: words in a row that are tried as labels parted by spaces alone."""

_NEGATED = re.compile(rf"[{DASHES}!~][{DASHES}!~\s]*(?P<rest>[^{DASHES}!~\s].*)", re.DOTALL)
_NO_NUMBER = re.compile(r"no\s+\d+")  # `no 2` may be `no. 2` or the opposite
_RANGE = re.compile(rf"(?P<first>\w+)[.)]?\s*[{DASHES}]\s*(?P<last>\w+)[.)]?")
_DIGITS_ONLY = re.compile(rf"[\s\d.,;:/&+()\[\]#!?~*'\"{DASHES}\u2044\u3001]*")

Part = int | Refused
"""An option's index, or why a piece that looks like a pick is none."""


def refuse(code: Refusal, options: Options, **data: Detail) -> Refused:
    """A refusal of a choice: with its keys, and whether own words are allowed."""
    return Refused(code, {"keys": options.keys, "write_in": options.field.write_in, **data})


def read_part(core: str, options: Options, words: Words) -> Part | None:
    """The option that the text picks, why it picks none, or None where it is no pick at all."""
    found = _label(core, options)
    if found is None and len(core) <= LONGEST_NUMBER_CHARS:
        found = _key(core, options, words)
    if found is None:
        found = _key_and_label(core, options, words)
    if found is None:
        found = _doubted(core, options, words)
    return found


def read_run(core: str, options: Options) -> list[Part] | None:
    """Several keys without a separator, `1 3` or `1-3`; None if it is neither."""
    span = _RANGE.fullmatch(core) if len(core) <= LONGEST_NUMBER_CHARS else None
    if span is not None:
        return _span(core, span["first"], span["last"], options)
    tokens = core.split()
    if len(tokens) < 2 or len(tokens) > MOST_PARTS:
        return None
    keyed = [_bare_key(token, options) for token in tokens]
    if None in keyed:
        return None
    return [
        refuse(Refusal.NO_SUCH_OPTION, options, typed=shown(token))
        if index is None or index < 0
        else index
        for token, index in zip(tokens, keyed, strict=True)
    ]


def labels_in_a_row(core: str, options: Options) -> list[int] | None:
    """The options of two or more labels parted by spaces alone; None if it is anything else."""
    if len(core.split()) > MOST_TOKENS:
        return None
    picks: list[int] = []
    at = 0
    while at < len(core):
        label = next((one for one in options.by_length if _word_at(core, at, one)), None)
        if label is None:
            return None
        picks.extend(options.named(label))
        at += len(label) + 1
    return picks if len(picks) > 1 else None


def read_digits(core: str, options: Options) -> Refused | None:
    """The refusal of text of digits and punctuation that is no pick, such as `1.5` or `10:30`."""
    if any(map(str.isdecimal, core)) and _DIGITS_ONLY.fullmatch(core):
        return refuse(Refusal.NO_SUCH_OPTION, options, typed=shown(core))
    return None


def split(reply: Said, options: Options, words: Words) -> tuple[list[str], bool] | None:
    """The parts of a list, labels that hold a separator whole; and whether they leave a choice.

    None where there are more parts than any list of picks has.
    """
    folded = without_marks(reply.folded) if reply.odd else reply.folded
    folded = without_polite(folded.rstrip(f"{CLOSING} "), words.polite)
    joined = [core for core in options.by_length if words.separator.search(core)]
    parts: list[str] = []
    either = False
    at = 0
    for _ in range(MOST_PARTS):
        whole = _label_at(folded, at, joined, words) if joined else None
        if whole is not None:
            parts.append(whole)
            at += len(whole)
        separator = words.separator.search(folded, at)
        end = separator.start() if separator else len(folded)
        if folded[at:end].strip():
            parts.append(folded[at:end].strip())
        if separator is None:
            return parts, either
        either = either or words.either.fullmatch(separator[0]) is not None
        at = separator.end()
    return None


def keys_of(indexes: Sequence[int], options: Options) -> tuple[str, ...]:
    """The keys of those options, each once, in the options' order."""
    return tuple(options.keys[index] for index in sorted(set(indexes)))


def _label(core: str, options: Options) -> Part | None:
    match options.named(core):
        case ():
            return None
        case (index,):
            return index
        case several:
            return refuse(Refusal.AMBIGUOUS_LABEL, options, picks=keys_of(several, options))


def _key(core: str, options: Options, words: Words) -> Part | None:
    found = words.key_alone.fullmatch(core)
    if found is None:
        return None
    index = _index(found, options, words)
    if index is not None and index < 0:
        return refuse(Refusal.NO_SUCH_OPTION, options, typed=shown(core))
    return index


def _index(found: re.Match[str], options: Options, words: Words) -> int | None:
    """The option a match names, -1 for a number that names none, None for letters that do not."""
    groups = found.groupdict()
    if letters := groups["letters"]:
        return options.by_key.get(letters) if options.letters else None
    spelled = groups.get("spelled")
    key = str(words.numbers[spelled]) if spelled else groups["digits"].lstrip("0")
    return -1 if options.letters else options.by_key.get(key, -1)


def _bare_key(token: str, options: Options) -> int | None:
    """As `_index`, for one word of a run of picks."""
    token = token.lstrip("#(").rstrip(".)")
    if token.isdecimal():
        return -1 if options.letters else options.by_key.get(token.lstrip("0"), -1)
    return options.by_key.get(token) if options.letters else None


def _key_and_label(core: str, options: Options, words: Words) -> Part | None:
    found = words.key_and_more.fullmatch(core)
    if found is None:
        return None
    index = _index(found, options, words)
    if index is None:
        return None
    rest = found["rest"]
    if index >= 0 and rest in options.also[index]:
        return index
    named = options.named(rest)
    if not named:
        return None
    if index in named:
        return index
    return refuse(
        Refusal.LABEL_DIFFERS,
        options,
        key=options.keys[index] if index >= 0 else shown(core[: found.start("rest")]),
        label=options.field.options[index].label if index >= 0 else "",
        other_key=options.keys[named[0]],
        other=options.field.options[named[0]].label,
    )


def _doubted(core: str, options: Options, words: Words) -> Refused | None:
    """The refusal of a pick with a question mark behind it or a negation before it."""
    if core.endswith("?") and (asked := core.rstrip("?! ")):
        found = read_part(asked, options, words)
        if isinstance(found, int):
            return refuse(Refusal.UNSURE, options, typed=shown(core))
        return found
    negated = _NEGATED.fullmatch(core)
    if negated is not None:
        rest = negated["rest"].strip("~ ")
        if rest and read_part(rest, options, words) is not None:
            return refuse(Refusal.NEGATED, options, typed=shown(core))
    if _NO_NUMBER.fullmatch(core):
        return refuse(Refusal.NEGATED, options, typed=shown(core))
    return None


def _span(core: str, first: str, last: str, options: Options) -> list[Part] | None:
    ends = [_bare_key(end, options) for end in (first, last)]
    if None in ends:
        return None
    low, high = (end if end is not None else -1 for end in ends)
    if low < 0 or high < low:
        return [refuse(Refusal.NO_SUCH_OPTION, options, typed=shown(core))]
    return list(range(low, high + 1))


def _word_at(core: str, at: int, label: str) -> bool:
    end = at + len(label)
    return bool(label) and core.startswith(label, at) and core[end : end + 1] in ("", " ")


def _label_at(folded: str, at: int, joined: Sequence[str], words: Words) -> str | None:
    """The longest label with a separator in it that stands here, quotes around it included."""
    start = at
    while start < len(folded) and folded[start] in " \n\"'`*([":
        start += 1
    for core in joined:
        end = start + len(core)
        if folded.startswith(core, start):
            while end < len(folded) and folded[end] in " \"'`*)].!":
                end += 1
            if end == len(folded) or words.separator.match(folded, end):
                return folded[at:end]
    return None
