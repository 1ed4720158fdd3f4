"""Routes: who is granted what, in which conversation, for whose asks."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from gateway.routes import Grant, Route, grant
from tests.strategies import approval

ASK = approval()  # of tenant acme, agent asker
PLACE = "discord:C1"
BOTH = {"content": True, "answer": True}


@pytest.mark.parametrize(
    ("routes", "granted"),
    [
        ([], Grant()),
        ([Route(conversation=PLACE, tenant="acme", **BOTH)], Grant(content=True, answer=True)),
        ([Route(conversation=PLACE, tenant="acme", content=True)], Grant(content=True)),
        ([Route(conversation="discord:C2", tenant="acme", **BOTH)], Grant()),
        ([Route(conversation=PLACE, tenant="other", **BOTH)], Grant()),
        ([Route(conversation=PLACE, tenant="acme", agents=("asker",), **BOTH)], Grant(True, True)),
        ([Route(conversation=PLACE, tenant="acme", agents=("other",), **BOTH)], Grant()),
        (
            [
                Route(conversation=PLACE, tenant="acme", content=True),
                Route(conversation=PLACE, tenant="acme", agents=("asker",), **BOTH),
            ],
            Grant(content=True, answer=True),
        ),
    ],
)
def test_a_route_grants_its_conversation_its_asks_and_no_more(
    routes: list[Route], granted: Grant
) -> None:
    """Another place, tenant or agent gets nothing of it; several routes add up."""
    assert grant(routes, PLACE, ASK) == granted


def test_whoever_answers_must_see() -> None:
    """A route that grants answers without sight is refused when it is read."""
    with pytest.raises(ValidationError, match="must let them see"):
        Route(conversation=PLACE, tenant="acme", answer=True)
