"""Fifty presses a second while Redis answers in 300 ms and the platform's API in 2 s.

What is counted is when our call reaches the platform, by the platform's own clock. All of it is
`make pressure`, on a machine at rest: fake, proxy and gateway share one process here. Of the suite,
which shares its processors, is a shorter and slower one.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from channels.testing.slack.delivery import ACTION
from channels.testing.town import Place, Town
from gateway.ask import AskKind
from gateway.cli.process import rest_collector
from gateway.question import Field, Kind
from tests.channels.gatewayed import Gatewayed, gateway, settings
from tests.channels.shapes import TOGGLE
from tests.channels.slack.rooms import without_proxy
from tests.channels.slow_redis import slow_redis
from tests.channels.test_four_chats import people

if TYPE_CHECKING:
    from channels.testing.platform import Message

WHOLE = os.environ.get("PRESSURE") == "whole"
RATE, SECONDS = (50, 6.0) if WHOLE else (10, 1.5)
ACKNOWLEDGED_S, FORM_S = (1.0, 2.5) if WHOLE else (1.5, 3.0)
"""Half a second more beside other tests, which is still less than one more call to the platform."""

REDIS_S = 0.3
PLATFORM_S = 2.0

ANSWER_IS_FORM = {"slack": False, "teams": True, "discord": True, "telegram": False}
"""Where a form is itself the acknowledgement: there it has a form's time."""

MODAL = 9
"""Discord's kind of first answer that opens a form."""

WORDS = Field(name="words", kind=Kind.TEXT, required=True)
NUMBER = Field(name="number", kind=Kind.NUMBER, required=True)


@dataclass(frozen=True, slots=True)
class Ready:
    """Somebody, the post in front of them, and what they press. `form`: it opens one."""

    person: str
    post: Message
    label: str
    form: bool


@dataclass(frozen=True, slots=True)
class Press:
    """One that was made, and by what the platform's calls are known to be about it."""

    ready: Ready
    at: float
    key: str
    acknowledged: float | None = None
    """When it was, where that is no call."""


@dataclass(slots=True)
class Seen:
    """What a platform saw of each press, by its key: when it was first acknowledged, when its form
    opened, when words came in its place.
    """

    acknowledged: dict[str, float] = field(default_factory=dict)
    opened: dict[str, float] = field(default_factory=dict)
    told: dict[str, float] = field(default_factory=dict)


def now() -> float:
    return asyncio.get_running_loop().time()


class OnSlack:
    """Acknowledged on the socket; a form opens by the trigger of its press."""

    async def press(self, place: Place, ready: Ready) -> Press:
        slack, account = place.platform, place.accounts[ready.person]
        brought, at = len(slack.deliveries), now()
        await slack.press(account, ready.post, ready.label)
        (made,) = [
            one
            for one in slack.deliveries[brought:]
            if one.kind == ACTION and one.payload["user"]["id"] == account
        ]
        taken = made.answer is not None and made.answer.failure is None
        return Press(ready, at, made.payload["trigger_id"], now() if taken else None)

    def seen(self, place: Place, presses: Sequence[Press]) -> Seen:
        seen = Seen({one.key: one.acknowledged for one in presses if one.acknowledged})
        for call in place.platform.calls:
            if call.method == "views.open" and call.refused is None:
                seen.opened.setdefault(call.payload["trigger_id"], call.at)
        # Words bear Slack's own time, in seconds since 1970.
        ahead_s = time.time() - now()
        for one in presses:
            account = place.accounts[one.ready.person]
            for said in place.platform.messages(one.ready.post.conversation, account=account):
                if said.private_to == account:
                    seen.told.setdefault(one.key, float(said.id) - ahead_s)
        return seen


class OnTeams:
    """The answer to the invoke is all there is: what came of it, the form, or words."""

    async def press(self, place: Place, ready: Ready) -> Press:
        teams, account = place.platform, place.accounts[ready.person]
        at = now()
        await teams.press(account, ready.post, ready.label)
        conversation = ready.post.conversation
        (sent,) = [
            one
            for one in teams.bot.sent
            if one["type"] == "invoke" and one["conversation"]["id"] == conversation
        ]
        return Press(ready, at, sent["id"])

    def seen(self, place: Place, _presses: Sequence[Press]) -> Seen:
        seen = Seen()
        for call in place.platform.calls:
            if call.method == "invokeResponse" and call.refused is None:
                key, body = call.payload["activity"], json.dumps(call.payload["body"])
                seen.acknowledged.setdefault(key, call.at)
                where = seen.opened if "AdaptiveCard" in body else seen.told
                where.setdefault(key, call.at)
        return seen


class OnDiscord:
    """The first answer acknowledges it, and a form is one."""

    async def press(self, place: Place, ready: Ready) -> Press:
        discord, account = place.platform, place.accounts[ready.person]
        at = now()
        await discord.press(account, ready.post, ready.label)
        (turn,) = [one for one in discord.turns.values() if one.person.id == account]
        return Press(ready, at, turn.id)

    def seen(self, place: Place, _presses: Sequence[Press]) -> Seen:
        seen = Seen()
        for call in place.platform.calls:
            if call.method == "interaction_callback" and call.refused is None:
                key, kind = call.payload["interaction_id"], call.payload["type"]
                seen.acknowledged.setdefault(key, call.at)
                where = seen.opened if kind == MODAL else seen.told
                where.setdefault(key, call.at)
        return seen


class OnTelegram:
    """The query is answered; the form's first step is drawn in their chat."""

    async def press(self, place: Place, ready: Ready) -> Press:
        telegram, account = place.platform, int(place.accounts[ready.person])
        # As from a screen that shows the post as it was.
        kept = telegram.world.chat(ready.post.conversation).find(int(ready.post.id))
        data = ready.post.control(ready.label).name
        at = now()
        made = telegram.people.press(account, kept, data)
        await telegram.changed()
        return Press(ready, at, made.id)

    def seen(self, place: Place, presses: Sequence[Press]) -> Seen:
        seen = Seen()
        drawn: dict[str, list[float]] = {}
        for call in place.platform.calls:
            query = call.payload.get("callback_query_id")
            if call.refused is not None:
                continue
            if query is not None:
                seen.acknowledged.setdefault(query, call.at)
                if call.payload.get("text"):
                    seen.told.setdefault(query, call.at)
            elif call.method in ("sendMessage", "editMessageText"):
                drawn.setdefault(str(call.payload["chat_id"]), []).append(call.at)
        for one in presses:
            came = [at for at in drawn[place.accounts[one.ready.person]] if at > one.at]
            if came:
                seen.opened[one.key] = came[0]
        return seen


class Chat(Protocol):
    """How one press is made there, and what is seen of all of them."""

    async def press(self, place: Place, ready: Ready) -> Press: ...

    def seen(self, place: Place, presses: Sequence[Press], /) -> Seen: ...


CHATS: Mapping[str, Chat] = {
    "slack": OnSlack(),
    "teams": OnTeams(),
    "discord": OnDiscord(),
    "telegram": OnTelegram(),
}


async def asked(made: Gatewayed, place: Place, person: str, *, form: bool) -> None:
    """An ask in that person's own chat."""
    destination = f"person:{person.lower()}"
    if form and place.name == "teams":
        # A card has its inputs on it; what opens there is where a denial is explained.
        await made.ask(prompt="Go?", kind=AskKind.APPROVAL, destinations=[destination])
    else:
        fields = (WORDS, NUMBER) if form else TOGGLE.fields
        await made.ask(*fields, destinations=[destination])


async def ready(made: Gatewayed, place: Place, names: Sequence[str]) -> list[Ready]:
    """Everybody with an ask in front of them; every second one is a form's."""
    await asyncio.gather(
        *(asked(made, place, one, form=not number % 2) for number, one in enumerate(names))
    )
    found = []
    opens = "Deny" if place.name == "teams" else "Answer"
    for number, one in enumerate(names):
        room = place.direct(one)
        (post,) = await place.platform.until(partial(place.posts, room), within_s=20.0)
        form = not number % 2
        found.append(Ready(one, post, opens if form else "Yes", form))
    return found


@pytest.fixture
def _rested() -> Iterator[None]:
    """The collector at rest, as `oz0 up` has it: a round over all that pytest holds is a pause."""
    before = gc.get_threshold()
    rest_collector()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.usefixtures("_rested")
@pytest.mark.parametrize("name", CHATS)
async def test_presses_are_acknowledged_and_forms_open_in_time(
    name: str, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in its time; so is each form, or words in its place."""
    without_proxy(monkeypatch)
    presses, seen = await under_pressure(name, redis_url, tmp_path)
    assert missing(seen, presses) == []
    acknowledged = {one.key: seen.acknowledged[one.key] - one.at for one in presses}
    forms = {one.key: answered_s(seen, one) for one in presses if one.ready.form}
    if ANSWER_IS_FORM[name]:
        acknowledged = {key: took for key, took in acknowledged.items() if key not in forms}
    words = sum(key not in seen.opened for key in forms)
    print(name, figures(acknowledged.values()), figures(forms.values()), f"{words} in words")
    assert max(acknowledged.values()) <= ACKNOWLEDGED_S
    assert max(forms.values()) <= FORM_S


async def under_pressure(name: str, redis_url: str, folder: Path) -> tuple[list[Press], Seen]:
    """Some seconds of presses on posts that stand there, and what came of them."""
    count, chat = int(RATE * SECONDS), CHATS[name]
    # Telegram takes thirty posts a second from a bot, so there everybody presses twice.
    twice = name == "telegram"
    names = tuple(f"P{number}" for number in range(count // 2 if twice else count))
    routes = "\n".join(f'[[route]]\nperson = "{one.lower()}"' for one in names)
    async with Town(names, (name,)) as town, slow_redis(redis_url) as slow:
        (place,) = town.places.values()
        config = settings(town.tables(), people(town, *names), routes, folder)
        async with gateway(config, slow.url) as made:
            town.connect(made.hooks)
            await place.platform.listened_to()
            before = await ready(made, place, names)
            slow.delay_s, place.platform.slow_s = REDIS_S, PLATFORM_S
            going, start = [], now()
            for number, one in enumerate((*before, *before) if twice else before):
                await asyncio.sleep(start + number / RATE - now())
                going.append(asyncio.ensure_future(chat.press(place, one)))
            presses = await asyncio.gather(*going)
            with suppress(TimeoutError):  # whoever is missing then is named by the test
                await place.platform.until(
                    lambda: not missing(chat.seen(place, presses), presses), within_s=FORM_S
                )
            slow.delay_s, place.platform.slow_s = 0.0, 0.0
        return presses, chat.seen(place, presses)


def answered_s(seen: Seen, one: Press) -> float:
    """Seconds until its form opened, or words came in its place."""
    came = [found[one.key] for found in (seen.opened, seen.told) if one.key in found]
    return min(came) - one.at


def missing(seen: Seen, presses: Sequence[Press]) -> list[str]:
    """The people whose press was never acknowledged, or whose form never came to anything."""
    return [
        one.ready.person
        for one in presses
        if one.key not in seen.acknowledged
        or (one.ready.form and one.key not in seen.opened and one.key not in seen.told)
    ]


def figures(took: Iterable[float]) -> str:
    found = sorted(took)
    return f"p50 {found[len(found) // 2]:.2f} s, p99 {found[len(found) * 99 // 100]:.2f} s"
