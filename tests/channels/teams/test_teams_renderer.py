"""Our cards in Microsoft's own renderer, in a browser: parsed, read, filled in and pressed."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from channels.callback import unpack
from channels.contract import (
    Button,
    Drop,
    OpenForm,
    PressDecline,
    Pressed,
    Send,
    Submitted,
    Tell,
)
from channels.forms import form, reason
from channels.teams import render
from channels.teams.inputs import LARGEST
from channels.teams.parse import Did, parse
from channels.teams.render import CAPABILITIES, DATA
from gateway.answer import Value, from_json
from gateway.ask import Ask, Contract, Outcome, Status
from gateway.question import Kind
from gateway.reply.draft import Draft
from gateway.reply.meaning import Refusal
from gateway.visible import visible
from tests.browser import Page, missing, page
from tests.channels.shapes import CHOICE, OWN_WORDS, SHAPES, TOGGLE
from tests.channels.teams.drawings import NOW, READER, controls, drawn, filled, flat, messages
from tests.channels.teams.drawings import options as options_of
from tests.strategies import answers_to, any_text, approval, asks
from tests.strategies_reply import ask_of, choice, field, refusal, said, several

PACKAGE = "adaptivecards@3.0.6"
"""Microsoft's renderer for browsers, of npm (MIT)."""

NPM = (
    *("--loglevel=error", "--prefer-offline"),
    *("--fetch-retries=1", "--fetch-retry-mintimeout=2000", "--fetch-timeout=20000"),
)
"""Ours, in ms: it has given up within a test's minute, where npm's own patience is longer."""

HOST = {"supportsInteractivity": True, "actions": {"maxActions": 6}}
"""What of Teams' own host config decides what is drawn (the card designer's has it)."""

OLD = (
    'Unknown action type "Action.Execute". Fallback will be used if present.',
    'Property "action" must be set.',
)
"""What a client from before Action.Execute says of it, and of a refresh, which it then has not."""

ROUNDED = "rounded"
"""A number that a client has not as it was typed: it is refused."""

LINK = "https://oz.example/a"
FEW = settings(max_examples=40, phases=set(Phase) - {Phase.shrink})
"""Ours: a card takes a tenth of a second, and a smaller example would be sought for minutes."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Teams, in a browser of this module's own."""
    with page() as opened:
        folder = tmp_path_factory.mktemp("npm")
        try:
            packed = subprocess.run(
                ["npm", "pack", PACKAGE, *NPM],
                cwd=folder,
                check=True,
                capture_output=True,
                text=True,
            )
        except OSError as error:
            missing(f"npm does not run: {error}")
        except subprocess.CalledProcessError as error:
            missing(f"npm brings no {PACKAGE}: {error.stderr[:500]}")
        with tarfile.open(folder / packed.stdout.strip()) as package:
            opened.run(_text(package, "adaptivecards.min.js"))
            opened.run(Path(__file__).with_name("renderer.js").read_text("utf-8"))
            opened.ask("dress", _text(package, "adaptivecards.css"))
        yield Client(opened)


def _text(package: tarfile.TarFile, name: str) -> str:
    found = package.extractfile(f"package/dist/{name}")
    assert found is not None
    return found.read().decode()


class Client:
    """Somebody's client: the card it shows."""

    def __init__(self, opened: Page) -> None:
        self._page = opened
        self._content: dict[str, Any] = {}

    def show(self, content: dict[str, Any], *, execute: bool = True) -> dict[str, Any]:
        """What is seen of a card, found good: all of it is there to be read and pressed.

        Without `execute` the client is from before Action.Execute.
        """
        self._content = content
        drawn_as = {"content": content, "host": HOST, "execute": execute}
        seen: dict[str, Any] = self._page.ask("show", drawn_as)
        if not execute:
            seen["faults"] = [one for one in seen["faults"] if one not in OLD]
        wrong = {name: seen[name] for name in ("faults", "hidden", "links", "marked", "sent")}
        assert not any(wrong.values()), wrong
        nodes = content["body"]
        titles = [one["title"] for node in nodes for one in node.get("choices", [])]
        assert list(map(flat, seen["choices"])) == list(map(flat, titles))
        titles = [one["title"] for one in content.get("actions", [])]
        assert list(map(flat, seen["buttons"])) == list(map(flat, titles))
        for node in nodes:
            assert flat(node.get("label", "")) in flat(seen["words"])
        return seen

    def fill(self, values: Mapping[str, Any]) -> None:
        self._page.ask("fill", values)

    def held(self) -> dict[str, str]:
        """What stands in the inputs that hold anything, by id."""
        found: dict[str, str] = self._page.ask("held")
        return found

    def press(self, at: int) -> dict[str, Any]:
        """What is seen after the button at that place was pressed; `sent` is what came of it."""
        found: dict[str, Any] = self._page.ask("press", at)
        return found

    def send(self) -> dict[str, Any]:
        """The same of the button that sends what was filled in."""
        packed = [one.get("data", {}).get(DATA, "") for one in self._content["actions"]]
        (at,) = [n for n, one in enumerate(packed) if isinstance(_control(one), OpenForm)]
        return self.press(at)


def _control(packed: str) -> Any:
    found = unpack(packed)
    return found and found[1]


def content_of(message: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = message["attachments"][0]["content"]
    return found


def came(seen: dict[str, Any]) -> Did:
    """The one thing that was sent, as Teams would pass it on and we read it."""
    (action,) = seen["sent"]
    activity = {"id": "f:1", "from": {"id": "29:a"}, "conversation": {"id": "a:1"}}
    if action["type"] == "Action.Execute":
        activity |= {"type": "invoke", "name": "adaptiveCard/action", "value": {"action": action}}
    elif "msteams" in action["data"]:
        fetch = action["data"]["msteams"]["type"]
        activity |= {"type": "invoke", "name": fetch, "value": {"data": action["data"]}}
    else:
        activity |= {"type": "message", "value": action["data"]}
    found = parse(activity, NOW)
    assert isinstance(found, Did)
    return found


def answer(found: Did, ask: Ask) -> dict[str, Value]:
    """What a form says, with plain lines read as the numbers they are."""
    assert isinstance(found.interaction, Submitted)
    assert found.interaction.ask_id == ask.id
    values = dict(found.interaction.values)
    for name, text in found.interaction.texts.items():
        one = ask.question.field(name)
        assert one is not None
        assert one.kind is Kind.NUMBER
        values[name] = ROUNDED if "e" in text else int(text)
    return values


def put(ask: Ask, values: Mapping[str, Value]) -> dict[str, Any]:
    """An answer as a person puts it into the inputs, by their ids."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        one = ask.question.field(name)
        assert one is not None
        found |= filled(value, one)
    return found


def as_filled(ask: Ask, values: Mapping[str, Value]) -> dict[str, Value]:
    """An answer as its inputs can say it."""
    found = dict(values)
    for name in values:
        one, value = ask.question.field(name), values[name]
        assert one is not None
        if one.date_time:
            # To the minute, in the zone of whoever fills it in.
            found[name] = str(value)[:16]
        if f"n:{name}" in put(ask, values) and abs(int(str(value))) >= LARGEST:
            found[name] = ROUNDED
    return found


# What is read


@FEW
@given(asks(), st.sampled_from(Status), st.booleans(), st.sampled_from((None, LINK)))
def test_any_ask_is_taken_and_all_of_it_is_read(
    client: Client, ask: Ask, status: Status, execute: bool, link: str | None
) -> None:
    """By new clients and old ones, waiting and ended: question, options, labels and buttons."""
    ended = Outcome(status=status, by="user:kevin", name="Kevin", surface="teams")
    drawing = drawn(ask, None if status is Status.PENDING else ended, link)
    sent = messages(drawing)
    seen = [client.show(content_of(one), execute=execute) for one in sent]
    words = flat(" ".join(one["words"] for one in seen))
    choices = flat(" ".join(seen[-1]["choices"]))
    assert flat(ask.question.prompt) in words
    for option in options_of(ask):
        assert flat(option.label) in words
        assert not choices or flat(option.label) in choices


@FEW
@given(any_text(300), st.lists(any_text(40), min_size=1, max_size=8), st.booleans())
def test_hostile_words_are_read_to_the_letter(
    client: Client, prompt: str, labels: list[str], many: bool
) -> None:
    """Nothing of them is a mark, a link or a date, in a text, a list or a button."""
    names = [f"{label} {number}" for number, label in enumerate(labels, 1)]
    kind = several if many else choice
    ask = ask_of(kind(*names, write_in=False), field(Kind.TEXT, "why"), prompt=prompt or "x")
    for each in (ask, ask_of(choice(*names, write_in=False))):
        seen = client.show(content_of(messages(drawn(each))[-1]))
        for option in options_of(each):
            assert flat(visible(option.label)) in flat(seen["words"])


MARKS = "**bold** _thin_ [x](https://e.example) <b>&amp; \\* {{{DATE(2026-10-20T09:00:00Z)}}}"


def test_every_other_card_is_taken(client: Client) -> None:
    """Long questions, long lists, the dialog that asks why, and what is said with buttons."""
    long = "\n".join(f"{number} {'word ' * 30}" for number in range(400))
    many = [f"Option {number} {MARKS}" for number in range(100)]
    for ask in (
        ask_of(choice(*many, write_in=False)),
        ask_of(several(*many[:20]), field(Kind.TEXT, "why", label=MARKS), prompt=MARKS),
        ask_of(choice("red", "blue"), prompt=long),
        approval(MARKS),
    ):
        words = ""
        for message in messages(drawn(ask, link=LINK)):
            words += client.show(content_of(message))["words"]
        assert flat(ask.question.prompt) in flat(words)
        assert all(flat(option.label) in flat(words) for option in options_of(ask))
    asked = render.reason_dialog(reason(READER, approval()))["task"]["value"]
    client.show(asked["card"]["content"])
    buttons = (
        Button("Send", "send", approval().id, Send("0123456789")),
        Button("No", "no", approval().id, Drop("0123456789")),
    )
    told = render.tell(Tell(MARKS, MARKS, buttons), public=True)
    assert told is not None
    assert flat(MARKS) in flat(client.show(content_of(told))["words"])


# What is pressed and filled in


@pytest.mark.parametrize("execute", [True, False], ids=["now", "before Action.Execute"])
def test_every_button_says_to_us_what_it_stands_for(client: Client, execute: bool) -> None:
    """Empty inputs hold none of them back but the one that sends them."""
    few = ask_of(choice("red", "blue", write_in=False))
    skipped = ask_of(field(Kind.TEXT, "why"), contract=Contract.ASK_USER)
    for ask in (approval(), few, skipped, *(ask_of(*shape.fields) for shape in SHAPES)):
        message = messages(drawn(ask))[-1]
        for at, control in enumerate(controls(message)):
            if isinstance(control, OpenForm):
                continue
            client.show(content_of(message), execute=execute)
            found = came(client.press(at)).interaction
            assert isinstance(found, Pressed)
            assert (found.ask_id, found.control) == (ask.id, control)


def test_why_something_is_declined_is_written_in_a_dialog(client: Client) -> None:
    """What was typed there comes back with the decline."""
    asked = render.reason_dialog(reason(READER, approval()))["task"]["value"]
    client.show(asked["card"]["content"])
    client.fill({render.REASON: "Too much"})
    found = came(client.press(0)).interaction
    assert isinstance(found, Pressed)
    assert found.control == PressDecline("Too much")


@pytest.mark.parametrize("execute", [True, False], ids=["now", "before Action.Execute"])
def test_every_kind_is_filled_in_and_sent(client: Client, execute: bool) -> None:
    """Alone and together; own words too, and a list so long that it is searched."""
    long = ask_of(choice(*(f"Option {n}" for n in range(40)), write_in=False))
    for ask, stored in (
        *((ask_of(*shape.fields), shape.values) for shape in (*SHAPES, OWN_WORDS)),
        (long, {"pick": {"options": ["o7"], "write_in": None}}),
    ):
        content = content_of(messages(drawn(ask))[-1])
        if not any("id" in node for node in content["body"]):
            continue
        wanted = from_json(ask.question, stored)
        client.show(content, execute=execute)
        client.fill(put(ask, wanted))
        assert answer(came(client.send()), ask) == wanted


@FEW
@given(st.data(), asks())
def test_any_answer_is_filled_in_sent_and_shown_again(
    client: Client, data: st.DataObject, ask: Ask
) -> None:
    """Whatever fits goes through, what is not needed left out; a form shown again holds it."""
    content = content_of(messages(drawn(ask))[-1])
    if not any("id" in node for node in content["body"]):
        return
    values = data.draw(answers_to(ask.question))
    client.show(content)
    client.fill(put(ask, values))
    found = came(client.send())
    assert answer(found, ask) == as_filled(ask, values)
    asked = form(READER, ask, Draft(), per_page=CAPABILITIES.form)
    faults = {one.name: "Not that" for one in ask.question.fields}
    again = client.show(render.form_card(asked, found.raw, faults))
    assert again["words"].count("Not that") == len(faults)
    rounded = [f"n:{name}" for name, value in answer(found, ask).items() if value == ROUNDED]
    assert client.held() == {name: one for name, one in found.raw.items() if name not in rounded}


# What is held back


def test_what_is_needed_and_left_empty_is_not_sent(client: Client) -> None:
    """It says at the input what it takes; filled in, it goes."""
    for shape in SHAPES:
        ask = ask_of(*shape.fields)
        content = content_of(messages(drawn(ask))[-1])
        names = [one.name for one in ask.question.fields if one.required and not one.write_in]
        needed = [node for node in content["body"] if node.get("id", "")[2:] in names]
        if not needed:
            assert shape in (CHOICE, TOGGLE)  # own words may stand for the first, buttons the other
            continue
        before = client.show(content)["words"]
        seen = client.send()
        assert seen["sent"] == []
        for node in needed:
            text = node["errorMessage"]
            again = sum(one["errorMessage"] == text for one in needed)
            assert seen["words"].count(text) == before.count(text) + again
        client.fill(put(ask, from_json(ask.question, shape.values)))
        assert len(client.send()["sent"]) == 1


def test_what_is_wrong_is_said_in_our_words_alone(client: Client) -> None:
    """Clients read Markdown there, and an agent's would be a link."""
    ask = ask_of(field(Kind.TEXT, "why", description=MARKS), field(Kind.TEXT, "who", label=MARKS))
    client.show(content_of(messages(drawn(ask))[-1]))
    assert set(client.send()["marked"]) == {"text, needed"}


@pytest.mark.parametrize(("typed", "goes"), [("0", False), ("10", False), ("1", True), ("9", True)])
def test_a_number_out_of_bounds_is_not_sent(client: Client, typed: str, goes: bool) -> None:
    """It says which are taken."""
    ask = ask_of(field(Kind.NUMBER, "copies", integer=True, min=1, max=9))
    content = content_of(messages(drawn(ask))[-1])
    (node,) = [one for one in content["body"] if "id" in one]
    before = client.show(content)["words"]
    client.fill({node["id"]: typed})
    seen = client.send()
    assert bool(seen["sent"]) == goes
    assert (seen["words"].count(node["errorMessage"]) > before.count(node["errorMessage"])) != goes


def test_what_may_be_left_out_holds_nothing_back(client: Client) -> None:
    """A number with bounds neither, which clients find out of them when it is empty."""
    fields = [field(kind, kind.value, required=False) for kind in (Kind.TEXT, Kind.DATE)]
    number = field(Kind.NUMBER, "copies", integer=True, min=1, max=9, required=False)
    ask = ask_of(*fields, number, choice("red", "blue", required=False, write_in=False))
    client.show(content_of(messages(drawn(ask))[-1]))
    assert answer(came(client.send()), ask) == {}


def test_a_number_that_browsers_cannot_hold_is_refused_and_not_changed(client: Client) -> None:
    """They keep the nearest they have, which nobody typed."""
    number = field(Kind.NUMBER, "invoice")
    client.show(content_of(messages(drawn(ask_of(number)))[-1]))
    client.fill({"n:invoice": "12345678901234567890"})
    found = came(client.send()).interaction
    assert isinstance(found, Submitted)
    assert found.values == {}
    assert refusal(said(found.texts["invoice"], number)) is Refusal.NOT_A_NUMBER
