"""Asking over HTTP: what each tool's call becomes, what is refused, and who is never asked."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.api.serving import ONE_STORE, RUN, Answer, Gateway

HEADED = {"id": "q", "header": "h", "question": "Where to?"}
CHOICE = {**HEADED, "options": [{"label": "A"}, {"label": "B"}]}


async def call(gw: Gateway, tool: str, arguments: Any, **more: Any) -> Answer:
    """One call of a tool by the agent, in a run that is made where it is missing."""
    await gw.run()
    body = {"tool": tool, "arguments": arguments, "call_id": "c1", **more}
    return await gw.as_("agent").post(f"/v1/runs/{RUN}/asks", body)


async def nothing_waits(gw: Gateway) -> bool:
    """Whether no ask was made."""
    listed = await gw.as_("owner").get("/v1/asks")
    return bool(listed.body["asks"] == [])


async def test_ac_01_options_are_strings(gw: Gateway) -> None:
    """AC-01: an object among the options is refused at its place, and nobody is asked."""
    arguments = {"question": "How to restart?", "options": [{"label": "systemd"}, "manual"]}
    refused = await call(gw, "ask_a_human", arguments)
    assert (refused.status, refused.code) == (400, "invalid_argument")
    assert refused.paths == ["options[0]"]
    assert await nothing_waits(gw)


async def test_ac_04_every_fault_is_named(gw: Gateway) -> None:
    """AC-04: an empty question and a wait that is no number come back as two problems."""
    arguments = {"questions": [{**CHOICE, "question": ""}], "timeoutSeconds": "soon"}
    refused = await call(gw, "ask_user", arguments)
    assert refused.status == 400
    assert refused.paths == ["questions[0].question", "timeoutSeconds"]
    assert await nothing_waits(gw)


def texts(count: int, size: int) -> list[dict[str, Any]]:
    """So many text fields, of exactly so many bytes as compact JSON together."""
    import json

    fields = [{"name": f"f{n}", "kind": "text", "description": "d"} for n in range(count)]
    missing = size - len(json.dumps(fields, separators=(",", ":")).encode())
    fields[0]["description"] = "d" * (missing + 1)
    return fields


@ONE_STORE
@pytest.mark.parametrize(
    "arguments",
    [
        {"fields": [{"name": f"f{n}", "kind": "text"} for n in range(21)]},
        {"fields": texts(3, 16_385)},
        {"fields": [{"name": "copies", "kind": "number", "min": 9, "max": 1}]},
        {"fields": [{"name": "Copies", "kind": "number"}]},
        {"fields": [{"name": "on", "kind": "date"}, {"name": "on", "kind": "text"}]},
        {"fields": [{"name": "where", "kind": "choice"}]},
        {"fields": [{"name": "on", "kind": "date"}], "choices": ["a", "b"]},
    ],
    ids=["21", "16385 bytes", "min over max", "Copies", "on twice", "no options", "both"],
)
async def test_ac_07_forms_have_limits(gw: Gateway, arguments: dict[str, Any]) -> None:
    """AC-07: a form that cannot be drawn or filled is refused with the reason; nobody sees it."""
    refused = await call(gw, "oz.ask_user", {"question": "Q?", **arguments})
    assert (refused.status, refused.code) == (400, "invalid_argument")
    assert all(path.startswith(("fields", "choices")) for path in refused.paths)
    assert await nothing_waits(gw)


async def test_ac_07_a_form_at_its_limits_is_asked(gw: Gateway) -> None:
    """AC-07: 20 fields of 16,384 bytes are taken."""
    made = await call(gw, "oz.ask_user", {"question": "Q?", "fields": texts(20, 16_384)})
    assert made.status == 201


@pytest.mark.parametrize(
    ("on_question", "tool", "arguments", "result"),
    [
        ("none", "ask_a_human", {"question": "Q?"}, {"error": "no_human_in_loop"}),
        (
            "auto",
            "ask_a_human",
            {"question": "Q?"},
            {"skipped": True, "reason": "on_question_auto"},
        ),
        ("none", "ask_user", {"questions": [CHOICE]}, {"status": "no_answer"}),
        ("auto", "ask_user", {"questions": [CHOICE]}, {"status": "no_answer"}),
    ],
)
async def test_ac_13_without_a_human_the_result_comes_at_once(
    gw: Gateway, on_question: str, tool: str, arguments: Any, result: Any
) -> None:
    """AC-13: nothing is stored as pending, nobody waits, and the run's history says so."""
    await gw.run(on_question=on_question)
    body = {"tool": tool, "arguments": arguments, "call_id": "c1"}
    told = await gw.as_("agent").post(f"/v1/runs/{RUN}/asks?wait=300", body)
    assert told.status == 200
    assert told.body == {"ask": None, "status": "not_asked", "result": result}
    assert await nothing_waits(gw)
    history = await gw.as_("agent").get(f"/v1/runs/{RUN}/history")
    assert history.body["events"][-1]["type"] == "ask.not_asked"
    assert history.body["events"][-1]["mode"] == on_question


@pytest.mark.parametrize(
    ("given", "effective"), [(5, 30), (99_999, 3_600), (900, 900), (None, 900), (0, 30), (-1, 30)]
)
async def test_te_11_waits_stay_in_their_range(
    gw: Gateway, given: int | None, effective: int
) -> None:
    """TE-11: the nearest bound holds, and no wait is without end."""
    arguments = {"questions": [CHOICE], **({} if given is None else {"timeoutSeconds": given})}
    made = await call(gw, "ask_user", arguments)
    ask = made.body["ask"]
    waits = datetime.fromisoformat(ask["deadline"]) - datetime.fromisoformat(ask["opened_at"])
    assert (ask["timeout_s"], waits) == (effective, timedelta(seconds=effective))


async def test_se_10_labels_that_look_alike_are_refused(gw: Gateway) -> None:
    """SE-10: both options are named, and the letter that differs."""
    options = ["Delete", "D\u0435lete"]
    refused = await call(gw, "ask_a_human", {"question": "Which host?", "options": options})
    assert refused.status == 400
    [problem] = refused.body["problems"]
    assert problem["path"] == "options[1]"
    assert "options[0]" in problem["message"]
    assert "U+0435" in problem["message"]
    assert await nothing_waits(gw)


async def test_ia_12_an_id_that_many_share_cannot_answer(gw: Gateway) -> None:
    """IA-12: an audience of Telegram's anonymous admin is refused, saying that the id is shared."""
    refused = await call(gw, "ask_a_human", {"question": "Q?"}, audience=["telegram:1087968824"])
    assert (refused.status, refused.paths) == (400, ["audience[0]"])
    assert "shared" in refused.body["problems"][0]["message"]
    assert await nothing_waits(gw)


async def test_an_audience_is_of_people_who_are_there(gw: Gateway) -> None:
    """A person nobody knows could never answer."""
    refused = await call(gw, "ask_a_human", {"question": "Q?"}, audience=["U1", "nobody"])
    made = await call(gw, "ask_a_human", {"question": "Q?"}, audience=["U1", "telegram:1001"])
    assert (refused.status, refused.paths) == (400, ["audience[1]"])
    assert made.status == 201


async def test_the_same_call_is_the_same_ask(gw: Gateway) -> None:
    """Again it is found, with other arguments it is a conflict, and after the answer it is told."""
    arguments = {"question": "Which colour?", "choices": ["red", "blue"]}
    first = await call(gw, "oz.ask_user", arguments)
    again = await call(gw, "oz.ask_user", arguments)
    other = await call(gw, "oz.ask_user", {**arguments, "choices": ["red"]})
    ask = first.body["ask"]["id"]
    await gw.as_("operator").post(f"/v1/asks/{ask}/answer", {"answer": "blue"})
    ended = await call(gw, "oz.ask_user", arguments)
    assert (first.status, again.status, ended.status) == (201, 200, 200)
    assert again.body["ask"]["id"] == ask == ended.body["ask"]["id"]
    assert (other.status, other.code) == (409, "conflict")
    assert "result" not in again.body
    assert ended.body["result"] == "The answer: blue"


async def test_without_a_call_id_a_key_is_needed(gw: Gateway) -> None:
    """The key then names the call: the same key is the same ask."""
    await gw.run()
    body = {"tool": "ask_a_human", "arguments": {"question": "Q?"}}
    path = f"/v1/runs/{RUN}/asks"
    refused = await gw.as_("agent").post(path, body)
    first = await gw.as_("agent").post(path, body, idempotency_key="k1")
    again = await gw.as_("agent").post(path, body, idempotency_key="k1")
    assert (refused.status, refused.paths) == (400, ["call_id"])
    assert (first.status, again.status) == (201, 200)
    assert first.body["ask"]["id"] == again.body["ask"]["id"]


async def test_one_question_at_a_time_where_the_contract_says_so(gw: Gateway) -> None:
    """A second ask_a_human is refused with the ask in the way; oz.ask_user may ask on."""
    ask = await gw.deploy()
    second = {"tool": "ask_a_human", "arguments": {"question": "And?"}, "call_id": "c2"}
    refused = await gw.as_("agent").post(f"/v1/runs/{RUN}/asks", second)
    other = {"tool": "oz.ask_user", "arguments": {"question": "And?"}, "call_id": "c3"}
    made = await gw.as_("agent").post(f"/v1/runs/{RUN}/asks", other)
    assert (refused.status, refused.code, refused.body["ask_id"]) == (409, "ask_in_flight", ask)
    assert made.status == 201


async def test_sub_runs_have_no_ask_user(gw: Gateway) -> None:
    """It is neither offered to a sub-run nor taken from it."""
    await gw.run()
    made = await gw.as_("agent").post("/v1/runs", {"parent": RUN})
    sub = made.body["id"]
    offered = await gw.as_("agent").get(f"/v1/tools?run_id={sub}")
    all_offered = await gw.as_("agent").get("/v1/tools")
    body = {"tool": "ask_user", "arguments": {"questions": [CHOICE]}, "call_id": "c"}
    refused = await gw.as_("agent").post(f"/v1/runs/{sub}/asks", body)
    assert [tool["name"] for tool in offered.body["tools"]] == ["oz__ask_user", "ask_a_human"]
    assert len(all_offered.body["tools"]) == 3
    assert (refused.status, refused.code) == (403, "not_available")


async def test_there_are_three_tools(gw: Gateway) -> None:
    """Another name is not found; the old name of `oz.ask_user` is that tool."""
    unknown = await call(gw, "ask_everybody", {"question": "Q?"})
    old = await call(gw, "oz.ask_human", {"question": "Q?"})
    assert (unknown.status, unknown.code) == (404, "not_found")
    assert (old.status, old.body["ask"]["contract"]) == (201, "oz.ask_user")


@ONE_STORE
@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"kind": "approval", "prompt": ""}, "prompt"),
        ({"kind": "approval", "prompt": " \u200b "}, "prompt"),
        ({"kind": "approval", "prompt": "x" * 8_001}, "prompt"),
        ({"kind": "approval", "prompt": "P?", "answer": "yes"}, "answer"),
        ({"kind": "question", "prompt": "P?"}, "kind"),
        ({"tool": "oz.ask_user"}, "arguments"),
        ({"tool": "oz.ask_user", "arguments": {"question": "Q?"}, "timeout": 5}, "timeout"),
        ({"tool": 5, "arguments": {"question": "Q?"}}, "tool"),
        ({}, "tool"),
    ],
)
async def test_what_cannot_be_asked_is_refused_by_name(
    gw: Gateway, body: dict[str, Any], path: str
) -> None:
    """The key is named as the caller wrote it."""
    await gw.run()
    refused = await gw.as_("agent").post(f"/v1/runs/{RUN}/asks", {"call_id": "c", **body})
    assert (refused.status, refused.code) == (400, "invalid_argument")
    assert path in refused.paths
    assert await nothing_waits(gw)


async def test_a_run_that_ended_asks_no_more(gw: Gateway) -> None:
    """The call is refused as not available, and a run that never was is not found."""
    await gw.run()
    await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": "finished"})
    refused = await call(gw, "ask_a_human", {"question": "Q?"})
    missing = RUN[:-1] + "9"
    body = {"tool": "ask_a_human", "arguments": {"question": "Q?"}, "call_id": "c"}
    unknown = await gw.as_("agent").post(f"/v1/runs/{missing}/asks", body)
    assert (refused.status, refused.code) == (403, "not_available")
    assert unknown.status == 404


async def test_rf_18_the_list_shows_the_whole_question(gw: Gateway) -> None:
    """RF-18: whoever comes back reads question, options with ids, Other, deadline and shape."""
    await gw.run(deadline="2030-01-01T00:15:00Z")
    ask = await gw.deploy()
    listed = await gw.as_("U1").get("/v1/asks?state=pending")
    [shown] = listed.body["asks"]
    [field] = shown["fields"]
    assert (shown["id"], shown["status"], shown["shape"]) == (ask, "pending", "choice")
    assert shown["prompt"] == "Where should build 41 go?"
    assert field["options"] == [
        {"id": "o1", "label": "Staging"},
        {"id": "o2", "label": "Production"},
        {"id": "o3", "label": "Cancel"},
    ]
    assert field["write_in"] is True
    assert datetime.fromisoformat(shown["deadline"]).isoformat() == "2030-01-01T00:15:00+00:00"


async def test_pages_hold_every_ask_once_oldest_first(gw: Gateway) -> None:
    """Whatever their size, pages one after the other are the whole list."""
    await gw.run()
    asks = [await gw.ask({"question": f"Q{n}?"}) for n in range(7)]
    for query in ("", f"&run_id={RUN}"):
        for limit in (1, 2, 7, 8):
            found: list[str] = []
            cursor = ""
            while True:
                page = await gw.as_("operator").get(f"/v1/asks?limit={limit}{query}{cursor}")
                found += [ask["id"] for ask in page.body["asks"]]
                if "cursor" not in page.body:
                    break
                cursor = f"&cursor={page.body['cursor']}"
            assert found == asks


@ONE_STORE
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("state=answered", "state"),
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=many", "limit"),
        ("cursor=abc", "cursor"),
        ("cursor=999999999999999.a-0123456789ab", "cursor"),
        ("run_id=R1", "run_id"),
        ("sort=asc", "sort"),
        ("limit=1&limit=2", "limit"),
    ],
)
async def test_a_query_that_does_not_read_is_refused_by_name(
    gw: Gateway, query: str, path: str
) -> None:
    """Names that are not known are refused, too."""
    refused = await gw.as_("operator").get(f"/v1/asks?{query}")
    assert (refused.status, refused.code, refused.paths) == (400, "invalid_argument", [path])


@ONE_STORE
@pytest.mark.parametrize(
    ("path", "body", "limit"),
    [
        ("/v1/asks/a-000000000000/result?wait=301", None, 300),
        ("/v1/asks?limit=0", None, 1),
        ("/v1/runs", {"tags": ["a"] * 21}, 20),
        ("/v1/runs", {"conversation": "x" * 513}, 512),
        ("/v1/runs", {"conversation": ""}, 1),
        ("/v1/runs", {"timeout": 0}, 1),
        ("/v1/asks/a-000000000000/deny", {"comment": "x" * 4_001}, 4_000),
        ("/v1/runs", {"priority": 1}, None),
    ],
)
async def test_a_broken_bound_is_named_in_its_problem(
    gw: Gateway, path: str, body: Any, limit: int | None
) -> None:
    """As a number that a program can read; a fault without a bound has none."""
    call = gw.as_("agent")
    refused = await (call.get(path) if body is None else call.post(path, body))
    [problem] = refused.body["problems"]
    assert (refused.status, problem.get("limit")) == (400, limit)


async def test_withdrawing_an_ask_leaves_its_run(gw: Gateway) -> None:
    """The agent reads that it was withdrawn, withdrawing again changes nothing, the run goes on."""
    ask = await gw.ask({"question": "Which colour?"})
    first = await gw.as_("agent").post(f"/v1/asks/{ask}/cancel", {"reason": "found out"})
    again = await gw.as_("agent").post(f"/v1/asks/{ask}/cancel")
    result = await gw.as_("agent").get(f"/v1/asks/{ask}/result")
    run = await gw.as_("agent").get(f"/v1/runs/{RUN}")
    assert (first.status, first.body["ask"]["status"]) == (200, "cancelled")
    assert first.body["ask"]["outcome"]["reason"] == "found out"
    assert again.body == first.body
    assert result.body["result"] == "The question was withdrawn."
    assert run.body["status"] == "running"
