"""Tries to answer: the same one again hears that it won, and one wins among many."""

from __future__ import annotations

import asyncio

import pytest

from tests.api.serving import ONE_STORE, Gateway


async def test_the_same_try_again_hears_that_it_won(gw: Gateway) -> None:
    """A retry with the same key is told the same; a new try hears who was first."""
    ask = await gw.deploy()
    first = await gw.answer(ask, "Staging", idempotency_key="k1")
    again = await gw.answer(ask, "Staging", idempotency_key="k1")
    other = await gw.answer(ask, "Staging", idempotency_key="k2")
    keyless = await gw.answer(ask, "Staging")
    assert (first.status, again.status) == (200, 200)
    assert first.body == again.body
    assert (other.status, other.code) == (409, "already_settled")
    assert (keyless.status, keyless.code) == (409, "already_settled")
    assert await gw.endings() == 1


async def test_a_key_is_bound_to_the_ask_it_was_first_used_for(gw: Gateway) -> None:
    """For another ask it is a conflict, and that ask still waits."""
    first, second = await gw.ask({"question": "A?"}), await gw.ask({"question": "B?"})
    await gw.answer(first, "yes", idempotency_key="k1")
    for path, body in (("answer", {"answer": "yes"}), ("decline", {}), ("deny", {})):
        refused = await gw.as_("operator").post(
            f"/v1/asks/{second}/{path}", body, idempotency_key="k1"
        )
        assert (refused.status, refused.code) == (409, "conflict")
    assert await gw.status(second) == "pending"


async def test_a_mistyped_ask_does_not_use_up_a_key(gw: Gateway) -> None:
    """What was not found bound nothing."""
    ask = await gw.deploy()
    missing = await gw.answer("a-000000000000", "Staging", idempotency_key="k1")
    taken = await gw.answer(ask, "Staging", idempotency_key="k1")
    assert (missing.status, taken.status) == (404, 200)


async def test_a_key_is_its_callers_own(gw: Gateway) -> None:
    """Nobody hears that another's try won, because both took the same key."""
    ask = await gw.deploy()
    first = await gw.answer(ask, "Staging", "U1", idempotency_key="1")
    other = await gw.answer(ask, "Staging", "U2", idempotency_key="1")
    assert (first.status, other.status, other.code) == (200, 409, "already_settled")


async def test_a_key_that_won_with_another_meaning_is_a_conflict(gw: Gateway) -> None:
    """The caller is not told 200 for what it did not say before."""
    ask = await gw.ask({"question": "Q?"})
    await gw.answer(ask, "yes", idempotency_key="k")
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
    refused = await gw.answer(ask, "", idempotency_key="k")
    taken = await gw.answer(ask, "Staging", idempotency_key="k")
    assert (refused.status, taken.status) == (400, 200)


@ONE_STORE
@pytest.mark.parametrize("key", ["", "x" * 256, "é"])
async def test_a_key_that_does_not_read_is_refused(gw: Gateway, key: str) -> None:
    """Printable ASCII, 255 characters at most."""
    ask = await gw.deploy()
    refused = await gw.answer(ask, "Staging", idempotency_key=key)
    assert (refused.status, refused.code) == (400, "invalid_argument")
    assert await gw.status(ask) == "pending"


async def test_of_fifty_answers_at_once_one_wins(gw: Gateway) -> None:
    """One 200 and 49 times 409, each with who was first, when and what; one outcome stands."""
    ask = await gw.deploy()
    labels = ["Staging", "Production", "Cancel", "my own words", "other words"]
    tries = [gw.answer(ask, labels[n % 5], ["U1", "U2"][n % 2]) for n in range(50)]
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
