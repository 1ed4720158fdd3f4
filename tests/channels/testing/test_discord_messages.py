"""Messages on the fake Discord: what it takes, what it refuses and how, by the real SDK."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import aiohttp
import pytest

from channels.testing.discord import Discord, Permission
from channels.testing.discord.markup import plain
from channels.testing.platform import Control
from tests.channels.testing.discord_sdk import Bot, connected, discord

ui = discord.ui
QUIET = discord.AllowedMentions.none()


@pytest.fixture
async def chat() -> AsyncIterator[Discord]:
    """A server with a channel, and Ana in it."""
    chat = Discord()
    chat.person("7", "Ana")
    chat.channel("600", "general")
    async with chat:
        yield chat


@pytest.fixture
async def bot(chat: Discord) -> AsyncIterator[Bot]:
    """The SDK, connected."""
    async with connected(chat) as bot:
        yield bot


def place(bot: Bot, conversation: str = "600") -> Any:
    return bot.get_partial_messageable(int(conversation))


def buttons(*labels: str, **how: Any) -> ui.View:
    """A view with a button for each label, its custom id `b0`, `b1`…"""
    view = ui.View(timeout=None)
    for number, label in enumerate(labels):
        view.add_item(ui.Button(label=label, custom_id=f"b{number}", **how))
    return view


def menu(count: int, **how: Any) -> ui.View:
    """A view with one menu of so many options."""
    options = [discord.SelectOption(label=f"L{n}", value=f"v{n}") for n in range(count)]
    view = ui.View(timeout=None)
    view.add_item(ui.Select(custom_id="menu", options=options, **how))
    return view


async def refused(bot: Bot, body: dict[str, Any], path: str = "/channels/600/messages") -> Any:
    """The errors under 50035 for a body that the SDK itself would not build."""
    route = discord.http.Route("POST", path)
    with pytest.raises(discord.HTTPException) as refusal:
        await bot.http.request(route, json=body)
    assert (refusal.value.status, refusal.value.code) == (400, 50035)
    assert bot.chat.calls[-1].refused == "50035"
    return refusal.value.text


async def test_a_message_stands_as_it_was_sent(chat: Discord, bot: Bot) -> None:
    """People see words without markup, and the controls."""
    view = buttons("Yes", "No")
    view.add_item(ui.Button(label="Open", url="https://example.com/a"))
    sent = await place(bot).send(" **Ship** 2\\*3? <@7> ", view=view, allowed_mentions=QUIET)
    [message] = chat.messages("600")
    assert (message.id, message.author, message.text) == (str(sent.id), "1000", "Ship 2*3? @Ana")
    assert message.controls == (
        Control("Yes", "b0"),
        Control("No", "b1"),
        Control("Open", "https://example.com/a", "link"),
    )
    assert sent.content == "**Ship** 2\\*3? <@7>"
    assert chat.count("create_message") == 1
    assert chat.pings == []


async def test_a_message_can_have_a_menu_and_embeds(chat: Discord, bot: Bot) -> None:
    """Texts of embeds are words of the message; a menu has its options."""
    embed = discord.Embed(title="Title", description="Text").add_field(name="Name", value="Value")
    embed.set_footer(text="Foot")
    await place(bot).send(embed=embed, view=menu(25, placeholder="Pick", max_values=2))
    [message] = chat.messages("600")
    assert message.text == "Title\nText\nName\nValue\nFoot"
    [control] = message.controls
    assert (control.label, control.kind, len(control.options)) == ("Pick", "menu", 25)


async def test_a_message_can_be_made_of_components(chat: Discord, bot: Bot) -> None:
    """Components of the second kind carry their own text, and no content."""
    view = ui.LayoutView(timeout=None)
    row: Any = ui.ActionRow(ui.Button(label="Yes", custom_id="y"))
    box: Any = ui.Container(ui.TextDisplay("# Which?"), ui.Separator(), row)
    view.add_item(box)
    await place(bot).send(view=view)
    [message] = chat.messages("600")
    assert (message.text, message.control("Yes").name) == ("Which?", "y")
    body = {"content": "x", "flags": 1 << 15, "components": [{"type": 10, "content": "y"}]}
    assert "cannot be used" in await refused(bot, body)
    many = [{"type": 10, "content": "x"}] * 41
    assert "40" in await refused(bot, {"flags": 1 << 15, "components": many})
    long = [{"type": 10, "content": "x" * 2001}] * 2
    assert "4000" in await refused(bot, {"flags": 1 << 15, "components": long})
    assert "must be one of (1,)" in await refused(bot, {"components": many[:1]})


TOO_MUCH: list[tuple[str, Callable[[], dict[str, Any]], str]] = [
    ("content", lambda: {"content": "x" * 2001}, "2000"),
    ("nonce", lambda: {"content": "x", "nonce": "n" * 26}, "25"),
    ("a label", lambda: {"view": buttons("x" * 81)}, "80"),
    ("a menu", lambda: {"view": menu(0)}, "Must be between 1 and 25"),
    ("a range", lambda: {"view": menu(2, max_values=3)}, "Must be between 3 and 25"),
    ("a placeholder", lambda: {"view": menu(1, placeholder="x" * 151)}, "150"),
    ("a title", lambda: {"embed": discord.Embed(title="x" * 257)}, "256"),
    ("an embed", lambda: {"embed": discord.Embed(description="x" * 4097)}, "4096"),
    (
        "all embeds",
        lambda: {"embeds": [discord.Embed(description="x" * 3001)] * 2},
        "6000",
    ),
]


@pytest.mark.parametrize(
    ("body", "limit"), [one[1:] for one in TOO_MUCH], ids=[one[0] for one in TOO_MUCH]
)
async def test_what_is_too_long_is_refused(
    chat: Discord, bot: Bot, body: Callable[[], dict[str, Any]], limit: str
) -> None:
    """Each limit has its number in Discord's own words, and nothing is posted."""
    with pytest.raises(discord.HTTPException, match=limit) as refusal:
        await place(bot).send(**body())
    assert refusal.value.code == 50035
    assert chat.messages("600") == []


def row(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(parts)}


def button(**how: Any) -> dict[str, Any]:
    return {"type": 2, "style": 1, "label": "x", "custom_id": "a"} | how


def select(**how: Any) -> dict[str, Any]:
    return {"type": 3, "custom_id": "s", "options": [{"label": "x", "value": "x"}]} | how


TWICE = [{"label": "x", "value": "x"}, {"label": "y", "value": "x"}]


@pytest.mark.parametrize(
    ("components", "words"),
    [
        ([row(button(custom_id=f"b{n}")) for n in range(6)], "Must be 5 or fewer"),
        ([row(*(button(custom_id=f"b{n}") for n in range(6)))], "between 1 and 5"),
        ([row()], "between 1 and 5"),
        ([row(button(), select())], "exceeds the maximum width"),
        ([row(button()), row(button())], "custom id cannot be duplicated"),
        ([row(button(custom_id="x" * 101))], "between 1 and 100"),
        ([row(button(custom_id=None))], "custom id is required"),
        ([row(button(style=9))], "one of \\(1, 2, 3, 4, 5, 6\\)"),
        ([row(button(style=5, url="https://a.b"))], "cannot both be specified"),
        ([row(button(style=5, custom_id=None, url="ftp://a.b"))], "not supported"),
        ([row(button(style=5, custom_id=None, url="https://a.b/" + "x" * 501))], "512"),
        ([row(button(label=None))], "required"),
        ([row(select(options=[{"label": "x" * 101, "value": "x"}]))], "between 1 and 100"),
        ([row(select(options=[{"label": "x", "value": "x" * 101}]))], "between 1 and 100"),
        ([row(select(options=TWICE))], "already used"),
        ([row(select(options=[{"label": f"{n}", "value": f"{n}"} for n in range(26)]))], "25"),
        ([row(select(max_values=26))], "25"),
        ([row({"type": 4, "custom_id": "t", "style": 1})], "must be one of"),
        ([{"type": 99}], "must be one of"),
        ([button()], "must be one of"),
    ],
)
async def test_components_that_do_not_fit_are_refused(
    bot: Bot, components: list[dict[str, Any]], words: str
) -> None:
    """A row, a button, a menu: each by its own rule, with the path to it."""
    assert re.search(words, await refused(bot, {"content": "x", "components": components}))


async def test_errors_name_the_place_in_the_body(bot: Bot) -> None:
    """The tree of 50035 is nested by key and position."""
    body = {"content": "x", "components": [row(button(), button(label="x" * 81, custom_id="b"))]}
    text = await refused(bot, body)
    assert "components.0.components.1.label: Must be 80 or fewer in length." in text


async def test_an_empty_message_is_refused(bot: Bot) -> None:
    """Whitespace is nothing, as Discord trims it."""
    with pytest.raises(discord.HTTPException) as refusal:
        await place(bot).send("  \n ")
    assert refusal.value.code == 50006


async def test_a_repeated_nonce_gives_the_first_message(chat: Discord, bot: Bot) -> None:
    """Wherever it is sent; until it is forgotten; and not once the first message is gone."""
    first = await place(bot).send("a", nonce="n1")
    assert (await place(bot).send("b", nonce="n1")).id == first.id
    [message] = chat.messages("600")
    assert message.text == "a"
    chat.pass_time(600)
    second = await place(bot).send("b", nonce="n1")
    assert second.id != first.id
    chat.erase("600", str(second.id))
    with pytest.raises(discord.NotFound) as refusal:
        await place(bot).send("b", nonce="n1")
    assert refusal.value.code == 10008


async def test_an_edit_replaces_what_it_names(chat: Discord, bot: Bot) -> None:
    """Keys that are absent stay; controls can be taken off."""
    sent = await place(bot).send("a", view=buttons("Yes"))
    await sent.edit(content="b")
    assert chat.messages("600")[0].controls
    await sent.edit(view=None)
    [message] = chat.messages("600")
    assert (message.text, message.controls, message.edited) == ("b", (), True)
    with pytest.raises(discord.HTTPException) as refusal:
        await sent.edit(content="")
    assert refusal.value.code == 50006


async def test_only_own_messages_that_stand_can_be_edited(chat: Discord, bot: Bot) -> None:
    """Another's is 50005, one that is gone 10008, a channel that is gone 10003."""
    theirs = await chat.type("7", "600", "mine")
    gone = await place(bot).send("a")
    chat.erase("600", str(gone.id))
    for message, code in ((int(theirs), 50005), (gone.id, 10008)):
        with pytest.raises(discord.HTTPException) as refusal:
            await place(bot).get_partial_message(message).edit(content="b")
        assert refusal.value.code == code
    chat.remove_channel("600")
    with pytest.raises(discord.NotFound) as missing:
        await place(bot).send("a")
    assert missing.value.code == 10003


@pytest.mark.parametrize(
    ("permission", "code"),
    [(Permission.SEND_MESSAGES, 50013), (Permission.VIEW_CHANNEL, 50001)],
)
async def test_what_is_denied_is_refused(
    chat: Discord, bot: Bot, permission: Permission, code: int
) -> None:
    """Each lack of a right has its code, and the SDK its own error."""
    chat.deny("600", permission)
    with pytest.raises(discord.Forbidden) as refusal:
        await place(bot).send("a")
    assert refusal.value.code == code


async def test_a_server_that_threw_the_bot_out_is_closed_to_it(chat: Discord, bot: Bot) -> None:
    """50001, as for a channel it cannot see."""
    chat.remove_bot("500")
    with pytest.raises(discord.Forbidden) as refusal:
        await place(bot).send("a")
    assert refusal.value.code == 50001


async def test_direct_messages_need_their_consent(chat: Discord, bot: Bot) -> None:
    """Closed messages are 50007, no server in common 50278, nobody at all 50033."""
    chat.person("8", "Kevin", dms=False)
    chat.person("9", "Zoe", guild=None)
    channel = await (await bot.fetch_user(7)).create_dm()
    await channel.send("hello")
    assert [one.text for one in chat.messages(chat.dm("7"))] == ["hello"]
    for account, code in (("8", 50007), ("9", 50278)):
        with pytest.raises(discord.Forbidden) as refusal:
            await place(bot, chat.dm(account)).send("hello")
        assert refusal.value.code == code
    with pytest.raises(discord.HTTPException) as nobody:
        await bot.http.start_private_message(77)
    assert nobody.value.code == 50033


async def test_replies_name_a_message_of_that_channel(chat: Discord, bot: Bot) -> None:
    """A reply to nothing is refused, unless the bot said it does not mind."""
    theirs = await chat.type("7", "600", "mine")
    answer = await place(bot).get_partial_message(int(theirs)).reply("a", mention_author=False)
    assert answer.reference is not None
    assert str(answer.reference.message_id) == theirs
    assert chat.pings == []
    reference = {"message_id": "1"}
    text = await refused(bot, {"content": "x", "message_reference": reference})
    assert "Unknown message" in text


async def test_pings_are_kept(chat: Discord, bot: Bot) -> None:
    """Whatever `allowed_mentions` lets through rings; without it, all that is named."""
    everyone = discord.AllowedMentions(everyone=True, users=True)
    sent = await place(bot).send("<@7> @everyone", allowed_mentions=everyone)
    assert chat.pings == [("7", str(sent.id)), ("everyone", str(sent.id))]
    await place(bot).send("<@7> @everyone", allowed_mentions=QUIET)
    assert len(chat.pings) == 2


async def test_threads_can_be_archived_and_locked(chat: Discord, bot: Bot) -> None:
    """Writing opens an archived one, editing does not; a locked one is closed."""
    channel = bot.get_channel(600)
    assert isinstance(channel, discord.TextChannel)
    post = await channel.send("ask")
    thread = await post.create_thread(name="talk")
    reply = await thread.send("in it")
    with pytest.raises(discord.HTTPException) as twice:
        await post.create_thread(name="again")
    assert twice.value.code == 160004
    chat.archive(str(thread.id))
    with pytest.raises(discord.HTTPException) as archived:
        await reply.edit(content="b")
    assert archived.value.code == 50083
    await thread.send("opened")
    await reply.edit(content="b")
    chat.archive(str(thread.id), locked=True)
    with pytest.raises(discord.Forbidden) as locked:
        await thread.send("c")
    assert locked.value.code == 160005
    assert [one.text for one in chat.messages("600")] == ["ask", "b", "opened"]


async def test_history_can_be_read_back(chat: Discord, bot: Bot) -> None:
    """By pages; what the intent hides stays hidden here too."""
    first = await chat.type("7", "600", "<@1000> 1")
    await chat.type("7", "600", "psst")
    await chat.type("7", "600", "<@1000> 3")
    after = discord.Object(int(first))
    seen = [one.content async for one in place(bot).history(after=after, oldest_first=True)]
    assert seen == ["", "<@1000> 3"]
    newest = [one.content async for one in place(bot).history(limit=1)]
    assert newest == ["<@1000> 3"]


async def test_too_many_calls_are_refused_and_tried_again(chat: Discord, bot: Bot) -> None:
    """A route with a limit says so; the SDK waits as it is told, and then succeeds."""
    chat.slow_down("create_message", 0.01)
    await place(bot).send("a")
    chat.slow_down("create_message", 0.01, scope="global")
    await place(bot).send("b")
    refusals = [one.refused for one in chat.calls if one.method == "create_message"]
    assert refusals == ["429", None, "429", None]
    chat.limit("create_message", 1, 0.05)
    for text in "cd":
        await place(bot).send(text)
    assert [one.text for one in chat.messages("600")] == ["a", "b", "c", "d"]


async def test_a_route_over_its_limit_says_when_to_come_back(chat: Discord) -> None:
    """429 with `retry_after`, `global`, and the headers the SDK looks for."""
    chat.limit("get_me", 1, 60.0)
    headers = {"Authorization": f"Bot {chat.token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.get(f"{chat.api}/users/@me") as first:
            assert (first.status, first.headers["X-RateLimit-Remaining"]) == (200, "0")
        async with session.get(f"{chat.api}/users/@me") as second:
            body = await second.json()
            assert second.status == 429
            assert second.headers["Via"]
            assert second.headers["X-RateLimit-Scope"] == "user"
    assert body["global"] is False
    assert 59 < body["retry_after"] <= 60


async def test_a_429_from_elsewhere_is_given_up(chat: Discord, bot: Bot) -> None:
    """Without `Via` the SDK takes it for a ban by the proxy in front."""
    chat.fail("create_message", status=429, body={"message": "banned"})
    with pytest.raises(discord.HTTPException) as refusal:
        await place(bot).send("a")
    assert refusal.value.status == 429


async def test_faults_come_as_they_are_told(chat: Discord, bot: Bot) -> None:
    """503 is raised at once; a lost answer leaves the message, and the connection breaks."""
    chat.fail("create_message", status=503, body="unavailable")
    with pytest.raises(discord.DiscordServerError):
        await place(bot).send("a")
    chat.fail("create_message", lost=True)
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await place(bot).send("b")
    assert [one.text for one in chat.messages("600")] == ["b"]


async def test_what_the_fake_does_not_know_is_not_taken_unseen(chat: Discord, bot: Bot) -> None:
    """An unknown route is 404; a thing it cannot check 501."""
    with pytest.raises(discord.NotFound):
        await bot.http.request(discord.http.Route("GET", "/guilds/500/bans"))
    assert chat.calls[-1].method == "unknown"
    poll = discord.Poll("q", duration=timedelta(hours=1)).add_answer(text="a")
    with pytest.raises(discord.DiscordServerError):
        await place(bot).send("a", poll=poll)
    url = f"{chat.api}/channels/600/messages"
    headers = {"Authorization": f"Bot {chat.token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(url, data="{") as answer,
    ):
        assert (await answer.json())["code"] == 50109


async def test_a_conversation_can_be_looked_at(chat: Discord, bot: Bot) -> None:
    """With its words, its controls, and whispers for whom they are."""
    view = buttons("Yes")
    view.add_item(ui.Button(label="Off & on", custom_id="off", disabled=True))
    await place(bot).send("**Ship** <it>?\n-# K7", view=view)
    await chat.type("7", "600", "<@1000> **yes**")
    shown = chat.html("600")
    for part in ("# general", "Ship &lt;it&gt;?", "K7", "Yes", "Off &amp; on", "Ana", "@OZ yes"):
        assert part in shown
    assert "<it>" not in shown


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("plain", "plain"),
        ("**bold** *it* _it_ __under__ ~~gone~~ ||secret||", "bold it it under gone secret"),
        (r"\*\*not bold\*\* \_x\_ \`c\` \|\|x\|\|", "**not bold** _x_ `c` ||x||"),
        ("snake_case_name 2*3*4", "snake_case_name 234"),
        ("`a*b*c` ```py\ncode\n```", "a*b*c code"),
        ("# head\n## second\n-# small\n> quoted\n- item", "head\nsecond\nsmall\nquoted\n• item"),
        ("\\# head\n\\> x", "# head\n> x"),
        ("[label](https://example.com) <https://example.com>", "label https://example.com"),
        (r"\[label\]\(https\://example.com\)", "[label](https://example.com)"),
        # What stands behind an address is part of it, a backslash too.
        (r"https://example.com\)", r"https://example.com\)"),
        ("https://example.com/a_b_c", "https://example.com/a_b_c"),
        ("<@7> <@!7> <@9> <#600> <@&3>", "@Ana @Ana @unknown-user #general @unknown-role"),
        (r"\<@7>", "<@7>"),
        ("<t:0:f> <t:99999999999999>", "1 January 1970 00:00 <t:99999999999999>"),
        ("1. one\n2. two", "1. one\n2. two"),
        ("", ""),
        ("a\\", "a\\"),
        ("***both***", "both"),
    ],
)
def test_markup_is_read_as_the_client_reads_it(written: str, seen: str) -> None:
    """Formatting loses its marks, what is escaped keeps them."""
    assert plain(written, {"7": "Ana", "600": "general"}) == seen
