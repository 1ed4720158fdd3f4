"""Discord from end to end: the real SDK between a real gateway and the fake platform."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.testing.discord import Discord, Permission
from gateway.ask import AskKind, Status
from gateway.cli.chats import installed_channels
from gateway.posts import Posts
from gateway.question import Kind
from tests.channels.discord.rooms import (
    DIRECT,
    OPEN,
    PEOPLE,
    opened,
    post_now,
    posted,
    running,
    told,
)
from tests.channels.gatewayed import Gatewayed, gateway, settings
from tests.strategies_reply import choice, field, several
from tests.waiting import until


@pytest.fixture
async def both(redis_url: str, tmp_path: Path) -> AsyncIterator[tuple[Discord, Gatewayed]]:
    """The two, with a route that lets everyone in the channel see."""
    async with running(redis_url, tmp_path) as made:
        yield made


async def test_a_press_settles_and_the_post_shows_it(both: tuple[Discord, Gatewayed]) -> None:
    """Acknowledged, receipted to the presser alone, and drawn without controls."""
    chat, gate = both
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    assert "Which colour should the report use?" in post.text
    await chat.press("7", post, "2. blue")
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.by == "user:ana"
    await gate.closed(ask)
    shown = post_now(chat)
    assert shown.controls == ()
    assert "blue" in shown.text
    await chat.until(lambda: chat.told("7"))
    assert chat.told("7") == ["Got it: blue."]
    assert chat.told("8") == []
    assert chat.pings == []


async def test_a_press_is_acknowledged_before_the_store_is_asked(
    redis_url: str, tmp_path: Path
) -> None:
    """The first call after a press is the acknowledgement."""
    async with running(redis_url, tmp_path) as (chat, gate):
        await gate.ask(choice("red", "blue"))
        post = await posted(chat)
        before = len(chat.calls)
        await chat.press("7", post, "2. blue")
        await chat.until(lambda: chat.told("7"))
        [first, *_] = chat.calls[before:]
        assert (first.method, first.payload["type"]) == ("interaction_callback", 6)


async def test_somebody_else_is_told_so_alone(both: tuple[Discord, Gatewayed]) -> None:
    """The ask goes on waiting."""
    chat, gate = both
    ask = await gate.ask(choice("red", "blue"))
    await chat.press("8", await posted(chat), "2. blue")
    await chat.until(lambda: chat.told("8"))
    assert "can't answer" in chat.told("8")[0]
    assert (await gate.record(ask)).pending


async def test_menus_take_what_buttons_cannot(both: tuple[Discord, Gatewayed]) -> None:
    """Twenty-six options need two menus; each is chosen from."""
    chat, gate = both
    ask = await gate.ask(choice(*(f"house {n}b" for n in range(1, 31))))
    post = await posted(chat)
    menu = post.controls[1]
    assert menu.kind == "menu"
    await chat.choose("7", post, menu.label, ["30. house 30b"])
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.values == {"pick": {"options": ["o30"], "write_in": None}}


async def test_a_form_is_filled_in_natively(both: tuple[Discord, Gatewayed]) -> None:
    """All six kinds, over two pages with a button between them."""
    chat, gate = both
    ask = await gate.ask(
        field(Kind.TEXT, "why"),
        field(Kind.NUMBER, "copies", min=1, max=9, integer=True),
        choice("red", "blue", name="colour", write_in=False),
        several("mon", "tue", "wed", name="days", write_in=False),
        field(Kind.DATE, "due"),
        field(Kind.TOGGLE, "sure"),
    )
    await chat.press("7", await posted(chat), "Answer")
    form = await opened(chat)
    assert "1 of 2" in form.title
    first = {"why": "because", "copies": "2", "colour": "blue", "days": ["mon", "wed"]}
    await chat.submit("7", first | {"due": "2026-12-24"})
    await chat.until(lambda: chat.told("7"))
    whisper = chat.messages("600", account="7")[-1]
    await chat.press("7", whisper, "Continue")
    await chat.until(lambda: chat.form("7"))
    await chat.submit("7", {"sure": "Yes"})
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.values == {
        "why": "because",
        "copies": 2,
        "colour": {"options": ["o2"], "write_in": None},
        "days": {"options": ["o1", "o3"], "write_in": None},
        "due": "2026-12-24",
        "sure": True,
    }


async def test_what_is_wrong_in_a_form_is_told_and_stays(both: tuple[Discord, Gatewayed]) -> None:
    """A button opens it again, with what was filled in."""
    chat, gate = both
    ask = await gate.ask(
        field(Kind.NUMBER, "copies", min=1, max=9, integer=True), field(Kind.TEXT, "why")
    )
    await chat.press("7", await posted(chat), "Answer")
    await chat.until(lambda: chat.form("7"))
    await chat.submit("7", {"copies": "12", "why": "because"})
    await chat.until(lambda: chat.told("7"))
    assert "copies" in chat.told("7")[0]
    assert "9" in chat.told("7")[0]
    assert (await gate.record(ask)).pending
    await chat.press("7", chat.messages("600", account="7")[-1], "Answer")
    form = await opened(chat)
    assert {one.label: one.value for one in form.entries} == {"copies": "12", "why": "because"}
    await chat.submit("7", {"copies": "3"})
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.values == {"copies": 3, "why": "because"}


async def test_a_decline_asks_why(both: tuple[Discord, Gatewayed]) -> None:
    """By a form of one line, which may stay empty."""
    chat, gate = both
    ask = await gate.ask(kind=AskKind.APPROVAL, prompt="Refund 20 EUR?")
    await chat.press("7", await posted(chat), "Deny")
    await chat.until(lambda: chat.form("7"))
    await chat.submit("7", {"reason": "ask Ben"})
    record = await gate.ended(ask)
    assert record.status is Status.DECLINED
    assert record.outcome is not None
    assert record.outcome.reason == "ask Ben"


async def test_a_form_that_is_late_is_offered_by_a_button(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord takes a form only as the first answer, and that within three seconds."""
    monkeypatch.setattr("channels.discord.presses.BREATH_S", 0.0)
    async with running(redis_url, tmp_path) as (chat, gate):
        ask = await gate.ask(field(Kind.TEXT, "why"))
        await chat.press("7", await posted(chat), "Answer")
        await chat.until(lambda: chat.told("7"))
        assert chat.form("7") is None
        monkeypatch.setattr("channels.discord.presses.BREATH_S", 2.5)
        await chat.press("7", chat.messages("600", account="7")[-1], "Answer")
        await chat.until(lambda: chat.form("7"))
        await chat.submit("7", {"Your answer": "because"})
        assert (await gate.ended(ask)).status is Status.ANSWERED


async def test_a_reply_with_its_ping_answers(both: tuple[Discord, Gatewayed]) -> None:
    """Without the content intent; what is said stands as a reply to it, and rings nobody."""
    chat, gate = both
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    await chat.type("7", "600", "2", reply_to=post.id)
    assert (await gate.ended(ask)).status is Status.ANSWERED
    await chat.until(lambda: len(chat.messages("600")) == 3)
    assert chat.messages("600")[-1].text == "Got it: blue."
    assert [one for one, _ in chat.pings] == ["1000"]


async def test_a_reply_that_is_hidden_is_told_how_to_reach_us_once(
    both: tuple[Discord, Gatewayed],
) -> None:
    """Discord keeps its words from us."""
    chat, gate = both
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    for text in ("2", "2 please"):
        await chat.type("7", "600", text, reply_to=post.id, ping=False)
    await chat.until(lambda: len(chat.messages("600")) == 4)
    assert "I cannot read this message" in chat.messages("600")[-1].text
    assert (await gate.record(ask)).pending
    await chat.type("7", "600", "<@1000> 2")
    await gate.ended(ask)
    texts = [one.text for one in chat.messages("600")]
    assert sum("I cannot read" in text for text in texts) == 1


async def test_a_direct_chat_needs_no_mention(redis_url: str, tmp_path: Path) -> None:
    """The question goes to the person, who simply answers."""
    async with running(redis_url, tmp_path, DIRECT) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"))
        direct = chat.dm("7")
        await posted(chat, direct)
        await chat.type("7", direct, "blue")
        assert (await gate.ended(ask)).status is Status.ANSWERED
        await chat.until(lambda: "Got it: blue." in [one.text for one in chat.messages(direct)])


async def test_a_thread_under_the_post_is_the_asks_own(both: tuple[Discord, Gatewayed]) -> None:
    """What is written there with a mention answers it."""
    chat, gate = both
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    thread = chat.thread("600", "talk", on=post.id)
    await chat.type("7", "600", "<@1000> 2", thread=thread)
    assert (await gate.ended(ask)).status is Status.ANSWERED


async def test_hidden_words_in_the_asks_thread_are_told_of(
    both: tuple[Discord, Gatewayed],
) -> None:
    """Once, while it waits; in other threads people talk among themselves."""
    chat, gate = both
    await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    other = chat.thread("600", "lunch")
    thread = chat.thread("600", "talk", on=post.id)
    await chat.type("7", "600", "pizza", thread=other)
    await chat.type("7", "600", "2", thread=thread)
    await chat.until(lambda: len(chat.messages(thread)) == 2)
    assert "I cannot read this message" in chat.messages(thread)[-1].text
    assert len(chat.messages(other)) == 1


async def test_commands_list_help_and_connect(both: tuple[Discord, Gatewayed]) -> None:
    """Each answered to its caller alone."""
    chat, gate = both
    await gate.ask(choice("red", "blue"))
    await posted(chat)
    wanted = {
        "oz pending": "Which colour",
        "oz help": "Reply with a number",
        "oz link": "discord:7",
    }
    for number, (command, words) in enumerate(wanted.items(), 1):
        await chat.slash("7", "600", command)
        await told(chat, number)
        assert words in chat.told("7")[-1]


async def test_a_lost_answer_posts_once(both: tuple[Discord, Gatewayed]) -> None:
    """The same nonce finds the message that was made."""
    chat, gate = both
    chat.fail("create_message", lost=True)
    ask = await gate.ask(choice("red", "blue"))
    await chat.until(lambda: chat.count("create_message") == 2)
    await chat.press("7", await posted(chat), "1. red")
    await gate.ended(ask)
    assert len(chat.messages("600")) == 1


async def test_a_deleted_post_is_made_anew(both: tuple[Discord, Gatewayed]) -> None:
    """Each time, although Discord remembers the nonce of those that are gone."""
    chat, gate = both
    ask = await gate.ask(choice("red", "blue"))

    async def shown() -> bool:
        posts = await Posts(gate.store, "test").of(ask)
        standing = [one.id for one in chat.messages("600")]
        return [post.message for post in posts.values()] == standing != []

    for _ in range(3):
        await until(shown, "the post is recorded")
        chat.erase("600", post_now(chat).id)
    await until(shown, "it is posted anew")
    await chat.press("7", await posted(chat), "1. red")
    await gate.closed(ask)
    assert len(chat.messages("600")) == 1


async def test_an_archived_thread_is_opened_to_draw_anew(redis_url: str, tmp_path: Path) -> None:
    """Discord takes no edit in one that was put away."""
    chat = Discord()
    chat.person("7", "Ana")
    chat.channel("600", "general")
    thread = chat.thread("600", "questions")
    routes = OPEN.replace("content = true", f'thread = "{thread}"\ncontent = true')
    async with chat:
        config = settings({"discord": chat.settings()}, PEOPLE, routes, tmp_path)
        async with gateway(config, redis_url) as gate:
            ask = await gate.ask(choice("red", "blue"))
            post = await posted(chat, thread)
            assert post.thread == thread
            chat.archive(thread)
            await chat.press("7", post, "1. red")
            await gate.closed(ask)
            assert chat.messages(thread)[0].controls == ()


@pytest.mark.parametrize(
    "permission", [Permission.SEND_MESSAGES, Permission.VIEW_CHANNEL], ids=["send", "view"]
)
async def test_a_place_that_takes_no_post_is_given_up(
    redis_url: str, tmp_path: Path, permission: Permission
) -> None:
    """The ask says so."""
    async with running(redis_url, tmp_path) as (chat, gate):
        chat.deny("600", permission)
        ask = await gate.ask(choice("red", "blue"))

        async def failed() -> bool:
            return (await gate.where(ask)).get("discord:600") == "failed"

        await until(failed, "the place is given up")


async def test_a_thread_without_its_channel_is_refused(redis_url: str, tmp_path: Path) -> None:
    """What is done in a thread names both, so that nobody's answer would reach the ask."""
    async with Discord() as chat:
        chat.person("7", "Ana")
        chat.channel("600", "general")
        thread = chat.thread("600", "questions")
        chat.archive(thread)
        routes = OPEN.replace("discord:600", f"discord:{thread}")
        config = settings({"discord": chat.settings()}, PEOPLE, routes, tmp_path)
        async with gateway(config, redis_url) as gate:
            ask = await gate.ask(choice("red", "blue"))

            async def refused() -> bool:
                posts = await Posts(gate.store, "test").of(ask)
                return [one.reason for one in posts.values()] == ["thread_alone"]

            await until(refused, "the place is given up, and the ask says why")
        assert chat.messages(thread) == []


async def test_a_dead_token_is_answered_in_the_chat(redis_url: str, tmp_path: Path) -> None:
    """An acknowledgement that came too late still has its effect, and its author a receipt."""
    async with running(redis_url, tmp_path, DIRECT, ack_within_s=0.01) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"))
        direct = chat.dm("7")
        post = await posted(chat, direct)
        chat.fail("interaction_callback", delay_s=0.05)
        await chat.press("7", post, "2. blue")
        assert (await gate.ended(ask)).status is Status.ANSWERED
        await chat.until(lambda: "Got it: blue." in [one.text for one in chat.messages(direct)])


def test_the_sdk_is_not_imported_before_it_is_opened() -> None:
    """The channel, its drawing and its parsing work without discord.py."""
    import subprocess
    import sys

    code = (
        "import sys; import channels.discord.channel, channels.discord.parse, "
        "channels.discord.render, channels.discord.modal, channels.discord.incoming; "
        "sys.exit('discord' in sys.modules or 'aiohttp' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert installed_channels()["discord"].name == "discord"
