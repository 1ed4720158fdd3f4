"""Given cases on identity (IA): who acted is who the platform signs, and nobody else."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.channels.cases.scenes import FOUR, Scene, for_members, in_room, scene

if TYPE_CHECKING:
    from pathlib import Path

    from channels.testing.platform import Message
    from channels.testing.slack import Slack
    from channels.testing.telegram import Telegram
    from channels.testing.town import Place, Town

REFUSED = "You can't answer this one"


@pytest.mark.parametrize("name", ["slack", "discord"])
async def test_ia_03_whoever_else_a_payload_names_the_presser_is_who_it_is_signed_for(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """IA-03: Ben's press, with Ana named wherever a payload can name somebody, is Ben's."""
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask()
        post = await made.post()
        claimed = made.place.accounts["Ana"]
        if name == "slack":
            await _press_on_slack(made, post, claimed)
        else:
            owner = {"id": claimed, "username": "Ana"}
            raw = made.place.platform.channels[made.place.room].posts[post.id].raw
            raw["interaction_metadata"] = {"id": "1", "type": 3, "user": owner}
            raw["interaction"] = {"id": "1", "type": 3, "name": "ask", "user": owner}
            raw["mentions"] = [owner]
            await made.pick("Ben", post, "Staging")
        await made.reads("Ben", REFUSED)
        record = await made.made.record(ask)
        assert record.pending
        assert record.outcome is None
        assert not [one for one in made.seen("Ana") if REFUSED in one]


async def _press_on_slack(made: Scene, post: Message, claimed: str) -> None:
    """Ben's press of Staging, whose payload names another account beside his."""
    slack: Slack = made.place.platform
    slack.carrier.request_url = "http://127.0.0.1:9/"
    await made.pick("Ben", post, "Staging")  # reaches nobody
    slack.carrier.request_url = None
    pressed = slack.deliveries[-1]
    message = pressed.payload["message"] | {"user": claimed, "metadata": {"user": claimed}}
    named = {"user_id": claimed, "owner": {"id": claimed}, "authed_users": [claimed]}
    await slack.carrier.once(pressed.kind, pressed.payload | named | {"message": message})


@pytest.mark.parametrize("name", FOUR)
async def test_ia_05_a_shown_name_gives_no_right_and_takes_none(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """IA-05: two of one name are two; who is renamed is still who they were."""
    async with scene(redis_url, tmp_path, name) as made:
        _rename(made.place, "Ana", "Pat Example")
        _rename(made.place, "Ben", "Pat Example")
        ask = await made.ask()
        post = await made.post()
        await made.pick("Ben", post, "Staging")
        await made.reads("Ben", REFUSED)
        assert (await made.made.record(ask)).pending
        assert not [one for one in made.seen("Ana") if REFUSED in one]
        _rename(made.place, "Ana", "Someone Else")
        await made.pick("Ana", post, "Staging")
        assert await made.answer(ask) == "Staging"
        outcome = (await made.made.record(ask)).outcome
        assert outcome is not None
        assert outcome.by == "user:ana"


def _rename(place: Place, person: str, to: str) -> None:
    account, platform = place.accounts[person], place.platform
    match place.name:
        case "slack":
            platform.space.users[account].name = to
        case "teams":
            platform.rooms.people[account].name = to
        case "discord":
            platform.people[account].name = to
        case _:
            platform.world.person(account).name = to


@pytest.mark.parametrize("name", ["discord", "slack", "telegram"])
async def test_ia_10_members_who_may_answer_may_in_threads(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """IA-10: Ben is nobody in the config; his conversation's members may answer."""
    async with scene(redis_url, tmp_path, name, routes=for_members) as made:
        ask = await made.ask()
        post = await made.post()
        if name == "discord":
            thread = made.place.platform.thread(made.place.room, on=post.id)
            # Without a ping Discord would keep the words from us.
            bot = made.place.platform.bot.id
            account = made.place.accounts["Ben"]
            await made.place.platform.type(account, made.place.room, f"<@{bot}> 2", thread=thread)
        else:
            await made.reply("Ben", post, "2")
        assert await made.answer(ask) == "Production"
        outcome = (await made.made.record(ask)).outcome
        assert outcome is not None
        assert made.place.owners["Ben"] in str(outcome.by)


async def test_ia_12_an_anonymous_admin_is_told_how_to_answer(
    redis_url: str, tmp_path: Path
) -> None:
    """IA-12: words under the group's shared account end nothing; the same person's press does."""

    async def hide_ana(town: Town) -> None:
        place = town.places["telegram"]
        place.platform.admin(place.room, place.accounts["Ana"], anonymous=True)

    async with scene(redis_url, tmp_path, "telegram", before=hide_ana) as made:
        ask = await made.ask()
        post = await made.post()
        message = await made.reply("Ana", post, "1")
        await made.reads("Ana", "own name")
        (note,) = [one for one in made.place.posts() if "own name" in one.text]
        assert note.raw["reply_to_message"]["message_id"] == int(message)
        assert (await made.made.record(ask)).pending
        await made.pick("Ana", post, "Staging")
        assert await made.answer(ask) == "Staging"


async def test_ia_14_asks_follow_a_group_that_gets_another_id(
    redis_url: str, tmp_path: Path
) -> None:
    """IA-14: both asks of the group go on in the new one: reminders, replies and the end."""
    basic = "-100"

    async def found(town: Town) -> None:
        place = town.places["telegram"]
        telegram: Telegram = place.platform
        telegram.group(basic, "Ops", members=list(place.accounts.values()))

    def there(place: Place) -> str:
        return in_room(place).replace(place.room, basic)

    async with scene(redis_url, tmp_path, "telegram", routes=there, before=found) as made:
        telegram: Telegram = made.place.platform
        ask = await made.ask(waits=timedelta(hours=4))
        other = await made.ask(prompt="Which branch?", waits=timedelta(hours=4))
        await telegram.until(lambda: len(_ours(made, basic)) == 2)
        new = telegram.migrate(basic, "-1009")
        await telegram.until(lambda: not telegram.updates.pending)
        made.pass_time(timedelta(hours=1))
        await telegram.until(
            lambda: sum("Still waiting" in one.text for one in _ours(made, new)) == 2
        )
        assert not [one for one in _ours(made, basic) if "Still waiting" in one.text]
        ana = made.place.accounts["Ana"]
        for one, text, label in ((ask, "2", "Production"), (other, "1", "Staging")):
            post = await made.shown_in(one, f"telegram:{new}")
            assert [post] == [m.id for m in _ours(made, new) if m.id == post]
            await telegram.type(ana, new, text, reply_to=post)
            assert await made.answer(one) == label
            await made.made.closed(one)


def _ours(made: Scene, chat: str) -> list[Message]:
    telegram: Telegram = made.place.platform
    bot = str(telegram.world.bot.id)
    return [one for one in telegram.messages(chat) if one.author == bot]
