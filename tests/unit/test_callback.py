"""Button data: what is packed comes back, and nothing else does."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.callback import MOST_BYTES, pack, unpack
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
from gateway.ids import ask_id
from tests.strategies import any_text

ASK = ask_id("job-1", "call-1")

hexadecimal = st.text("0123456789abcdef", min_size=12, max_size=12)
ask_ids = hexadecimal.map("a-{}".format)
kept_names = st.text("0123456789abcdef", min_size=10, max_size=10)
numbers = st.integers(0, 999)

CONTROLS: st.SearchStrategy[Control] = st.one_of(
    st.integers(0, 9999).map(lambda number: Pick(f"o{number}")),
    st.booleans().map(PickToggle),
    st.integers(0, 9999).map(OpenForm),
    st.builds(Step, st.sampled_from(StepAct), numbers, numbers),
    kept_names.map(Send),
    kept_names.map(Drop),
    st.sampled_from(
        (PressOther(), PressSkip(), PressDecline(), PressApprove(), AskReason()),
    ),
)


@given(ask_ids, CONTROLS)
def test_every_control_comes_back_with_its_ask(ask: str, control: Control) -> None:
    """What a button of ours carries is read as it was meant, by any replica."""
    assert unpack(pack(ask, control)) == (ask, control)


@given(ask_ids, CONTROLS)
def test_every_platform_can_carry_it(ask: str, control: Control) -> None:
    """At most twenty bytes, and letters that no platform escapes or folds."""
    data = pack(ask, control)
    assert len(data.encode()) <= MOST_BYTES == 20
    assert set(data) <= set(string.ascii_letters + string.digits + "_-.")


@given(CONTROLS, CONTROLS)
def test_different_buttons_of_a_post_carry_different_data(control: Control, other: Control) -> None:
    """Platforms refuse a message with two buttons of the same data, and none are mixed up."""
    assert (pack(ASK, control) == pack(ASK, other)) is (control == other)


@given(any_text())
def test_any_text_reads_or_is_none_of_ours(text: str) -> None:
    """Total: whatever a payload holds, it is read as we wrote it or not at all."""
    found = unpack(text)
    assert found is None or pack(*found) == text


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{8}[A-Za-z0-9_.-]{0,12}", fullmatch=True))
def test_what_looks_like_ours_reads_or_does_not(data: str) -> None:
    """Near misses too: another spelling of the same bytes, a number with a zero before it."""
    found = unpack(data)
    assert found is None or pack(*found) == data


@given(ask_ids, CONTROLS, st.data())
def test_data_that_was_changed_is_no_other_spelling_of_itself(
    ask: str, control: Control, data: st.DataObject
) -> None:
    """One letter changed, left out or added: another button, or none."""
    packed = pack(ask, control)
    at = data.draw(st.integers(0, len(packed) - 1))
    letter = data.draw(st.sampled_from(string.printable))
    for changed in (
        packed[:at] + letter + packed[at + 1 :],
        packed[:at] + packed[at + 1 :],
        packed[:at] + letter + packed[at:],
    ):
        if changed != packed:
            assert unpack(changed) != (ask, control)


def test_each_control_has_one_spelling() -> None:
    """Seven letters hold two bits more than a kept name has; and a number begins with no zero."""
    packed = pack(ASK, Send("00112233ff"))
    letters = string.ascii_letters + string.digits + "-_"
    read = [unpack(packed[:-1] + letter) for letter in letters]
    assert read.count((ASK, Send("00112233ff"))) == 1
    assert len(set(read) - {None}) == 16
    form = pack(ASK, OpenForm(7))
    assert unpack(form.removesuffix("7") + "07") is None
    walk = pack(ASK, Step(StepAct.PICK, 1, 2))
    assert unpack(walk.removesuffix("1.2") + "1.02") is None


@pytest.mark.parametrize("act", StepAct)
def test_every_act_of_a_walk_has_a_letter(act: StepAct) -> None:
    """None is forgotten, and no two are one."""
    assert unpack(pack(ASK, Step(act))) == (ASK, Step(act))


@pytest.mark.parametrize(
    "control",
    [PressDecline("why"), PressApprove("fine"), Pick("1"), Pick("option"), Pick("o12345")],
)
def test_what_does_not_fit_on_a_button_is_refused(control: Control) -> None:
    """A comment or a reason is typed, and an option is called by its number."""
    with pytest.raises(ValueError, match=r"a button carries no words|an option is called"):
        pack(ASK, control)
