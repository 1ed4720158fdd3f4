"""The settings of channels: from a table or from variables, and every fault in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from gateway.config import ConfigError, load
from gateway.question import Frozen

HOME = {"HOME": "/home/ana"}


class Walkie(Frozen):
    """A channel of another package."""

    bot_token: SecretStr
    mode: str = "push"


def models() -> dict[str, type[Frozen]]:
    return {"walkie": Walkie}


def faults(text: str, **environ: str) -> list[str]:
    """What is wrong with it, as the operator reads it."""
    with pytest.raises(ConfigError) as caught:
        load(text, HOME | environ, folder=Path("/"), channels=models)
    return [f"{problem.path}: {problem.message}" for problem in caught.value.problems]


def test_a_channel_is_set_by_its_table_or_its_variables() -> None:
    """A variable wins; a secret is kept as one."""
    table = '[channel.walkie]\nbot_token = "a"\nmode = "talk"'
    read = load(table, HOME | {"OZ_WALKIE_BOT_TOKEN": "b"}, folder=Path("/"), channels=models)
    assert read.channels["walkie"] == Walkie(bot_token=SecretStr("b"), mode="talk")
    alone = load("", HOME | {"OZ_WALKIE_BOT_TOKEN": "b"}, folder=Path("/"), channels=models)
    assert alone.channels["walkie"] == Walkie(bot_token=SecretStr("b"))


def test_no_channel_is_looked_for_where_none_is_set() -> None:
    """`oz0 up` without chats starts as soon as it did."""

    def asked() -> dict[str, type[Frozen]]:
        raise AssertionError("asked for the channels")

    assert load("", HOME, folder=Path("/"), channels=asked).channels == {}


def test_every_fault_of_a_channel_is_told_and_none_repeats_a_value() -> None:
    """What is missing, what is misspelt, and which channel there is."""
    assert faults("[channel.walkie]") == [
        "channel.walkie.bot_token: Needed, and missing: write it here, or set OZ_WALKIE_BOT_TOKEN."
    ]
    told = faults('[channel.walkie]\nbot_token = "geheim"\nmoed = "geheim"')
    assert told == ["channel.walkie.moed: There is no such key. Did you mean mode?"]
    assert faults("[channel.walky]\nx = 1") == [
        "channel.walky: There is no such channel. Did you mean walkie?"
    ]
    assert "OZ_WALKIE_BOT_TOKE" in faults("", OZ_WALKIE_BOT_TOKE="geheim")[0]


def test_a_route_leads_to_one_place_that_is_there() -> None:
    """A conversation of a channel that is installed, or a person of the config."""
    assert faults('[[route]]\nconversation = "walky:C1"') == [
        "route[0].conversation: There is no such channel. Did you mean walkie?"
    ]
    assert "names a conversation or a person" in faults("[[route]]\nagents = []")[0]
    assert faults('[[route]]\nperson = "ana"')[0].startswith("route[0].person: There is no such")
    words = faults('[[route]]\nconversation = "walkie:C1"\nanswer = true')
    assert "lets members answer must let them see" in words[0]
