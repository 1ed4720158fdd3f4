"""What the fake Discord says, held to the platform's own OpenAPI document where that is at hand.

`OZ_SPECS` names the folder of specifications; without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from channels.testing.discord import Discord
from channels.testing.discord.bodies import check_message
from channels.testing.discord.components import check_modal
from channels.testing.discord.refusals import REFUSALS, Refusal
from tests.channels.testing.discord_sdk import Bot, connected, discord

SPECS = Path(os.environ.get("OZ_SPECS", "")) / "discord" / "openapi.json"

pytestmark = pytest.mark.skipif(
    not os.environ.get("OZ_SPECS") or not SPECS.exists(), reason="no OZ_SPECS/discord"
)

PARTS = [
    {
        "type": 1,
        "components": [
            {"type": 2, "style": 1, "label": "Yes", "custom_id": "y"},
            {"type": 2, "style": 5, "label": "Open", "url": "https://example.com"},
        ],
    },
    {
        "type": 1,
        "components": [
            {"type": 3, "custom_id": "m", "options": [{"label": "Red", "value": "r"}]},
        ],
    },
]
V2 = [{"type": 17, "components": [{"type": 10, "content": "text"}, {"type": 14}]}]


@pytest.fixture(scope="module")
def spec() -> Any:
    """The document."""
    return json.loads(SPECS.read_text("utf-8"))


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


def check(spec: Any, name: str, shape: Any) -> None:
    """Raises what is wrong with a shape, with the path to it."""
    components = {"components": spec["components"]}
    schema = {"$ref": f"#/components/schemas/{name}"} | components
    jsonschema_rs.validator_for(schema).validate(shape)


async def ask(bot: Bot, verb: str, path: str, body: Any = None) -> Any:
    how = {} if body is None else {"json": body}
    return await bot.http.request(discord.http.Route(verb, path), **how)


async def test_messages_have_every_key(spec: Any, chat: Discord, bot: Bot) -> None:
    """As they are made, edited, answered, read back and dispatched."""
    message = "/channels/600/messages"
    embeds = [{"title": "t", "description": "d", "fields": [{"name": "n", "value": "v"}]}]
    body = {"content": "<@7>", "components": PARTS, "embeds": embeds, "nonce": "n"}
    posted = await ask(bot, "POST", message, body)
    reply = {"content": "b", "message_reference": {"message_id": posted["id"]}}
    shapes = [
        posted,
        await ask(bot, "PATCH", f"{message}/{posted['id']}", {"content": "c"}),
        await ask(bot, "GET", f"{message}/{posted['id']}"),
        await ask(bot, "POST", message, reply),
        await ask(bot, "POST", message, {"flags": 1 << 15, "components": V2}),
        *await ask(bot, "GET", message),
    ]
    await chat.type("7", "600", "<@1000>", reply_to=posted["id"], files=["a.png"])
    shapes += [post.raw for post in chat.channels["600"].posts.values()]
    for shape in shapes:
        check(spec, "MessageResponse", shape)


async def test_places_and_people_have_every_key(spec: Any, chat: Discord, bot: Bot) -> None:
    """The bot, its application, a channel, a thread, a direct chat."""
    posted = await ask(bot, "POST", "/channels/600/messages", {"content": "a"})
    thread = f"/channels/600/messages/{posted['id']}/threads"
    check(spec, "UserPIIResponse", await ask(bot, "GET", "/users/@me"))
    check(spec, "UserResponse", await ask(bot, "GET", "/users/7"))
    check(spec, "PrivateApplicationResponse", await ask(bot, "GET", "/oauth2/applications/@me"))
    check(spec, "GuildChannelResponse", await ask(bot, "GET", "/channels/600"))
    check(spec, "ThreadResponse", await ask(bot, "POST", thread, {"name": "talk"}))
    direct = await ask(bot, "POST", "/users/@me/channels", {"recipient_id": "7"})
    check(spec, "PrivateChannelResponse", direct)
    check(spec, "GatewayBotResponse", await ask(bot, "GET", "/gateway/bot"))
    for guild in await ask(bot, "GET", "/users/@me/guilds"):
        check(spec, "MyGuildResponse", guild)


async def test_commands_and_answers_have_every_key(spec: Any, chat: Discord, bot: Bot) -> None:
    """A registered command; the receipts of a whisper, a deferral, an update, a form."""
    command = {"name": "oz", "description": "d", "options": []}
    for shape in await ask(bot, "PUT", "/applications/1000/commands", [command]):
        check(spec, "ApplicationCommandResponse", shape)
    label = {"type": 18, "label": "L", "component": {"type": 4, "custom_id": "t", "style": 1}}
    form = {"title": "T", "custom_id": "f", "components": [label]}
    answers: list[dict[str, Any]] = [
        {"type": 4, "data": {"content": "a", "flags": 64}},
        {"type": 5},
        {"type": 6},
        {"type": 7, "data": {"content": "b"}},
        {"type": 9, "data": form},
    ]
    await ask(bot, "POST", "/channels/600/messages", {"content": "a", "components": PARTS})
    for number, answer in enumerate(answers, 1):
        await chat.press("7", chat.messages("600")[0], "Yes")
        pressed = await bot.interaction(number)
        path = f"/interactions/{pressed.id}/{pressed.token}/callback?with_response=1"
        check(spec, "InteractionCallbackResponse", await ask(bot, "POST", path, answer))
        if answer["type"] != 9:
            hook = f"/webhooks/1000/{pressed.token}"
            original = await ask(bot, "GET", f"{hook}/messages/@original")
            check(spec, "MessageResponse", original)
            check(spec, "MessageResponse", await ask(bot, "POST", hook, {"content": "more"}))


@pytest.mark.parametrize("code", REFUSALS)
def test_refusals_are_errors_as_documented(spec: Any, code: int) -> None:
    """A code and a message; the document has no true shape for the tree below `errors`."""
    check(spec, "Error", Refusal(code).body)


BUTTON = {"type": 2, "style": 1, "label": "x", "custom_id": "b"}
LINK = {"type": 2, "style": 5, "label": "x", "url": "https://example.com"}
OPTIONS = [{"label": f"{n}", "value": f"{n}"} for n in range(10)]
SELECT = {"type": 3, "custom_id": "s", "options": OPTIONS}
INPUT = {"type": 4, "custom_id": "t", "style": 1}
RADIO = {"type": 21, "custom_id": "r", "options": OPTIONS}
BOXES = {"type": 22, "custom_id": "c", "options": OPTIONS}
MODAL = {"custom_id": "f", "title": "T", "components": [{"type": 18, "label": "L"}]}


def message_with(part: dict[str, Any]) -> None:
    row = {"type": 1, "components": [part]}
    check_message({"content": "x", "components": [row]}, v2=False)


def option_with(part: dict[str, Any]) -> None:
    message_with(SELECT | {"options": [part]})


def form_with(part: dict[str, Any]) -> None:
    check_modal(MODAL | {"components": [{"type": 18, "label": "L", "component": part}]})


def label_with(part: dict[str, Any]) -> None:
    check_modal(MODAL | {"components": [part]})


HELD: list[tuple[str, dict[str, Any], Callable[[dict[str, Any]], None]]] = [
    ("ButtonComponentForMessageRequest", BUTTON, message_with),
    ("ButtonComponentForMessageRequest", LINK, message_with),
    ("StringSelectComponentForMessageRequest", SELECT, message_with),
    ("StringSelectOptionForRequest", OPTIONS[0], option_with),
    ("LabelComponentForModalRequest", {"type": 18, "label": "L", "component": INPUT}, label_with),
    ("TextInputComponentForModalRequest", INPUT, form_with),
    ("StringSelectComponentForModalRequest", SELECT, form_with),
    ("RadioGroupComponentForModalRequest", RADIO, form_with),
    ("CheckboxGroupComponentForModalRequest", BOXES, form_with),
    ("ModalInteractionCallbackRequestData", MODAL | {"components": []}, check_modal),
]


@pytest.mark.parametrize(("name", "good", "take"), HELD, ids=[one[0] for one in HELD])
def test_limits_are_those_of_the_document(
    spec: Any, name: str, good: dict[str, Any], take: Callable[[dict[str, Any]], None]
) -> None:
    """Each text and number that our bots send is refused one step past the documented limit."""
    if name != "ModalInteractionCallbackRequestData":
        take(good)
    tried = 0
    for key, rule in spec["components"]["schemas"][name]["properties"].items():
        # A text input's own label went out of use with Label; `id` is never ours to set.
        if key in ("id", "components") or (name.startswith("TextInput") and key == "label"):
            continue
        past: list[Any] = []
        if "maxLength" in rule and (key in good or good is not LINK):
            past.append("x" * (rule["maxLength"] + 1))
        if "minLength" in rule and key in good:
            past.append("x" * (rule["minLength"] - 1))
        if "maxItems" in rule and key in good:
            past.append([{"label": f"{n}", "value": f"{n}"} for n in range(rule["maxItems"] + 1)])
        if "maximum" in rule:
            past.append(rule["maximum"] + 1)
        if "minimum" in rule:
            past.append(rule["minimum"] - 1)
        for value in past:
            tried += 1
            with pytest.raises(Refusal) as refusal:
                take(good | {key: value})
            assert key in str(refusal.value.body["errors"]), f"{key}={value!r}"
    assert tried
