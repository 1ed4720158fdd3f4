"""Tokens: kept as a digest, never above whoever makes them, gone when revoked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gateway.errors import Unauthenticated
from gateway.people import People
from gateway.tokens import CACHE_S, Grant, Tokens
from tests.api.serving import GRANTS, ONE_STORE, Gateway


async def make(gw: Gateway, who: str, **grant: Any) -> Any:
    """What making that token came back with."""
    return await gw.as_(who).post("/v1/tokens", {"name": "new", **grant})


async def test_a_token_works_and_its_secret_is_told_once(gw: Gateway) -> None:
    """It begins with `oz_`, and neither the list nor the store holds it."""
    made = await make(gw, "owner", role="operator", content=True)
    secret, token = made.body["secret"], made.body["token"]
    assert made.status == 201
    assert secret.startswith("oz_")
    assert token["made_by"] == "owner:owner"
    gw.secrets["new"] = secret
    assert (await gw.as_("new").get("/v1/asks")).status == 200
    listed = await gw.as_("owner").get("/v1/tokens")
    assert token in listed.body["tokens"]
    assert secret not in str(listed.body)


async def test_the_store_holds_no_secret(over_redis: Gateway, redis_url: str) -> None:
    """In no key and in no value of the whole database."""
    import redis

    with redis.Redis.from_url(redis_url) as client:
        dump = b"".join(key + (client.dump(key) or b"") for key in client.keys("*"))
    for secret in over_redis.secrets.values():
        assert secret.encode() not in dump
        assert secret.removeprefix("oz_").encode() not in dump


@ONE_STORE
@pytest.mark.parametrize(
    ("who", "grant", "status"),
    [
        ("owner", {"role": "owner", "content": True}, 201),
        ("admin", {"role": "admin", "content": True}, 201),
        ("admin", {"role": "owner"}, 403),
        ("admin", {"role": "agent", "agent": "asker", "answer": True}, 201),
        ("blind_admin", {"role": "operator"}, 201),
        ("blind_admin", {"role": "reader", "content": True}, 403),
        ("blind_admin", {"role": "agent", "agent": "asker"}, 403),
        ("admin", {"role": "operator", "person": "U1", "content": True}, 201),
        ("admin", {"role": "reader", "person": "kevin"}, 403),
        ("operator", {"role": "reader"}, 403),
        ("reader", {"role": "reader"}, 403),
        ("agent", {"role": "agent", "agent": "asker"}, 403),
        ("granted", {"role": "reader"}, 403),
    ],
)
async def test_nobody_hands_out_what_they_do_not_have(
    gw: Gateway, who: str, grant: dict[str, Any], status: int
) -> None:
    """Not a role, not the sight of content, not a person above them."""
    made = await make(gw, who, **grant)
    assert made.status == status, made.body


@ONE_STORE
@pytest.mark.parametrize(
    ("grant", "paths"),
    [
        ({"role": "agent"}, ["agent"]),
        ({"role": "operator", "agent": "asker"}, ["agent"]),
        ({"role": "operator", "answer": True}, ["answer"]),
        ({"role": "agent", "agent": "asker", "content": True}, ["content"]),
        ({"role": "agent", "agent": "asker", "person": "U1"}, ["person"]),
        ({"role": "reader", "person": "nobody"}, ["person"]),
        ({"role": "owner", "person": "rita"}, ["role"]),
        ({"role": "operator", "answer": True, "agent": "asker"}, ["agent", "answer"]),
        ({"role": "king"}, ["role"]),
        ({"role": "reader", "content": "yes"}, ["content"]),
        ({"role": "reader", "name": "Two words"}, ["name"]),
        ({"role": "reader", "tenant": "rival"}, ["tenant"]),
    ],
)
async def test_a_token_that_makes_no_sense_is_refused_by_name(
    gw: Gateway, grant: dict[str, Any], paths: list[str]
) -> None:
    """Every fault at once, and none is made."""
    refused = await make(gw, "owner", **grant)
    assert (refused.status, refused.code, refused.paths) == (400, "invalid_argument", paths)
    assert len((await gw.as_("owner").get("/v1/tokens")).body["tokens"]) == len(GRANTS) - 1


async def test_records_name_one_token(gw: Gateway) -> None:
    """A role's name is taken once, so that `operator:admin` is one token."""
    refused = await make(gw, "owner", role="operator", name="admin")
    other_role = await make(gw, "owner", role="reader", name="admin")
    assert (refused.status, refused.code) == (409, "conflict")
    assert other_role.status == 201


async def test_of_tokens_made_at_once_one_gets_the_name(gw: Gateway) -> None:
    """However many ask for it; once it is revoked the name is free, and so it is at once."""
    made = await asyncio.gather(*(make(gw, "owner", role="reader", name="race") for _ in range(10)))
    assert sorted(one.status for one in made) == [201] + [409] * 9
    listed = (await gw.as_("owner").get("/v1/tokens")).body["tokens"]
    [token] = [one for one in listed if one["name"] == "race"]
    assert (await gw.as_("owner").delete(f"/v1/tokens/{token['id']}")).status == 204
    assert (await make(gw, "owner", role="reader", name="race")).status == 201


async def test_tokens_are_listed_to_admins_of_their_tenant(gw: Gateway) -> None:
    """Nobody else sees them, and no other tenant's are among them."""
    for who, status in (("admin", 200), ("operator", 403), ("reader", 403), ("agent", 403)):
        assert (await gw.as_(who).get("/v1/tokens")).status == status
    rivals = (await gw.as_("rival").get("/v1/tokens")).body["tokens"]
    own = (await gw.as_("admin").get("/v1/tokens")).body["tokens"]
    assert [token["name"] for token in rivals] == ["owner"]
    assert len(own) == len(GRANTS) - 1


async def test_a_revoked_token_is_unknown_at_once(gw: Gateway) -> None:
    """In the process that revoked it; revoking it again finds nothing."""
    made = (await make(gw, "owner", role="operator")).body
    gw.secrets["new"] = made["secret"]
    path = f"/v1/tokens/{made['token']['id']}"
    assert (await gw.as_("new").get("/v1/asks")).status == 200
    assert (await gw.as_("admin").delete(path)).status == 204
    refused = await gw.as_("new").get("/v1/asks")
    assert (refused.status, refused.code) == (401, "unauthenticated")
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert (await gw.as_("admin").delete(path)).status == 404


async def test_revoking_has_the_same_limits_as_making(gw: Gateway) -> None:
    """Not above one's own role, not another tenant's, not without the right."""
    listed = (await gw.as_("owner").get("/v1/tokens")).body["tokens"]
    owners = next(token["id"] for token in listed if token["role"] == "owner")
    for who, status in (("admin", 403), ("operator", 403), ("rival", 404)):
        assert (await gw.as_(who).delete(f"/v1/tokens/{owners}")).status == status
    assert (await gw.as_("owner").get("/v1/asks")).status == 200


@ONE_STORE
@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer oz_",
        "Bearer oz_wrong",
        "Bearer {secret}x",
        "Bearer  x{secret}",
        "Basic {secret}",
        "{secret}",
        "Bearer oz_" + "x" * 500,
        "Bearer oz_é",
    ],
)
async def test_what_is_no_token_opens_nothing(gw: Gateway, header: str | None) -> None:
    """401 in the one shape, without a hint of what was sent."""
    secret = gw.secrets["owner"]
    headers = {} if header is None else {"Authorization": header.format(secret=secret)}
    refused = await gw.nobody().call("GET", "/v1/asks", None, headers)
    assert (refused.status, refused.code) == (401, "unauthenticated")
    assert secret not in str(refused.body)


async def test_a_token_bound_to_a_person_acts_in_their_name(gw: Gateway) -> None:
    """Records say `user:U1` and Una; never more than the person may."""
    ask = await gw.ask({"question": "Q?"})
    done = await gw.as_("U1").post(f"/v1/asks/{ask}/answer", {"answer": "yes"})
    outcome = done.body["ask"]["outcome"]
    assert (outcome["by"], outcome["name"]) == ("user:U1", "Una")


async def test_a_persons_token_follows_the_person(gw: Gateway) -> None:
    """Once the person is a reader so is the token; once they are gone nobody stands behind it."""
    store, people = gw.parts.store, [gw.parts.people.person("acme", "U1")]
    assert people[0] is not None
    reader = people[0].model_copy(update={"role": "reader", "content": False})
    demoted = await Tokens(store, People([reader])).caller_of(gw.secrets["U1"])
    assert (demoted.role, demoted.content) == ("reader", False)
    with pytest.raises(Unauthenticated):
        await Tokens(store, People([])).caller_of(gw.secrets["U1"])


async def test_another_process_forgets_a_revoked_token_within_seconds(gw: Gateway) -> None:
    """It may take it until its memory of it is too old, and never after."""
    now = 1_000.0
    elsewhere = Tokens(gw.parts.store, gw.parts.people, clock=lambda: now)
    token, secret = await gw.parts.tokens.make("acme", Grant(name="n", role="reader"))
    await elsewhere.caller_of(secret)
    await gw.parts.tokens.revoke("acme", token.id)
    now += CACHE_S - 0.1
    assert (await elsewhere.caller_of(secret)).name == "reader:n"
    now += 0.2
    with pytest.raises(Unauthenticated):
        await elsewhere.caller_of(secret)


async def test_a_tenant_has_so_many_tokens(gw: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is told, and nothing is made past it."""
    monkeypatch.setattr("gateway.tokens.MAX_TOKENS", len(GRANTS) - 1)
    refused = await make(gw, "owner", role="reader")
    assert (refused.status, refused.code) == (429, "resource_exhausted")


async def test_a_record_that_does_not_read_opens_no_door(gw: Gateway) -> None:
    """What is damaged in the store is as unknown as what was never there."""
    token, secret = await gw.parts.tokens.make("acme", Grant(name="n", role="reader"))
    members = await gw.parts.store.members("tokens:acme")
    [digest] = [member.split()[1] for member in members if member.startswith(token.id)]
    await gw.parts.store.put(f"token:{digest}", '{"id": "tok-1", "tenant": "acme"}')
    with pytest.raises(Unauthenticated):
        await gw.parts.tokens.caller_of(secret)
    assert len(await gw.parts.tokens.list("acme")) == len(GRANTS) - 1
