"""Waiting over HTTP: until there is an answer, until time is up, until the caller hangs up."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from gateway.person import Role
from gateway.tokens import Grant
from tests.api.serving import ONE_STORE, RUN, Gateway
from tests.waiting import until


async def test_after_its_deadline_an_ask_takes_no_answer(gw: Gateway) -> None:
    """The late one is told that it expired, and the agent reads that nobody answered."""
    await gw.run(timeout="4h")
    ask = await gw.ask({"question": "Q?"})
    gw.time.move(gw.parts.store, timedelta(hours=4, seconds=1))
    late = await gw.answer(ask, "yes")
    told = await gw.as_("agent").get(f"/v1/asks/{ask}/result")
    assert (late.status, late.code) == (409, "already_settled")
    assert late.body["outcome"]["status"] == "expired"
    assert told.body["result"] == "Nobody answered within 4:00:00."


async def test_a_question_that_fails_its_run_says_so(gw: Gateway) -> None:
    """With `on_timeout: fail` the run fails with QuestionTimedOut, for all to see."""
    await gw.run(timeout=60, on_timeout="fail")
    ask = await gw.ask({"question": "Q?"})
    await gw.pass_time(timedelta(seconds=61))
    run = await gw.as_("blind_reader").get(f"/v1/runs/{RUN}")
    assert (run.body["status"], run.body["error"]) == ("failed", "QuestionTimedOut")
    assert await gw.status(ask) == "expired"


async def test_ac_14_a_wait_stays_open_until_there_is_an_answer(gw: Gateway) -> None:
    """AC-14: other calls between asking and waiting do not end the wait; the answer does."""
    ask = await gw.deploy()
    await gw.as_("agent").get(f"/v1/runs/{RUN}")
    await gw.as_("agent").post("/v1/runs", {"parent": RUN})
    waiting = asyncio.create_task(gw.as_("agent").get(f"/v1/asks/{ask}/result?wait=60"))
    await until(lambda: ask in gw.parts.waiters._watches, "somebody waits for the ask")
    assert await gw.status(ask) == "pending"
    assert not waiting.done()
    await gw.answer(ask, "Staging", "U1")
    told = await waiting
    assert (told.status, told.body["status"]) == (200, "answered")
    assert told.body["result"] == {"answer": "Staging", "option_id": "o1"}
    assert await gw.endings() == 1


async def test_opening_can_wait_as_well(gw: Gateway) -> None:
    """`wait` on the call that asks returns with the answer, and says that the ask is new."""
    await gw.run()
    body = {"tool": "ask_a_human", "arguments": {"question": "Q?"}, "call_id": "c"}
    waiting = asyncio.create_task(gw.as_("agent").post(f"/v1/runs/{RUN}/asks?wait=60", body))
    ask = ""

    async def asked() -> bool:
        nonlocal ask
        listed = (await gw.as_("operator").get("/v1/asks")).body["asks"]
        ask = listed[0]["id"] if listed else ""
        return ask in gw.parts.waiters._watches

    await until(asked, "the call waits for its ask")
    await gw.answer(ask, "yes")
    told = await waiting
    assert (told.status, told.body["result"]) == (201, {"answer": "yes"})


async def test_a_token_revoked_while_it_waits_is_not_told_the_answer(gw: Gateway) -> None:
    """Whether it waits for an ask that is there, or for one that it opens."""
    ask = await gw.deploy()
    grant = Grant(name="gone", role=Role.OPERATOR, content=True)
    token, gw.secrets["gone"] = await gw.parts.tokens.make("acme", grant)
    body = {"kind": "approval", "prompt": "Refund it?", "call_id": "c"}
    reading = asyncio.create_task(gw.as_("gone").get(f"/v1/asks/{ask}/result?wait=60"))
    opening = asyncio.create_task(gw.as_("gone").post(f"/v1/runs/{RUN}/asks?wait=60", body))
    await until(lambda: len(gw.parts.waiters._watches) == 2, "both wait")
    await gw.parts.tokens.revoke("acme", token.id)
    await gw.as_("owner").post(f"/v1/runs/{RUN}/end", {"status": "cancelled"})
    for told in await asyncio.gather(reading, opening):
        assert (told.status, told.code) == (401, "unauthenticated")


async def test_a_wait_that_is_over_says_that_it_still_waits(gw: Gateway) -> None:
    """Nothing came within the time: status pending, no result."""
    ask = await gw.deploy()
    told = await gw.as_("agent").get(f"/v1/asks/{ask}/result?wait=0.05")
    assert (told.status, told.body["status"]) == (200, "pending")
    assert "result" not in told.body


@ONE_STORE
@pytest.mark.parametrize("wait", ["301", "-1", "nan", "inf", "soon", ""])
async def test_a_wait_has_bounds(gw: Gateway, wait: str) -> None:
    """Nobody waits for longer than 300 seconds at a time."""
    ask = await gw.deploy()
    refused = await gw.as_("agent").get(f"/v1/asks/{ask}/result?wait={wait}")
    assert (refused.status, refused.paths) == (400, ["wait"])


async def test_whoever_hangs_up_is_waited_for_no_more(gw: Gateway) -> None:
    """A long poll whose caller is gone leaves nothing behind, and the ask goes on waiting."""
    ask = await gw.deploy()
    waiting = asyncio.create_task(gw.as_("agent").get(f"/v1/asks/{ask}/result?wait=300"))
    await until(lambda: ask in gw.parts.waiters._watches, "somebody waits for the ask")
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await until(lambda: ask not in gw.parts.waiters._watches, "nobody waits any more")
    assert await gw.status(ask) == "pending"


async def test_an_approval_waits_as_long_as_its_run_says(gw: Gateway) -> None:
    """Unless it says otherwise itself."""
    await gw.run(timeout="4h")
    for more, waits in (({}, 4 * 3_600), ({"timeout": "15m"}, 900)):
        ask = await gw.approval(**more)
        read = await gw.as_("agent").get(f"/v1/asks/{ask}")
        assert read.body["ask"]["timeout_s"] == waits
        assert read.body["ask"]["deadline"] is not None


async def test_a_wait_is_answered_by_another_process(
    over_redis: Gateway, redis_url: str, tmp_path: Any
) -> None:
    """Waiting at one gateway and answering at another is one ask."""
    from tests.api.serving import gateway

    ask = await over_redis.deploy()
    async with gateway(redis_url, tmp_path) as second:
        second.secrets = over_redis.secrets
        waiting = asyncio.create_task(second.as_("agent").get(f"/v1/asks/{ask}/result?wait=60"))
        await until(lambda: ask in second.parts.waiters._watches, "somebody waits there")
        await over_redis.answer(ask, "Cancel")
        told = await waiting
    assert told.body["result"] == {"answer": "Cancel", "option_id": "o3"}
