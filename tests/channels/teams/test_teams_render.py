"""Any ask, as a card and as a form: taken by Teams, nothing lost, everything reachable."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.callback import MOST_BYTES, unpack
from channels.catalogue import Reader
from channels.contract import (
    AskReason,
    Button,
    Drop,
    OpenForm,
    Pick,
    PickToggle,
    PressApprove,
    PressSkip,
    Send,
    Submitted,
    Tell,
)
from channels.drawing import Drawing, draw
from channels.forms import form, reason
from channels.plan import Way
from channels.teams import render
from channels.teams.parse import Did, parse
from channels.teams.render import CAPABILITIES, DATA
from channels.testing.teams.cards import Drawn, held
from channels.testing.teams.cards import draw as draw_card
from channels.testing.teams.message_rules import check_message
from gateway.answer import Picked, check, to_json
from gateway.ask import Ask, Contract, Outcome, Status
from gateway.question import Field, Kind, Option
from gateway.reply.draft import Draft
from gateway.visible import visible
from tests.strategies import answers_to, any_text, approval, asks, record_of
from tests.strategies_reply import ask_of, choice, field, several

NOW = datetime(2026, 10, 20, 9, 5, tzinfo=UTC)
READER = Reader(buttons=True, zone="Europe/Berlin")


def drawn(ask: Ask, outcome: Outcome | None = None, link: str | None = None) -> Drawing:
    """The post in a place that sees everything."""
    record = record_of(ask, outcome)
    return draw(READER, record, CAPABILITIES, code="K7", waits_for="acme", now=NOW, link=link)


def messages(drawing: Drawing) -> list[dict[str, Any]]:
    """All that is sent for it, found good by the platform."""
    sent = render.post(drawing)
    for one in sent:
        check_message(one, {})
    return sent


def card(message: dict[str, Any]) -> Drawn:
    """What people see of a message's card."""
    return draw_card(message["attachments"][0]["content"])


def seen(drawing: Drawing) -> str:
    """Its words as people read them."""
    return "\n".join("\n".join(card(one).words) for one in messages(drawing))


def flat(text: str) -> str:
    """Without what only moves words about."""
    return "".join(text.replace("\u2068", "").replace("\u2069", "").split())


def controls(message: dict[str, Any]) -> list[Any]:
    """What its actions mean when they come back."""
    found = []
    for action in card(message).actions:
        if action.kind == "OpenUrl":
            continue
        packed = action.node["data"][DATA]
        assert len(packed.encode("ascii")) <= MOST_BYTES
        back = unpack(packed)
        assert back is not None
        found.append(back[1])
    return found


def options(ask: Ask) -> list[Option]:
    return [option for one in ask.question.fields for option in one.options]


def submitted(shown: Drawn, values: dict[str, Any]) -> Submitted:
    """What comes back of a card filled in so, through the fake's own client and our parser."""
    filled = {name: held(shown.input(name), value) for name, value in values.items()}
    send = next(one for one in shown.actions if one.inputs)
    data = {**send.node["data"], **{name: text for name, text in filled.items() if text}}
    activity = {
        "type": "invoke",
        "name": "adaptiveCard/action",
        "id": "f:1",
        "from": {"id": "29:a"},
        "conversation": {"id": "a:1"},
        "value": {"action": {"data": data}},
    }
    found = parse(activity, NOW)
    assert isinstance(found, Did)
    assert isinstance(found.interaction, Submitted)
    return found.interaction


def filled(value: Any, one: Field) -> dict[str, Any]:
    """A kept value as a person puts it into the inputs, by their ids."""
    name = one.name
    match value:
        case bool():
            return {f"y:{name}": "y" if value else "n"}
        case Picked(picked, words):
            letter = "m" if one.kind is Kind.MULTI_CHOICE else "c"
            found = {f"{letter}:{name}": list(picked)} if picked else {}
            return found | ({f"w:{name}": words} if words else {})
        case str() if one.kind is Kind.DATE and one.date_time:
            return {f"d:{name}": value[:10], f"h:{name}": value[11:16]}
        case str() if one.kind is Kind.DATE:
            return {f"d:{name}": value}
        case str():
            return {f"t:{name}": value}
        case _:
            exact = all(bound is None or abs(bound) <= 2**53 for bound in (one.min, one.max))
            return {f"{'n' if exact else 'x'}:{name}": str(value)}


# Posts


@given(asks())
def test_any_ask_is_taken_and_nothing_is_lost(ask: Ask) -> None:
    """The whole question and every option stand in the text; each control names this ask."""
    drawing = drawn(ask)
    text = flat(seen(drawing))
    assert flat(ask.question.prompt) in text
    for option in options(ask):
        assert flat(option.label) in text
    for action in card(messages(drawing)[-1]).actions:
        found = unpack(action.node["data"][DATA])
        assert found is not None
        assert found[0] == ask.id


@given(st.data(), asks())
def test_any_answer_can_be_filled_in_on_the_card(data: st.DataObject, ask: Ask) -> None:
    """What a person puts into the inputs comes back as that very answer."""
    message = messages(drawn(ask))[-1]
    shown = card(message)
    given_values = dict(data.draw(answers_to(ask.question)))
    if not shown.inputs:
        assert controls(message)
        return
    put: dict[str, Any] = {}
    for name, value in given_values.items():
        one = ask.question.field(name)
        assert one is not None
        put |= filled(value, one)
    found = submitted(shown, put)
    assert found.ask_id == ask.id
    for name, value in given_values.items():
        one = ask.question.field(name)
        assert one is not None
        if one.kind is Kind.NUMBER and name in found.texts:
            assert int(found.texts[name]) == value
        elif one.kind is Kind.DATE and one.date_time:
            assert isinstance(value, str)
            assert found.values[name] == value[:16]
        else:
            assert found.values[name] == value
    plain = [one for one in ask.question.fields if one.name not in found.texts]
    page = ask.question.model_copy(update={"fields": tuple(plain)})
    if not any(one.date_time for one in plain):
        check(page, found.values)


@given(st.integers(1, 100), st.booleans())
def test_every_option_of_a_choice_can_be_pressed_or_chosen(count: int, write_in: bool) -> None:
    """By buttons where they are few, else in a list on the card."""
    labels = [f"Option {n}" for n in range(1, count + 1)]
    ask = ask_of(choice(*labels, write_in=write_in))
    message = messages(drawn(ask, link="https://oz.example/a"))[-1]
    picks = [one for one in controls(message) if isinstance(one, Pick)]
    shown = card(message)
    listed = [one["value"] for node in shown.inputs for one in node.get("choices", [])]
    wanted = [option.id for option in options(ask)]
    assert [one.option for one in picks] == wanted or listed == wanted
    assert any(node["id"].startswith("w:") for node in shown.inputs) == write_in


@given(st.lists(any_text(60), min_size=1, max_size=12), any_text(3000))
def test_hostile_words_are_shown_and_do_nothing(labels: list[str], prompt: str) -> None:
    """Whatever an agent writes is taken by Teams; no mention, link or date is made of it."""
    names = [f"{label} {number}" for number, label in enumerate(labels, 1)]
    ask = ask_of(choice(*names, write_in=True), prompt=prompt or "x")
    for message in messages(drawn(ask)):
        body = message["attachments"][0]["content"]["body"]
        assert {one["type"] for one in body} <= {
            "RichTextBlock",
            "Input.ChoiceSet",
            "Input.Text",
        }


@pytest.mark.parametrize(
    "prompt",
    [
        "**bold** [x](https://e.example) <at>Ana</at> &amp; \\*",
        "two  blanks\n    indented\n\n\nand a gap",
        "{{DATE(2026-10-20T09:00:00Z, SHORT)}}",
    ],
)
def test_what_was_written_reads_to_the_letter(prompt: str) -> None:
    """Marks, blanks and line breaks stand as they were written."""
    shown = seen(drawn(ask_of(field(Kind.TEXT), prompt=prompt))).replace("\u00a0", " ")
    for line in filter(None, prompt.split("\n")):
        assert line in shown.split("\n")


def test_a_date_written_by_an_agent_is_no_date_for_clients() -> None:
    """The two braces that clients look for never stand in one run."""
    for node in messages(drawn(ask_of(field(Kind.TEXT), prompt="{{DATE(2026-10-20T09:00:00Z)}}")))[
        0
    ]["attachments"][0]["content"]["body"]:
        runs = [run if isinstance(run, str) else run["text"] for run in node.get("inlines", [])]
        assert not any("{{" in run for run in runs)


def test_a_card_stays_below_the_limit_and_nothing_is_cut() -> None:
    """A long question goes before its card, in messages of their own, whole."""
    prompt = "\n".join(f"{number} {'word ' * 30}" for number in range(400))
    ask = ask_of(choice("red", "blue", write_in=False), prompt=prompt)
    drawing = drawn(ask)
    assert len(messages(drawing)) > 2
    assert flat(prompt) in flat(seen(drawing))
    assert len([one for one in controls(messages(drawing)[-1]) if isinstance(one, Pick)]) == 2


def test_long_options_leave_the_card_before_its_inputs_do() -> None:
    """Where text and list together are too much for one card, the list stays on it."""
    labels = [f"{number} {'é' * 70}" for number in range(100)]
    ask = ask_of(choice(*labels, write_in=False))
    sent = messages(drawn(ask))
    assert len(sent) > 1
    (node,) = card(sent[-1]).inputs
    assert len(node["choices"]) == 100
    text = flat(seen(drawn(ask)))
    assert all(flat(label) in text for label in labels)


def test_inputs_too_large_for_any_card_leave_the_text() -> None:
    """Nothing is refused: the question is all there, to be replied to."""
    fields = [field(Kind.CHOICE, f"f{n}", label="é" * 900) for n in range(20)]
    fields = [one.model_copy(update={"options": choice("é" * 300, "b").options}) for one in fields]
    ask = ask_of(*fields)
    sent = messages(drawn(ask))
    assert card(sent[-1]).inputs == []
    assert flat(seen(drawn(ask))).count("é" * 900) >= 20


def test_an_approval_has_its_two_answers_and_a_way_to_say_why() -> None:
    """Approve is pressed; Deny asks for a reason in a dialog."""
    (message,) = messages(drawn(approval(), link="https://oz.example/a"))
    assert controls(message) == [PressApprove(), AskReason()]
    deny = card(message).action("Deny")
    assert deny.node["data"]["msteams"] == {"type": "task/fetch"}
    assert card(message).actions[-1].node["url"] == "https://oz.example/a"
    assert message["channelData"] == {"notification": {"alert": True}}


def test_one_toggle_is_two_buttons_and_one_of_several_has_no_silent_no() -> None:
    """An untouched toggle on a card is neither yes nor no."""
    (alone,) = messages(drawn(ask_of(field(Kind.TOGGLE, "loud"))))
    assert controls(alone)[:2] == [PickToggle(yes=True), PickToggle(yes=False)]
    (both,) = messages(drawn(ask_of(field(Kind.TOGGLE, "loud"), field(Kind.TEXT, "why"))))
    found = submitted(card(both), {"t:why": "so"})
    assert found.values == {"why": "so"}
    assert submitted(card(both), {"y:loud": "No"}).values == {"loud": False}


@given(asks(), st.sampled_from(Status))
def test_an_ask_that_ended_has_nothing_to_press(ask: Ask, status: Status) -> None:
    """The question stays, with how it ended; drawn twice, it is the same."""
    if status is Status.PENDING:
        return
    outcome = Outcome(status=status, by="user:kevin", name="Kevin", surface="teams")
    drawing = drawn(ask, outcome)
    sent = messages(drawing)
    assert all(not card(one).actions and not card(one).inputs for one in sent)
    assert flat(ask.question.prompt) in flat(seen(drawing))
    assert "channelData" not in sent[-1]
    assert render.update(drawing) == sent[-1]


def test_a_place_that_may_not_see_has_no_word_of_it() -> None:
    """Neither on the card nor in the note that says it has come."""
    record = record_of(ask_of(choice("red", "blue", write_in=False)))
    drawing = draw(
        Reader(sees=False, shared=True),
        record,
        CAPABILITIES,
        code="K7",
        waits_for="operators of acme",
        now=NOW,
    )
    (message,) = messages(drawing)
    assert "red" not in str(message)
    assert record.ask.question.prompt not in str(message)


def test_a_card_is_asked_for_anew_unless_something_is_written_on_it() -> None:
    """Drawing it anew would empty its inputs; what has ended does not change any more."""
    pressed, filled_in = ask_of(choice("a", "b", write_in=False)), ask_of(field(Kind.TEXT, "why"))
    ended = Outcome(status=Status.DECLINED, by="user:kevin", name="Kevin", surface="teams")
    shown = [drawn(pressed), drawn(filled_in), drawn(pressed, ended)]
    cards = [messages(one)[-1]["attachments"][0]["content"] for one in shown]
    assert ["refresh" in one for one in cards] == [True, False, False]


def test_an_older_client_can_press_everything() -> None:
    """Each action has a submit in its place, with the same data."""
    ask = ask_of(choice("red", "blue", write_in=False))
    content = messages(drawn(ask))[-1]["attachments"][0]["content"]
    new, old = draw_card(content), draw_card(content, execute=False)
    assert [one.label for one in new.actions] == [one.label for one in old.actions]
    assert [one.node["data"] for one in new.actions] == [one.node["data"] for one in old.actions]


def test_the_plan_says_card_for_what_has_to_be_filled_in() -> None:
    """Few options are buttons; all else stands on the card."""
    few = ask_of(choice("a", "b", write_in=False))
    many = ask_of(choice(*"abcdefg", write_in=False))
    ways = [drawn(one).presentation for one in (few, many, ask_of(field(Kind.DATE, "day")))]
    assert [one.way for one in ways if one] == [Way.BUTTONS, Way.CARD, Way.CARD]


# Forms


@given(st.data(), asks())
def test_a_form_shown_again_holds_what_stood_in_it(data: st.DataObject, ask: Ask) -> None:
    """Every input has its value again, and what is wrong stands by it."""
    message = messages(drawn(ask))[-1]
    shown = card(message)
    if not shown.inputs:
        return
    answer = dict(data.draw(answers_to(ask.question)))
    put: dict[str, Any] = {}
    for name, value in answer.items():
        one = ask.question.field(name)
        assert one is not None
        put |= filled(value, one)
    texts = {name: held(shown.input(name), value) for name, value in put.items()}
    faults = {name: f"Wrong {number}" for number, name in enumerate(answer)}
    drawing = form(READER, ask, Draft(), per_page=CAPABILITIES.form)
    again = render.form_card(drawing, texts, faults)
    check_message({"type": "message", "attachments": [_attached(again)]}, {}, card_bytes=None)
    found = draw_card(again)
    kept = {node["id"]: str(node["value"]) for node in found.inputs if "value" in node}
    assert {n: v.removesuffix(".0") for n, v in kept.items()} == {
        n: v for n, v in texts.items() if v
    }
    assert all(text in "\n".join(found.words) for text in faults.values())


def test_a_draft_is_filled_in() -> None:
    """What its person gave before stands in the inputs, of every kind."""
    values = {
        "text": "so",
        "number": 2,
        "day": "2026-10-20",
        "loud": True,
        "pick": Picked(("o2",)),
        "several": Picked(("o1", "o2"), "mine"),
        "when": "2026-10-20T14:30:00+02:00",
    }
    ask = ask_of(
        field(Kind.TEXT, "text"),
        field(Kind.NUMBER, "number"),
        field(Kind.DATE, "day"),
        field(Kind.TOGGLE, "loud"),
        choice("a", "b", name="pick", write_in=False),
        several("a", "b", name="several"),
        field(Kind.DATE, "when", date_time=True),
    )
    draft = Draft()
    for name, value in values.items():
        draft = draft.fill(name, value)  # type: ignore[arg-type]
    shown = draw_card(render.form_card(form(READER, ask, draft)))
    assert {node["id"]: node["value"] for node in shown.inputs} == {
        "t:text": "so",
        "n:number": 2.0,
        "d:day": "2026-10-20",
        "y:loud": "y",
        "c:pick": "o2",
        "m:several": "o1,o2",
        "w:several": "mine",
        "d:when": "2026-10-20",
        "h:when": "14:30",
    }


def test_dialogs_are_taken() -> None:
    """That of a form, and that which asks why."""
    ask = ask_of(field(Kind.TEXT, "why"))
    for one, made in (
        (form(READER, ask, Draft()), render.form_card(form(READER, ask, Draft()), dialog=True)),
        (reason(READER, ask), render.reason_card(reason(READER, ask))),
    ):
        value = render.dialog(one, made)["task"]["value"]
        check_message({"type": "message", "attachments": [value["card"]]}, {})
        assert {a["type"] for a in made["actions"]} == {"Action.Submit"}


# What is said back


@given(any_text(2000))
def test_what_is_said_reads_to_the_letter(text: str) -> None:
    """As a message in a chat, and as the answer to a press."""
    words = f"Got it: {text}".encode("utf-16", "replace").decode("utf-16")
    check_message(render.said(words), {})
    assert render.toast(words)["value"].startswith("Got it")


def test_what_is_said_in_public_is_only_what_may_be() -> None:
    """Nothing, where there is nothing for others to read."""
    assert render.tell(Tell("secret"), public=True) is None
    assert render.tell(Tell("secret", "open"), public=True) == render.said("open")
    assert render.tell(Tell("secret", "open"), public=False) == render.said("secret")


def test_what_is_said_can_have_buttons() -> None:
    """Each with what it means when it is pressed."""
    kept = "0123456789"
    buttons = (
        Button("Send", "send", "a-75eaf712473f", Send(kept)),
        Button("No", "no", "a-75eaf712473f", Drop(kept)),
    )
    message = render.tell(Tell("Send it?", "Send it?", buttons), public=True)
    assert message is not None
    check_message(message, {})
    assert controls(message) == [Send(kept), Drop(kept)]
    assert card(message).words == ["Send it?"]


def test_skip_is_a_button_where_the_contract_has_it() -> None:
    """`ask_user` may be skipped."""
    ask = ask_of(choice("a", "b")).model_copy(update={"contract": Contract.ASK_USER})
    assert PressSkip() in controls(messages(drawn(ask))[-1])


@given(any_text(400))
def test_a_text_is_never_longer_on_the_card_than_it_was_measured(text: str) -> None:
    """So that pieces cut by that measure fit."""
    shown = visible(text)
    (message,) = [render.plain_card(shown)]
    body = message["attachments"][0]["content"]["body"]
    written = json.dumps(body, ensure_ascii=False, separators=(", ", ": ")).encode()
    assert len(written) <= CAPABILITIES.measure(shown) + len("[]")


def test_a_form_is_sent_by_a_control_of_its_own() -> None:
    """The button that sends names the ask, and nothing else is needed."""
    ask = ask_of(field(Kind.TEXT, "why"))
    assert controls(messages(drawn(ask))[-1])[0] == OpenForm(0)
    assert to_json({"why": "so"}) == {"why": "so"}


def _attached(content: Any) -> dict[str, Any]:
    return {"contentType": render.ADAPTIVE, "content": content}
