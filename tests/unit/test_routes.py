"""Routes: where asks go, and who is granted what, in which conversation, for whose asks."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from gateway.ask import Ask, Run
from gateway.people import People
from gateway.person import Person, Role
from gateway.routes import Grant, Route, Target, addressed, grant, may_name, targets
from tests.strategies import approval

ASK = approval()  # of tenant acme, agent asker
PLACE = "discord:C1"
BOTH = {"content": True, "answer": True}

KEVIN = Person(
    id="kevin",
    tenant="acme",
    name="Kevin",
    role=Role.OPERATOR,
    identities=("slack:T1/U1", "telegram:1001"),
)
PEOPLE = People([KEVIN])


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


@pytest.mark.parametrize(
    ("narrowed", "carried", "not_carried"),
    [
        ({"own": True}, {"conversation": PLACE}, {"conversation": "discord:C9"}),
        ({"own": True}, {"conversation": PLACE}, {"conversation": None}),
        ({}, {"destinations": (PLACE,)}, {"destinations": ("discord:C9",)}),
        ({"tags": ("deploy",)}, {"tags": ("deploy",)}, {"tags": ("docs",)}),
    ],
)
def test_a_route_grants_no_right_to_an_ask_that_it_does_not_carry(
    narrowed: dict[str, Any], carried: dict[str, Any], not_carried: dict[str, Any]
) -> None:
    """Beside a sealed route that brings the ask there, its members get nothing of it."""
    routes = [to(PLACE), to(PLACE, **narrowed, **BOTH)]
    assert grant(routes, PLACE, ask(**carried)) == Grant(content=True, answer=True)
    assert grant(routes, PLACE, ask(**not_carried)) == Grant()


def test_whoever_answers_must_see() -> None:
    """A route that grants answers without sight is refused when it is read."""
    with pytest.raises(ValidationError, match="must let them see"):
        Route(conversation=PLACE, tenant="acme", answer=True)


# Where to


def ask(**values: Any) -> Ask:
    """An ask of tenant acme and agent asker."""
    return ASK.model_copy(update=values)


def to(conversation: str, **more: Any) -> Route:
    return Route(conversation=conversation, tenant="acme", **more)


def where(*routes: Route, of: Ask = ASK, fallback: bool = False) -> list[str]:
    """Where it goes, in order."""
    found = targets(routes, PEOPLE, of, fallback=fallback)
    return [f"{one.channel}:{one.conversation}" for one in found]


def test_an_ask_goes_wherever_a_route_of_its_tenant_sends_it() -> None:
    """In the order of the routes; another tenant's are not looked at."""
    other = Route(conversation="slack:C3", tenant="other")
    assert where(to("slack:C1"), other, to("discord:C2")) == ["slack:C1", "discord:C2"]
    assert where() == []


def test_a_place_named_by_several_routes_is_posted_to_once() -> None:
    """The same conversation and thread; another thread of it is another place."""
    routes = [to("slack:C1"), to("slack:C1", content=True), to("slack:C1", thread="17.1")]
    assert targets(routes, PEOPLE, ASK) == (
        Target("slack", "C1"),
        Target("slack", "C1", thread="17.1"),
    )


def test_a_route_to_a_person_goes_to_each_of_their_accounts() -> None:
    """In private, by account; nowhere for somebody who is not of the tenant."""
    assert targets([Route(person="kevin", tenant="acme")], PEOPLE, ASK) == (
        Target("slack", "T1/U1", direct=True),
        Target("telegram", "1001", direct=True),
    )
    assert where(Route(person="nobody", tenant="acme")) == []
    foreign = Route(person="kevin", tenant="other")
    assert where(foreign, of=ask(tenant="other")) == []


def test_agents_and_tags_narrow_a_route() -> None:
    """Of the tags one is enough; a route without any takes all."""
    by_agent = to("slack:C1", agents=("asker", "other"))
    by_tag = to("slack:C2", tags=("deploy", "billing"))
    assert where(by_agent, by_tag) == ["slack:C1"]
    assert where(by_agent, by_tag, of=ask(agent="third", tags=("deploy",))) == ["slack:C2"]
    assert where(by_agent, by_tag, of=ask(agent="third", tags=("docs",))) == []


def test_an_own_route_is_for_runs_that_began_there_and_comes_first() -> None:
    """A run's own conversation gets posts only where a route allows it."""
    own, other = to("slack:C1", own=True), to("slack:C2")
    assert where(other, own) == ["slack:C2"]
    assert where(other, own, of=ask(conversation="slack:C1")) == ["slack:C1", "slack:C2"]
    assert where(other, of=ask(conversation="slack:C9")) == ["slack:C2"]


def test_an_ask_that_names_destinations_goes_to_those_of_its_routes_alone() -> None:
    """What no route allows is not posted to, whatever the agent wrote."""
    routes = (to("slack:C1"), to("slack:C2"), Route(person="kevin", tenant="acme"))
    named = ask(destinations=("slack:C2", "slack:C9"))
    assert where(*routes, of=named) == ["slack:C2"]
    people = ask(destinations=("person:kevin",))
    assert where(*routes, of=people) == ["slack:T1/U1", "telegram:1001"]


def test_fallback_routes_are_for_what_no_other_could_post() -> None:
    """Never beside the others, and narrowed as they are."""
    routes = (to("slack:C1"), to("slack:C2", fallback=True))
    assert where(*routes) == ["slack:C1"]
    assert where(*routes, fallback=True) == ["slack:C2"]
    narrowed = (*routes, to("slack:C3", fallback=True, agents=("other",)))
    assert where(*narrowed, fallback=True) == ["slack:C2"]


def test_an_ask_that_names_destinations_falls_back_as_any_other() -> None:
    """What it named took nothing, so it goes where nothing else went; named itself, it waits."""
    routes = (to("slack:C1"), to("slack:C2", fallback=True))
    for named in ("slack:C1", "person:bob", "slack:C2"):
        assert where(*routes, of=ask(destinations=(named,)), fallback=True) == ["slack:C2"]
    assert where(*routes, of=ask(destinations=("slack:C2",))) == []


def test_an_ask_is_addressed_where_it_or_a_route_names_a_place() -> None:
    """Even one that leads nowhere; a route that does not carry it names none."""
    assert addressed([to("slack:C1")], ASK)
    assert addressed([to("slack:C1", fallback=True)], ASK)
    assert addressed([Route(person="nobody", tenant="acme")], ASK)
    assert addressed([], ask(destinations=("person:bob",)))
    assert not addressed([to("slack:C1", agents=("other",)), to("slack:C2", own=True)], ASK)


def test_a_run_may_name_what_its_routes_lead_to() -> None:
    """By conversation or person; those of other agents and tenants are not among them."""
    run = Run(id="job-1", tenant="acme", agent="asker", tags=("deploy",))
    routes = (
        to("slack:C1", agents=("asker",)),
        to("slack:C2", agents=("other",)),
        to("slack:C3", tags=("deploy",), fallback=True),
        Route(person="kevin", tenant="acme"),
        Route(conversation="slack:C4", tenant="other"),
        to("slack:C5", own=True),
    )
    assert may_name(routes, run) == {"slack:C1", "slack:C3", "person:kevin"}
    begun_there = run.model_copy(update={"conversation": "slack:C5"})
    assert may_name(routes, begun_there) == may_name(routes, run) | {"slack:C5"}


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        ({}, "one of the two"),
        ({"conversation": "slack:C1", "person": "kevin"}, "one of the two"),
        ({"conversation": "C1"}, "named with its channel"),
        ({"conversation": ":C1"}, "named with its channel"),
        ({"conversation": "slack:"}, "named with its channel"),
        ({"person": "kevin", "thread": "17.1"}, "for conversations"),
        ({"person": "kevin", "own": True}, "for conversations"),
        ({"person": "kevin", "content": True}, "for conversations"),
    ],
)
def test_a_route_that_means_nothing_is_refused_when_it_is_read(
    values: dict[str, Any], refused: str
) -> None:
    """One place, named whole, and no right that cannot be."""
    with pytest.raises(ValidationError, match=refused):
        Route(tenant="acme", **values)
