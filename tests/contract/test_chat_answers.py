"""What replies, presses and forms do: in shared places, in parts, and by words that act."""

from __future__ import annotations

import pytest

from channels.contract import (
    Destination,
    Drop,
    Pick,
    PressApprove,
    PressDecline,
    PressOther,
    PressSkip,
    Send,
)
from gateway.ask import AskKind
from gateway.question import Kind
from tests.chats import (
    CHANNEL,
    DIRECT,
    THREAD,
    U2,
    U9,
    Chats,
    public,
    texts,
)
from tests.strategies_reply import choice, field

# What it means in a shared place


async def test_own_words_in_a_shared_place_are_sent_by_one_press_of_their_author(
    chats: Chats,
) -> None:
    """Unaddressed, they may be talk: they come back as a question, and are kept."""
    ask = await chats.open(where=THREAD)
    (tell,) = (await chats.reply("let me check with Ana", where=THREAD)).tells
    assert tell.text == f'Send "let me check with Ana" as your answer to {ask.code}?'
    send, drop = (button.control for button in tell.buttons)
    assert isinstance(send, Send)
    assert isinstance(drop, Drop)
    assert texts(await ask.press(send, by=U2)) == [
        "Only the one who wrote that message can send it."
    ]
    assert texts(await ask.press(drop)) == ["Nothing was sent."]
    assert await ask.status() == "pending"
    await ask.press(send)
    assert await ask.values() == {"pick": {"options": [], "write_in": "let me check with Ana"}}


async def test_addressed_words_settle_in_a_shared_place(chats: Chats) -> None:
    """A mention says that they are meant for us."""
    ask = await chats.open(where=THREAD)
    await chats.reply("@oz rollback", where=THREAD, addressed=True, mention=("@oz",))
    assert await ask.values() == {"pick": {"options": [], "write_in": "rollback"}}


async def test_a_receipt_in_a_place_without_sight_holds_no_answer(chats: Chats) -> None:
    """The author alone reads what they sent; the others, that something was."""
    await chats.open(where=THREAD)
    response = await chats.reply("2", where=THREAD)
    assert (texts(response), public(response)) == (["Got it: Production."], ["Got it."])


async def test_a_refusal_in_a_place_without_sight_holds_no_choices(chats: Chats) -> None:
    """SE-13: what is wrong is told in full to the author alone."""
    await chats.open(choice("Customer 17", "Customer 23"), where=THREAD)
    response = await chats.reply("2 Customer 17", where=THREAD)
    assert "Customer 23" in texts(response)[0]
    assert "Customer" not in public(response)[0]


# Several fields


ON = field(Kind.DATE, "on", label="Send on")
COPIES = field(Kind.NUMBER, "copies", integer=True, min=1, max=9)


async def test_an_answer_given_in_parts_is_kept_between_them(chats: Chats) -> None:
    """Each good part is kept, on every replica; the last one sends the whole."""
    ask = await chats.open(ON, COPIES)
    said = texts(await chats.reply("2026-10-20"))
    assert said == [
        "Kept. Send on: 20 October 2026.\nStill needed: copies, a whole number, 1 to 9."
    ]
    assert "It goes from 1 to 9; you wrote 12." in texts(await chats.replica().reply("12"))[0]
    assert await ask.status() == "pending"
    assert texts(await chats.replica().reply("2")) == [
        "Got it. Send on: 20 October 2026; copies: 2."
    ]
    assert await ask.values() == {"on": "2026-10-20", "copies": 2}


async def test_a_part_delivered_again_is_not_taken_for_the_next(chats: Chats) -> None:
    """A redelivered `2` must not fill the field after the one it filled."""
    ask = await chats.open(COPIES, field(Kind.NUMBER, "pages"))
    message = await chats.typed("2")
    await chats.hand(message)
    assert texts(await chats.replica().hand(message)) == []
    assert await ask.status() == "pending"
    assert texts(await chats.reply("5")) == ["Got it. copies: 2; pages: 5."]


async def test_a_part_that_is_kept_is_not_told_where_content_is_not_granted(chats: Chats) -> None:
    """SE-13: the others there learn that something came, and nothing of what."""
    await chats.open(ON, COPIES, where=THREAD)
    response = await chats.reply("on = 2026-10-20", where=THREAD, addressed=True)
    assert "20 October 2026" in texts(response)[0]
    assert public(response) == ["Noted. The question still waits for the rest."]


async def test_two_people_fill_in_their_own_drafts(chats: Chats) -> None:
    """What one began, another does not finish."""
    await chats.open(ON, COPIES, where=THREAD)
    await chats.reply("on = 2026-10-20", where=THREAD, addressed=True)
    response = await chats.reply("copies: 2", U2, where=THREAD, addressed=True)
    assert "Still needed: Send on" in texts(response)[0]


async def test_back_and_clear_undo_what_was_kept(chats: Chats) -> None:
    """`back` takes the last value away, `clear` all of them; both are done once."""
    await chats.open(ON, COPIES, field(Kind.NUMBER, "pages"))
    await chats.reply("2026-10-20\n2")
    message = await chats.typed("back")
    assert texts(await chats.hand(message)) == ["Taken back. Kept. Send on: 20 October 2026."]
    assert texts(await chats.replica().hand(message)) == []
    assert texts(await chats.reply("clear")) == ["Nothing is kept now; start with the first line."]


async def test_a_form_is_checked_whole_and_told_beside_its_fields(chats: Chats) -> None:
    """What is wrong stands by each field's name, and the ask still waits."""
    ask = await chats.open(ON, COPIES)
    response = await ask.submit({"on": "2026-02-30", "copies": 12})
    assert dict(response.faults) == {
        "on": "It takes a date, like 2026-10-20.",
        "copies": "It goes from 1 to 9.",
    }
    assert await ask.status() == "pending"
    assert texts(await ask.submit({"on": "2026-10-20", "copies": 2})) == [
        "Got it. Send on: 20 October 2026; copies: 2."
    ]


async def test_a_form_of_somebody_who_may_not_answer_is_told_nothing_of_its_faults(
    chats: Chats,
) -> None:
    """What a field takes is content too."""
    ask = await chats.open(ON, COPIES)
    response = await ask.submit({"copies": 12}, by=U9)
    assert response.faults == {}
    assert "copies" not in texts(response)[0]


# Words that act


async def test_declining_with_a_reason(chats: Chats) -> None:
    """`decline: why` ends the ask with those words."""
    ask = await chats.open()
    assert texts(await chats.reply("decline: ask Ana")) == ["Got it: declined."]
    outcome = (await ask.record()).outcome
    assert outcome is not None
    assert (outcome.reason, outcome.by, outcome.name) == ("ask Ana", "user:kevin", "Kevin")


async def test_skip_belongs_to_ask_user(chats: Chats) -> None:
    """Pressed or typed, and only where the contract has it."""
    ask = await chats.open()
    assert "cannot be skipped" in texts(await chats.reply("skip"))[0]
    assert texts(await ask.press(PressSkip())) == ["This is no longer kept here. Nothing was sent."]
    question = {
        "id": "q",
        "header": "Q",
        "question": "Which?",
        "options": [{"label": "one thing"}, {"label": "another"}],
    }
    other = await chats.open(tool=("ask_user", {"questions": [question]}), where=THREAD)
    assert texts(await other.press(PressSkip())) == [
        "Got it: skipped. The run goes on without an answer."
    ]


async def test_an_approval_takes_its_own_words_and_buttons_only(chats: Chats) -> None:
    """`yes` decides nothing; `approve` does, and so does its button."""
    ask = await chats.open(kind=AskKind.APPROVAL)
    assert 'Only "approve" or "deny"' in texts(await chats.reply("yes"))[0]
    assert texts(await ask.press(Pick("o1"))) == ["This is no longer kept here. Nothing was sent."]
    assert texts(await chats.reply("approve: once")) == ["Got it: approved."]
    second = await chats.open(kind=AskKind.APPROVAL)
    assert texts(await second.press(PressDecline("no"))) == ["Got it: denied."]
    third = await chats.open(kind=AskKind.APPROVAL)
    assert texts(await third.press(PressApprove())) == ["Got it: approved."]


async def test_pending_in_reply_to_a_post_that_no_index_knows_lists_that_ask(
    chats: Chats,
) -> None:
    """An index that was lost takes no reply with it."""
    ask = await chats.open(where=CHANNEL)
    await chats.store.leave(CHANNEL.name, ask.code)
    (said,) = texts(await chats.reply("pending", where=CHANNEL, reply_to=ask.post))
    assert said.startswith("1 question waits here:")
    assert texts(await chats.reply("2", where=CHANNEL, reply_to=ask.post)) == [
        "Got it: Production."
    ]


async def test_after_other_was_pressed_the_next_words_are_the_answer(chats: Chats) -> None:
    """A pick then is refused with both ways to write it, and holds once."""
    ask = await chats.open()
    assert texts(await ask.press(PressOther())) == [
        "Write your own words; the next message is sent as your answer."
    ]
    assert texts(await chats.reply("2")) == [
        'Reply "2" to pick that option, or "other: 2" to answer in those words.'
    ]
    assert texts(await chats.reply("2")) == ["Got it: Production."]


async def test_after_other_was_pressed_words_in_the_thread_are_the_answer(chats: Chats) -> None:
    """In a shared place it is said where they go, and what goes there is sent as it is."""
    ask = await chats.open(where=THREAD)
    (words,) = texts(await ask.press(PressOther()))
    assert words.startswith("Write your own words in the question's thread;")
    assert texts(await chats.reply("green", where=CHANNEL)) == []
    assert texts(await chats.reply("green", by=U2, where=THREAD)) == [
        f'Send "green" as your answer to {ask.code}?'
    ]
    assert texts(await chats.reply("green", where=THREAD)) == ["Got it: green."]


@pytest.mark.parametrize("where", [DIRECT, THREAD])
async def test_other_says_for_which_of_several_the_next_words_are(
    chats: Chats, where: Destination
) -> None:
    """Nobody is asked again what they have just said with a press."""
    first, second = await chats.open(where=where), await chats.open(where=where)
    await first.press(PressOther())
    assert texts(await chats.reply("green", where=where)) == ["Got it: green."]
    assert [await first.status(), await second.status()] == ["answered", "pending"]


async def test_other_pressed_on_several_says_nothing_of_which(chats: Chats) -> None:
    """Then no guess is made."""
    for _ in range(2):
        await (await chats.open()).press(PressOther())
    assert texts(await chats.reply("green"))[0].startswith("2 questions wait here.")


async def test_help_and_pending_are_told_and_change_nothing(chats: Chats) -> None:
    """How to answer, and what waits here; without an ask too."""
    assert texts(await chats.reply("pending")) == ["Nothing waits for you here."]
    assert "None waits for you" in texts(await chats.reply("help"))[0]
    ask = await chats.open(choice("Staging", "Production"))
    assert texts(await chats.reply("help"))[0].startswith("Reply with a number, a label")
    assert texts(await chats.reply("pending")) == [
        f"1 question waits here:\n{ask.code}  Where should build 41 go?"
    ]
    assert texts(await chats.reply("cancel"))[0].startswith("Nothing was cancelled.")
    await chats.open()
    assert texts(await chats.reply("pending"))[0].startswith("2 questions wait here:")
    assert await ask.status() == "pending"
