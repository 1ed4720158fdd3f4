"""Where an ask goes, over HTTP: what it may name, and what is known of its posts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gateway.posts import Post, PostState
from tests.api.serving import RUN

if TYPE_CHECKING:
    from tests.api.serving import Answer, Gateway

COLOUR = {"question": "Which colour?", "choices": ["red", "blue"]}


async def ask(gw: Gateway, *destinations: str, **run: Any) -> Answer:
    """One call by the agent, in a run of those values."""
    await gw.run(**run)
    body = {
        "tool": "oz.ask_user",
        "arguments": COLOUR,
        "call_id": "c1",
        "destinations": list(destinations),
    }
    return await gw.as_("agent").post(f"/v1/runs/{RUN}/asks", body)


async def test_an_ask_names_only_places_that_a_route_leads_to(gw: Gateway) -> None:
    """Another agent's route, or no route at all: refused at its place, and nobody is asked."""
    refused = await ask(gw, "slack:C1", "slack:C2", "slack:C9")
    assert (refused.status, refused.code) == (400, "invalid_argument")
    assert refused.paths == ["destinations[1]", "destinations[2]"]
    assert (await gw.as_("owner").get("/v1/asks")).body["asks"] == []
    assert (await ask(gw, "slack:C1")).status == 201


async def test_another_destination_is_another_call(gw: Gateway) -> None:
    """The same call with another place to go to is a conflict, as with another question."""
    assert (await ask(gw, "slack:C1")).status == 201
    assert (await ask(gw, "slack:C1")).status == 200
    assert (await ask(gw)).code == "conflict"


async def test_a_runs_tags_are_kept_and_told(gw: Gateway) -> None:
    """What routes know it by."""
    await gw.run(tags=["billing", "eu"])
    told = await gw.as_("agent").get(f"/v1/runs/{RUN}")
    assert told.body["tags"] == ["billing", "eu"]
    refused = await gw.as_("agent").post("/v1/runs", {"tags": ["two words"]})
    assert refused.paths == ["tags[0]"]


async def test_an_ask_says_where_it_stands(gw: Gateway) -> None:
    """The places that took it and those that did not, with the platform's code and no text."""
    ask_id = (await ask(gw)).body["ask"]["id"]
    posts = gw.parts.posts
    await posts.keep(ask_id, Post("slack", "C1", state=PostState.SHOWN, code="K7", message="1.2"))
    await posts.keep(ask_id, Post("telegram", "7", state=PostState.FAILED, reason="blocked"))
    told = await gw.as_("agent").get(f"/v1/asks/{ask_id}")
    assert told.body["where"] == [
        {"place": "slack:C1", "state": "shown", "reason": None},
        {"place": "telegram:7", "state": "failed", "reason": "blocked"},
    ]
