"""Outcomes to runs that do not poll: signed, retried, given up in the end, redriven."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from gateway import resume
from gateway.ask import Webhook
from gateway.errors import BadRequest
from gateway.resume import RETRY_AFTER, Resume
from gateway.store import EventType, Group
from gateway.webhook import Poster, check_webhook
from tests.addresses import leads_to
from tests.contract.making import a_run, asked, owing, settle
from tests.contract.receiving import NO_WAIT, SECRET, resuming, tick
from tests.waiting import until

if TYPE_CHECKING:
    from gateway.store import Store
    from tests.contract.backends import Backend
    from tests.contract.receiving import Receiver


async def test_an_outcome_is_posted_signed_once_and_owed_no_more(
    store: Store, receiver: Receiver
) -> None:
    """The receiver can check the signature, and knows the outcome by its id."""
    _, record = await owing(store, a_run(webhook=receiver.hook))
    async with resuming(store) as look:
        await look()
        await look()
    ((headers, body),) = receiver.got
    told = Verifier(SECRET).verify(body, headers)
    assert headers["webhook-id"] == record.outcome_id
    assert told["data"]["ask_id"] == record.ask.id
    assert told["data"]["status"] == "answered"
    assert not await store.owes(record.ask.id)


async def test_a_run_that_polls_is_owed_nothing(store: Store) -> None:
    """Without a webhook nothing waits to be told."""
    run, record = await asked(store)
    await settle(store, run, record)
    assert not await store.owes(record.ask.id)


async def test_a_failed_post_comes_again_when_it_is_due_and_not_before(
    backend: Backend, receiver: Receiver
) -> None:
    """Standard Webhooks' schedule, counted from the try that failed."""
    await owing(backend.store, a_run(webhook=receiver.hook))
    receiver.status = 500
    async with resuming(backend.store) as look:
        await look()
        await tick(backend, RETRY_AFTER[0] - timedelta(seconds=2))
        await look()
        assert len(receiver.got) == 1, "it came before its time"
        receiver.status = 200
        await tick(backend, timedelta(seconds=3))
        await look()
    assert len(receiver.got) == 2


async def test_after_three_days_of_refusals_it_is_a_dead_letter_and_can_be_redriven(
    backend: Backend, receiver: Receiver
) -> None:
    """Given up with a reason, and taken up again by hand."""
    store = backend.store
    run, record = await owing(store, a_run(webhook=receiver.hook))
    receiver.status = 503
    async with resuming(store) as look:
        await look()
        for wait in RETRY_AFTER:
            await tick(backend, wait + timedelta(seconds=1))
            await look()
        (letter,) = await store.dead(Group.RESUME)
        assert letter.ask_id == record.ask.id
        assert letter.reason == "status 503"
        assert len(receiver.got) == 1 + len(RETRY_AFTER)
        assert EventType.WEBHOOK_DEAD in {event.type for event in await store.history(run.id)}
        receiver.status = 200
        assert await store.redrive(letter)
        await tick(backend, timedelta(seconds=1))
        await look()
        assert await store.dead(Group.RESUME) == []
    assert len(receiver.got) == 2 + len(RETRY_AFTER)
    assert not await store.owes(record.ask.id)
    assert sum(RETRY_AFTER, timedelta()) >= timedelta(days=3)


async def test_a_receiver_that_is_gone_is_not_asked_again(
    backend: Backend, receiver: Receiver
) -> None:
    """410 is final, as Standard Webhooks has it."""
    await owing(backend.store, a_run(webhook=receiver.hook))
    receiver.status = 410
    async with resuming(backend.store) as look:
        await look()
        (letter,) = await backend.store.dead(Group.RESUME)
        assert "410" in letter.reason


async def test_a_redirect_is_a_refusal_and_is_not_followed(
    store: Store, receiver: Receiver
) -> None:
    """What was signed for one address is not carried to another."""
    await owing(store, a_run(webhook=receiver.hook))
    receiver.status, receiver.headers = 307, {"location": receiver.url}
    async with resuming(store) as look:
        await look()
    assert len(receiver.got) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_private_address_is_refused_when_the_socket_is_made(
    store: Store, receiver: Receiver, host: str
) -> None:
    """By number and by a name that leads there; nothing is sent."""
    url = receiver.url.replace("127.0.0.1", host)
    await owing(store, a_run(webhook=Webhook(url=url, secret=SECRET)))
    async with resuming(store, private=False) as look:
        await look()
    assert receiver.got == []
    (letter,) = await store.dead(Group.RESUME)
    assert "private" in letter.reason


@pytest.mark.parametrize("addresses", [["::1", "127.0.0.1"], ["10.0.0.1", "fd00::1", "10.0.0.2"]])
async def test_a_name_with_several_private_addresses_is_refused_at_once(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    """However many it has, and of both kinds."""
    await owing(store, a_run(webhook=receiver.hanging("hooks.example")))
    leads_to(monkeypatch, addresses)
    async with resuming(store, private=False) as look:
        await look()
    (letter,) = await store.dead(Group.RESUME)
    assert "private" in letter.reason
    assert receiver.got == []


async def test_a_failure_nobody_thought_of_is_a_failed_try_too(
    backend: Backend, receiver: Receiver
) -> None:
    """It is counted, tried again in its time, and given up in the end: here, nothing can sign."""
    store = backend.store
    _, record = await owing(store, a_run(webhook=Webhook(url=receiver.url, secret="whsec_a")))
    async with resuming(store) as look:
        await look()
        assert await store.tries(record.ask.id) == 1
        for wait in RETRY_AFTER:
            await tick(backend, wait + timedelta(seconds=1))
            await look()
    (letter,) = await store.dead(Group.RESUME)
    assert letter.ask_id == record.ask.id
    assert not await store.owes(record.ask.id)


async def test_receivers_that_hang_keep_no_other_waiting(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though more is owed to them than this process has under way at once."""
    leads_to(monkeypatch, ["127.0.0.1"])
    hosts = [f"hooks-{n}.example" for n in range(4)]
    for _ in range(resume.AT_ONCE // len(hosts) + 1):
        for host in hosts:
            await owing(store, a_run(webhook=receiver.hanging(host)))
    most = resume.PER_HOST * len(hosts)
    async with Poster(lambda _: True) as poster:
        worker = asyncio.create_task(Resume(store, poster, "resume-1").run())
        await until(lambda: len(receiver.got) == most, "they have all they may have")
        _, other = await owing(store, a_run(webhook=receiver.hook))

        async def told() -> bool:
            return not await store.owes(other.ask.id)

        await until(told, "the other is told")
        assert len(receiver.got) == most + 1
        worker.cancel()
        await asyncio.wait([worker])


async def test_posts_to_one_host_stand_in_line(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next is made as soon as one is done."""
    monkeypatch.setattr(resume, "PER_HOST", 1)
    for _ in range(3):
        await owing(store, a_run(webhook=receiver.hanging()))
    async with Poster(lambda _: True) as poster:
        worker = Resume(store, poster, "resume-1")
        for _ in range(2):
            await worker.work(NO_WAIT)
        await until(lambda: receiver.got, "the first is there")
        assert len(receiver.got) == 1
        receiver.answers.set()
        await until(lambda: not worker.posting, "no post is under way")
    assert len(receiver.got) == 3


@pytest.mark.parametrize(("setting", "value"), [("IN_LINE", 0), ("IN_LINE_S", 0.01)])
async def test_what_gets_no_turn_at_its_host_comes_again_later(
    backend: Backend,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    value: float,
) -> None:
    """Where the line is full, or does not move: it is owed, due again, and no try was counted."""
    monkeypatch.setattr(resume, "PER_HOST", 1)
    monkeypatch.setattr(resume, setting, value)
    store = backend.store
    records = [(await owing(store, a_run(webhook=receiver.hanging())))[1] for _ in range(2)]
    async with Poster(lambda _: True) as poster:
        worker = Resume(store, poster, "resume-1")
        for _ in range(2):
            await worker.work(NO_WAIT)
        await until(lambda: len(worker.posting) == 1 and receiver.got, "one is under way")
        receiver.answers.set()
        await until(lambda: not worker.posting, "no post is under way")
        (left,) = [one.ask.id for one in records if await store.owes(one.ask.id)]
        assert await store.tries(left) == 0
        await tick(backend, resume.UNDER_WAY)
        await worker.work(NO_WAIT)
        await until(lambda: not worker.posting, "no post is under way")
    assert len(receiver.got) == 2
    assert not await store.owes(left)


async def test_no_cookie_of_a_receiver_is_carried_to_it_with_another_runs_outcome(
    store: Store, receiver: Receiver
) -> None:
    """Two runs of two tenants may have their webhooks at one host."""
    receiver.headers = {"set-cookie": "session=one"}
    receiver.answers.set()
    async with resuming(store) as look:
        for _ in range(2):
            await owing(store, a_run(webhook=receiver.hanging()))
            await look()
    assert len(receiver.got) == 2
    assert all("Cookie" not in headers for headers, _ in receiver.got)


async def test_a_worker_that_dies_in_a_post_leaves_it_to_the_next(
    backend: Backend, receiver: Receiver
) -> None:
    """The entry was acknowledged, `due` holds the rest."""
    store = backend.store
    await owing(store, a_run(webhook=receiver.hook))
    async with Poster(lambda _: True) as poster:
        dying = Resume(store, poster, "resume-0")
        for _ in range(2):
            await dying.work(NO_WAIT)
        for task in dying.posting:
            task.cancel()
        await asyncio.gather(*dying.posting, return_exceptions=True)
    before = len(receiver.got)
    async with resuming(store) as look:
        await look()
        assert len(receiver.got) == before
        await tick(backend, timedelta(minutes=5))
        await look()
    assert len(receiver.got) > before


async def test_a_sub_runs_ask_is_told_to_its_caller_once(store: Store) -> None:
    """`child_needs_human` on the caller's history, however often the log is read."""
    parent = a_run()
    await store.create_run(parent)
    child, record = await asked(store, a_run(parent=parent.id))
    async with resuming(store) as look:
        await look()
        await look()
    frames = [e for e in await store.history(parent.id) if e.type is EventType.CHILD_NEEDS_HUMAN]
    assert [(frame.ask_id, frame.note) for frame in frames] == [(record.ask.id, child.id)]


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("ftp://example.com/x", SECRET),
        ("https://user:pw@example.com/x", SECRET),
        ("not an address", SECRET),
        ("https:///x", SECRET),
        ("http://[::1", SECRET),
        ("http://[foo]/x", SECRET),
        ("http://a:99999/x", SECRET),
        ("http://a:0/x", SECRET),
        ("http://a:b/x", SECRET),
        ("http://a b/x", SECRET),
        ("http://a%20b/x", SECRET),
        ("http://a..b/x", SECRET),
        (f"http://{'a' * 64}.example/x", SECRET),
        ("https://example.com/x", "short"),
    ],
)
def test_a_webhook_that_can_never_work_is_refused_when_the_run_is_made(
    url: str, secret: str
) -> None:
    """With the field named."""
    with pytest.raises(BadRequest) as refused:
        check_webhook(Webhook(url=url, secret=secret))
    assert all(problem.path.startswith("webhook.") for problem in refused.value.problems)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/x?y=z",
        "HTTPS://example.com.:8443/",
        "http://my_service:8080/x",
        "http://münchen.example/x",
        "http://192.0.2.1/x",
        "http://[2001:db8::1]:8080/x",
    ],
)
def test_a_webhook_that_may_work_is_taken(url: str) -> None:
    """Whether somebody is there shows when it is tried."""
    check_webhook(Webhook(url=url, secret=SECRET))
