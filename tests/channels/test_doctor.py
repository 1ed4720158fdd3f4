"""`oz0 doctor` against each fake platform set wrong: every fault is named, with how to mend it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.testing.town import Place, Town
from gateway.cli.doctor import Found, _ending, _examine, _exit_code, _print
from gateway.cli.failure import REFUSED
from tests.channels.gatewayed import settings
from tests.channels.set_wrong import ALL, CALLS, NOT_THERE, NOWHERE, Wrong
from tests.channels.slack.rooms import without_proxy

CASES = [
    pytest.param(name, wrong, id=f"{name}: {wrong}")
    for name, several in ALL.items()
    for wrong in several
]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    without_proxy(monkeypatch)


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    """The four, set up as they should be."""
    async with Town() as made:
        yield made


async def doctored(
    place: Place,
    folder: Path,
    *,
    table: dict[str, Any] | None = None,
    room: str | None = None,
    thread: str | None = None,
    account: str | None = None,
) -> list[Found]:
    """What the doctor finds of one platform, with one route there."""
    given = place.platform.settings() | (table or {})
    tables = {place.name: {key: value for key, value in given.items() if value is not None}}
    route = f'[[route]]\nconversation = "{place.name}:{room or place.room}"\ncontent = true\n'
    if thread is not None:
        route += f'thread = "{thread}"\n'
    people = ""
    if account is not None:
        route = '[[route]]\nperson = "ana"\n'
        people = '[[person]]\nid = "ana"\nname = "Ana"\nrole = "operator"\n'
        people += f'identities = ["{place.name}:{account}"]\n'
    return await _examine(settings(tables, people, route, folder), None)


@pytest.mark.parametrize("name", ALL)
async def test_what_is_set_right_needs_no_mending(town: Town, name: str, tmp_path: Path) -> None:
    """Every platform as it should be: nothing is wrong, and nothing was posted to find out."""
    place = town.places[name]
    found = await doctored(place, tmp_path)
    assert [one for _, one in found if one.fine is not True or one.mend] == []
    assert [one.what for of, one in found if of == name and place.room in one.what]
    assert place.posts() == []


@pytest.mark.parametrize(("name", "wrong"), CASES)
async def test_what_is_set_wrong_is_named_with_how_to_mend_it(
    town: Town, name: str, wrong: Wrong, tmp_path: Path
) -> None:
    """In the words of what has to be changed."""
    place = town.places[name]
    table = place.platform.settings() | wrong.table  # as they were before
    wrong.platform(place.platform)
    found = await doctored(
        place,
        tmp_path,
        table=table,
        room=wrong.room,
        thread=wrong.thread,
        account=wrong.account,
    )
    faults = [one for of, one in found if of == name and one.fine is False]
    assert faults
    assert all(one.mend for one in faults)
    words = "\n".join(f"{one.what}: {one.mend}" for one in faults)
    for said in wrong.said:
        assert said in words


@pytest.mark.parametrize(("name", "setting", "what"), NOT_THERE)
async def test_where_nobody_answers_is_named_and_nothing_is_blamed(
    town: Town, name: str, setting: str, what: str, tmp_path: Path
) -> None:
    """By the address: it may be wrong, the network may be, or the platform is down."""
    found = await doctored(town.places[name], tmp_path, table={setting: NOWHERE})
    assert [one for _, one in found if one.fine is False] == []
    (one,) = [one for _, one in found if one.passing and one.what == what]
    assert "could not be checked just now" in one.mend
    assert setting in one.mend or NOWHERE in one.mend


DOWN: dict[str, dict[str, Any]] = {
    "503": {"status": 503, "body": {}},
    "429": {"status": 429, "body": {}},
    "502 in HTML": {"status": 502, "body": "<html>Bad Gateway</html>"},
    "lost": {"lost": True},
}
"""What a platform that is down, or limits us, answers."""


@pytest.mark.parametrize("how", DOWN)
@pytest.mark.parametrize(
    ("name", "method"), [(name, method) for name, calls in CALLS.items() for method in calls]
)
async def test_a_platform_that_is_down_is_not_set_wrong(
    town: Town, name: str, method: str, how: str, tmp_path: Path
) -> None:
    """At whichever call: it is said as not checked just now, and all else is as it was."""
    place = town.places[name]
    place.platform.fail(method, times=3, **DOWN[how])
    found = [one for of, one in await doctored(place, tmp_path) if of == name]
    assert [one for one in found if one.fine is False] == []
    faults = [one for one in found if one.fine is None]
    assert faults
    assert all(one.passing and "could not be checked just now" in one.mend for one in faults)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["ok", "error", "result", "code", "channel", "type", "keys", "url"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("name", ALL)
@hypothesis.settings(max_examples=40)  # each starts a server, and the library's pools
@given(drawn=st.data())
def test_no_answer_makes_the_doctor_raise(name: str, drawn: st.DataObject) -> None:
    """Whatever its status and form, at any call: what is not fine says what to do."""
    method = drawn.draw(st.sampled_from(CALLS[name]))
    status = drawn.draw(st.sampled_from([200, 200, 200, 204, 302, 400, 401, 403, 404, 500, 503]))
    body = drawn.draw(anything)

    async def look() -> list[Found]:
        async with Town(names=(name,)) as town:
            place = town.places[name]
            place.platform.fail(method, times=3, status=status, body=body)
            with TemporaryDirectory() as folder:
                return await doctored(place, Path(folder))

    found = asyncio.run(look())
    assert found
    assert [one for _, one in found if one.fine is not True and not one.mend] == []


def test_each_platform_is_set_wrong_in_ten_ways() -> None:
    """The issue's number, and one more each is welcome."""
    assert {name: len(several) >= 10 for name, several in ALL.items()} == dict.fromkeys(ALL, True)


async def test_what_is_wrong_is_printed_with_its_platform(
    town: Town, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line a finding, and below a wrong one how to mend it."""
    place = town.places["slack"]
    place.platform.remove_bot(place.room)
    _print(await doctored(place, tmp_path), as_json=False)
    printed = " ".join(capsys.readouterr().out.split())
    assert "wrong slack: conversation C00000001: not_in_channel" in printed
    assert "type /invite @OZ there." in printed
    assert "fine slack: bot token: OZ in Example" in printed


async def test_what_could_not_be_seen_is_printed_as_not_checked(
    town: Town, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Never as fine, and with what shows it."""
    found = await doctored(town.places["slack"], tmp_path, table=WITHOUT_OWNER)
    _print(found, as_json=False)
    printed = " ".join(capsys.readouterr().out.split())
    assert "not checked slack: events, presses, the Messages tab" in printed
    assert "run this with it in OZ_SLACK_CONFIG_TOKEN." in printed
    _print(found, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert [one["passing"] for one in told if one["fine"] is None] == [False]


WITHOUT_OWNER = {"config_token": None}
"""Of Slack: the usual set-up, in which nobody may read the app's manifest."""


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({}, 0),
        (WITHOUT_OWNER, 0),
        ({"bot_token": "xoxb-other"}, REFUSED),
        ({"api_url": NOWHERE}, REFUSED),
    ],
)
async def test_the_exit_code_says_whether_something_is_to_be_done(
    town: Town, tmp_path: Path, wrong: dict[str, Any], code: int
) -> None:
    """0 where all is fine that can be seen; 1 where something is wrong, or is to be tried again."""
    found = await doctored(town.places["slack"], tmp_path, table=wrong)
    assert _exit_code(found) == code


@pytest.mark.parametrize(
    ("status", "said"),
    [("answered", "It ended answered."), ("pending", "No place took it.")],
)
def test_how_a_test_ask_ended_is_said(status: str, said: str) -> None:
    """One that waits when we go is one that was posted nowhere."""
    assert _ending(status) == said


async def test_a_route_to_a_channel_that_is_not_configured_is_named(
    town: Town, tmp_path: Path
) -> None:
    """It would lead nowhere."""
    tables = {"slack": town.places["slack"].platform.settings()}
    routes = '[[route]]\nconversation = "slack:C00000001"\n[[route]]\nconversation = "discord:1"'
    found = await _examine(settings(tables, "", routes, tmp_path), None)
    (fault,) = [one for _, one in found if not one.fine]
    assert fault.mend == "Add a table [channel.discord], or drop the route."
