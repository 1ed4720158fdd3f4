"""Button data: a control of an ask in at most 20 ASCII bytes, and back. Pure and total.

It names, and never authorises: whoever presses is looked at when they press.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import assert_never

from channels.contract import (
    AskReason,
    Control,
    Drop,
    OpenForm,
    Pick,
    PickToggle,
    PressApprove,
    PressDecline,
    PressOther,
    PressSkip,
    Send,
    Step,
    StepAct,
)

MOST_BYTES = 20
"""Ours, well below the tightest of the four: Telegram's 64 bytes (platform facts, 0.3)."""

_PLAIN: dict[str, Control] = {
    "y": PickToggle(yes=True),
    "n": PickToggle(yes=False),
    "o": PressOther(),
    "k": PressSkip(),
    "d": PressDecline(),
    "a": PressApprove(),
    "r": AskReason(),
}
_LETTERS = {control: letter for letter, control in _PLAIN.items()}
_STEPS = {
    "S": StepAct.START,
    "P": StepAct.PICK,
    "T": StepAct.TOGGLE,
    "D": StepAct.DONE,
    "Y": StepAct.DAY,
    "O": StepAct.OTHER,
    "L": StepAct.LEAVE,
    "B": StepAct.BACK,
    "Z": StepAct.SEND,
}
_STEP_LETTERS = {act: letter for letter, act in _STEPS.items()}

_DATA = re.compile(r"([A-Za-z])([A-Za-z0-9_-]{8})([A-Za-z0-9_.-]{0,11})", re.ASCII)
_NUMBERS = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)
_KEPT = re.compile(r"[A-Za-z0-9_-]{7}", re.ASCII)


def pack(ask_id: str, control: Control) -> str:
    """The data of a button.

    Raises:
        ValueError: a control that carries words, or an id that is none of ours.
    """
    return _letter(control) + _short(ask_id.removeprefix("a-")) + _rest(control)


def unpack(data: str) -> tuple[str, Control] | None:
    """The ask and the control that `pack` made the data of; None for anything else."""
    found = _DATA.fullmatch(data)
    if found is None:
        return None
    letter, ask, rest = found.groups()
    control = _control(letter, rest)
    if control is None:
        return None
    name = f"a-{_long(ask)}"
    # Several spellings of base64 mean the same bytes; only the one we write is ours.
    return (name, control) if pack(name, control) == data else None


def _letter(control: Control) -> str:
    match control:
        case Pick():
            return "p"
        case OpenForm():
            return "f"
        case Send():
            return "s"
        case Drop():
            return "x"
        case Step(act):
            return _STEP_LETTERS[act]
        case (
            PickToggle()
            | PressOther()
            | PressSkip()
            | PressDecline()
            | PressApprove()
            | AskReason()
        ):
            letter = _LETTERS.get(control)
            if letter is None:
                raise ValueError("a button carries no words")
            return letter
        case _:
            assert_never(control)


def _rest(control: Control) -> str:
    match control:
        case Pick(option):
            number = option.removeprefix("o")
            if not _NUMBER.fullmatch(number) or option == number:
                raise ValueError("an option is called o1, o2, …")
            return number
        case OpenForm(page):
            return str(page)
        case Send(kept) | Drop(kept):
            return _short(kept)
        case Step(field=field, option=option):
            return f"{field}.{option}"
        case _:
            return ""


def _control(letter: str, rest: str) -> Control | None:
    plain = _PLAIN.get(letter)
    if plain is not None:
        return None if rest else plain
    act = _STEPS.get(letter)
    if act is not None:
        numbers = _NUMBERS.fullmatch(rest)
        return Step(act, int(numbers[1]), int(numbers[2])) if numbers else None
    if letter in "sx":
        if not _KEPT.fullmatch(rest):
            return None
        return Send(_long(rest)) if letter == "s" else Drop(_long(rest))
    if letter not in "pf" or not _NUMBER.fullmatch(rest):
        return None
    return Pick(f"o{rest}") if letter == "p" else OpenForm(int(rest))


def _short(hexadecimal: str) -> str:
    """Hex digits as base64url without padding: two thirds of the length."""
    return urlsafe_b64encode(bytes.fromhex(hexadecimal)).rstrip(b"=").decode()


def _long(short: str) -> str:
    return urlsafe_b64decode(short + "=" * (-len(short) % 4)).hex()
