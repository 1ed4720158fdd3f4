"""Random and mutated replies against random questions: the parser raises on none of them.

`python -m tests.fuzz.reply_fuzz --count 1000000` prints how many were parsed, the rate, and the
slowest; with `--seed` a run repeats. What fails is printed so that it can become a test.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import get_args

from gateway.answer import check
from gateway.ask import Ask, AskKind, Contract
from gateway.question import Field, Kind, Option, Question
from gateway.reply import Answered, Confirm, Draft, Partial, Place, Reply, parse
from tests.strategies import TRICKY

QUESTIONS = 300
"""Asks a run draws from: every kind and contract many times over, and caches stay warm."""

PLACES = 5_000
"""Circumstances a run draws from."""

TOO_SLOW_S = 1.0
"""CPU time: a reply that takes so long could hold up everybody else's."""

LOCALES = (None, "en", "en-US", "en-GB", "de-DE", "de", "es", "es-MX", "id", "fr-FR", "ar-EG", "?")
ZONES = (None, "Europe/Berlin", "America/New_York", "Asia/Jakarta", "Nowhere/At_All")
LABELS = (
    *("Staging", "Production", "Cancel", "OK", "Stop", "Don't deploy", "Staging (Recommended)"),
    *(
        "3",
        "No. 2",
        "1, 2 and 3",
        "Red, white and blue",
        "A",
        "and",
        "ייצור 2",
        "ビルド",
        "x²",
        "👍",
    ),
    *("Skip", "decline", "-5", "2 GB", "C++", "R&D", "yes/no", "a" * 200, "…", "Ja", "other: 5"),
)
SEEDS = (
    *(
        "1",
        "2.",
        "(3)",
        "#2",
        "option two",
        "no. 2",
        "1,3",
        "1 and 3",
        "2-4",
        "1 3",
        "7",
        "0",
        "-1",
    ),
    *(
        "2?",
        "~2",
        "①",
        "②③",
        "2️⃣",
        "２",
        "٢",
        "1²",
        "other",
        "other: 7",
        "text: skip",
        "all",
        "none",
    ),
    *("skip", "decline: ask Ana", "deny", "cancel", "help", "back", "clear", "done", "-", "/start"),
    *("yes", "no", "nein", "sí", "tidak", "✅", "👎🏽", "ok", "thanks!", "hello", "approve: fine"),
    *("2026-10-20", "20 Oct", "20.10.2026", "03/04/2026", "tomorrow", "next Friday", "in 3 days"),
    *(
        "2026-10-25 02:30",
        "tomorrow 3pm",
        "übermorgen um 14.30 Uhr",
        "mañana a las 15:00",
        "29 Feb",
    ),
    *(
        "1,234",
        "1.234,56",
        "1e400",
        "nan",
        "0x10",
        "9" * 400,
        "2 copies",
        "copies -2",
        "-.5",
        "1:30",
    ),
    *("on: 2026-10-20\ncopies: 2", "1. Oslo\n2. 1500", "copies=2", "> Where?\n> 1. Staging\n2"),
    *(
        "blue\n\nSent from my iPhone",
        "x\n-- \nKevin",
        "y\n\nOn 3 Mar 2026, OZ wrote:\n> z",
        "@oz 2",
    ),
    *("<at>Bot</at>&nbsp;2", "a &amp; b", "<https://a.b|a.b>", "What happens on Production?", ""),
)
JOINTS = (
    "",
    " ",
    ", ",
    "\n",
    ";",
    " and ",
    " or ",
    "/",
    "-",
    ": ",
    " und ",
    " y ",
    "  ",
    "\n\n",
    "!",
)


def fields(random: Random) -> tuple[Field, ...]:
    """One field or several, of any kind, valid or odd."""
    count = random.choice((1, 1, 1, 2, 3, 6))
    return tuple(_field(random, f"f{number}") for number in range(count))


def _field(random: Random, name: str) -> Field:
    kind = random.choice(list(Kind))
    choice = kind in (Kind.CHOICE, Kind.MULTI_CHOICE)
    labels = random.sample(LABELS, random.randint(1, 8)) if choice else []
    if choice and random.random() < 0.05:
        labels = [f"option number {number}" for number in range(100)]
    described = {index for index in range(len(labels)) if random.random() < 0.2}
    bounded = kind is Kind.NUMBER and random.random() < 0.5
    return Field(
        name=random.choice((name, "on", "copies", "text", "other", "1"))[:8] + name,
        label=random.choice((None, "Send on", "Copies", "Was?", "2")),
        kind=kind,
        required=random.random() < 0.7,
        options=tuple(
            Option(
                id=f"o{index}",
                label=label,
                description="the house colour" if index in described else None,
            )
            for index, label in enumerate(labels, 1)
        ),
        write_in=choice and random.random() < 0.5,
        min=1 if bounded else None,
        max=9.5 if bounded else None,
        integer=kind is Kind.NUMBER and random.random() < 0.5,
        max_length=random.choice((None, 4000, 20)),
        multiline=random.random() < 0.3,
        date_time=kind is Kind.DATE and random.random() < 0.5,
    )


def ask(random: Random, number: int) -> Ask:
    """A question of any contract, or an approval."""
    approval = random.random() < 0.1
    return Ask(
        id=f"a-{number:012x}",
        run_id="job-1",
        tenant="acme",
        agent="asker",
        kind=AskKind.APPROVAL if approval else AskKind.QUESTION,
        contract=None if approval else random.choice((None, *Contract)),
        call_id="call-1",
        question=Question(prompt="Where?", fields=() if approval else fields(random)),
    )


def place(random: Random) -> Place:
    """Any circumstances: chat, language, time, what was pressed before."""
    shared = random.random() < 0.4
    return Place(
        now=datetime(2026, 1, 15, 9, tzinfo=UTC) + timedelta(hours=random.randint(0, 20_000)),
        zone=random.choice(ZONES),
        locale=random.choice(LOCALES),
        shared=shared,
        addressed=shared and random.random() < 0.5,
        thread=shared and random.random() < 0.5,
        pressed_other=random.random() < 0.1,
        other_field=random.choice((None, "f0f0", "onf1", "textf0")),
        may_see=random.random() < 0.5,
        mention=("@oz", "<at>Bot</at>"),
        names=(("<@U7>", "Pat"),),
        markup=random.random() < 0.3,
    )


def known(asked: Ask) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels and the titles of an ask, as replies repeat them."""
    fields = asked.question.fields
    labels = tuple(option.label for field in fields for option in field.options)
    return labels, tuple(field.title for field in fields)


def reply(random: Random, labels: tuple[str, ...], titles: tuple[str, ...]) -> str:
    """Something like a reply: known pieces joined, then broken here and there."""
    pieces = [random.choice(SEEDS)]
    while random.random() < 0.45:
        pieces.append(random.choice(random.choice((SEEDS, labels or SEEDS, titles or SEEDS))))
        pieces.insert(-1, random.choice(JOINTS))
    text = "".join(pieces)
    if labels and random.random() < 0.2:
        text = random.choice(labels)
    while random.random() < 0.3:
        text = _mutated(random, text)
    return text


def _mutated(random: Random, text: str) -> str:
    at = random.randint(0, len(text))
    match random.randrange(6):
        case 0:
            return text[:at] + random.choice(TRICKY) + text[at:]
        case 1:
            return text[:at] + chr(random.randrange(0x110000)) + text[at:]
        case 2:
            return text[:at] + text[at + 1 :]
        case 3:
            return text.upper() if random.random() < 0.5 else text[::-1]
        case 4 if len(text) < 2_000:
            return text * random.choice((2, 3, 50)) if random.random() < 0.02 else text + text[:at]
        case _:
            return text[:at] + random.choice("0123456789 .,;:!?-/+&'\"*`()[]>~#@\n") + text[at:]


def _faulty(found: object, asked: Ask) -> str | None:
    """What is wrong with a result, if anything is."""
    if not isinstance(found, get_args(Reply)):
        return f"no reply: {found!r}"
    meant = found.then if isinstance(found, Confirm) else found
    if isinstance(meant, Answered):
        check(asked.question, meant.values)
    if isinstance(meant, Partial):
        Draft.from_dict(asked.question, meant.draft.to_dict())
    return None


def run(count: int, seed: int) -> int:
    """Parses so many replies; returns how many failed, each printed."""
    random = Random(seed)
    asks = [(one, known(one)) for one in (ask(random, number) for number in range(QUESTIONS))]
    places = [place(random) for _ in range(PLACES)]
    kinds: Counter[str] = Counter()
    failures, slowest, parsing = 0, 0.0, 0.0
    drafts: dict[str, Draft] = {}
    for _ in range(count):
        asked, (labels, titles) = random.choice(asks)
        text = reply(random, labels, titles)
        where = random.choice(places)
        if asked.id in drafts:
            where = replace(where, draft=drafts[asked.id])
        try:
            start = time.thread_time()
            found = parse(text, asked, where)
            took = time.thread_time() - start
            fault = _faulty(found, asked)
        except Exception as error:  # noqa: BLE001 - finding any is what this is for
            fault, took, found = f"{type(error).__name__}: {error}", 0.0, None
        if isinstance(found, Partial) and not found.problems:
            drafts[asked.id] = found.draft
        elif isinstance(found, Answered):
            drafts.pop(asked.id, None)
        kinds[type(found).__name__] += 1
        parsing += took
        slowest = max(slowest, took)
        if took > TOO_SLOW_S:
            fault = f"took {took:.1f} s"
        if fault is not None:
            failures += 1
            print(f"{fault}\n  reply {text!r}\n  ask {asked!r}\n  place {where!r}", file=sys.stderr)
    print(f"{count} replies parsed, {failures} exceptions")
    if parsing:
        print(f"{count / parsing:.0f} replies/s, slowest {slowest * 1000:.1f} ms")
    print(", ".join(f"{name} {number}" for name, number in kinds.most_common()))
    return failures


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="how many replies")
    parser.add_argument("--seed", type=int, default=0, help="a run with the same seed is the same")
    given = parser.parse_args()
    sys.exit(1 if run(given.count, given.seed) else 0)


if __name__ == "__main__":
    main()
