"""What Discord's refusals mean for a post."""

from __future__ import annotations

import pytest

from channels.contract import Later, Missing, PostError, Shut, Unfit, Unreachable, Unsure
from channels.discord.errors import post_error


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, 0, Shut),
        (403, 50001, Unreachable),
        (403, 50007, Unreachable),
        (403, 50013, Unreachable),
        (403, 50278, Unreachable),
        (403, 160005, Unreachable),
        (403, 99999, Unreachable),
        (404, 10003, Unreachable),
        (404, 10008, Missing),
        (400, 50033, Unreachable),
        (400, 50035, Unfit),
        (400, 50006, Unfit),
        (400, 50083, Unfit),
        (429, 0, Later),
        (429, 30046, Later),
        (503, 0, Later),
        (500, 0, Unsure),
        (502, 0, Unsure),
        (418, 0, Unfit),
    ],
)
def test_each_refusal_has_its_policy(status: int, code: int, kind: type[PostError]) -> None:
    """By status and code; the code is what is recorded."""
    error = post_error(status, code)
    assert type(error) is kind
    assert error.code == str(code or status)


def test_a_wait_is_taken_over() -> None:
    """In seconds, as Discord said."""
    error = post_error(429, 0, 1.5)
    assert isinstance(error, Later)
    assert error.after_s == 1.5
