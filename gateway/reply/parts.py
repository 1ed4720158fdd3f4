"""Whether a piece of text is a pick: a key, a whole label, or both agreeing. Pure.

What is shaped like a pick and fails is refused, and never taken for anything else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gateway.reply.clean import core_of
from gateway.reply.language import DASHES
from gateway.reply.meaning import Detail, Refusal, Refused
from gateway.reply.reading import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    if found is None:
        found = _keyed(core, options, words)
    if found is None:
        found = _doubted(core, options, words)
    return found


def read_picks(core: str, options: Options, words: Words) -> Sequence[Part] | None:
    """The picks of text without a separator, one or a run of them; None where it is no pick."""
    part = read_part(core, options, words)
    if part is not None:
        return [part]
    return labels_in_a_row(core, options) or read_run(core, options)


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


def doubt(core: str) -> tuple[Refusal, str] | None:
    """How a text is doubted, by a question mark behind or a negation before it, and what is."""
    if core.endswith("?"):
        return Refusal.UNSURE, core.rstrip("?! ")
    negated = _NEGATED.fullmatch(core)
    return negated and (Refusal.NEGATED, negated["rest"].strip("~ "))


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


def _keyed(core: str, options: Options, words: Words) -> Part | None:
    found = _key(core, options, words) if len(core) <= LONGEST_NUMBER_CHARS else None
    if found is None:
        found = _key_and_label(core, options, words)
    if isinstance(found, int) and options.denies and core.startswith("no."):
        # `No. 1` may be the first option, or "no" and then something else
        return refuse(Refusal.NEGATED, options, typed=shown(core))
    return found


def _key(core: str, options: Options, words: Words) -> Part | None:
    found = words.key_alone.fullmatch(core)
    if found is None:
        return None
    index = keyed_option(found, options, words)
    if index is not None and index < 0:
        return refuse(Refusal.NO_SUCH_OPTION, options, typed=shown(core))
    return index


def keyed_option(found: re.Match[str], options: Options, words: Words) -> int | None:
    """The option a match names, -1 for a number that names none, None for letters that do not."""
    groups = found.groupdict()
    if letters := groups["letters"]:
        return options.by_key.get(letters) if options.letters else None
    spelled = groups.get("spelled")
    key = str(words.numbers[spelled]) if spelled else groups["digits"].lstrip("0")
    return -1 if options.letters else options.by_key.get(key, -1)


def _bare_key(token: str, options: Options) -> int | None:
    """As `keyed_option`, for one word of a run of picks."""
    token = token.lstrip("#(").rstrip(".)")
    if token.isdecimal():
        return -1 if options.letters else options.by_key.get(token.lstrip("0"), -1)
    return options.by_key.get(token) if options.letters else None


def _key_and_label(core: str, options: Options, words: Words) -> Part | None:
    found = words.key_and_more.fullmatch(core)
    if found is None:
        return None
    index = keyed_option(found, options, words)
    if index is None or (index < 0 and options.named(found["digits"])):
        return None
    rest = found["rest"]
    if index >= 0 and rest in options.also[index]:
        return index
    named = options.named(rest) or options.named(core_of(rest))
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
    """The refusal of picks with a question mark behind them or a negation before them."""
    if _NO_NUMBER.fullmatch(core):
        return refuse(Refusal.NEGATED, options, typed=shown(core))
    doubted = doubt(core)
    if doubted is None:
        return None
    code, rest = doubted
    picks = read_picks(rest, options, words) if rest else None
    if picks is None:
        return None
    wrong = next((part for part in picks if isinstance(part, Refused)), None)
    if wrong is not None and code is Refusal.UNSURE:
        return wrong
    return refuse(code, options, typed=shown(core))


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
