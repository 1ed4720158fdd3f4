"""Discord and a gateway that was away for a while, or is one of two."""

from __future__ import annotations

from pathlib import Path

from channels.testing.discord import Discord
from gateway.ask import Status
from gateway.question import Kind
from gateway.store import EventType
from tests.channels.discord.rooms import OPEN, PEOPLE, opened, posted, running, told
from tests.channels.gatewayed import gateway, settings
from tests.strategies_reply import choice, field
from tests.waiting import until


async def test_messages_are_caught_up_with_after_a_lost_session(
    redis_url: str, tmp_path: Path
) -> None:
    """A new session brings nothing that was said between the two; it is read back."""
    async with running(redis_url, tmp_path) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"))
        await posted(chat)
        chat.gateway.sessions.clear()
        await chat.type("7", "600", "<@1000> 2")
        chat.gateway.cut()
        assert (await gate.ended(ask, within_s=15.0)).status is Status.ANSWERED


async def test_what_was_written_while_nothing_ran_is_read(redis_url: str, tmp_path: Path) -> None:
    """Once the gateway is back, the oldest first."""
    chat = Discord()
    chat.person("7", "Ana")
    chat.channel("600", "general")
    async with chat:
        config = settings({"discord": chat.settings()}, PEOPLE, OPEN, tmp_path)
        async with gateway(config, redis_url) as gate:
            ask = await gate.ask(choice("red", "blue"))
            await posted(chat)
        await chat.type("7", "600", "<@1000> 2")
        await chat.type("7", "600", "<@1000> 1")
        async with gateway(config, redis_url, "w2") as back:
            record = await back.ended(ask)
            assert record.outcome is not None
            assert record.outcome.values == {"pick": {"options": ["o2"], "write_in": None}}


async def test_a_thread_written_in_while_nothing_ran_is_read(
    redis_url: str, tmp_path: Path
) -> None:
    """The thread that people began on the post, in one order with its channel; others are not."""
    async with Discord() as chat:
        chat.person("7", "Ana")
        chat.channel("600", "general")
        config = settings({"discord": chat.settings()}, PEOPLE, OPEN, tmp_path)
        async with gateway(config, redis_url) as gate:
            await gate.ask(choice("red", "blue"), prompt="Nobody talks of this?")
            ask = await gate.ask(choice("red", "blue"))
            await chat.until(lambda: len(chat.messages("600")) == 2)
            [post] = [one for one in chat.messages("600") if "Which colour" in one.text]
        thread = chat.thread("600", "talk", on=post.id)
        await chat.type("7", "600", "<@1000> lunch?", thread=chat.thread("600", "lunch"))
        await chat.type("7", "600", "<@1000> 2", thread=thread)
        await chat.type("7", "600", "<@1000> 1", reply_to=post.id)
        chat.archive(thread)
        async with gateway(config, redis_url, "w2") as back:
            record = await back.ended(ask)
            assert record.outcome is not None
            assert record.outcome.values == {"pick": {"options": ["o2"], "write_in": None}}


async def test_a_post_deleted_while_nothing_ran_is_made_anew_by_its_reminder(
    redis_url: str, tmp_path: Path
) -> None:
    """Discord tells nobody of it later; the new post can be answered, and nothing hangs loose."""
    async with Discord() as chat:
        chat.person("7", "Ana")
        chat.channel("600", "general")
        config = settings({"discord": chat.settings()}, PEOPLE, OPEN, tmp_path)
        async with gateway(config, redis_url) as gate:
            ask = await gate.ask(choice("red", "blue"))
            gone = await posted(chat)

            async def shown() -> bool:
                return (await gate.where(ask)).get("discord:600") == "shown"

            await until(shown, "the post is recorded")
        chat.erase("600", gone.id)
        async with gateway(config, redis_url, "w2") as back:
            record = await back.record(ask)
            assert await back.store.climb(record, 0, 1, EventType.WAITING, "answerers", None)
            await chat.press("7", await posted(chat), "2. blue")
            await back.closed(ask)
        assert len(chat.messages("600")) == 1


async def test_what_is_wrong_in_a_form_is_told_by_its_label_after_a_restart(
    redis_url: str, tmp_path: Path
) -> None:
    """Once each, and nothing is said to be kept: what was filled in is forgotten by then."""
    async with Discord() as chat:
        chat.person("7", "Ana")
        chat.channel("600", "general")
        config = settings({"discord": chat.settings()}, PEOPLE, OPEN, tmp_path)
        copies = field(Kind.NUMBER, "copies", label="How many", min=1, max=9)
        async with gateway(config, redis_url) as gate:
            await gate.ask(copies, choice("red", "blue", name="house", label="Which"))
            await chat.press("7", await posted(chat), "Answer")
            await opened(chat)
        async with gateway(config, redis_url, "w2"):
            await chat.listened_to()
            await chat.submit("7", {"How many": "many"})
            await told(chat, 1)
            [said, _, *wrong] = chat.told("7")[0].splitlines()
            assert said == "Not sent yet. Press the button to change what is wrong."
            assert len(wrong) == 2
            assert "Which: This one is needed." in wrong
            assert any(one.startswith("How many: This one takes a number") for one in wrong)


async def test_two_replicas_answer_once(redis_url: str, tmp_path: Path) -> None:
    """Both hear each press; the presser reads one receipt, and sees no failure."""
    async with running(redis_url, tmp_path) as (chat, one):
        config = one.config
        async with gateway(config, redis_url, "w2"):
            await chat.until(lambda: len(chat.gateway.sessions) == 2)
            ask = await one.ask(choice("red", "blue"))
            await chat.press("7", await posted(chat), "2. blue")
            await one.closed(ask)
            await chat.until(lambda: chat.told("7"))
            await chat.until(
                lambda: sum(call.method == "interaction_callback" for call in chat.calls) == 2
            )
    assert chat.told("7") == ["Got it: blue."]
    assert len(chat.messages("600")) == 1


async def test_two_replicas_answer_a_command_once(redis_url: str, tmp_path: Path) -> None:
    """Whichever answers, the other takes nothing away, and nothing is left thinking."""
    async with running(redis_url, tmp_path) as (chat, one):
        await one.ask(choice("red", "blue"))
        await posted(chat)
        async with gateway(one.config, redis_url, "w2"):
            await chat.until(lambda: len(chat.gateway.sessions) == 2)
            for number in range(1, 6):
                await chat.slash("7", "600", "oz pending")
                await told(chat, number)
                await chat.until(
                    lambda count=number * 2: (  # type: ignore[misc]
                        sum(one.method == "interaction_callback" for one in chat.calls) == count
                    )
                )
        assert len(chat.told("7")) == 5
        private = [one for one in chat.messages("600", account="7") if one.private_to]
        assert all("Which colour" in one.text for one in private)
        assert len(private) == 5
