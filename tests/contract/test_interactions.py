"""What people do in chats, over every back end: one event, one effect, and the right words once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

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
    Sender,
)
from channels.inbound.kept import event_of
from gateway.answer import Picked
from gateway.ask import AskKind
from gateway.broker import Try
from gateway.conversations import Bound
from gateway.people import as_caller
from gateway.question import Kind
from gateway.routes import Route
from tests.chats import (
    ANA,
    BLIND,
    CHANNEL,
    DIRECT,
    KEVIN,
    THREAD,
    U2,
    U3,
    U4,
    U5,
    U9,
    Chats,
    edited,
    public,
    texts,
)
from tests.strategies_reply import WHERE, choice, field, several

if TYPE_CHECKING:
    from collections.abc import Callable

    from gateway.store import Store

PRODUCTION = {"pick": {"options": ["o2"], "write_in": None}}


@pytest.fixture
def chats(store: Store) -> Chats:
    """A gateway's chats over an empty store."""
    return Chats(store)


# Delivered again


async def test_dd_01_a_message_delivered_four_times_answers_and_is_confirmed_once(
    chats: Chats,
) -> None:
    """DD-01: every delivery is safe to acknowledge, the first alone is told."""
    ask = await chats.open(where=THREAD)
    message = await chats.typed("2", where=THREAD)
    said = [texts(await chats.hand(message)) for _ in range(4)]
    assert said == [["Got it: Production."], [], [], []]
    assert await ask.values() == PRODUCTION


async def test_dd_03_a_retry_hours_later_on_another_replica_says_nothing(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """DD-03: no memory of one process is needed to know a message again."""
    await chats.open(where=THREAD)
    message = await chats.typed("1", where=THREAD)
    await chats.hand(message)
    advance(timedelta(hours=5))
    assert texts(await chats.replica().hand(message)) == []


async def test_dd_04_one_message_in_two_envelopes_is_one_try(chats: Chats) -> None:
    """DD-04: the message names the try, whatever envelope it came in; refusals likewise."""
    ask = await chats.open(where=THREAD)
    message = await chats.typed("9", where=THREAD)
    said = [texts(await replica.hand(message)) for replica in (chats, chats.replica())]
    assert [len(one) for one in said] == [1, 0]
    assert await ask.status() == "pending"


async def test_dd_05_a_message_announced_again_unchanged_changes_nothing(chats: Chats) -> None:
    """DD-05: without a new edit it is the same event, and the platform's own news are none."""
    ask = await chats.open(field(Kind.TEXT, "pick"), where=THREAD)
    message = await chats.typed("Aurora", where=THREAD)
    await chats.hand(message)
    assert texts(await chats.hand(replace(message, text="Aurora"))) == []
    assert await ask.values() == {"pick": "Aurora"}


async def test_the_receipt_is_said_at_the_next_delivery_when_the_first_died_before(
    chats: Chats,
) -> None:
    """The answer was stored and nothing said: the retry is told what was taken, once."""
    ask = await chats.open()
    message = await chats.typed("2")
    record = await ask.record()
    await chats.conversations.bind(event_of(message), Bound((ask.id,)))
    await chats.broker.answer(
        as_caller(KEVIN),
        record.ask.id,
        {"pick": Picked(("o2",))},
        Try(event_of(message), "slack", f"D1/{message.message}"),
    )
    said = [texts(await chats.hand(message)) for _ in range(2)]
    assert said == [["Got it: Production."], []]


async def test_the_same_message_on_two_replicas_at_once_is_told_once(chats: Chats) -> None:
    """Both may settle with the same try; one of them says so."""
    await chats.open()
    message = await chats.typed("2")
    both = await asyncio.gather(chats.hand(message), chats.replica().hand(message))
    assert sorted(len(one.tells) for one in both) == [0, 1]


async def test_a_second_press_of_the_same_answer_is_no_news(chats: Chats) -> None:
    """RF-03: after a restart too, the first press is confirmed and the second says nothing."""
    ask = await chats.open()
    assert texts(await ask.press("o1")) == ["Got it: Staging."]
    assert texts(await chats.replica().hand(await ask.pressed("o1"))) == []


async def test_a_press_delivered_again_is_told_once(chats: Chats) -> None:
    """A platform's retry of a press is the same try."""
    ask = await chats.open()
    press = await ask.pressed("o1", event="E1")
    assert [len((await chats.hand(press)).tells) for _ in range(3)] == [1, 0, 0]


# Edits


async def test_an_edit_of_a_refused_reply_is_read_as_a_new_one(chats: Chats) -> None:
    """It stays with its ask, and answers it."""
    ask = await chats.open()
    message = await chats.typed("7")
    assert texts(await chats.hand(message)) == [
        'There is no option 7. Reply 1, 2 or 3, or "other: 7" to answer with 7.'
    ]
    assert texts(await chats.hand(edited(message, "2"))) == ["Got it: Production."]
    assert await ask.values() == PRODUCTION


async def test_an_edit_of_the_answer_changes_nothing_and_is_told_once(chats: Chats) -> None:
    """Whoever changes what was taken learns that it was, however often they change it."""
    ask = await chats.open()
    message = await chats.typed("2")
    await chats.hand(message)
    said = [texts(await chats.hand(edited(message, "1", edit))) for edit in ("1", "2")]
    assert [len(one) for one in said] == [1, 0]
    assert "already taken" in said[0][0]
    assert await ask.values() == PRODUCTION


async def test_an_edit_stays_with_the_ask_its_message_was_bound_to(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """Words of one question never become another's by an edit."""
    first = await chats.open()
    message = await chats.typed("9")
    await chats.hand(message)
    advance(timedelta(seconds=1))
    second = await chats.open()
    response = await chats.hand(edited(message, f"{second.code} 2"))
    assert texts(response) == [
        f"An edited message stays with its question. Write a new one for {second.code}."
    ]
    assert (await first.status(), await second.status()) == ("pending", "pending")


async def test_talk_that_is_edited_stays_talk(chats: Chats) -> None:
    """A message that belonged to no ask does not answer one that came later."""
    message = await chats.typed("1", where=THREAD)
    await chats.hand(message)
    ask = await chats.open(where=THREAD)
    assert texts(await chats.hand(edited(message, "2"))) == []
    assert await ask.status() == "pending"


# Which ask


async def test_a_message_sent_before_the_ask_appeared_is_never_its_answer(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """By the platform's clock, however late it is delivered."""
    early = await chats.typed("1")
    advance(timedelta(seconds=2))
    ask = await chats.open()
    assert texts(await chats.hand(early)) == []
    assert await ask.status() == "pending"


async def test_a_reply_to_a_post_that_nobody_recorded_finds_its_ask(chats: Chats) -> None:
    """The ask joined its conversation before it was posted."""
    ask = await chats.open(posted=False)
    assert texts(await chats.reply("2")) == ["Got it: Production."]
    assert await ask.values() == PRODUCTION


async def test_with_several_waiting_the_words_are_kept_until_one_is_named(chats: Chats) -> None:
    """No guess is made: the author picks from a list, by one press, and nobody else can."""
    first, second = await chats.open(), await chats.open()
    listed = await chats.reply("2")
    (tell,) = listed.tells
    assert tell.text.startswith('2 questions wait here. Which one is "2" for?')
    controls = {button.word: button.control for button in tell.buttons}
    assert set(controls) == {first.code, second.code}
    send = controls[second.code]
    assert texts(await second.press(send, by=U2)) == [
        "Only the one who wrote that message can send it."
    ]
    assert texts(await second.press(send)) == ["Got it: Production."]
    assert texts(await second.press(send)) == []
    assert (await first.status(), await second.values()) == ("pending", PRODUCTION)


async def test_a_code_names_one_of_several(chats: Chats) -> None:
    """`K7 blue` answers K7, whatever else waits."""
    first, second = await chats.open(), await chats.open()
    assert texts(await chats.reply(f"{second.code.lower()}: production")) == ["Got it: Production."]
    assert texts(await chats.reply(f"{first.id} 1")) == ["Got it: Staging."]


async def test_a_word_that_is_no_code_here_is_text(chats: Chats) -> None:
    """Only what is pending in this chat is called by a code."""
    ask = await chats.open()
    await chats.reply("Z9 rollback please")
    assert await ask.values() == {"pick": {"options": [], "write_in": "Z9 rollback please"}}


async def test_an_ask_keeps_its_code_in_a_conversation(chats: Chats) -> None:
    """Joining again, on any replica, gives the same code; another ask gets another."""
    ask, other = await chats.open(), await chats.open()
    record = await ask.record()
    again = await chats.replica().conversations.join(DIRECT.name, record.ask)
    assert again == ask.code
    assert ask.code != other.code


async def test_only_the_asks_own_thread_is_heard(chats: Chats) -> None:
    """RP-40: the same words at the top of the channel, or in another thread, are people talking."""
    ask = await chats.open(where=THREAD)
    for where in (CHANNEL, Destination("slack", "C1", "T9")):
        assert (await chats.reply("2", where=where)).tells == ()
    assert await ask.status() == "pending"
    assert texts(await chats.reply("2", where=THREAD)) == ["Got it: Production."]


async def test_a_mention_at_the_top_asks_back_when_the_ask_stands_in_a_thread(chats: Chats) -> None:
    """Spoken to, we are not silent; outside its thread, we do not guess."""
    ask = await chats.open(where=THREAD)
    response = await chats.reply("2", where=CHANNEL, addressed=True)
    assert [button.ask_id for tell in response.tells for button in tell.buttons] == [ask.id]
    assert await ask.status() == "pending"


async def test_a_thread_under_the_post_belongs_to_its_ask(chats: Chats) -> None:
    """The post is the thread's root."""
    ask = await chats.open(where=CHANNEL)
    thread = Destination("slack", "C1", ask.post)
    assert texts(await chats.reply("2", where=thread)) == ["Got it: Production."]


async def test_a_reply_to_a_settled_post_is_told_the_outcome_once(chats: Chats) -> None:
    """The reply mark names it, pending or not; who may see hears what, in public nobody does."""
    ask = await chats.open(where=THREAD)
    await ask.press("o2", by=U2)
    message = await chats.typed("1", where=THREAD, reply_to=ask.post)
    response = await chats.hand(message)
    when = (await ask.record()).settled_at
    assert when is not None
    assert texts(response)[0].startswith("Ana answered at ")
    assert texts(response)[0].endswith(": Production.")
    assert "Production" not in public(response)[0]
    assert (await chats.hand(message)).tells == ()


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


# Who may


async def test_ia_03_what_a_payload_claims_is_no_identity(chats: Chats) -> None:
    """IA-03: the platform's own id decides; the refusal is private, recorded, and says for whom."""
    ask = await chats.open(audience=("kevin",))
    response = await ask.press("o1", by=Sender("T1/U2", "Kevin"))
    assert texts(response) == ["You can't answer this one: it waits for Kevin."]
    assert public(response) == []
    assert await ask.status() == "pending"
    assert [event.note for event in await ask.refusals()] == ["user:ana"]


async def test_ia_05_a_shown_name_moves_no_right(chats: Chats) -> None:
    """IA-05: two people who show as one name are two; a rename changes nothing."""
    ask = await chats.open(audience=("kevin",))
    assert "can't answer" in texts(await ask.press("o1", by=Sender("T1/U2", "Pat Example")))[0]
    assert texts(await ask.press("o1", by=Sender("T1/U1", "Someone Else"))) == ["Got it: Staging."]
    outcome = (await ask.record()).outcome
    assert outcome is not None
    assert outcome.by == "user:kevin"


async def test_ia_10_a_route_lets_a_conversations_members_answer_in_its_threads(
    store: Store,
) -> None:
    """IA-10: a thread belongs to its conversation; the record holds the account's own id."""
    granted = Route(conversation="slack:C1", tenant="acme", content=True, answer=True)
    chats = Chats(store, [granted])
    ask = await chats.open(where=THREAD)
    assert texts(await chats.reply("2", U9, where=THREAD)) == ["Got it: Production."]
    outcome = (await ask.record()).outcome
    assert outcome is not None
    assert (outcome.by, outcome.name) == ("slack:T1/U9", "U9")
    elsewhere = await chats.open(where=Destination("slack", "C2", "T1"))
    await chats.reply("2", U9, where=elsewhere.where)
    assert await elsewhere.status() == "pending"


@pytest.mark.parametrize("sender", [U4, U5, U9])
async def test_readers_other_tenants_and_strangers_are_refused(
    chats: Chats, sender: Sender
) -> None:
    """A press is answered privately; typed words in a group are not, and both are recorded."""
    ask = await chats.open(where=THREAD)
    response = await ask.press("o1", by=sender)
    assert "it waits for operators of acme." in texts(response)[0]
    assert public(response) == []
    assert (await chats.reply("2", sender, where=THREAD)).tells == ()
    assert await ask.status() == "pending"
    assert len(await ask.refusals()) == 2


async def test_people_talking_beside_an_ask_are_not_recorded(chats: Chats) -> None:
    """A refusal is of an answer; a sentence in the thread is none."""
    ask = await chats.open(choice(*WHERE, write_in=False), where=THREAD)
    await chats.reply("has anybody seen the build?", U9, where=THREAD)
    assert await ask.refusals() == []


async def test_whoever_may_not_see_may_decline_and_not_answer(chats: Chats) -> None:
    """An operator without the sight of content learns which of the two is theirs."""
    ask = await chats.open()
    assert BLIND.content is False
    assert texts(await ask.press("o1", by=U3)) == [
        "You can decline this one; to answer, you would need the right to see it."
    ]
    response = await ask.press(PressDecline(), by=U3)
    assert texts(response) == ["Got it: declined."]


async def test_se_13_a_refused_press_names_no_choice(chats: Chats) -> None:
    """SE-13: somebody who may not read the choices does not hear them in the refusal."""
    ask = await chats.open(choice("Customer 17", "Customer 23"))
    response = await ask.press("o1", by=U9)
    assert "Customer" not in " ".join(texts(response))


async def test_an_author_whom_the_platform_hides_is_told_once_for_each_ask(chats: Chats) -> None:
    """IA-12: their reply to the post is no answer, and no silence either."""
    group = Destination("telegram", "G1")
    ask = await chats.open(where=group)
    hidden = Sender("1087968824", "Group", hidden=True)
    said = [public(await chats.reply("1", hidden, group, reply_to=ask.post)) for _ in range(2)]
    assert said == [["The chat hides who you are. Please write under your own name."], []]
    assert (await chats.reply("1", hidden, group)).tells == ()
    assert await ask.status() == "pending"


async def test_a_button_of_another_ask_or_maker_answers_nothing(chats: Chats) -> None:
    """Unknown options, controls the contract lacks, asks that are gone: told, and nothing done."""
    ask = await chats.open()
    assert texts(await ask.press("o9")) == ["This is no longer kept here. Nothing was sent."]
    assert texts(await ask.press(Send("0123456789"))) == [
        "This is no longer kept here. Nothing was sent."
    ]
    press = replace(await ask.pressed("o1"), ask_id="a-000000000000")
    assert texts(await chats.hand(press)) == ["This is no longer kept here. Nothing was sent."]
    assert await ask.status() == "pending"


# Time, and many at once


async def test_a_reply_after_the_deadline_hears_that_it_came_too_late(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """The clock comes first, even before a refusal: silence was the outcome."""
    for text in ("2", "99"):
        ask = await chats.open(waits=timedelta(seconds=60))
        advance(timedelta(seconds=61))
        (said,) = texts(await chats.reply(f"{ask.code} {text}"))
        assert said.startswith("This ended at ")
        assert said.endswith("and was not used.")
        assert await ask.status() == "expired"


async def test_fifty_people_by_text_at_once_have_one_winner(store: Store) -> None:
    """One answer stands; each of the others is told whose, and when."""
    granted = Route(conversation="slack:C1", tenant="acme", content=True, answer=True)
    replicas = [Chats(store, [granted]) for _ in range(5)]
    ask = await replicas[0].open(where=THREAD)
    replies = [
        replicas[n % 5].reply(str(1 + n % 3), Sender(f"T1/M{n}", f"M{n}"), THREAD)
        for n in range(50)
    ]
    said = [texts(response)[0] for response in await asyncio.gather(*replies)]
    winners = [one for one in said if one.startswith("Got it: ")]
    outcome = (await ask.record()).outcome
    assert outcome is not None
    assert len(winners) == 1
    assert len([one for one in said if one.startswith(f"{outcome.name} answered at ")]) == 49


async def test_cc_01_a_press_answers_the_ask_it_names(chats: Chats) -> None:
    """CC-01: of two in one chat, the pressed one ends and the older waits."""
    first, second = await chats.open(where=THREAD), await chats.open(where=THREAD)
    await second.press("o1")
    assert (await first.status(), await second.status()) == ("pending", "answered")


async def test_cc_03_three_asks_of_one_chat_are_three(chats: Chats) -> None:
    """CC-03: each answer goes to its own ask, in any order."""
    asks = [await chats.open(where=THREAD) for _ in range(3)]
    for n, option in ((1, "o1"), (0, "o3"), (2, "o2")):
        await asks[n].press(option)
    found: list[Any] = [await ask.values() for ask in asks]
    assert [one["pick"]["options"] for one in found] == [["o3"], ["o1"], ["o2"]]


async def test_an_ask_answered_elsewhere_tells_its_chat_so(chats: Chats) -> None:
    """CC-09: a press on a post that is still alive hears who was first."""
    ask = await chats.open(several("Lint", "Tests"))
    record = await ask.record()
    await chats.broker.answer(
        as_caller(ANA), record.ask.id, {"pick": Picked(("o1",))}, Try("t", "console")
    )
    response = await ask.press(PressDecline())
    assert texts(response)[0].startswith("Ana answered at ")
    assert response.settled is not None


# What waited when it was written


async def test_a_reply_written_in_time_and_read_later_is_told_that_it_was_too_late(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """The gateway was down meanwhile: the ask had its end, and its author hears so."""
    ask = await chats.open(waits=timedelta(seconds=60))
    message = await chats.typed("2")
    advance(timedelta(minutes=2))
    await chats.broker.expire(await ask.record())
    (said,) = texts(await chats.replica().hand(message))
    assert said.startswith("This ended at ")


async def test_a_reply_to_one_of_two_is_not_taken_for_the_other_when_one_ends(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """Two waited when it was written: which was meant is asked, although one waits by now."""
    first, second = await chats.open(), await chats.open()
    message = await chats.typed("2")
    advance(timedelta(seconds=1))
    await first.press("o1", by=U2)
    (tell,) = (await chats.hand(message)).tells
    assert tell.text.startswith('1 question waits here. Is "2" for it?')
    assert [button.ask_id for button in tell.buttons] == [second.id]
    assert await second.status() == "pending"


async def test_talk_after_the_answer_is_left_alone(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """Thanks, and whatever the winner writes next, bring no news of what they did."""
    ask = await chats.open()
    await chats.reply("2")
    advance(timedelta(seconds=1))
    for text in ("thanks", "and now to lunch", "1"):
        assert (await chats.reply(text)).tells == ()
    assert await ask.values() == PRODUCTION


async def test_somebody_else_who_answers_just_after_the_end_is_told(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """They cannot have seen it yet; a while later the thread is theirs again."""
    await chats.open(where=THREAD)
    await chats.reply("2", where=THREAD)
    advance(timedelta(seconds=1))
    assert texts(await chats.reply("1", U2, THREAD))[0].startswith("Kevin answered at ")
    advance(timedelta(minutes=1))
    assert (await chats.reply("1", U2, THREAD)).tells == ()


async def test_a_conversation_forgets_what_ended_long_ago(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """Its index holds what waits, however many asks came and went by press alone."""
    for _ in range(40):
        await (await chats.open()).press("o1")
        advance(timedelta(minutes=1))
    assert len(await chats.store.joined(DIRECT.name)) <= 33
    advance(timedelta(minutes=30))
    assert await chats.conversations.waiting(DIRECT.name) == []
    assert await chats.store.joined(DIRECT.name) == {}
