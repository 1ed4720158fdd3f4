"""Answering over HTTP: every kind of value, tries that are retried, and one winner among many."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.serving import ONE_STORE, RUN, Gateway

FORM = {
    "question": "When should I send the report, and how many copies?",
    "fields": [
        {"name": "on", "kind": "date", "label": "Send on", "required": True},
        {"name": "copies", "kind": "number", "integer": True, "min": 1, "max": 9},
    ],
}
BIG = 2**80 + 1


@pytest.mark.parametrize(
    ("arguments", "given", "result"),
    [
        ({"question": "Q?", "choices": ["red", "blue"]}, "blue", "The answer: blue"),
        ({"question": "Q?", "choices": ["red", "blue"]}, " BLUE ", "The answer: blue"),
        ({"question": "Q?"}, "ask Ana, Zürich 東京", "The answer: ask Ana, Zürich 東京"),
        (
            FORM,
            {"copies": 2, "on": "2026-10-20"},
            'The answer: {"on": "2026-10-20", "copies": 2}',
        ),
        (
            FORM,
            '{"on": "2026-10-20", "copies": 2}',
            'The answer: {"on": "2026-10-20", "copies": 2}',
        ),
    ],
)
async def test_the_agent_reads_the_answer(
    gw: Gateway, arguments: dict[str, Any], given: Any, result: str
) -> None:
    """Whole labels in any case, words, and objects of values; an object may come as text."""
    ask = await gw.ask(arguments)
    taken = await gw.answer(ask, given)
    assert taken.status == 200, taken.body
    told = await gw.as_("agent").get(f"/v1/asks/{ask}/result")
    assert told.body["result"] == result
    assert told.body["ask"]["outcome"]["by"] == "operator:admin"


async def test_integers_keep_every_digit(gw: Gateway) -> None:
    """Beyond 2^53 too, on the way in and on the way out."""
    field = {"name": "n", "kind": "number", "integer": True, "min": BIG - 1, "max": BIG}
    ask = await gw.ask({"question": "Q?", "fields": [field]})
    taken = await gw.answer(ask, {"n": BIG})
    read = await gw.as_("operator").get(f"/v1/asks/{ask}")
    told = await gw.as_("agent").get(f"/v1/asks/{ask}/result")
    assert taken.body["ask"]["outcome"]["answer"] == {"n": BIG}
    assert read.body["ask"]["fields"][0]["max"] == BIG
    assert told.body["result"] == f'The answer: {{"n": {BIG}}}'


@ONE_STORE
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "9" * 5_000])
async def test_a_number_that_is_none_is_refused(gw: Gateway, number: str) -> None:
    """JSON has no such number, and the ask still waits."""
    ask = await gw.ask(FORM)
    raw = f'{{"answer": {{"on": "2026-10-20", "copies": {number}}}}}'.encode()
    refused = await gw.as_("operator").call("POST", f"/v1/asks/{ask}/answer", raw, {})
    assert (refused.status, refused.code) == (400, "invalid_argument")
    assert await gw.status(ask) == "pending"


@ONE_STORE
@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"copies": 12}, ["on", "copies"]),
        ({"on": "2026-02-30"}, ["on"]),
        ({"on": "2026-10-20", "copies": 1.5}, ["copies"]),
        ({"on": "2026-10-20", "copies": True}, ["copies"]),
        ({"on": "2026-10-20", "colour": "red"}, ["colour"]),
        ("2", [""]),
        (None, [""]),
        ([], [""]),
        ({"on": "\ud800"}, ["on"]),
        ({"\ud800": 1, "on": "2026-10-20"}, ["⟨U+D800⟩"]),
    ],
)
async def test_an_answer_that_does_not_fit_changes_nothing(
    gw: Gateway, given: Any, paths: list[str]
) -> None:
    """Each fault is named by its field, and the ask still waits."""
    ask = await gw.ask(FORM)
    refused = await gw.answer(ask, given)
    assert (refused.status, refused.code, refused.paths) == (400, "invalid_argument", paths)
    assert await gw.status(ask) == "pending"


async def test_an_answer_is_needed(gw: Gateway) -> None:
    """A body without one is refused by name."""
    ask = await gw.deploy()
    refused = await gw.as_("operator").post(f"/v1/asks/{ask}/answer", {})
    assert (refused.status, refused.paths) == (400, ["answer"])


async def test_a_time_without_an_offset_is_in_the_answerers_zone(gw: Gateway) -> None:
    """The person's zone, else the tenant's, and the offset is written out."""
    fields = [{"name": "at", "kind": "date", "date_time": True}]
    for who, offset in (("U1", "+02:00"), ("operator", "+07:00")):
        ask = await gw.ask({"question": "When?", "fields": fields})
        taken = await gw.answer(ask, {"at": "2026-07-01T09:00:00"}, who)
        assert taken.body["ask"]["outcome"]["answer"] == {"at": f"2026-07-01T09:00:00{offset}"}


async def test_who_may_not_see_content_hears_who_and_when_only(gw: Gateway) -> None:
    """A decline that came too late is told the ending without the answer."""
    ask = await gw.ask({"question": "Which customer?"})
    await gw.answer(ask, "Customer 17")
    late = await gw.as_("blind").post(f"/v1/asks/{ask}/decline", {})
    assert (late.status, late.code) == (409, "already_settled")
    assert late.body["outcome"]["by"] == "operator:admin"
    assert "at" in late.body["outcome"]
    assert "Customer" not in str(late.body)


async def test_an_ended_ask_takes_no_answer_right_or_wrong(gw: Gateway) -> None:
    """Whoever is late hears of the ending, not of what is wrong with the answer."""
    ask = await gw.ask({"question": "Q?", "choices": ["red", "blue"]})
    await gw.answer(ask, "red")
    late = await gw.answer(ask, "green")
    assert (late.status, late.code) == (409, "already_settled")


async def test_declining_tells_the_agent_who_and_why(gw: Gateway) -> None:
    """One full stop after the reason, and the person by their name in records."""
    ask = await gw.ask({"question": "Q?"})
    done = await gw.as_("kevin").post(f"/v1/asks/{ask}/decline", {"reason": "ask Ana."})
    told = await gw.as_("agent").get(f"/v1/asks/{ask}/result")
    assert done.body["ask"]["status"] == "declined"
    assert told.body["result"] == "user:kevin declined to answer: ask Ana."


async def test_where_a_contract_has_no_decline_it_is_refused_in_words(gw: Gateway) -> None:
    """ask_a_human is neither declined nor skipped, oz.ask_user not skipped; both still wait."""
    human = await gw.deploy()
    typed = await gw.ask({"question": "Q?"})
    for ask, path in ((human, "decline"), (human, "deny"), (human, "skip"), (typed, "skip")):
        refused = await gw.as_("operator").post(f"/v1/asks/{ask}/{path}", {})
        assert (refused.status, refused.code) == (400, "failed_precondition")
        assert await gw.status(ask) == "pending"


async def test_ask_user_can_be_skipped(gw: Gateway) -> None:
    """The agent reads no answer, the outcome says that it was a skip, the retry hears the same."""
    options = [{"label": "A"}, {"label": "B"}]
    question = {"id": "q", "header": "h", "question": "Where?", "options": options}
    ask = await gw.ask({"questions": [question]}, "ask_user")
    refused = await gw.as_("operator").post(f"/v1/asks/{ask}/decline", {})
    first = await gw.as_("operator").post(f"/v1/asks/{ask}/skip", {}, idempotency_key="k")
    again = await gw.as_("operator").post(f"/v1/asks/{ask}/skip", {}, idempotency_key="k")
    told = await gw.as_("agent").get(f"/v1/asks/{ask}/result")
    assert refused.status == 400
    assert (first.status, again.status) == (200, 200)
    assert first.body["ask"]["outcome"]["skipped"] is True
    assert told.body["result"] == {"status": "no_answer"}


async def test_several_questions_are_answered_by_their_ids(gw: Gateway) -> None:
    """Labels as authored and own words, several of them in a list; the agent reads arrays."""
    options = [{"label": "Staging (Recommended)"}, {"label": "Production"}]
    questions = [
        {"id": "deploy_target", "header": "Target", "question": "Where?", "options": options},
        {
            "id": "checks",
            "header": "Checks",
            "question": "Which?",
            "options": [{"label": "unit"}, {"label": "load"}],
            "multiSelect": True,
        },
    ]
    ask = await gw.ask({"questions": questions}, "ask_user")
    given = {"deploy_target": "staging", "checks": ["load", "by hand"]}
    taken = await gw.answer(ask, given)
    assert taken.status == 200, taken.body
    told = await gw.as_("agent").get(f"/v1/asks/{ask}/result")
    answers = {"deploy_target": ["Staging (Recommended)"], "checks": ["load", "by hand"]}
    assert told.body["result"] == {"status": "answered", "answers": {"answers": answers}}


async def test_approvals_are_approved_or_denied(gw: Gateway) -> None:
    """With a comment; the agent reads which, by whom and why."""
    yes, no = await gw.approval("A?"), await gw.approval("B?")
    await gw.as_("kevin").post(f"/v1/asks/{yes}/approve", {"comment": "fine"})
    await gw.as_("kevin").post(f"/v1/asks/{no}/deny", {"comment": "too much"})
    told = [
        (await gw.as_("agent").get(f"/v1/asks/{ask}/result")).body["result"] for ask in (yes, no)
    ]
    assert told == [
        {"status": "answered", "approved": True, "by": "user:kevin", "reason": "fine"},
        {"status": "declined", "approved": False, "by": "user:kevin", "reason": "too much"},
    ]


async def test_cc_09_answered_here_it_waits_nowhere(gw: Gateway) -> None:
    """CC-09: no list, inbox, chat or run shows it as waiting; who is late hears who was first."""
    ask = await gw.deploy()
    first = await gw.answer(ask, "Staging", "U2")
    late = await gw.answer(ask, "Cancel", "U1")
    listed = await gw.as_("U1").get("/v1/asks")
    inbox = await gw.as_("U1").post("/oz.v1.Approvals/ListApprovals", {})
    chat = await gw.as_("U1").get(f"/v1/runs/{RUN}/chat")
    run = await gw.as_("U1").get(f"/v1/agents/{RUN}")
    assert (first.status, late.status, late.code) == (200, 409, "already_settled")
    assert late.body["outcome"]["by"] == "user:U2"
    assert late.body["outcome"]["answer"] == "Staging"
    assert listed.body["asks"] == inbox.body["approvals"] == chat.body["requests"] == []
    assert (run.body["status"], run.body["pending_input_type"]) == ("running", None)
    assert await gw.endings() == 1


async def test_the_command_lines_answers_say_where_they_came_from(gw: Gateway) -> None:
    """The outcome's surface is `cli` for `oz0`, `api` for all others."""
    first, second = await gw.ask({"question": "A?"}), await gw.ask({"question": "B?"})
    by_cli = await gw.answer(first, "yes", user_agent="oz0/0.1.0")
    by_api = await gw.answer(second, "yes")
    assert by_cli.body["ask"]["outcome"]["surface"] == "cli"
    assert by_api.body["ask"]["outcome"]["surface"] == "api"
