"""`agents/{run_id}` and `resume`: the third original's surface, under both prefixes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.api.serving import RUN, Gateway

PREFIXES = ("/v1", "/api/platform/v1")
STAGING = {"kind": "multiple_choice", "option_id": "o1"}


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_a_waiting_run_shows_what_it_waits_for(gw: Gateway, prefix: str) -> None:
    """Status, type, question and the schema of what fits; nothing of it once it was answered."""
    await gw.deploy()
    read = await gw.as_("agent").get(f"{prefix}/agents/{RUN}")
    assert (read.status, read.body["status"]) == (200, "awaiting_input")
    assert read.body["pending_input_type"] == "ask_human"
    context = read.body["pending_input_context"]
    assert context["question"] == "Where should build 41 go?"
    assert [option["id"] for option in context["options"]] == ["o1", "o2", "o3", "other"]
    assert len(read.body["pending_input_schema"]["oneOf"]) == 2
    resumed = await gw.as_("granted").post(f"{prefix}/agents/{RUN}/resume", {"input": STAGING})
    assert (resumed.status, resumed.body["status"]) == (200, "running")
    assert resumed.body["ask"]["outcome"]["answer"] == "Staging"
    again = await gw.as_("agent").get(f"{prefix}/agents/{RUN}")
    assert again.body["pending_input_type"] is None
    assert "pending_input_context" not in again.body


async def test_a_write_in_resumes_with_its_own_words(gw: Gateway) -> None:
    """`other` with `other_text` is what the agent reads."""
    ask = await gw.deploy()
    given = {"kind": "multiple_choice", "option_id": "other", "other_text": "SMB first, actually"}
    await gw.as_("operator").post(f"/v1/agents/{RUN}/resume", {"input": given})
    told = await gw.as_("agent").get(f"/v1/asks/{ask}/result")
    assert told.body["result"] == {"answer": "SMB first, actually", "option_id": "other"}


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "multiple_choice", "option_id": "o9"},
        {"kind": "multiple_choice", "option_id": "other"},
        {"kind": "multiple_choice", "option_id": "other", "other_text": " "},
        {"kind": "multiple_choice", "option_id": "other", "other_text": "x" * 4_001},
        {"kind": "multiple_choice", "option_id": "o1", "other_text": "and more"},
        {"kind": "free_form", "text": "Staging"},
        {"kind": "multiple_choice"},
        {},
        [],
        "o1",
        None,
    ],
)
async def test_ac_05_what_does_not_fit_resumes_nothing(gw: Gateway, given: Any) -> None:
    """AC-05: the fault is named, the ask waits, and a right answer is taken after it."""
    ask = await gw.deploy()
    path = f"/api/platform/v1/agents/{RUN}/resume"
    refused = await gw.as_("operator").post(path, {"input": given})
    assert (refused.status, refused.code) == (400, "invalid_argument")
    assert refused.body["problems"]
    assert (await gw.status(ask), await gw.endings()) == ("pending", 0)
    taken = await gw.as_("operator").post(path, {"input": STAGING})
    assert taken.body["ask"]["outcome"]["answer"] == "Staging"
    assert (await gw.status(ask), await gw.endings()) == ("answered", 1)


async def test_with_several_pending_the_oldest_shows_and_an_id_is_needed(gw: Gateway) -> None:
    """Without `ask_id` it is a conflict; with one, that ask is answered, and the next shows."""
    first, second = await gw.ask({"question": "A?"}), await gw.ask({"question": "B?"})
    read = await gw.as_("agent").get(f"/v1/agents/{RUN}")
    path = f"/v1/agents/{RUN}/resume"
    refused = await gw.as_("operator").post(path, {"input": {"answer": "yes"}})
    body = {"input": {"answer": "yes"}, "ask_id": first}
    taken = await gw.as_("operator").post(path, body)
    assert read.body["pending_input_context"]["question"] == "A?"
    assert read.body["pending"] == [first, second]
    assert (refused.status, refused.code) == (409, "conflict")
    assert (taken.status, taken.body["ask"]["id"]) == (200, first)
    assert taken.body["pending_input_context"]["question"] == "B?"


async def test_an_ask_of_another_run_is_not_found_here(gw: Gateway) -> None:
    """The id in the body belongs to the run in the path."""
    await gw.ask({"question": "A?"})
    other_run = RUN[:-1] + "2"
    other = await gw.ask({"question": "B?"}, run=other_run)
    body = {"input": {"answer": "yes"}, "ask_id": other}
    refused = await gw.as_("operator").post(f"/v1/agents/{RUN}/resume", body)
    assert (refused.status, refused.code) == (404, "not_found")
    assert await gw.status(other) == "pending"


async def test_the_same_resume_again_hears_that_it_won(gw: Gateway) -> None:
    """Whether the run waits for nothing by then or for something else, which goes on waiting."""
    ask = await gw.deploy()
    path = f"/v1/agents/{RUN}/resume"
    first = await gw.as_("operator").post(path, {"input": STAGING}, idempotency_key="k")
    again = await gw.as_("operator").post(path, {"input": STAGING}, idempotency_key="k")
    other = await gw.deploy()
    late = await gw.as_("operator").post(path, {"input": STAGING}, idempotency_key="k")
    assert (first.status, again.status, late.status) == (200, 200, 200)
    assert first.body == again.body
    assert late.body["ask"]["id"] == ask
    assert (await gw.status(other), await gw.endings()) == ("pending", 1)


async def test_of_many_resumes_at_once_one_wins(gw: Gateway) -> None:
    """All others hear who was first, though none of them named the ask."""
    await gw.deploy()
    path = f"/v1/agents/{RUN}/resume"
    told = await asyncio.gather(*(gw.as_("U1").post(path, {"input": STAGING}) for _ in range(20)))
    assert sorted(one.status for one in told) == [200] + [409] * 19
    assert {one.body["outcome"]["by"] for one in told if one.status == 409} == {"user:U1"}
    assert await gw.endings() == 1


async def test_a_run_that_never_asked_waits_for_no_answer(gw: Gateway) -> None:
    """There is nothing to resume, and nothing is made up."""
    await gw.run()
    refused = await gw.as_("operator").post(f"/v1/agents/{RUN}/resume", {"input": STAGING})
    assert (refused.status, refused.code) == (400, "failed_precondition")


async def test_an_approval_is_not_resumed(gw: Gateway) -> None:
    """It shows as an approval, without a schema, and an input for it is refused."""
    ask = await gw.approval("Refund it?")
    read = await gw.as_("agent").get(f"/v1/agents/{RUN}")
    refused = await gw.as_("operator").post(f"/v1/agents/{RUN}/resume", {"input": {}})
    assert read.body["pending_input_type"] == "approval"
    assert "pending_input_schema" not in read.body
    assert (refused.status, refused.code) == (400, "failed_precondition")
    assert await gw.status(ask) == "pending"


async def test_a_sub_runs_answer_resumes_the_sub_run(gw: Gateway) -> None:
    """Resuming its caller does not reach it; resuming it does, and the caller never waited."""
    await gw.run()
    sub = (await gw.as_("agent").post("/v1/runs", {"parent": RUN})).body["id"]
    body = {"tool": "ask_a_human", "arguments": {"question": "Q?"}, "call_id": "c"}
    await gw.as_("agent").post(f"/v1/runs/{sub}/asks", body)
    given = {"input": {"kind": "free_form", "text": "yes"}}
    caller = await gw.as_("agent").get(f"/v1/agents/{RUN}")
    refused = await gw.as_("operator").post(f"/v1/agents/{RUN}/resume", given)
    taken = await gw.as_("operator").post(f"/v1/agents/{sub}/resume", given)
    assert caller.body["status"] == "running"
    assert refused.status == 400
    assert (taken.status, taken.body["status"]) == (200, "running")
