"""What the fake Telegram sends has the Bot API's shape; HTML is read as the server reads it."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram.helpers import escape_markdown

from channels.testing.telegram.markdown import parse_markdown
from channels.testing.telegram.markup import marked, parse_html, trimmed, units
from channels.testing.telegram.names import METHODS
from channels.testing.telegram.refusals import Refused
from channels.testing.telegram.updates import KINDS
from tests.channels.testing.telegram_bot import (
    ANA,
    BASIC,
    BEN,
    CLEO,
    FORUM,
    GROUP,
    NEWS,
    connected,
    keyboard,
)

AHEAD = {"disabled"}
"""Fields of a newer Bot API than the file's."""


@cache
def specification() -> dict[str, Any]:
    """The Bot API as data, from the folder OZ_SPECS names."""
    folder = os.environ.get("OZ_SPECS")
    path = Path(folder, "telegram", "api.json") if folder else None
    if path is None or not path.exists():
        pytest.skip("OZ_SPECS names no folder with telegram/api.json")
    with path.open(encoding="utf-8") as file:
        return dict(json.load(file))


def faults(value: Any, kinds: list[str], at: str = "") -> list[str]:
    """What is wrong with a value that should be of one of those types."""
    found = [_faults(value, kind, at) for kind in kinds]
    return min(found, key=len)


def _faults(value: Any, kind: str, at: str) -> list[str]:
    if kind.startswith("Array of "):
        if not isinstance(value, list):
            return [f"{at}: no list"]
        inner = [kind.removeprefix("Array of ")]
        return [one for part in value for one in faults(part, inner, f"{at}[]")]
    plain = {"Integer": int, "String": str, "Boolean": bool, "Float": float}
    if kind in plain:
        right = isinstance(value, plain[kind]) and (kind == "Boolean") == isinstance(value, bool)
        return [] if right else [f"{at}: {value!r} is no {kind}"]
    shape = specification()["types"][kind]
    if "subtypes" in shape:
        return faults(value, shape["subtypes"], at)
    if not isinstance(value, dict):
        return [f"{at}: no {kind}"]
    fields = {one["name"]: one for one in shape.get("fields", ())}
    missing = [
        f"{at}.{name}: missing"
        for name, one in fields.items()
        if one["required"] and name not in value
    ]
    unknown = [
        f"{at}.{name}: unknown" for name in value if name not in fields and name not in AHEAD
    ]
    wrong = [
        fault
        for name, part in value.items()
        if name in fields
        for fault in faults(part, fields[name]["types"], f"{at}.{name}")
    ]
    return missing + unknown + wrong


async def test_every_update_has_the_shape_of_the_bot_api() -> None:
    """All that people can do, held to the published types."""
    specification()
    async with connected() as (chat, bot):
        await bot.get_updates(allowed_updates=[*KINDS], timeout=0)
        await bot.send_message(
            GROUP, "<b>Which</b>?", "HTML", reply_markup=keyboard([("Red", "p:1")])
        )
        post = chat.messages(GROUP)[0]
        await chat.press(ANA, post, "Red")
        await chat.type(ANA, GROUP, "@oz_test_bot https://a.example", reply_to=post.id)
        await chat.edit(ANA, GROUP, await chat.type(ANA, GROUP, "/pending"), "/help")
        await chat.type(ANA, FORUM, "/pending", thread=chat.topic(FORUM, "Deploys"))
        await chat.photo(ANA, ANA, "look")
        await chat.type(ANA, NEWS, "news")
        chat.admin(GROUP)
        chat.admin(GROUP, BEN, anonymous=True)
        await chat.type(BEN, GROUP, "anonymous")
        chat.join(GROUP, CLEO)
        chat.leave(GROUP, CLEO)
        chat.remove_bot(GROUP)
        chat.add_bot(GROUP)
        chat.migrate(BASIC)
        chat.out_of_reach(GROUP, post.id)
        await chat.press(ANA, post, "Red")
        kinds = {kind for one in chat.updates.made for kind in one}
        assert kinds >= {
            "message",
            "edited_message",
            "channel_post",
            "callback_query",
            "chat_member",
        }
        for update in chat.updates.made:
            assert faults(update, ["Update"]) == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("getMe", {}),
        ("getUpdates", {"timeout": 0}),
        ("getWebhookInfo", {}),
        ("sendMessage", {"chat_id": int(NEWS), "text": "x"}),
        ("editMessageText", {"chat_id": int(ANA), "message_id": 1, "text": "y"}),
        (
            "editMessageReplyMarkup",
            {
                "chat_id": int(ANA),
                "message_id": 1,
                "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "a"}]]},
            },
        ),
        ("deleteMessage", {"chat_id": int(ANA), "message_id": 1}),
        ("sendChatAction", {"chat_id": int(ANA), "action": "typing"}),
        ("getChat", {"chat_id": int(GROUP)}),
        ("getChatMember", {"chat_id": int(GROUP), "user_id": int(BEN)}),
        ("getChatMember", {"chat_id": int(GROUP), "user_id": int(CLEO)}),
        ("leaveChat", {"chat_id": int(GROUP)}),
        ("getMyCommands", {}),
        ("setMyCommands", {"commands": []}),
        ("deleteMyCommands", {}),
        ("setWebhook", {"url": "https://oz.example/"}),
        ("deleteWebhook", {}),
    ],
)
async def test_every_result_has_the_shape_of_the_bot_api(
    method: str, params: dict[str, Any]
) -> None:
    """Each method's result, held to what the Bot API says it returns."""
    returns = specification()["methods"][method]["returns"]
    async with connected() as (chat, bot), aiohttp.ClientSession() as session:
        await bot.send_message(ANA, "x")
        await chat.type(ANA, ANA, "y")
        url = f"{chat.base_url}{chat.token}/{method}"
        async with session.post(url, json=params) as answer:
            body = await answer.json()
        assert body["ok"], body
        assert faults(body["result"], returns) == []


@pytest.mark.parametrize(
    ("source", "text", "entities"),
    [
        ("a < b", None, 'Unsupported start tag "" at byte offset 2'),
        ("a &lt; b &amp;&quot;&#x41;&#66;", 'a < b &"AB', []),
        ("&nbsp; & > é", "&nbsp; & > é", []),
        ("<blink>x</blink>", None, 'Unsupported start tag "blink" at byte offset 0'),
        ("é<b>x", None, 'Can\'t find end tag corresponding to start tag "b"'),
        ("<b>x</i>", None, 'byte offset 4, expected "</b>", found "</i>"'),
        ("x</b>", None, "Unexpected end tag at byte offset 1"),
        ("<b>x</b", None, "Unclosed end tag at byte offset 4"),
        ("<b", None, "Unclosed start tag"),
        ("<b x y>z</b>", None, "Expected equal sign"),
        ('<span class="x">z</span>', None, 'must have class "tg-spoiler"'),
        ("<tg-time>z</tg-time>", None, "Invalid date-time unix time"),
        ('<tg-time unix="1" format="q">z</tg-time>', None, "Invalid date-time format"),
        ('<tg-emoji emoji-id="x">z</tg-emoji>', None, "Invalid custom emoji"),
        ("😀<b>x</b>", "😀x", [{"type": "bold", "offset": 2, "length": 1}]),
        (
            '<a href="https://a.example/?a=1&amp;b=2">x</a>',
            "x",
            [{"type": "text_link", "offset": 0, "length": 1, "url": "https://a.example/?a=1&b=2"}],
        ),
        ('<a href="javascript:x">x</a>', "x", []),
        (
            "<a>a.example</a>",
            "a.example",
            [{"type": "text_link", "offset": 0, "length": 9, "url": "a.example"}],
        ),
        (
            '<pre><code class="language-py">x</code></pre>',
            "x",
            [{"type": "pre", "offset": 0, "length": 1, "language": "py"}],
        ),
        (
            "<blockquote expandable>x</blockquote>",
            "x",
            [{"type": "expandable_blockquote", "offset": 0, "length": 1}],
        ),
        (
            '<tg-time unix="1764500000" format="wDT">x</tg-time>',
            "x",
            [
                {
                    "type": "date_time",
                    "offset": 0,
                    "length": 1,
                    "unix_time": 1764500000,
                    "date_time_format": "wDT",
                }
            ],
        ),
    ],
)
def test_html_is_read_as_the_server_reads_it(
    source: str, text: str | None, entities: str | list[dict[str, Any]]
) -> None:
    """Raw `>` and `&` pass; what does not close or is not known is refused, with its place."""
    if text is None:
        with pytest.raises(Refused, match="can't parse entities") as refused:
            parse_html(source)
        assert str(entities) in refused.value.description
    else:
        assert parse_html(source) == (text, entities)


@given(st.text())
def test_escaped_text_is_read_as_it_was(text: str) -> None:
    """Escaping three characters is all it takes."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert parse_html(escaped) == (text, [])
    bold, [entity] = parse_html(f"<b>x{escaped}</b>")
    assert (bold, entity["length"]) == (f"x{text}", units(text) + 1)


@given(st.text())
def test_any_html_is_read_or_refused(source: str) -> None:
    """Nothing else happens, whatever is sent."""
    try:
        text, entities = parse_html(source)
    except Refused as refused:
        assert refused.code == 400
    else:
        assert all(one["offset"] + one["length"] <= units(text) for one in entities)


@pytest.mark.parametrize(
    ("source", "text", "entities"),
    [
        ("*a _b_*", "a b", [("bold", 0, 3), ("italic", 2, 1)]),
        (
            "__a__ ~b~ ||c||",
            "a b c",
            [("underline", 0, 1), ("strikethrough", 2, 1), ("spoiler", 4, 1)],
        ),
        ("`a*b` \\.", "a*b .", [("code", 0, 3)]),
        ("```py\nx```", "x", [("pre", 0, 1)]),
        ("[a](https://oz.example/\\))", "a", [("text_link", 0, 1)]),
        ("[a](b)", "a", []),
        (">a\n>b\nc", "a\nb\nc", [("blockquote", 0, 3)]),
        ("1. red", None, "Character '.' is reserved"),
        ("a | b", None, "Character '|' is reserved"),
        ("_a", None, "Can't find end of Italic entity at byte offset 0"),
    ],
)
def test_markdown_is_read_as_the_server_reads_it(
    source: str, text: str | None, entities: str | list[tuple[str, int, int]]
) -> None:
    """MarkdownV2: what marks nothing must be escaped, and what begins must end."""
    if text is None:
        with pytest.raises(Refused, match="can't parse entities") as refused:
            parse_markdown(source)
        assert str(entities) in refused.value.description
    else:
        words, found = parse_markdown(source)
        assert words == text
        assert [(one["type"], one["offset"], one["length"]) for one in found] == entities


@given(st.text())
def test_text_that_the_library_escapes_is_read_as_it_was(text: str) -> None:
    """By python-telegram-bot's own helper."""
    assert parse_markdown(escape_markdown(text, version=2)) == (text, [])


@given(st.text(alphabet=st.sampled_from("ab\\_*[]()~`>|!.\n😀")))
def test_any_markdown_is_read_or_refused(source: str) -> None:
    """Nothing else happens, whatever is sent."""
    try:
        text, entities = parse_markdown(source)
    except Refused as refused:
        assert refused.code == 400
    else:
        assert all(one["offset"] + one["length"] <= units(text) for one in entities)


@given(st.text(), st.integers(0, 20), st.integers(1, 20))
def test_space_around_a_text_goes_and_entities_follow(text: str, offset: int, length: int) -> None:
    """What is left of an entity covers the same characters."""
    bare, entities = trimmed(text, [{"type": "bold", "offset": offset, "length": length}])
    assert bare == text.strip()
    assert all(
        0 <= one["offset"] < one["offset"] + one["length"] <= units(bare) for one in entities
    )


def test_the_names_of_methods_are_the_bot_apis() -> None:
    """None is missing, and none is made up."""
    assert {name.lower() for name in specification()["methods"]} == METHODS


def test_commands_mentions_and_links_are_marked() -> None:
    """With offsets in UTF-16 units."""
    assert marked("😀 /help@oz_bot @ana_m https://a.example/x me@example.org 3/4") == [
        {"type": "bot_command", "offset": 3, "length": 12},
        {"type": "mention", "offset": 16, "length": 6},
        {"type": "url", "offset": 23, "length": 19},
    ]
