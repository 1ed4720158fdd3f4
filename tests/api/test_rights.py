"""Who may see and do what over HTTP: tenants, roles, agents, audiences, and content."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from gateway.api.openapi import document
from tests.api.serving import ONE_STORE, RUN, Answer, Gateway

SECRETS = ("Which customer", "Customer 17", "Customer 23", "Segment", "own words", "ask Ana")
"""What is asked, answered and said in these tests, and told only to those who may see it."""

SEEING = ("owner", "admin", "operator", "reader", "kevin", "U1", "agent", "granted")
BLIND = ("blind_admin", "blind", "blind_reader")


async def while_it_waits(gw: Gateway, who: str) -> list[Answer]:
    """Everything that tells of a run which waits for an ask of each kind, read by that caller."""
    label = {"label": "Customer 17", "description": "own words"}
    asked = {"id": "q", "header": "Segment", "question": "Which customer?"}
    fields = [{"name": "segment", "kind": "text", "label": "Segment"}]
    question = {"question": "Which customer?"}
    asks = [
        await gw.ask({"questions": [{**asked, "options": [label, {"label": "x"}]}]}, "ask_user"),
        await gw.ask({**question, "choices": ["Customer 17", "Customer 23"]}),
        await gw.ask({**question, "fields": fields}),
        await gw.approval("Which customer is refunded?"),
    ]
    client = gw.as_(who)
    paths = [f"/v1/runs/{RUN}/history", f"/v1/runs/{RUN}/chat"]
    paths += ["/v1/asks", f"/v1/asks?run_id={RUN}", *(f"/v1/asks/{ask}" for ask in asks)]
    paths += [f"{prefix}/agents/{RUN}" for prefix in ("/v1", "/api/platform/v1")]
    read = [await client.get(path) for path in paths]
    inboxes = [
        await client.post("/oz.v1.Approvals/ListApprovals", body) for body in ({}, {"run_id": RUN})
    ]
    return read + inboxes


async def once_it_ended(gw: Gateway, who: str) -> list[Answer]:
    """Everything that tells of a run and its ask which ended with words."""
    ask = await gw.ask({"question": "Which customer?"})
    await gw.as_("kevin").post(f"/v1/asks/{ask}/decline", {"reason": "ask Ana"})
    await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": "failed", "reason": "ask Ana"})
    paths = [f"/v1/runs/{RUN}{part}" for part in ("", "/history", "/events")]
    paths += [f"/v1/asks/{ask}{part}" for part in ("", "/result")]
    return [await gw.as_(who).get(path) for path in paths]


def told(read: Answer) -> set[str]:
    """The secrets in an answer."""
    text = json.dumps(read.body, ensure_ascii=False)
    return {secret for secret in SECRETS if secret in text}


@pytest.mark.parametrize("who", BLIND)
async def test_without_content_nothing_of_it_is_told(gw: Gateway, who: str) -> None:
    """No list, run, ask, result, agent, feed, history, chat or inbox holds a word of it."""
    for read in [*await while_it_waits(gw, who), *await once_it_ended(gw, who)]:
        assert (read.status, told(read)) == (200, set()), read


@pytest.mark.parametrize("who", SEEING)
async def test_with_content_all_of_it_is_told(gw: Gateway, who: str) -> None:
    """Each of the same readings tells those who may see it."""
    waiting = await while_it_waits(gw, who)
    ended = await once_it_ended(gw, who)
    assert all("Which customer" in told(read) for read in waiting)
    assert set().union(*map(told, waiting)) == set(SECRETS) - {"ask Ana"}
    assert all("ask Ana" in told(read) for read in ended)


async def test_blind_callers_still_see_that_something_waits(gw: Gateway) -> None:
    """Who asks, since when and until when; never what."""
    ask = await gw.deploy()
    read = await gw.as_("blind_reader").get(f"/v1/asks/{ask}")
    shown = read.body["ask"]
    assert (shown["agent"], shown["status"], shown["may_see_content"]) == (
        "asker",
        "pending",
        False,
    )
    assert not {"prompt", "fields", "shape", "call_id"} & shown.keys()


async def test_other_tenants_ids_are_not_found(gw: Gateway) -> None:
    """Every address answers as for an id that never was."""
    ask = await gw.deploy()
    never_run, never_ask = RUN[:-1] + "f", "a-000000000000"
    calls: list[tuple[str, str, Any]] = [
        ("GET", "/v1/runs/{run}", None),
        ("GET", "/v1/runs/{run}/history", None),
        ("GET", "/v1/runs/{run}/chat", None),
        ("GET", "/v1/runs/{run}/events", None),
        ("GET", "/v1/agents/{run}", None),
        ("GET", "/v1/asks?run_id={run}", None),
        ("GET", "/v1/tools?run_id={run}", None),
        ("GET", "/v1/asks/{ask}", None),
        ("GET", "/v1/asks/{ask}/result?wait=5", None),
        ("POST", "/v1/runs", {"agent": "asker", "parent": "{run}"}),
        ("POST", "/v1/runs/{run}/end", {"status": "failed"}),
        ("POST", "/v1/runs/{run}/asks", {"tool": "ask_a_human", "arguments": {}, "call_id": "c"}),
        ("POST", "/v1/runs/{run}/asks", {"kind": "approval", "prompt": "P?", "call_id": "c"}),
        ("POST", "/v1/agents/{run}/resume", {"input": {}}),
        ("POST", "/v1/asks/{ask}/answer", {"answer": "Staging"}),
        ("POST", "/v1/asks/{ask}/approve", {}),
        ("POST", "/v1/asks/{ask}/deny", {}),
        ("POST", "/v1/asks/{ask}/decline", {}),
        ("POST", "/v1/asks/{ask}/skip", {}),
        ("POST", "/v1/asks/{ask}/cancel", {}),
        ("POST", "/oz.v1.Approvals/ListApprovals", {"run_id": "{run}"}),
        ("POST", "/oz.v1.Approvals/DecideApproval", {"id": "{ask}", "approve": False}),
    ]
    for method, path, body in calls:
        told = []
        for run, one in ((RUN, ask), (never_run, never_ask)):
            raw = json.dumps(body).replace("{run}", run).replace("{ask}", one)
            answer = await gw.as_("rival").call(
                method,
                path.format(run=run, ask=one),
                None if body is None else raw.encode(),
                {},
            )
            text = json.dumps(answer.body).replace(run, "RUN").replace(one, "ASK")
            told.append((answer.status, text))
        assert told[0][0] == 404, (path, told)
        assert told[0] == told[1], path
    assert await gw.status(ask) == "pending"
    listed = await gw.as_("rival").get("/v1/asks")
    assert listed.body["asks"] == []


async def test_an_agents_token_sees_its_own_agents_asks_only(gw: Gateway) -> None:
    """Another agent's asks are not found, not listed, not withdrawn, not answered."""
    ask = await gw.deploy()
    other = gw.as_("other_agent")
    for path in (f"/v1/asks/{ask}", f"/v1/asks/{ask}/result", f"/v1/runs/{RUN}"):
        assert (await other.get(path)).status == 404
    for path in ("cancel", "decline", "answer"):
        body = {"answer": "Staging"} if path == "answer" else {}
        assert (await other.post(f"/v1/asks/{ask}/{path}", body)).status == 404
    listed = await other.get("/v1/asks")
    inbox = await other.post("/oz.v1.Approvals/ListApprovals", {})
    assert (listed.body["asks"], inbox.body["approvals"]) == ([], [])
    own = await gw.as_("agent").get("/v1/asks")
    assert [shown["id"] for shown in own.body["asks"]] == [ask]


async def test_a_callers_feed_shows_a_sub_runs_question_to_its_own_agent_only(gw: Gateway) -> None:
    """A sub-run of another agent is framed, and what it asks is not."""
    await gw.run()
    sub = await gw.as_("owner").post("/v1/runs", {"agent": "other", "parent": RUN})
    body = {"tool": "ask_a_human", "arguments": {"question": "Which customer?"}, "call_id": "c"}
    made = await gw.as_("other_agent").post(f"/v1/runs/{sub.body['id']}/asks", body)
    await gw.parts.store.frame(RUN, sub.body["id"], made.body["ask"]["id"])
    for who, sees in (("agent", False), ("operator", True), ("blind", False)):
        told = await gw.as_(who).get(f"/v1/runs/{RUN}/history")
        [frame] = [e for e in told.body["events"] if e["type"] == "child_needs_human"]
        assert frame["child_run_id"] == sub.body["id"]
        assert ("Which customer?" in str(frame)) is sees


@ONE_STORE
@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("owner", 200),
        ("admin", 200),
        ("operator", 200),
        ("kevin", 200),
        ("granted", 200),
        ("agent", 403),
        ("reader", 403),
        ("blind_reader", 403),
        ("blind", 403),
        ("blind_admin", 403),
        ("rival", 404),
    ],
)
async def test_operators_and_above_with_content_answer(gw: Gateway, who: str, status: int) -> None:
    """And an agent's token with the grant; everybody else is refused, and the ask still waits."""
    ask = await gw.deploy()
    told = await gw.as_(who).post(f"/v1/asks/{ask}/answer", {"answer": "Staging"})
    assert told.status == status
    assert await gw.status(ask) == ("answered" if status == 200 else "pending")


@ONE_STORE
@pytest.mark.parametrize(
    ("who", "status"),
    [("operator", 200), ("blind", 200), ("agent", 403), ("reader", 403), ("granted", 200)],
)
async def test_declining_needs_no_sight_of_the_question(gw: Gateway, who: str, status: int) -> None:
    """An operator without content declines; a reader and an agent without the grant do not."""
    ask = await gw.ask({"question": "Q?"})
    told = await gw.as_(who).post(f"/v1/asks/{ask}/decline", {})
    assert told.status == status


@pytest.mark.parametrize("who", ["agent", "granted"])
async def test_approving_is_never_an_agents_right(gw: Gateway, who: str) -> None:
    """Not with the grant to answer either, neither way."""
    ask = await gw.approval()
    for path in ("approve", "deny"):
        refused = await gw.as_(who).post(f"/v1/asks/{ask}/{path}", {})
        assert (refused.status, refused.code) == (403, "permission_denied")
    assert await gw.status(ask) == "pending"


async def test_an_audience_narrows_who_may_answer(gw: Gateway) -> None:
    """Only those named answer or decline, by their id or by their account."""
    for audience in (["U1"], ["telegram:1001"]):
        ask = await gw.deploy(audience=audience)
        for who in ("U2", "kevin", "owner", "granted"):
            refused = await gw.as_(who).post(f"/v1/asks/{ask}/answer", {"answer": "Staging"})
            assert (who, refused.status) == (who, 403)
        taken = await gw.as_("U1").post(f"/v1/asks/{ask}/answer", {"answer": "Staging"})
        assert taken.status == 200


async def test_se_13_a_refusal_tells_no_secrets(
    gw: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    """SE-13: no choice, no question and no answer in what is refused, nor in any log line."""
    caplog.set_level("DEBUG")
    choices = ["Customer 17", "Customer 23"]
    ask = await gw.ask({"question": "Which customer?", "choices": choices})
    for who in ("operator", "U1", "granted", "blind", "agent", "reader"):
        for given in ("Customer 99", ["Customer 99"], {"answer": "Customer 99"}):
            refused = await gw.as_(who).post(f"/v1/asks/{ask}/answer", {"answer": given})
            assert refused.status in (400, 403)
            assert "ustomer" not in json.dumps(refused.body)
    told = await gw.as_("operator").post(f"/v1/asks/{ask}/answer", {"answer": "Customer 99"})
    assert told.body["message"] == "The answer must be one of the choices."
    assert await gw.status(ask) == "pending"
    assert "ustomer" not in caplog.text


async def test_a_caller_without_content_cannot_probe_for_choices(gw: Gateway) -> None:
    """A right guess and a wrong one are refused in the same words."""
    ask = await gw.ask({"question": "Q?", "choices": ["red", "blue"]})
    told = [
        await gw.as_("blind").post(f"/v1/asks/{ask}/answer", {"answer": given})
        for given in ("red", "green", {"no": "field"})
    ]
    assert {one.status for one in told} == {403}
    assert len({json.dumps(one.body) for one in told}) == 1


async def test_refusals_are_recorded_by_name_only(gw: Gateway) -> None:
    """The run's history says who was refused, and not with what."""
    ask = await gw.deploy()
    await gw.as_("blind").post(f"/v1/asks/{ask}/answer", {"answer": "Staging, psst"})
    told = await gw.as_("owner").get(f"/v1/runs/{RUN}/history")
    assert told.body["events"][-1]["type"] == "ask.refused"
    assert told.body["events"][-1]["by"] == "operator:blind"
    assert "psst" not in str(told.body)


async def test_people_are_listed_to_people(gw: Gateway) -> None:
    """Their accounts and addresses to admins and owners only, never to an agent."""
    plain = await gw.as_("reader").get("/v1/people")
    full = await gw.as_("admin").get("/v1/people")
    agents = await gw.as_("agent").get("/v1/people")
    rivals = await gw.as_("rival").get("/v1/people")
    assert [person["id"] for person in plain.body["people"]] == ["kevin", "U1", "U2", "rita"]
    assert "una@example.com" not in str(plain.body)
    assert "telegram:1001" not in str(plain.body)
    assert full.body["people"][1]["email"] == "una@example.com"
    assert full.body["people"][1]["identities"] == ["telegram:1001"]
    assert (agents.status, rivals.body["people"]) == (403, [])


async def test_dead_letters_are_for_admins_of_their_tenant(gw: Gateway) -> None:
    """They are listed and redriven there, and not found elsewhere."""
    from gateway.store import Group

    ask = await gw.deploy()
    await gw.as_("operator").post(f"/v1/asks/{ask}/answer", {"answer": "Staging"})
    await gw.parts.store.bury(Group.RESUME, ask, "status 500")
    listed = await gw.as_("admin").get("/v1/dead/resume")
    [letter] = listed.body["letters"]
    path = f"/v1/dead/resume/{letter['id']}/redrive"
    assert (letter["subject"], letter["reason"]) == (ask, "status 500")
    assert (await gw.as_("operator").get("/v1/dead/resume")).status == 403
    assert (await gw.as_("admin").get("/v1/dead/nothing")).status == 404
    assert (await gw.as_("rival").get("/v1/dead/resume")).body["letters"] == []
    assert (await gw.as_("rival").post(path, {})).status == 404
    assert (await gw.as_("admin").post(path, {})).status == 200
    assert (await gw.as_("admin").get("/v1/dead/resume")).body["letters"] == []


async def test_dead_letters_of_one_millisecond_are_told_apart(
    over_redis: Gateway, redis_url: str
) -> None:
    """Each partition counts for itself, so that two entries may have one id."""
    import redis

    gw = over_redis
    asks = [await gw.ask({"question": "Q?"}, run=f"{RUN[:-1]}{n}") for n in range(1, 4)]
    for ask in asks:
        await gw.as_("operator").post(f"/v1/asks/{ask}/answer", {"answer": "yes"})
    with redis.Redis.from_url(redis_url) as client:
        for ask in asks:
            [key] = client.keys(f"oz:*:ask:{ask}")
            partition = key.decode().rpartition(":ask:")[0]
            client.xadd(f"{partition}:dead:resume", {"a": ask, "n": "500", "t": "1"}, id="1-1")
    letters = (await gw.as_("admin").get("/v1/dead/resume")).body["letters"]
    pattern = document()["paths"]["/v1/dead/{group}/{letter_id}/redrive"]["post"]["parameters"][1]
    assert len({letter["id"] for letter in letters}) == 3
    for letter in letters:
        assert re.search(pattern["schema"]["pattern"], letter["id"])
        path = f"/v1/dead/resume/{letter['id']}/redrive"
        redriven = (await gw.as_("admin").post(path, {})).body["letter"]
        assert redriven == letter
    assert (await gw.as_("admin").get("/v1/dead/resume")).body["letters"] == []


async def test_a_dead_letter_of_what_does_not_read_is_seen_by_owners(gw: Gateway) -> None:
    """Whose it is cannot be known; so it is no one admin's, and is not lost for that."""
    from gateway.store import Group

    gone = "a-000000000000"
    await gw.parts.store.bury(Group.CLOCK, gone, "does not read")
    assert (await gw.as_("admin").get("/v1/dead/clock")).body["letters"] == []
    [letter] = (await gw.as_("owner").get("/v1/dead/clock")).body["letters"]
    assert letter["subject"] == gone
