"""Presses, menus, forms and commands on the fake Discord, answered by the real SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from channels.testing.discord import Discord
from channels.testing.platform import Entry, Message
from tests.channels.testing.discord_sdk import Bot, connected, discord

ui = discord.ui
OPTIONS = [("Red", "r"), ("Blue", "b"), ("Green", "g")]


@pytest.fixture
async def chat() -> AsyncIterator[Discord]:
    """A server with a channel, and two people in it."""
    chat = Discord()
    chat.person("7", "Ana")
    chat.person("8", "Kevin")
    chat.channel("600", "general")
    async with chat:
        yield chat


@pytest.fixture
async def bot(chat: Discord) -> AsyncIterator[Bot]:
    """The SDK, connected."""
    async with connected(chat) as bot:
        yield bot


async def post(bot: Bot, conversation: str = "600") -> Message:
    """A message with a button, a menu, and a button that is off."""
    view = ui.View(timeout=None)
    view.add_item(ui.Button(label="Yes", custom_id="y"))
    view.add_item(ui.Button(label="Off", custom_id="o", disabled=True))
    options = [discord.SelectOption(label=label, value=value) for label, value in OPTIONS]
    view.add_item(ui.Select(custom_id="m", placeholder="Pick", options=options, max_values=2))
    await bot.get_partial_messageable(int(conversation)).send("Ship?", view=view)
    return bot.chat.messages(conversation)[-1]


def form(**how: Any) -> ui.Modal:
    """A form with one entry of each kind."""
    modal = ui.Modal(title="Fill in", custom_id="form", timeout=None)
    pairs = [discord.SelectOption(label=label, value=value) for label, value in OPTIONS]
    radio = [discord.RadioGroupOption(label=label, value=value) for label, value in OPTIONS]
    boxes = [discord.CheckboxGroupOption(label=label, value=value) for label, value in OPTIONS]
    parts: list[tuple[str, Any]] = [
        ("Name", ui.TextInput(custom_id="name", min_length=2, max_length=5, **how)),
        ("Colour", ui.Select(custom_id="colour", options=pairs)),
        ("One", ui.RadioGroup(custom_id="one", options=radio, required=False)),
        ("Some", ui.CheckboxGroup(custom_id="some", options=boxes, max_values=3, required=False)),
        ("Sure", ui.Checkbox(custom_id="sure")),
    ]
    for label, part in parts:
        modal.add_item(ui.Label(text=label, component=part))
    return modal


async def test_a_press_reaches_the_bot(chat: Discord, bot: Bot) -> None:
    """With who, where, and on which message."""
    message = await post(bot)
    await chat.press("7", message, "Yes")
    pressed = await bot.interaction()
    assert pressed.type is discord.InteractionType.component
    assert pressed.data is not None
    assert pressed.data.get("custom_id") == "y"
    assert (pressed.user.id, pressed.channel_id, pressed.guild_id) == (7, 600, 500)
    assert pressed.message is not None
    assert str(pressed.message.id) == message.id


async def test_a_choice_reaches_the_bot(chat: Discord, bot: Bot) -> None:
    """By the values of the labels; as many as the menu takes."""
    message = await post(bot)
    await chat.choose("7", message, "Pick", ["Blue", "Red"])
    chosen = await bot.interaction()
    assert chosen.data is not None
    assert chosen.data.get("values") == ["b", "r"]
    with pytest.raises(ValueError, match="3 picked"):
        await chat.choose("7", message, "Pick", ["Blue", "Red", "Green"])
    with pytest.raises(LookupError, match="Black"):
        await chat.choose("7", message, "Pick", ["Black"])


async def test_only_what_is_there_can_be_pressed(chat: Discord, bot: Bot) -> None:
    """Not what is off, was taken off since, is gone, or is in a place they are not in."""
    chat.person("9", "Zoe", guild=None)
    message = await post(bot)
    for account, label in (("7", "No"), ("7", "Off"), ("7", "Pick"), ("9", "Yes")):
        with pytest.raises(LookupError):
            await chat.press(account, message, label)
    sent = bot.get_partial_messageable(600).get_partial_message(int(message.id))
    await sent.edit(view=None)
    with pytest.raises(LookupError):
        await chat.press("7", message, "Yes")
    await sent.delete()
    with pytest.raises(LookupError):
        await chat.press("7", message, "Yes")


async def test_a_whisper_is_seen_by_one(chat: Discord, bot: Bot) -> None:
    """An ephemeral answer stands for the presser alone, and can be pressed by them alone."""
    bot.act = lambda one: one.response.send_message("**Got** it", ephemeral=True, view=again())
    await chat.press("7", await post(bot), "Yes")
    await chat.until(lambda: chat.told("7") == ["Got it"])
    [call] = [one for one in chat.calls if one.method == "interaction_callback"]
    assert call.payload["type"] == 4
    assert chat.told("8") == []
    assert len(chat.messages("600")) == 1
    whisper = chat.messages("600", account="7")[-1]
    assert whisper.private_to == "7"
    with pytest.raises(LookupError):
        await chat.press("8", whisper, "Again")
    await chat.press("7", whisper, "Again")
    await chat.until(lambda: len(chat.told("7")) == 2)
    own = [one for one in bot.heard if one.flags.ephemeral]
    assert own
    assert all(one.guild is None for one in own), "dispatched without its server, as Discord does"


def again() -> ui.View:
    view = ui.View(timeout=None)
    view.add_item(ui.Button(label="Again", custom_id="again"))
    return view


async def test_a_press_can_change_its_message(chat: Discord, bot: Bot) -> None:
    """The update is the answer."""
    bot.act = lambda one: one.response.edit_message(content="Done", view=None)
    await chat.press("7", await post(bot), "Yes")
    await chat.until(lambda: chat.messages("600")[0].text == "Done")
    assert chat.messages("600")[0].controls == ()


async def test_a_deferred_answer_comes_later(chat: Discord, bot: Bot) -> None:
    """First the deferral, then the original is filled in, then follow-ups, for 15 minutes."""
    bot.act = lambda one: one.response.defer(ephemeral=True, thinking=True)
    await chat.press("7", await post(bot), "Yes")
    pressed = await bot.interaction()
    await chat.until(lambda: chat.count("interaction_callback") == 1)
    assert chat.told("7") == []
    await pressed.edit_original_response(content="first")
    await pressed.followup.send("second", ephemeral=True)
    assert chat.told("7") == ["first", "second"]
    chat.pass_time(901)
    with pytest.raises(discord.HTTPException) as late:
        await pressed.followup.send("third", ephemeral=True)
    assert (late.value.status, late.value.code) == (401, 50027)


async def test_the_first_follow_up_takes_the_place_of_the_deferral(chat: Discord, bot: Bot) -> None:
    """And is as visible as the deferral was, whatever it says itself."""
    bot.act = lambda one: one.response.defer(ephemeral=True, thinking=True)
    await chat.press("7", await post(bot), "Yes")
    pressed = await bot.interaction()
    await chat.until(lambda: chat.count("interaction_callback") == 1)
    await pressed.followup.send("for all", ephemeral=False)
    assert chat.told("7") == ["for all"]
    assert len(chat.messages("600")) == 1


async def test_an_update_can_be_deferred(chat: Discord, bot: Bot) -> None:
    """Then the original is the message that was pressed."""
    bot.act = lambda one: one.response.defer()
    await chat.press("7", await post(bot), "Yes")
    pressed = await bot.interaction()
    await chat.until(lambda: chat.count("interaction_callback") == 1)
    await pressed.edit_original_response(content="Done", view=None)
    assert chat.messages("600")[0].text == "Done"
    await pressed.delete_original_response()
    assert chat.messages("600") == []


async def test_an_answer_that_comes_late_is_unknown(chat: Discord, bot: Bot) -> None:
    """After three seconds 10062, and the person has seen that it failed."""
    await chat.press("7", await post(bot), "Yes")
    pressed = await bot.interaction()
    chat.pass_time(3.1)
    with pytest.raises(discord.NotFound) as late:
        await pressed.response.send_message("late")
    assert late.value.code == 10062
    assert chat.told("7") == ["This interaction failed"]
    assert chat.calls[-1].refused == "10062"


async def test_a_second_first_answer_is_refused(chat: Discord) -> None:
    """Two replicas hear one press; one answer is taken, the other is 40060."""
    async with connected(chat) as one, connected(chat) as other:
        one.act = other.act = lambda press: press.response.send_message("Got it", ephemeral=True)
        await chat.press("7", await post(one), "Yes")
        await chat.until(lambda: len(one.refusals) + len(other.refusals) == 1)
    assert [error.code for error in one.refusals + other.refusals] == [40060]
    assert chat.told("7") == ["Got it"]


async def test_a_token_opens_nothing_before_the_first_answer(chat: Discord, bot: Bot) -> None:
    """Follow-ups are 10015 then, and for tokens nobody has."""
    await chat.press("7", await post(bot), "Yes")
    pressed = await bot.interaction()
    with pytest.raises(discord.NotFound) as early:
        await pressed.followup.send("early")
    assert early.value.code == 10015


async def test_a_form_is_opened_filled_in_and_sent(chat: Discord, bot: Bot) -> None:
    """Every kind of entry comes back in its own shape, with the message it came from."""
    bot.act = lambda one: one.response.send_modal(form())
    await chat.press("7", await post(bot), "Yes")
    await chat.until(lambda: chat.form("7"))
    shown = chat.form("7")
    assert shown is not None
    assert shown.title == "Fill in"
    labels = ("Red", "Blue", "Green")
    assert shown.entries == (
        Entry("Name", "name", "text", required=True),
        Entry("Colour", "colour", "choice", labels, required=True),
        Entry("One", "one", "choice", labels),
        Entry("Some", "some", "choices", labels, value=[]),
        Entry("Sure", "sure", "toggle", value=False),
    )
    bot.act = None
    values = {"Name": "Ana", "colour": "Blue", "Some": ["Red", "Green"], "Sure": True}
    await chat.submit("7", values)
    await chat.until(lambda: len(bot.interactions) == 2)
    sent = bot.interactions[-1]
    assert sent.type is discord.InteractionType.modal_submit
    assert sent.message is not None
    data: Any = sent.data
    parts = [one["component"] for one in data["components"]]
    assert [one.get("value", one.get("values")) for one in parts] == [
        "Ana",
        ["b"],
        None,
        ["r", "g"],
        True,
    ]
    assert chat.form("7") is None


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"Name": "A", "Colour": "Red"}, ValueError),
        ({"Name": "Anabel", "Colour": "Red"}, ValueError),
        ({"Colour": "Red"}, ValueError),
        ({"Name": "Ana"}, ValueError),
        ({"Name": "Ana", "Colour": "Black"}, LookupError),
        ({"Name": "Ana", "Colour": "Red", "Age": 3}, LookupError),
    ],
)
async def test_a_form_is_checked_before_it_is_sent(
    chat: Discord, bot: Bot, values: dict[str, Any], error: type[Exception]
) -> None:
    """What the client would not send, is not sent; the form stays open."""
    bot.act = lambda one: one.response.send_modal(form())
    await chat.press("7", await post(bot), "Yes")
    await chat.until(lambda: chat.form("7"))
    with pytest.raises(error):
        await chat.submit("7", values)
    assert chat.form("7") is not None
    assert len(bot.interactions) == 1


async def test_a_form_does_not_open_another(chat: Discord, bot: Bot) -> None:
    """The answer to a form must be something else."""
    bot.act = lambda one: one.response.send_modal(form())
    await chat.press("7", await post(bot), "Yes")
    await chat.until(lambda: chat.form("7"))
    await chat.submit("7", {"Name": "Ana", "Colour": "Red"})
    await chat.until(lambda: bot.refusals)
    assert bot.refusals[0].code == 50035
    assert "{4, 5, 6, 7, 10, 12}" in bot.refusals[0].text


def text_input(**how: Any) -> dict[str, Any]:
    return {"type": 4, "custom_id": "t", "style": 1} | how


def label(component: dict[str, Any] | None = None, **how: Any) -> dict[str, Any]:
    return {"type": 18, "label": "L", "component": component or text_input()} | how


def group(kind: int, count: int, **how: Any) -> dict[str, Any]:
    options = [{"label": f"{n}", "value": f"{n}"} for n in range(count)]
    return {"type": kind, "custom_id": "g", "options": options} | how


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": "x" * 46}, "between 1 and 45"),
        ({"custom_id": "x" * 101}, "between 1 and 100"),
        ({"components": []}, "between 1 and 5"),
        ({"components": [label(text_input(custom_id=f"{n}")) for n in range(6)]}, "1 and 5"),
        ({"components": [label(label="x" * 46)]}, "between 1 and 45"),
        ({"components": [label(description="x" * 101)]}, "between 1 and 100"),
        ({"components": [label(description="")]}, "between 1 and 100"),
        ({"components": [label(text_input(max_length=4001))]}, "4000"),
        ({"components": [label(text_input(placeholder="x" * 101))]}, "100 or fewer"),
        ({"components": [label(text_input(value="x" * 4001))]}, "4000 or fewer"),
        ({"components": [label(text_input(style=3))]}, "one of"),
        ({"components": [label(text_input(disabled=True))]}, "cannot be disabled"),
        ({"components": [label(), label()]}, "duplicated"),
        ({"components": [label(group(21, 1))]}, "between 2 and 10"),
        ({"components": [label(group(21, 11))]}, "between 2 and 10"),
        ({"components": [label(group(22, 11))]}, "between 1 and 10"),
        ({"components": [label(group(22, 2, min_values=0))]}, "greater than or equal to 1"),
        ({"components": [label(group(3, 26))]}, "between 1 and 25"),
        ({"components": [label({"type": 23, "custom_id": "c", "required": True})]}, "required"),
        (
            {"components": [label({"type": 2, "style": 1, "label": "x", "custom_id": "b"})]},
            "one of",
        ),
        ({"components": [text_input()]}, "one of"),
    ],
)
async def test_a_form_that_does_not_fit_is_refused(
    chat: Discord, bot: Bot, change: dict[str, Any], words: str
) -> None:
    """By each rule of its own, and nothing opens."""
    data = {"title": "T", "custom_id": "f", "components": [label()]} | change
    await chat.press("7", await post(bot), "Yes")
    pressed = await bot.interaction()
    path = f"/interactions/{pressed.id}/{pressed.token}/callback"
    route = discord.http.Route("POST", path)
    with pytest.raises(discord.HTTPException) as refusal:
        await bot.http.request(route, json={"type": 9, "data": data})
    assert refusal.value.code == 50035
    assert words in refusal.value.text
    assert chat.form("7") is None
    good = {"title": "T", "custom_id": "f", "components": [label()]}
    await bot.http.request(route, json={"type": 9, "data": good})
    assert chat.form("7") is not None


async def test_a_command_is_registered_and_run(chat: Discord, bot: Bot) -> None:
    """With its subcommand and options, in a channel and in a direct chat."""
    heard: list[tuple[str, str]] = []
    oz = discord.app_commands.Group(name="oz", description="Questions that wait")

    @oz.command(name="link", description="Connects your account")
    async def link(interaction: discord.Interaction, code: str) -> None:
        heard.append((code, str(interaction.user.id)))
        await interaction.response.send_message("linked", ephemeral=True)

    bot.tree.add_command(oz)
    await bot.tree.sync()
    await chat.slash("7", "600", "oz link", code="ABC")
    await chat.slash("8", chat.dm("8"), "oz link", code="DEF")
    await chat.until(lambda: chat.told("7") == chat.told("8") == ["linked"])
    assert heard == [("ABC", "7"), ("DEF", "8")]
    for command in ("oz", "oz none", "zo", "oz link"):
        with pytest.raises(LookupError):
            await chat.slash("7", "600", command)


async def test_commands_that_do_not_fit_are_refused(chat: Discord, bot: Bot) -> None:
    """Names, descriptions and doubles; another app's are not ours to set."""
    good = {"name": "oz", "description": "d", "type": 1}
    for commands, words in (
        ([good | {"name": "O Z"}], "invalid"),
        ([good | {"description": "x" * 101}], "between 1 and 100"),
        ([good, good], "unique"),
    ):
        with pytest.raises(discord.HTTPException, match=words) as refusal:
            await bot.http.bulk_upsert_global_commands(1000, commands)
        assert refusal.value.code == 50035
    with pytest.raises(discord.Forbidden) as other:
        await bot.http.bulk_upsert_global_commands(1001, [good])
    assert other.value.code == 20012


async def test_a_press_in_a_direct_chat_names_no_server(chat: Discord, bot: Bot) -> None:
    """The presser is a user there, not a member."""
    message = await post(bot, chat.dm("7"))
    await chat.press("7", message, "Yes")
    pressed = await bot.interaction()
    assert pressed.guild_id is None
    assert isinstance(pressed.user, discord.User)


async def test_a_slow_answer_can_be_made(chat: Discord, bot: Bot) -> None:
    """A delay on the way to Discord counts against the three seconds."""
    slow = Discord(ack_within_s=0.02)
    slow.person("7", "Ana")
    slow.channel("600")
    async with slow, connected(slow) as late:
        slow.fail("interaction_callback", delay_s=0.05)
        late.act = lambda one: one.response.send_message("Got it", ephemeral=True)
        await slow.press("7", await post(late), "Yes")
        await slow.until(lambda: late.refusals)
    assert late.refusals[0].code == 10062
