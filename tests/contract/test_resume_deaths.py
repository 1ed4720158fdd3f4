"""A resume worker that dies between any two of its steps, and the next one that tells what it left.

It dies before and after every single call to the store, one call later each time, until it lives.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, cast

from gateway import group_reader
from gateway.resume import UNDER_WAY, Resume
from gateway.store import EventType
from gateway.webhook import Poster
from tests.contract.dying import Died, Fuse, Mortal
from tests.contract.making import a_run, owing
from tests.contract.receiving import NO_WAIT, resuming, tick

if TYPE_CHECKING:
    import pytest

    from gateway.store import Store
    from tests.contract.backends import Backend
    from tests.contract.receiving import Receiver

LEAST_STEPS = 12
"""Fewer deaths than that have not gone through a whole look."""


async def dies(store: Store, fuse: Fuse) -> None:
    """Looks as a worker does that the fuse ends, in its look or in a post."""
    async with Poster(lambda _: True) as poster:
        dying = Resume(cast("Store", Mortal(store, fuse)), poster, "dead")
        with suppress(Died):
            for _ in range(2):  # the first may only have made the group
                await dying.work(NO_WAIT)
        await asyncio.gather(*dying.posting, return_exceptions=True)


async def test_whoever_dies_telling_an_outcome_the_next_one_tells_it(
    backend: Backend, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the receiver, and a sub-run's ask to its caller: that once, however often it is read."""
    monkeypatch.setattr(group_reader, "STALE", timedelta())
    store = backend.store
    for at in count(1):
        fuse, parent = Fuse(at), a_run()
        await store.create_run(parent)
        _, record = await owing(store, a_run(webhook=receiver.hook, parent=parent.id))
        await dies(store, fuse)
        async with resuming(store) as look:
            await look()
            await tick(backend, UNDER_WAY + timedelta(seconds=1))
            await look()
        told = [headers["webhook-id"] for headers, _ in receiver.got]
        assert record.outcome_id in told, f"dead at step {at}"
        assert not await store.owes(record.ask.id)
        kinds = [event.type for event in await store.history(parent.id)]
        assert kinds.count(EventType.CHILD_NEEDS_HUMAN) == 1
        if not fuse.burnt:
            assert at > LEAST_STEPS
            return
