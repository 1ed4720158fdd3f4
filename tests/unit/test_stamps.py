"""Times that a platform may write in each reader's own zone, and that nobody else can write."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.catalogue import Language, Reader
from channels.drawing import draw
from channels.shown import cut, line, short, stamp, stamped, unstamped
from channels.slack.render import CAPABILITIES as SLACK
from channels.words import told
from gateway.ask import AskRecord, Status
from gateway.question import Field, Kind, Option
from gateway.visible import one_line, visible
from tests.endings import NOW, an_ask, settled
from tests.strategies import any_text, record_of
from tests.strategies_reply import field

STAMPS = Reader(zone="Europe/Berlin", stamps=True)
LATER = NOW + timedelta(hours=30)
MARKS = "\ufdd0\ufdd1\ufdd2"
FORGED = stamp(NOW, "tomorrow")
"""What an agent would write to have a time of its own choosing shown."""

moments = st.integers(86_400, 7 * 10**9).map(lambda at: datetime.fromtimestamp(at, UTC))
words = st.text(st.characters(exclude_characters=MARKS), max_size=30)
forgeries = st.text(MARKS + "0123456789 ab", max_size=30) | any_text().map(
    lambda text: f"{FORGED}{text}"
)


def times(text: str) -> list[tuple[int, str]]:
    """The stamps in a text."""
    found: list[tuple[int, str]] = []

    def note(at: int, said: str) -> str:
        found.append((at, said))
        return said

    stamped(text, note)
    return found


@given(moments, words, any_text(), any_text())
def test_a_stamp_is_read_back_with_its_words(at: datetime, said: str, one: str, two: str) -> None:
    """Between any other text; and without it, its words alone are left."""
    text = f"{visible(one)}{stamp(at, said)}{visible(two)}"
    assert times(text) == [(int(at.timestamp()), said)]
    assert unstamped(text) == f"{visible(one)}{said}{visible(two)}"


@given(forgeries)
def test_what_agents_and_people_write_is_never_a_stamp(text: str) -> None:
    """However it is shown: on lines, on one line, shortened or cut."""
    for shown in (visible(text), one_line(text), line(text), short(text, 9), cut(visible(text), 9)):
        assert times(shown) == []
        assert not set(shown) & set(MARKS)


def forged(status: Status | None = None) -> AskRecord:
    """An ask with a forged stamp wherever somebody outside may write."""
    option = Option(id="o1", label=FORGED, description=FORGED)
    ask = an_ask(
        Field(name="pick", kind=Kind.CHOICE, label=FORGED, description=FORGED, options=(option,)),
        field(Kind.TEXT, "why", label=FORGED),
        prompt=FORGED,
    ).model_copy(update={"agent": FORGED, "run_id": FORGED})
    if status is None:
        return replace(record_of(ask), deadline=LATER)
    return settled(ask, status=status, name=FORGED, reason=FORGED, values={"why": FORGED})


def test_a_post_has_no_times_but_ours() -> None:
    """Prompt, labels, names of agent, run and person, answer and reason: all of it is escaped."""
    deadline = int(LATER.timestamp())
    waits = draw(STAMPS, forged(), SLACK, code="K7", waits_for="all", now=NOW)
    assert [at for at, _ in times(waits.text)] == [deadline]
    sealed = replace(STAMPS, sees=False)
    hidden = draw(sealed, forged(), SLACK, code="K7", waits_for="all", now=NOW)
    assert [at for at, _ in times(hidden.text)] == [deadline]
    for status in (Status.ANSWERED, Status.DECLINED):
        ended = draw(STAMPS, forged(status), SLACK, code="K7", waits_for="all", now=NOW)
        assert [at for at, _ in times(ended.text)] == [int(NOW.timestamp())]


def test_a_reminder_has_no_times_but_ours() -> None:
    """Also where the question is not named, and the agent is."""
    for reader in (STAMPS, replace(STAMPS, sees=False)):
        text = told.still_waiting(reader, forged(), "K7", NOW)
        assert [at for at, _ in times(text)] == [int(LATER.timestamp())]


@pytest.mark.parametrize("tag", [None, "de", "ar-EG"])
def test_a_reader_of_stamps_reads_the_same_words(tag: str | None) -> None:
    """The words inside are what everybody else reads, in the language and zone of the place."""
    plain = Reader(Language(tag), zone="Europe/Berlin", shared=True)
    said = replace(plain, stamps=True).when(LATER, NOW)
    assert times(said) == [(int(LATER.timestamp()), plain.when(LATER, NOW))]
    assert unstamped(said) == plain.when(LATER, NOW)
    assert times(plain.when(LATER, NOW)) == []


def test_a_deadline_is_stamped_today_too() -> None:
    """Who reads it in another zone may have another day."""
    record = replace(record_of(an_ask()), deadline=NOW + timedelta(minutes=5))
    text = draw(STAMPS, record, SLACK, code="K7", waits_for="all", now=NOW).text
    ((at, said),) = times(text)
    assert at == int((NOW + timedelta(minutes=5)).timestamp())
    assert said == "14:07"


def test_text_without_stamps_is_left_as_it_is() -> None:
    """Nothing is looked for inside other people's words."""
    assert unstamped("no time") == "no time"
    assert stamped("\ufdd0no digits\ufdd2", lambda *_: "x") == "\ufdd0no digits\ufdd2"
