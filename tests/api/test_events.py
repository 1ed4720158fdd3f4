"""A run's feed: each event once, in order, from the last one seen, until the run has ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import aiohttp
import pytest

import gateway.broker.runs
from gateway.person import Role
from gateway.tokens import Grant
from tests.api.serving import ONE_STORE, RUN, Gateway
from tests.waiting import until


@asynccontextmanager
async def feed(gw: Gateway, who: str = "agent", after: str | None = None) -> AsyncIterator[Feed]:
    """The feed of the run, being read."""
    headers = {"Authorization": f"Bearer {gw.secrets[who]}"}
    headers |= {} if after is None else {"Last-Event-ID": after}
    timeout = aiohttp.ClientTimeout(total=20)
    path = f"{gw.base}/v1/runs/{RUN}/events"
    async with gw.session.get(path, headers=headers, timeout=timeout) as response:
        yield Feed(response)


class Feed:
    """Reads events and comments off one response."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.response = response

    async def next(self) -> dict[str, Any] | None:
        """The next event's data, None at the end; ids and types are checked on the way."""
        lines: dict[str, str] = {}
        async for raw in self.response.content:
            name, _, value = raw.decode().rstrip("\n").partition(": ")
            if raw == b"\n" and "data" in lines:
                data: dict[str, Any] = json.loads(lines["data"])
                assert (data["id"], data["type"]) == (lines["id"], lines["event"])
                return data
            lines[name] = value
        return None

    async def rest(self) -> list[dict[str, Any]]:
        """All events up to the end."""
        found = []
        while (event := await self.next()) is not None:
            found.append(event)
        return found


async def test_a_feed_tells_each_event_once_in_order_and_ends(gw: Gateway) -> None:
    """From the run's creation to its end, live, as the history has it."""
    await gw.run()
    async with feed(gw) as reading:
        assert reading.response.content_type == "text/event-stream"
        assert (await reading.next() or {})["type"] == "run.created"
        ask = await gw.ask({"question": "Which colour?", "choices": ["red", "blue"]})
        opened = await reading.next() or {}
        await gw.as_("operator").post(f"/v1/asks/{ask}/answer", {"answer": "blue"})
        answered = await reading.next() or {}
        await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": "finished"})
        rest = await reading.rest()
    assert (opened["type"], opened["ask_id"]) == ("ask.opened", ask)
    assert opened["question"]["details"] == "Which colour?"
    assert opened["question"]["choices"] == ["red", "blue"]
    assert opened["question"]["tool"] == "oz.ask_user"
    assert answered["outcome"]["answer"] == "blue"
    assert answered["outcome"]["by"] == "operator:admin"
    assert answered["result"] == "The answer: blue"
    assert [(event["type"], event["status"]) for event in rest] == [("run.ended", "finished")]
    history = await gw.as_("agent").get(f"/v1/runs/{RUN}/history")
    ids = [event["id"] for event in history.body["events"]]
    assert len(ids) == 4 == len(set(ids))
    assert [opened["id"], answered["id"], rest[0]["id"]] == ids[1:]


async def test_a_feed_goes_on_from_the_last_id_seen(gw: Gateway) -> None:
    """From any event on: those after it, none of those before."""
    ask = await gw.ask({"question": "Q?"})
    await gw.as_("operator").post(f"/v1/asks/{ask}/answer", {"answer": "yes"})
    await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": "finished"})
    history = (await gw.as_("agent").get(f"/v1/runs/{RUN}/history")).body["events"]
    for seen in range(len(history) - 1):
        async with feed(gw, after=history[seen]["id"]) as reading:
            assert await reading.rest() == history[seen + 1 :]


async def test_a_reader_that_has_seen_the_end_is_told_to_stay_away(gw: Gateway) -> None:
    """204, on which a browser stops coming back."""
    await gw.run()
    await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": "finished"})
    history = (await gw.as_("agent").get(f"/v1/runs/{RUN}/history")).body["events"]
    async with feed(gw, after=history[-1]["id"]) as reading:
        assert reading.response.status == 204


@ONE_STORE
@pytest.mark.parametrize("after", ["x", "1-", "-1", "1-2-3", "1_000-0", "²"])
async def test_an_id_that_is_none_is_refused(gw: Gateway, after: str) -> None:
    """Before the stream begins, so that the caller can read why."""
    await gw.run()
    async with feed(gw, after=after.encode().decode("latin-1")) as reading:
        assert reading.response.status == 400
        assert (await reading.response.json())["code"] == "invalid_argument"


async def test_a_quiet_feed_gives_signs_of_life(
    gw: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comments, which readers pass over, so that nothing in between hangs up."""
    monkeypatch.setattr(gateway.broker.runs, "LOOK_AGAIN_S", 0.01)
    await gw.run()
    async with feed(gw) as reading:
        await reading.next()
        for _ in range(3):
            assert await reading.response.content.readline() == b": alive\n"
            assert await reading.response.content.readline() == b"\n"
        await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": "finished"})
        assert [event["type"] for event in await reading.rest()] == ["run.ended"]


async def test_a_reader_that_hangs_up_leaves_nothing_behind(gw: Gateway) -> None:
    """Its watch goes with it, and the run goes on."""
    await gw.run()
    async with feed(gw) as reading:
        await reading.next()
        await until(lambda: RUN in gw.parts.waiters._watches, "the feed waits for events")
        reading.response.close()
    await until(lambda: RUN not in gw.parts.waiters._watches, "nobody waits any more")
    assert (await gw.as_("agent").get(f"/v1/runs/{RUN}")).body["status"] == "running"


async def test_many_feeds_are_woken_by_one_event(gw: Gateway) -> None:
    """Every reader hears of it."""
    await gw.run()

    async def read() -> list[str]:
        async with feed(gw) as reading:
            return [event["type"] for event in await reading.rest()]

    reading = [asyncio.create_task(read()) for _ in range(20)]
    await until(lambda: len(gw.parts.waiters._watches.get(RUN, ())) == 20, "20 readers wait")
    await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": "failed"})
    assert await asyncio.gather(*reading) == [["run.created", "run.ended"]] * 20


async def test_the_feed_tells_whom_the_ladder_reached(gw: Gateway) -> None:
    """The rungs of the ladder and the ending by time are events as all others."""
    await gw.run(timeout="4h")
    await gw.ask({"question": "Q?"})
    for _ in range(4):
        await gw.pass_time(timedelta(hours=1, seconds=1))
    told = await gw.as_("agent").get(f"/v1/runs/{RUN}/history")
    assert [(event["type"], event.get("to")) for event in told.body["events"][2:]] == [
        ("question.waiting", "answerers"),
        ("approval.escalated", "owner"),
        ("approval.escalated", "admins"),
        ("ask.expired", None),
    ]


async def test_a_sub_runs_question_is_on_its_callers_feed(gw: Gateway) -> None:
    """With the child, the question and the time; the answer is on the child's feed alone."""
    await gw.run()
    sub = (await gw.as_("agent").post("/v1/runs", {"parent": RUN})).body["id"]
    body = {"tool": "ask_a_human", "arguments": {"question": "Q?"}, "call_id": "c"}
    made = await gw.as_("agent").post(f"/v1/runs/{sub}/asks", body)
    ask = made.body["ask"]["id"]
    await gw.parts.store.frame(RUN, sub, ask)
    await gw.as_("operator").post(f"/v1/asks/{ask}/answer", {"answer": "yes"})
    told = await gw.as_("agent").get(f"/v1/runs/{RUN}/history")
    created, frame = told.body["events"]
    assert created["type"] == "run.created"
    assert (frame["type"], frame["child_run_id"]) == ("child_needs_human", sub)
    assert frame["question"]["details"] == "Q?"
    assert frame["timestamp"] == frame["at"]


async def test_a_token_revoked_while_its_feed_is_open_hears_nothing_more(gw: Gateway) -> None:
    """What is asked from then on is not told; the feed ends, and is not opened again."""
    await gw.run()
    token, gw.secrets["gone"] = await gw.parts.tokens.make(
        "acme", Grant(name="gone", role=Role.READER, content=True)
    )
    async with feed(gw, "gone") as reading:
        assert (await reading.next() or {})["type"] == "run.created"
        await gw.parts.tokens.revoke("acme", token.id)
        await gw.ask({"question": "Which customer?"})
        assert await reading.rest() == []
    assert (await gw.as_("gone").get(f"/v1/runs/{RUN}/events")).status == 401


async def test_a_feed_of_a_retired_or_unknown_run_is_not_found(gw: Gateway) -> None:
    """In the one shape of errors, not as a stream."""
    async with feed(gw) as reading:
        assert reading.response.status == 404
        assert (await reading.response.json())["code"] == "not_found"
