"""`oz.v1.Approvals` by Connect: the inbox of the first original, and its decisions."""

from __future__ import annotations

from typing import Any

from tests.api.serving import RUN, Answer, Gateway

DECIDE = "/oz.v1.Approvals/DecideApproval"
LIST = "/oz.v1.Approvals/ListApprovals"


async def decide(gw: Gateway, ask: str, who: str = "operator", **body: Any) -> Answer:
    return await gw.as_(who).post(DECIDE, {"id": ask, **body})


async def test_ac_06_an_approval_takes_no_answer(gw: Gateway) -> None:
    """AC-06: by either way of answering it is refused, and the approval still waits."""
    ask = await gw.approval()
    by_rest = await gw.as_("U1").post(f"/v1/asks/{ask}/answer", {"answer": "yes"})
    by_rpc = await decide(gw, ask, "U1", approve=True, answer="yes")
    for refused in (by_rest, by_rpc):
        assert (refused.status, refused.code) == (400, "failed_precondition")
        assert refused.body["message"].startswith("Only a question takes an answer")
    assert (await gw.status(ask), await gw.endings()) == ("pending", 0)


async def test_ac_06_a_decline_takes_no_answer(gw: Gateway) -> None:
    """AC-06: `approve: false` with an answer is refused, so that no decline shows as an answer."""
    ask = await gw.ask({"question": "Where?", "choices": ["Staging", "Production"]})
    refused = await decide(gw, ask, "U1", approve=False, answer="Staging")
    assert (refused.status, refused.code) == (400, "failed_precondition")
    assert (await gw.status(ask), await gw.endings()) == ("pending", 0)


async def test_ac_06_a_decline_with_a_comment_tells_who_and_why(gw: Gateway) -> None:
    """AC-06: the run reads who declined, and the comment."""
    ask = await gw.ask({"question": "Where?", "choices": ["Staging", "Production"]})
    done = await decide(gw, ask, "U1", approve=False, comment="ask Ana")
    told = await gw.as_("agent").get(f"/v1/asks/{ask}/result")
    assert (done.status, done.body["status"]) == (200, "declined")
    assert told.body["result"] == "user:U1 declined to answer: ask Ana."
    assert (await gw.status(ask), await gw.endings()) == ("declined", 1)


async def test_approving_a_question_needs_an_answer(gw: Gateway) -> None:
    """`approve: true` alone never answers one; with a null for an answer neither."""
    ask = await gw.ask({"question": "Where?"})
    bodies: list[dict[str, Any]] = [{}, {"answer": None}]
    for more in bodies:
        refused = await decide(gw, ask, approve=True, **more)
        assert (refused.status, refused.code) == (400, "failed_precondition")
    assert await gw.status(ask) == "pending"


async def test_a_question_is_answered(gw: Gateway) -> None:
    """Choices by label, a typed question by an object or its JSON as text."""
    choice = await gw.ask({"question": "Which colour?", "choices": ["red", "blue"]})
    fields = [{"name": "on", "kind": "date"}]
    typed = [await gw.ask({"question": "When?", "fields": fields}) for _ in range(2)]
    first = await decide(gw, choice, approve=True, answer="blue")
    assert (first.status, first.body["outcome"]["answer"]) == (200, "blue")
    for ask, given in zip(typed, ({"on": "2026-10-20"}, '{"on": "2026-10-20"}'), strict=True):
        done = await decide(gw, ask, approve=True, answer=given, runId=RUN)
        assert (done.status, done.body["outcome"]["answer"]) == (200, {"on": "2026-10-20"})


async def test_an_approval_is_approved_and_denied(gw: Gateway) -> None:
    """With the comment kept."""
    yes, no = await gw.approval("A?"), await gw.approval("B?")
    approved = await decide(gw, yes, "kevin", approve=True, comment="fine")
    denied = await decide(gw, no, "kevin", approve=False, comment="too much")
    assert (approved.body["status"], approved.body["outcome"]["reason"]) == ("answered", "fine")
    assert (denied.body["status"], denied.body["outcome"]["reason"]) == ("declined", "too much")


async def test_an_answer_without_content_permission_is_denied(gw: Gateway) -> None:
    """Before it reaches anything: right or wrong, it is refused alike; declining goes."""
    ask = await gw.ask({"question": "Which colour?", "choices": ["red", "blue"]})
    for given in ("red", "green"):
        refused = await decide(gw, ask, "blind", approve=True, answer=given)
        assert (refused.status, refused.code) == (403, "permission_denied")
    assert await gw.status(ask) == "pending"
    declined = await decide(gw, ask, "blind", approve=False)
    assert (declined.status, declined.body["status"]) == (200, "declined")


async def test_errors_have_connects_codes_and_statuses(gw: Gateway) -> None:
    """As Connect's table has them, in the one shape of all our errors."""
    ask = await gw.ask({"question": "Q?"})
    await decide(gw, ask, approve=True, answer="yes", comment="")
    settled = await decide(gw, ask, approve=True, answer="no")
    unknown = await decide(gw, "a-000000000000", approve=False)
    faulty = await gw.as_("operator").post(DECIDE, {"id": ask, "approve": "yes"})
    stranger = await gw.nobody().post(DECIDE, {"id": ask, "approve": False})
    other_run = await decide(gw, ask, approve=False, run_id=RUN[:-1] + "2")
    assert (settled.status, settled.code) == (400, "failed_precondition")
    assert settled.body["outcome"]["by"] == "operator:admin"
    assert (unknown.status, unknown.code) == (404, "not_found")
    assert (faulty.status, faulty.code, faulty.paths) == (400, "invalid_argument", ["approve"])
    assert (stranger.status, stranger.code) == (401, "unauthenticated")
    assert (other_run.status, other_run.code) == (404, "not_found")


async def test_a_key_that_serves_twice_is_aborted(gw: Gateway) -> None:
    """A conflict is `aborted` in Connect's words."""
    first, second = await gw.ask({"question": "A?"}), await gw.ask({"question": "B?"})
    headers = {"idempotency_key": "k"}
    await gw.as_("operator").post(DECIDE, {"id": first, "approve": False}, **headers)
    refused = await gw.as_("operator").post(DECIDE, {"id": second, "approve": False}, **headers)
    assert (refused.status, refused.code) == (409, "aborted")


async def test_the_inbox_shows_questions_beside_approvals(gw: Gateway) -> None:
    """Choices to pick from, fields to fill in, or neither for words; the oldest first."""
    fields = [{"name": "on", "kind": "date", "label": "Send on", "required": True}]
    options = [{"label": "A", "description": "the first"}, {"label": "B"}]
    asked = {"id": "q", "header": "Where", "question": "Where to?", "options": options}
    asks = [
        await gw.ask({"questions": [asked, {**asked, "id": "r"}]}, "ask_user"),
        await gw.ask({"question": "Which colour?", "choices": ["red", "blue"]}),
        await gw.ask({"question": "When?", "fields": fields}),
        await gw.ask({"question": "Why?"}),
        await gw.approval("Refund it?"),
    ]
    listed = await gw.as_("operator").post(LIST, {})
    shown = listed.body["approvals"]
    assert [one["id"] for one in shown] == asks
    assert [one["kind"] for one in shown] == ["question"] * 4 + ["approval"]
    assert [one["details"] for one in shown] == [
        *("", "Which colour?", "When?", "Why?", "Refund it?"),
    ]
    assert (shown[1]["choices"], shown[1]["write_in"]) == (["red", "blue"], False)
    assert shown[2]["fields"] == [
        {
            "name": "on",
            "kind": "date",
            "label": "Send on",
            "required": True,
            "date_time": False,
        }
    ]
    assert [{"choices", "fields"} & one.keys() for one in shown] == [
        *({"fields"}, {"choices"}, {"fields"}, set(), set()),
    ]
    assert shown[0]["fields"][0]["options"][0] == {
        "id": "o1",
        "label": "A",
        "description": "the first",
    }


async def test_the_inbox_goes_on_page_by_page(gw: Gateway) -> None:
    """`limit` and `cursor`, for the tenant and for one run."""
    asks = [await gw.ask({"question": f"Q{n}?"}) for n in range(3)]
    for more in ({}, {"run_id": RUN}, {"runId": RUN}):
        first = await gw.as_("operator").post(LIST, {"limit": 2, **more})
        body = {"limit": 2, "cursor": first.body["cursor"], **more}
        second = await gw.as_("operator").post(LIST, body)
        ids = [one["id"] for page in (first, second) for one in page.body["approvals"]]
        assert ids == asks
        assert "cursor" not in second.body
    refused = await gw.as_("operator").post(LIST, {"cursor": "x"})
    assert (refused.status, refused.paths) == (400, ["cursor"])


async def test_a_chat_shows_what_its_run_waits_for(gw: Gateway) -> None:
    """Each request with its words, and its choices or fields."""
    await gw.run(conversation="slack:C1/T1")
    fields = [{"name": "copies", "kind": "number", "integer": True}]
    asks = [
        await gw.ask({"question": "Which colour?", "choices": ["red", "blue"]}),
        await gw.ask({"question": "How many?", "fields": fields}),
    ]
    read = await gw.as_("operator").get(f"/v1/runs/{RUN}/chat")
    requests = read.body["requests"]
    assert (read.body["conversation"], read.body["status"]) == ("slack:C1/T1", "awaiting_input")
    assert [request["ask_id"] for request in requests] == asks
    assert requests[0]["choices"] == ["red", "blue"]
    assert requests[1]["fields"][0]["name"] == "copies"
