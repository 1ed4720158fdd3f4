"""How an ask is drawn on each platform: every option can be chosen, and it is said why this way."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from channels.callback import MOST_BYTES, pack
from channels.capabilities import PLAIN, Capabilities
from channels.catalogue import Reader
from channels.contract import (
    AskReason,
    Button,
    OpenForm,
    Pick,
    PickToggle,
    PressApprove,
    PressDecline,
    PressOther,
    PressSkip,
    Step,
    StepAct,
)
from channels.discord.render import CAPABILITIES as DISCORD
from channels.plan import Presentation, Way, plan
from channels.present import numbered, view
from channels.shown import FIRST_STRONG_ISOLATE, MARK, POP_ISOLATE, line
from channels.slack.render import CAPABILITIES as SLACK
from channels.teams.render import CAPABILITIES as TEAMS
from channels.telegram.render import CAPABILITIES as TELEGRAM
from gateway.ask import Ask, AskKind, Contract
from gateway.question import Field, Kind
from gateway.reply.options import option_keys
from tests.endings import NOW
from tests.strategies import approval, record_of
from tests.strategies_reply import any_ask, ask_of, choice, field, several

READER = Reader()

BARE = Capabilities("bare", text=4_000, buttons=3)
"""Buttons, and neither menus nor forms."""

ALL = (SLACK, TEAMS, DISCORD, TELEGRAM, PLAIN, BARE)

PLATFORMS = st.sampled_from(ALL) | st.builds(
    Capabilities,
    channel=st.just("any"),
    text=st.just(4_000),
    label=st.integers(4, 75),
    buttons=st.integers(0, 25),
    menu=st.integers(0, 25),
    menus=st.integers(1, 4),
    form=st.integers(0, 5),
    inline=st.booleans(),
    steps=st.booleans(),
)

FEW = choice("Staging", "Production", "Cancel")
CLOSED = choice("Staging", "Production", "Cancel", write_in=False)
TWENTY = choice(*(f"Server {n}" for n in range(20)))
HUNDRED = choice(*(f"Server {n}" for n in range(100)))
CHECKS = several("Lint", "Tests", "Docs")
SIX = tuple(field(kind, f"f{n}") for n, kind in enumerate([Kind.TEXT] * 5 + [Kind.DATE]))


@pytest.mark.parametrize(
    ("fields", "slack", "teams", "discord", "telegram", "bare"),
    [
        ((FEW,), "buttons", "card", "buttons", "buttons", "buttons"),
        ((CLOSED,), "buttons", "buttons", "buttons", "buttons", "buttons"),
        ((TWENTY,), "menu", "card", "menu", "steps", "text"),
        ((HUNDRED,), "menu", "card", "menu", "steps", "text"),
        ((CHECKS,), "form", "card", "form", "steps", "text"),
        ((field(Kind.TOGGLE),), "buttons", "buttons", "buttons", "buttons", "buttons"),
        ((field(Kind.TEXT),), "form", "card", "form", "text", "text"),
        ((field(Kind.NUMBER),), "form", "card", "form", "text", "text"),
        ((field(Kind.DATE),), "form", "card", "form", "steps", "text"),
        (SIX, "form", "card", "form", "steps", "text"),
    ],
)
def test_each_kind_is_drawn_the_easiest_way_that_a_platform_has(
    fields: tuple[Field, ...], slack: str, teams: str, discord: str, telegram: str, bare: str
) -> None:
    """Natively on all four; on a terminal everything is text."""
    ways = [plan(READER, ask_of(*fields), one).way.value for one in ALL]
    assert ways == [slack, teams, discord, telegram, "text", bare]


@pytest.mark.parametrize("platform", ALL[:4], ids=lambda one: one.channel)
def test_an_approval_is_two_buttons_on_every_chat(platform: Capabilities) -> None:
    """Approve, and Deny, which asks why where there is a form to ask it in."""
    found = plan(READER, approval(), platform)
    assert [button.label for button in (*found.buttons, *found.ways_out)] == ["Approve", "Deny"]
    assert found.buttons[0].control == PressApprove()
    wanted = AskReason() if platform.form else PressDecline()
    assert found.ways_out[0].control == wanted


def test_a_long_form_says_how_many_pages_it_has() -> None:
    """Six fields are two pages where a page has five."""
    found = plan(READER, ask_of(*SIX), DISCORD)
    assert (found.pages, found.reason) == (2, "text, date: needs a form, in 2 pages")
    assert plan(READER, ask_of(*SIX), SLACK).pages == 1


def test_many_options_are_spread_over_menus_that_say_which() -> None:
    """A hundred in four menus of 25, each with the numbers that are in it."""
    found = plan(READER, ask_of(HUNDRED), DISCORD)
    assert [menu.placeholder for menu in found.menus] == [
        "1-25 Choose…",
        "26-50 Choose…",
        "51-75 Choose…",
        "76-100 Choose…",
    ]
    assert [menu.first for menu in found.menus] == [0, 25, 50, 75]
    (one,) = plan(READER, ask_of(HUNDRED), SLACK).menus
    assert (one.placeholder, len(one.choices)) == ("Choose…", 100)


def test_a_shortened_label_keeps_its_number_and_is_marked() -> None:
    """Two labels that begin alike are still told apart, and nobody takes the part for the whole."""
    same = "Deploy to the production cluster in the region of "
    found = plan(READER, ask_of(choice(f"{same}Frankfurt", f"{same}Ireland")), SLACK)
    first, second, _ = (button.label for button in found.buttons)
    assert first.startswith("1. Deploy to the")
    assert second.startswith("2. Deploy to the")
    assert first.endswith(MARK)
    assert len(first) == SLACK.label


def test_the_reason_names_what_made_the_choice() -> None:
    """For operators, who read `oz0 plan`."""
    reasons = {
        plan(READER, ask_of(FEW), SLACK).reason,
        plan(READER, ask_of(TWENTY), SLACK).reason,
        plan(READER, ask_of(TWENTY), TELEGRAM).reason,
        plan(READER, ask_of(FEW), TEAMS).reason,
        plan(READER, ask_of(FEW), PLAIN).reason,
    }
    assert reasons == {
        "3 options, and up to 6 buttons",
        "20 options are more than 6 buttons",
        "choice: no forms here, so step by step",
        "its inputs stand on the post itself",
        "terminal has nothing to press",
    }


# Any ask, anywhere


@given(any_ask(), PLATFORMS)
def test_every_option_can_be_chosen(ask: Ask, platform: Capabilities) -> None:
    """By button, in a menu, in a form or step by step; and by typing, as the text has them all."""
    found = plan(READER, ask, platform)
    text = numbered(view(READER, record_of(ask), "K7", "operators", NOW))
    for one in ask.question.fields:
        for key, option in zip(option_keys(one), one.options, strict=True):
            assert f"{key}. {line(option.label)}" in text
    match found.way:
        case Way.BUTTONS:
            assert _pressed(found) == _wanted(ask)
        case Way.MENU:
            assert _chosen(found) == [option.id for option in ask.question.fields[0].options]
        case Way.FORM:
            assert found.pages * platform.form >= len(ask.question.fields)
            assert [button.control for button in found.buttons] == [OpenForm()]
        case Way.CARD:
            assert (platform.inline, found.pages) == (True, 1)
        case Way.STEPS:
            assert platform.steps
            assert [button.control for button in found.buttons] == [Step(StepAct.START)]
        case Way.TEXT:
            assert (found.buttons, found.menus) == ((), ())


@given(any_ask(), PLATFORMS)
def test_own_words_have_a_button_wherever_options_have(ask: Ask, platform: Capabilities) -> None:
    """Other stands beside buttons and menus of a choice that takes own words, and nowhere else."""
    found = plan(READER, ask, platform)
    others = [button for button in found.buttons if isinstance(button.control, PressOther)]
    is_choice = any(isinstance(button.control, Pick) for button in found.buttons) or found.menus
    wanted = bool(is_choice) and ask.question.fields[0].write_in
    assert len(others) == (1 if wanted else 0)


@given(any_ask(), PLATFORMS)
def test_the_way_out_stands_where_the_contract_has_one(ask: Ask, platform: Capabilities) -> None:
    """Decline or Skip, once, on every post with something to press; never both."""
    found = [button.control for button in plan(READER, ask, platform).ways_out]
    if not platform.has_controls:
        assert found == []
    elif ask.can_decline:
        assert found == [AskReason() if platform.form else PressDecline()]
    else:
        assert found == ([PressSkip()] if ask.can_skip else [])


@given(any_ask(), PLATFORMS)
def test_no_limit_of_the_platform_is_passed(ask: Ask, platform: Capabilities) -> None:
    """Buttons, menus and their entries as many as it takes, labels as long as people see."""
    found = plan(READER, ask, platform)
    picks = [button for button in found.buttons if isinstance(button.control, Pick)]
    assert len(picks) <= platform.buttons
    assert len(found.menus) <= platform.menus
    for menu in found.menus:
        assert 0 < len(menu.choices) <= platform.menu
    shown = [button.label for button in picks] + [
        entry.label for menu in found.menus for entry in menu.choices
    ]
    for label in shown:
        head, _, rest = label.partition(". ")
        bare = rest.strip(FIRST_STRONG_ISOLATE + POP_ISOLATE)
        assert len(regex.findall(r"\X", bare)) <= max(8, platform.label - len(head) - 2)
    assert len(set(shown)) == len(shown)


@given(any_ask(), PLATFORMS)
def test_everything_to_press_names_its_ask_and_says_why(ask: Ask, platform: Capabilities) -> None:
    """Each control fits into a button's data, has a label, and the plan has its reason."""
    found = plan(READER, ask, platform)
    assert found.reason
    assert found == plan(READER, ask, platform)
    buttons = (*found.buttons, *found.ways_out)
    for button in buttons:
        assert button.ask_id == ask.id
        assert button.label.strip()
        assert len(pack(button.ask_id, button.control)) <= MOST_BYTES
    assert len({pack(b.ask_id, b.control) for b in buttons}) == len(buttons)


@given(any_ask())
def test_where_there_is_nothing_to_press_nothing_is_drawn(ask: Ask) -> None:
    """The text is all, and the way out stands in it as a word."""
    found = plan(READER, ask, PLAIN)
    assert found == Presentation(Way.TEXT, "terminal has nothing to press")


def test_a_skip_is_offered_where_the_contract_has_it() -> None:
    """`ask_user` can be skipped, `ask_a_human` neither skipped nor declined."""
    skipped = plan(READER, ask_of(FEW, contract=Contract.ASK_USER), SLACK)
    assert [button.label for button in skipped.ways_out] == ["Skip"]
    assert plan(READER, ask_of(FEW, contract=Contract.ASK_A_HUMAN), SLACK).ways_out == ()


def test_words_on_buttons_are_the_readers() -> None:
    """Yes and No are said in the language of whoever reads."""
    found = plan(READER, ask_of(field(Kind.TOGGLE)), SLACK)
    assert [(button.label, button.control) for button in found.buttons] == [
        ("Yes", PickToggle(yes=True)),
        ("No", PickToggle(yes=False)),
    ]


def _pressed(found: Presentation) -> set[object]:
    """What the buttons of a plan answer with."""
    answers: list[Button] = [b for b in found.buttons if not isinstance(b.control, PressOther)]
    return {button.control for button in answers}


def _wanted(ask: Ask) -> set[object]:
    """What an ask that is drawn with buttons can be answered with."""
    if ask.kind is AskKind.APPROVAL:
        return {PressApprove()}
    (only,) = ask.question.fields
    if only.kind is Kind.TOGGLE:
        return {PickToggle(yes=True), PickToggle(yes=False)}
    return {Pick(option.id) for option in only.options}


def _chosen(found: Presentation) -> list[str]:
    """The options of a plan's menus, in order, each menu beginning where the last one ended."""
    options: list[str] = []
    for menu in found.menus:
        assert menu.first == len(options)
        options += [entry.option for entry in menu.choices]
    return options


def test_a_right_to_left_label_is_isolated_once_on_its_button() -> None:
    """Isolated twice, the marks of the first time would be shown as hidden characters."""
    ask = ask_of(choice("\u05e9\u05dc\u05d5\u05dd", "Later"))
    first = plan(READER, ask, SLACK).buttons[0]
    assert first.label == f"1. {FIRST_STRONG_ISOLATE}\u05e9\u05dc\u05d5\u05dd{POP_ISOLATE}"
