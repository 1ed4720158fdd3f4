"""Answering over HTTP: every kind of value, tries that are retried, and one winner among many."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from tests.api.serving import ONE_STORE, RUN, Gateway
from tests.waiting import until

FORM = {
    "question": "When should I send the report, and how many copies?",
    "fields": [
        {"name": "on", "kind": "date", "label": "Send on", "required": True},
        {"name": "copies", "kind": "number", "integer": True, "min": 1, "max": 9},
    ],
}
BIG = 2**80 + 1


async def answer(gw: Gateway, ask: str, value: Any, who: str = "operator", **headers: str) -> Any:
    """What answering came back with."""
    return await gw.as_(who).post(f"/v1/asks/{ask}/answer", {"answer": value}, **headers)


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
    taken = await answer(gw, ask, given)
    assert taken.status == 200, taken.body
    told = await gw.as_("agent").get(f"/v1/asks/{ask}/result")
    assert told.body["result"] == result
    assert told.body["ask"]["outcome"]["by"] == "operator:admin"


async def test_integers_keep_every_digit(gw: Gateway) -> None:
    """Beyond 2^53 too, on the way in and on the way out."""
    field = {"name": "n", "kind": "number", "integer": True, "min": BIG - 1, "max": BIG}
    ask = await gw.ask({"question": "Q?", "fields": [field]})
    taken = await answer(gw, ask, {"n": BIG})
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
    refused = await answer(gw, ask, given)
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
        taken = await answer(gw, ask, {"at": "2026-07-01T09:00:00"}, who)
        assert taken.body["ask"]["outcome"]["answer"] == {"at": f"2026-07-01T09:00:00{offset}"}


async def test_the_same_try_again_hears_that_it_won(gw: Gateway) -> None:
    """A retry with the same key is told the same; a new try hears who was first."""
    ask = await gw.deploy()
    first = await answer(gw, ask, "Staging", idempotency_key="k1")
    again = await answer(gw, ask, "Staging", idempotency_key="k1")
    other = await answer(gw, ask, "Staging", idempotency_key="k2")
    keyless = await answer(gw, ask, "Staging")
    assert (first.status, again.status) == (200, 200)
    assert first.body == again.body
    assert (other.status, other.code) == (409, "already_settled")
    assert (keyless.status, keyless.code) == (409, "already_settled")
    assert await gw.endings() == 1


async def test_a_key_is_bound_to_the_ask_it_was_first_used_for(gw: Gateway) -> None:
    """For another ask it is a conflict, and that ask still waits."""
    first, second = await gw.ask({"question": "A?"}), await gw.ask({"question": "B?"})
    await answer(gw, first, "yes", idempotency_key="k1")
    for path, body in (("answer", {"answer": "yes"}), ("decline", {}), ("deny", {})):
        refused = await gw.as_("operator").post(
            f"/v1/asks/{second}/{path}", body, idempotency_key="k1"
        )
        assert (refused.status, refused.code) == (409, "conflict")
    assert await gw.status(second) == "pending"


async def test_a_mistyped_ask_does_not_use_up_a_key(gw: Gateway) -> None:
    """What was not found bound nothing."""
    ask = await gw.deploy()
    missing = await answer(gw, "a-000000000000", "Staging", idempotency_key="k1")
    taken = await answer(gw, ask, "Staging", idempotency_key="k1")
    assert (missing.status, taken.status) == (404, 200)


async def test_a_key_is_its_callers_own(gw: Gateway) -> None:
    """Nobody hears that another's try won, because both took the same key."""
    ask = await gw.deploy()
    first = await answer(gw, ask, "Staging", "U1", idempotency_key="1")
    other = await answer(gw, ask, "Staging", "U2", idempotency_key="1")
    assert (first.status, other.status, other.code) == (200, 409, "already_settled")


async def test_a_key_that_won_with_another_meaning_is_a_conflict(gw: Gateway) -> None:
    """The caller is not told 200 for what it did not say before."""
    ask = await gw.ask({"question": "Q?"})
    await answer(gw, ask, "yes", idempotency_key="k")
    for path, body in (
        ("answer", {"answer": "no"}),
        ("decline", {}),
        ("decline", {"reason": "yes"}),
    ):
        refused = await gw.as_("operator").post(f"/v1/asks/{ask}/{path}", body, idempotency_key="k")
        assert (path, refused.status, refused.code) == (path, 409, "conflict")


async def test_a_reason_is_part_of_what_a_key_said(gw: Gateway) -> None:
    """The same decline again hears that it won; with another reason it is a conflict."""
    ask = await gw.ask({"question": "Q?"})
    told = [
        await gw.as_("operator").post(
            f"/v1/asks/{ask}/decline", {"reason": reason}, idempotency_key="k"
        )
        for reason in ("ask Ana", "ask Ana", "ask Bo")
    ]
    assert [one.status for one in told] == [200, 200, 409]
    assert told[2].code == "conflict"


async def test_a_try_that_was_refused_may_be_mended(gw: Gateway) -> None:
    """An answer that did not fit used nothing up, so the same key may answer better."""
    ask = await gw.deploy()
    refused = await answer(gw, ask, "", idempotency_key="k")
    taken = await answer(gw, ask, "Staging", idempotency_key="k")
    assert (refused.status, taken.status) == (400, 200)


@ONE_STORE
@pytest.mark.parametrize("key", ["", "x" * 256, "é"])
async def test_a_key_that_does_not_read_is_refused(gw: Gateway, key: str) -> None:
    """Printable ASCII, 255 characters at most."""
    ask = await gw.deploy()
    refused = await answer(gw, ask, "Staging", idempotency_key=key)
    assert (refused.status, refused.code) == (400, "invalid_argument")
    assert await gw.status(ask) == "pending"


async def test_of_fifty_answers_at_once_one_wins(gw: Gateway) -> None:
    """One 200 and 49 times 409, each with who was first, when and what; one outcome stands."""
    ask = await gw.deploy()
    labels = ["Staging", "Production", "Cancel", "my own words", "other words"]
    tries = [answer(gw, ask, labels[n % 5], ["U1", "U2"][n % 2]) for n in range(50)]
    told = await asyncio.gather(*tries)
    [won] = [one for one in told if one.status == 200]
    lost = [one for one in told if one.status == 409]
    assert len(lost) == 49
    outcome = won.body["ask"]["outcome"]
    for one in lost:
        assert one.code == "already_settled"
        assert one.body["outcome"] == outcome
    assert outcome["by"] in ("user:U1", "user:U2")
    assert outcome["name"] in ("Una", "Ugo")
    assert await gw.endings() == 1
    final = await gw.as_("owner").get(f"/v1/asks/{ask}")
    assert final.body["ask"]["outcome"] == outcome


async def test_who_may_not_see_content_hears_who_and_when_only(gw: Gateway) -> None:
    """A decline that came too late is told the ending without the answer."""
    ask = await gw.ask({"question": "Which customer?"})
    await answer(gw, ask, "Customer 17")
    late = await gw.as_("blind").post(f"/v1/asks/{ask}/decline", {})
    assert (late.status, late.code) == (409, "already_settled")
    assert late.body["outcome"]["by"] == "operator:admin"
    assert "at" in late.body["outcome"]
    assert "Customer" not in str(late.body)


async def test_an_ended_ask_takes_no_answer_right_or_wrong(gw: Gateway) -> None:
    """Whoever is late hears of the ending, not of what is wrong with the answer."""
    ask = await gw.ask({"question": "Q?", "choices": ["red", "blue"]})
    await answer(gw, ask, "red")
    late = await answer(gw, ask, "green")
    assert (late.status, late.code) == (409, "already_settled")


async def test_after_its_deadline_an_ask_takes_no_answer(gw: Gateway) -> None:
    """The late one is told that it expired, and the agent reads that nobody answered."""
    await gw.run(timeout="4h")
    ask = await gw.ask({"question": "Q?"})
    gw.time.move(gw.parts.store, timedelta(hours=4, seconds=1))
    late = await answer(gw, ask, "yes")
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
    await answer(gw, ask, "Staging", "U1")
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
    await answer(gw, ask, "yes")
    told = await waiting
    assert (told.status, told.body["result"]) == (201, {"answer": "yes"})


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
    taken = await answer(gw, ask, given)
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


async def test_an_approval_waits_as_long_as_its_run_says(gw: Gateway) -> None:
    """Unless it says otherwise itself."""
    await gw.run(timeout="4h")
    for more, waits in (({}, 4 * 3_600), ({"timeout": "15m"}, 900)):
        ask = await gw.approval(**more)
        read = await gw.as_("agent").get(f"/v1/asks/{ask}")
        assert read.body["ask"]["timeout_s"] == waits
        assert read.body["ask"]["deadline"] is not None


async def test_cc_09_answered_here_it_waits_nowhere(gw: Gateway) -> None:
    """CC-09: no list, inbox, chat or run shows it as waiting; who is late hears who was first."""
    ask = await gw.deploy()
    first = await answer(gw, ask, "Staging", "U2")
    late = await answer(gw, ask, "Cancel", "U1")
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
    by_cli = await answer(gw, first, "yes", user_agent="oz0/0.1.0")
    by_api = await answer(gw, second, "yes")
    assert by_cli.body["ask"]["outcome"]["surface"] == "cli"
    assert by_api.body["ask"]["outcome"]["surface"] == "api"


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
        await answer(over_redis, ask, "Cancel")
        told = await waiting
    assert told.body["result"] == {"answer": "Cancel", "option_id": "o3"}


async def test_a_key_given_twice_is_refused(gw: Gateway) -> None:
    """Two Idempotency-Key headers name no one try."""
    ask = await gw.deploy()
    headers = [
        ("Authorization", f"Bearer {gw.secrets['operator']}"),
        ("Idempotency-Key", "a"),
        ("Idempotency-Key", "b"),
    ]
    path = f"{gw.base}/v1/asks/{ask}/answer"
    body = {"answer": "Staging"}
    async with gw.session.post(path, json=body, headers=headers) as response:
        assert response.status == 400
    assert await gw.status(ask) == "pending"
