"""Runs over HTTP: created once, by whom they may be, ended together with what they wait for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.serving import ONE_STORE, RUN, Gateway

OTHER_RUN = RUN[:-1] + "2"


async def test_a_run_without_an_id_is_given_one(gw: Gateway) -> None:
    """It is `job-` and a UUID, and the run reads back as it was made."""
    made = await gw.as_("agent").post("/v1/runs", {"timeout": "4h", "on_timeout": "fail"})
    assert made.status == 201
    assert made.body["id"].startswith("job-")
    assert (made.body["agent"], made.body["tenant"]) == ("asker", "acme")
    assert (made.body["timeout_s"], made.body["on_timeout"]) == (4 * 3600, "fail")
    read = await gw.as_("agent").get(f"/v1/runs/{made.body['id']}")
    assert read.body == made.body


async def test_the_same_run_twice_is_one_run(gw: Gateway) -> None:
    """The first call makes it, the second finds it, another meaning is a conflict."""
    body = {"id": RUN, "timeout": 60}
    first = await gw.as_("agent").post("/v1/runs", body)
    again = await gw.as_("agent").post("/v1/runs", body)
    other = await gw.as_("agent").post("/v1/runs", {"id": RUN, "timeout": 61})
    assert (first.status, again.status) == (201, 200)
    assert first.body == again.body
    assert (other.status, other.code) == (409, "conflict")


async def test_a_run_is_the_same_for_a_token_made_anew(gw: Gateway) -> None:
    """A crashed caller that comes back with another token of its agent finds its run."""
    await gw.as_("agent").post("/v1/runs", {"id": RUN})
    again = await gw.as_("granted").post("/v1/runs", {"id": RUN})
    assert again.status == 200


async def test_a_key_stands_for_an_id(gw: Gateway) -> None:
    """A run made with an Idempotency-Key is made once; another's same key is another run."""
    first = await gw.as_("agent").post("/v1/runs", {}, idempotency_key="k")
    again = await gw.as_("agent").post("/v1/runs", {}, idempotency_key="k")
    others = await gw.as_("other_agent").post("/v1/runs", {}, idempotency_key="k")
    assert (first.status, again.status) == (201, 200)
    assert first.body["id"] == again.body["id"] != others.body["id"]


async def test_an_agents_token_makes_its_own_agents_runs_only(gw: Gateway) -> None:
    """Another agent's name is refused; an operator names whichever; nobody names none."""
    refused = await gw.as_("agent").post("/v1/runs", {"agent": "other"})
    nameless = await gw.as_("operator").post("/v1/runs", {})
    made = await gw.as_("operator").post("/v1/runs", {"agent": "other"})
    assert (refused.status, refused.paths) == (400, ["agent"])
    assert (nameless.status, nameless.paths) == (400, ["agent"])
    assert made.status == 201


async def test_readers_make_and_end_nothing(gw: Gateway) -> None:
    """A reader's token neither makes a run nor ends, asks or withdraws in one."""
    reader = gw.as_("reader")
    ask = await gw.deploy()
    call = {"tool": "oz.ask_user", "arguments": {"question": "Q?"}, "call_id": "c"}
    for path, body in (
        ("/v1/runs", {"agent": "asker"}),
        (f"/v1/runs/{RUN}/end", {"status": "failed"}),
        (f"/v1/runs/{RUN}/asks", call),
        (f"/v1/runs/{RUN}/asks", {"kind": "approval", "prompt": "P?", "call_id": "c"}),
        (f"/v1/asks/{ask}/cancel", {}),
    ):
        refused = await reader.post(path, body)
        assert (path, refused.status, refused.code) == (path, 403, "permission_denied")
    assert await gw.status(ask) == "pending"


async def test_a_parent_is_an_own_run(gw: Gateway) -> None:
    """A parent that is not there, or another agent's, is not found."""
    await gw.run()
    missing = await gw.as_("agent").post("/v1/runs", {"parent": OTHER_RUN})
    foreign = await gw.as_("other_agent").post("/v1/runs", {"parent": RUN})
    made = await gw.as_("agent").post("/v1/runs", {"parent": RUN})
    assert [missing.status, foreign.status, made.status] == [404, 404, 201]
    assert made.body["parent"] == RUN


@ONE_STORE
@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"id": "R1"}, "id"),
        ({"id": "a-0123456789ab"}, "id"),
        ({"id": RUN.upper()}, "id"),
        ({"agent": "a b"}, "agent"),
        ({"on_question": "perhaps"}, "on_question"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": -5}, "timeout"),
        ({"timeout": "90"}, "timeout"),
        ({"timeout": "soon"}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"timeout": 1.5}, "timeout"),
        ({"timeout": 10**30}, "timeout"),
        ({"deadline": "tomorrow"}, "deadline"),
        ({"deadline": "2030-01-01T00:00:00"}, "deadline"),
        ({"deadline": "2030-13-01T00:00:00Z"}, "deadline"),
        ({"deadline": 1893456000}, "deadline"),
        ({"deadline": "9999-12-31T23:59:59-14:00"}, "deadline"),
        ({"deadline": "9999-12-31T23:59:59Z"}, "deadline"),
        ({"deadline": "0001-01-01T00:00:00+14:00"}, "deadline"),
        ({"deadline": "1969-12-31T23:59:59Z"}, "deadline"),
        ({"ladder": [{"after": "15"}]}, "ladder[0].after"),
        ({"ladder": [{"after": 1.5}]}, "ladder[0].after"),
        ({"ladder": [{"after": 15}]}, "ladder[0].after"),
        ({"ladder": [{"after": "15m", "to": "everybody"}]}, "ladder[0].to"),
        ({"ladder": [{"after": "15m", "to": "person"}]}, "ladder[0].person"),
        ({"ladder": [{"after": "15m", "to": "person", "person": "nobody"}]}, "ladder[0].person"),
        ({"ladder": [{"after": "15m", "person": "kevin"}]}, "ladder[0].person"),
        ({"ladder": [{"after": 0.5}] * 11}, "ladder"),
        ({"webhook": {"url": "ftp://x", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8I"}}, "webhook.url"),
        ({"webhook": {"url": "https://x", "secret": "plain"}}, "webhook.secret"),
        ({"conversation": "a\nb"}, "conversation"),
        ({"priority": 1}, "priority"),
    ],
)
async def test_what_a_run_cannot_be_is_refused_by_name(
    gw: Gateway, body: dict[str, Any], path: str
) -> None:
    """The fault is named with its place, and no run is made."""
    refused = await gw.as_("agent").post("/v1/runs", {"id": RUN} | body)
    assert (refused.status, refused.code) == (400, "invalid_argument")
    assert refused.paths == [path]
    assert (await gw.as_("agent").get(f"/v1/runs/{RUN}")).status == 404


async def test_a_ladder_reads_back(gw: Gateway) -> None:
    """Shares, times and a person come back as they were given; an empty ladder is off."""
    ladder = [
        {"after": 0.25},
        {"after": "15m", "to": "person", "person": "kevin", "event": "approval.escalated"},
    ]
    made = await gw.as_("agent").post("/v1/runs", {"ladder": ladder})
    off = await gw.as_("agent").post("/v1/runs", {"ladder": []})
    assert [(rung["share"], rung["after_s"]) for rung in made.body["ladder"]] == [
        (0.25, None),
        (None, 900),
    ]
    assert made.body["ladder"][1]["person"] == "kevin"
    assert off.body["ladder"] == []


async def test_a_webhooks_secret_and_path_are_never_told(gw: Gateway) -> None:
    """Reading the run shows the host alone."""
    webhook = {"url": "https://hooks.example.com/T0/x7c", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8I"}
    made = await gw.as_("agent").post("/v1/runs", {"webhook": webhook})
    read = await gw.as_("owner").get(f"/v1/runs/{made.body['id']}")
    assert read.body["webhook_host"] == "hooks.example.com"
    assert "x7c" not in str(read.body)
    assert "whsec" not in str(read.body)


async def test_ending_a_run_cancels_its_asks(gw: Gateway) -> None:
    """Both end in one step, and ending again changes nothing."""
    ask = await gw.deploy()
    ended = await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": "finished"})
    again = await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": "failed"})
    assert (ended.status, ended.body["status"], ended.body["pending"]) == (200, "finished", [])
    assert again.body == ended.body
    assert await gw.status(ask) == "cancelled"


@ONE_STORE
@pytest.mark.parametrize("status", ["running", "awaiting_input", "done", None])
async def test_a_run_ends_one_of_three_ways(gw: Gateway, status: str | None) -> None:
    """Other words end nothing."""
    await gw.run()
    refused = await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": status})
    assert (refused.status, refused.paths) == (400, ["status"])
    assert "'finished', 'failed' or 'cancelled'" in refused.body["message"]
    assert "<" not in refused.body["message"]
    read = await gw.as_("agent").get(f"/v1/runs/{RUN}")
    assert read.body["status"] == "running"


async def test_why_a_run_failed_is_content_unless_it_is_ours(gw: Gateway) -> None:
    """An agent's words are for those who may see content; `QuestionTimedOut` is for all."""
    await gw.run()
    await gw.as_("agent").post(
        f"/v1/runs/{RUN}/end", {"status": "failed", "reason": "no order of Customer 17"}
    )
    seen = await gw.as_("operator").get(f"/v1/runs/{RUN}")
    blind = await gw.as_("blind").get(f"/v1/runs/{RUN}")
    assert seen.body["error"] == "no order of Customer 17"
    assert "error" not in blind.body


async def test_a_waiting_run_reads_so(gw: Gateway) -> None:
    """`awaiting_input` with its pending asks, until they have ended."""
    ask = await gw.deploy()
    waiting = await gw.as_("agent").get(f"/v1/runs/{RUN}")
    await gw.as_("operator").post(f"/v1/asks/{ask}/answer", {"answer": "Staging"})
    going = await gw.as_("agent").get(f"/v1/runs/{RUN}")
    assert (waiting.body["status"], waiting.body["pending"]) == ("awaiting_input", [ask])
    assert (going.body["status"], going.body["pending"]) == ("running", [])
