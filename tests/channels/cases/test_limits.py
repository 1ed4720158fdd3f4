"""Given cases on platforms' limits (PL): what does not fit is drawn otherwise, and never lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import regex

from gateway.question import Kind
from tests.channels.acting import natively
from tests.channels.cases.scenes import FOUR, in_private, scene
from tests.channels.shapes import ANSWER, Shape
from tests.strategies_reply import field, several

if TYPE_CHECKING:
    from pathlib import Path

    from channels.testing.platform import Message

CALLBACK_BYTES = 64
"""Bot API, InlineKeyboardButton.callback_data."""

MOST_ON_A_BUTTON = {"slack": 75, "discord": 80}
"""Characters that the platform takes on a button (platform facts, 0.3); the others take any."""

SHOWN = 4
"""Ours: so many of the families are left to be seen anywhere."""

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
LONG = (
    "Keep the current schema and add a nullable column for the new value",
    "Split the table in two and backfill overnight",
)


async def test_pl_01_button_data_is_short_ascii_whatever_the_labels_are(
    redis_url: str, tmp_path: Path
) -> None:
    """PL-01: labels of two bytes a letter stay out of the data, and the press answers."""
    labels = ("Отложить до понедельника утром", "Выпустить прямо сейчас")
    async with scene(redis_url, tmp_path, "telegram", routes=in_private) as made:
        ask = await made.ask(*labels)
        post = await made.private_post()
        rows = post.raw["reply_markup"]["inline_keyboard"]
        data = [button["callback_data"] for row in rows for button in row]
        assert len(data) >= len(labels)
        assert all(1 <= len(one.encode()) <= CALLBACK_BYTES and one.isascii() for one in data)
        await made.pick("Ana", post, labels[1])
        assert await made.answer(ask) == labels[1]


async def test_pl_07_thirty_options_are_all_reachable(redis_url: str, tmp_path: Path) -> None:
    """PL-07: more than a menu holds; the last is chosen from the post, none is missing."""
    labels = [f"region {number}" for number in range(1, 31)]
    asked = several(*labels, name="regions", required=False, write_in=False)
    shape = Shape("regions", (asked,), {"regions": "region 30"}, (), {})
    async with scene(redis_url, tmp_path, "discord") as made:
        ask = await made.asks(asked, prompt="Which regions?", typed=True)
        post = await made.post()
        text = "\n".join(one.text for one in made.place.posts())
        assert all(regex.search(rf"\b{label}\b", text) for label in labels)
        record = await made.made.record(ask)
        await natively(made.place, "Ana", post, record.ask, shape)
        assert await made.answer(ask) == ["region 30"]


@pytest.mark.parametrize("name", ["telegram", "slack", "discord"])
async def test_pl_09_labels_stand_whole_in_the_body_under_their_buttons_numbers(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """PL-09: whatever a phone cuts of a button can be read above it."""
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask(*LONG)
        post = await made.post()
        for number, label in enumerate(LONG, 1):
            assert f"{number}. {label}" in post.text
            assert any(
                control.label.startswith(f"{number}. {label[:10]}") for control in post.controls
            )
        assert (await made.made.record(ask)).pending


async def test_pl_11_seven_fields_are_offered_on_pages_that_the_platform_takes(
    redis_url: str, tmp_path: Path
) -> None:
    """PL-11: no form of seven is tried; each page opens, and all seven arrive."""
    fields = [field(Kind.TEXT, f"f{number}", required=False) for number in range(1, 8)]
    filled: dict[str, Any] = {one.name: f"value {one.name}" for one in fields}
    shape = Shape("order", tuple(fields), filled, (), {})
    async with scene(redis_url, tmp_path, "discord") as made:
        ask = await made.asks(*fields, prompt="Order", typed=True)
        post = await made.post()
        record = await made.made.record(ask)
        await natively(made.place, "Ana", post, record.ask, shape)
        assert await made.answer(ask) == filled
        assert not [call for call in made.place.platform.calls if call.refused]


@pytest.mark.parametrize("name", FOUR)
async def test_pl_12_a_button_is_cut_between_visible_characters(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """PL-12: thirty families; what is left of them on the button are whole families."""
    label = FAMILY * 30
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask(label, "Plain")
        post = await made.post()
        shown = _names(post, label)
        assert shown
        for one in shown:
            marks = regex.findall(r"\X", one)
            assert marks.count(FAMILY) >= SHOWN
            assert not set("".join(mark for mark in marks if mark != FAMILY)) & set(FAMILY)
        assert len(shown[0]) <= MOST_ON_A_BUTTON.get(name, len(shown[0]))
        platform, account = made.place.platform, made.place.accounts["Ana"]
        if name == "teams":
            await platform.submit(account, {ANSWER: label})
        else:
            await platform.press(account, post, shown[0])
        assert await made.answer(ask) == label


def _names(post: Message, label: str) -> list[str]:
    """What people press or choose for that option: its buttons, or its lines in a menu."""
    every = [text for one in post.controls for text in (one.label, *one.options)]
    return [one for one in every if label[0] in one]


async def test_pl_13_discord_keeps_its_buttons_for_labels_too_long_for_others(
    redis_url: str, tmp_path: Path
) -> None:
    """PL-13: 74 letters are no reason for text where 80 fit."""
    label = "a" * 74
    async with scene(redis_url, tmp_path, "discord") as made:
        ask = await made.ask(label, "No")
        post = await made.post()
        kinds = {one.label: one.kind for one in post.controls}
        assert {kind for name, kind in kinds.items() if "aaa" in name or name.endswith("No")} == {
            "button"
        }
        await made.pick("Ana", post, "No")
        assert await made.answer(ask) == "No"


@pytest.mark.parametrize("name", FOUR)
async def test_pl_14_an_answer_of_4000_characters_is_whole_and_one_more_is_corrected(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """PL-14: counted in characters; a paste in parts is one answer; nothing is ever cut."""
    asked = field(Kind.TEXT, "answer", max_length=4_000)
    async with scene(redis_url, tmp_path, name, routes=in_private) as made:
        ask = await made.asks(asked, prompt="Paste the error.")
        post = await made.private_post()
        await made.reply("Ana", post, "e" * 4_001)
        await made.reads("Ana", "4,000")
        assert (await made.made.record(ask)).pending
        assert sum("4,000" in one and "eeee" not in one for one in made.seen("Ana")) == 1
        await made.reply("Ana", post, "e" * 4_000)
        assert await made.answer(ask) == "e" * 4_000
        await made.made.closed(ask)
        ask = await made.asks(asked, prompt="Paste it again.")
        await made.reads("Ana", "Paste it again.")
        await made.reply("Ana", await made.private_post(), "\U0001f600" * 4_000)
        assert await made.answer(ask) == "\U0001f600" * 4_000
