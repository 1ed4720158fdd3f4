"""The command line's HTTP client against a plain server, and the first token's making."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from gateway.cli.client import Client
from gateway.cli.connection import Connection
from gateway.cli.failure import Failure
from gateway.cli.first_token import NAME, make_first_tokens
from gateway.memory_store import MemoryStore
from gateway.people import People
from gateway.person import Role, Tenant
from gateway.tokens import Grant, Tokens

ACME = Tenant(id="acme", name="Acme")


@contextmanager
def answering(*replies: tuple[int, bytes]) -> Iterator[tuple[Connection, list[dict[str, Any]]]]:
    """A server that gives these answers in turn, the last one for ever, and what it was sent."""
    seen: list[dict[str, Any]] = []

    class Server(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            seen.append({"path": self.path, "body": body, **self.headers})
            status, said = replies[min(len(seen), len(replies)) - 1]
            if not status:  # hangs up
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_DELETE = do_POST  # noqa: N815 - http.server's names

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Connection(f"http://127.0.0.1:{server.server_address[1]}/base", "oz_t"), seen
        finally:
            server.shutdown()
            thread.join()


AWAY = (503, b'{"code": "unavailable", "message": "The store is away."}')


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow each other at once."""
    monkeypatch.setattr("gateway.cli.client.PAUSES_S", (0.0, 0.0, 0.0))


def test_an_answer_is_tried_again_as_the_same_try() -> None:
    """Through a store that is away and a line that breaks, under one key, until it is told."""
    with answering(AWAY, (0, b""), (200, b'{"ask": 1}')) as (to, seen), Client(to) as client:
        assert client.post("/v1/asks/a-1/answer", '{"answer": "x"}', key="k1") == {"ask": 1}
    assert [sent["Idempotency-Key"] for sent in seen] == ["k1"] * 3
    assert {sent["path"] for sent in seen} == {"/base/v1/asks/a-1/answer"}
    assert {sent["Authorization"] for sent in seen} == {"Bearer oz_t"}
    assert all(sent["User-Agent"].startswith("oz0/") for sent in seen)


def test_a_store_that_stays_away_is_told_in_words() -> None:
    """After the last try; nothing was recorded, and it says so."""
    with answering(AWAY) as (to, seen), Client(to) as client:
        with pytest.raises(Failure) as refused:
            client.get("/v1/asks")
        assert len(seen) == 4
    assert refused.value.how.startswith("Nothing was recorded")


def test_what_may_not_be_done_twice_is_tried_once() -> None:
    """A second token would be made, and the first one's secret lost."""
    with answering((0, b""), (201, b"{}")) as (to, seen), Client(to) as client:
        with pytest.raises(Failure, match="No gateway answers"):
            client.post("/v1/tokens", {"name": "x"})
        assert len(seen) == 1


@pytest.mark.parametrize("said", [b"<html>", b"[]", b'{"message": 3}', b"", b"\xff"])
def test_what_is_no_gateway_is_said_to_be_none(said: bytes) -> None:
    """A proxy's page, or another service at that address, is no crash."""
    for status in (200, 404, 502):
        with answering((status, said)) as (to, _), Client(to) as client:
            if status == 200:
                try:
                    client.delete("/v1/tokens/t")
                except Failure as failure:
                    assert "not a gateway" in failure.message
            else:
                with pytest.raises(Failure, match=f"answered {status}"):
                    client.delete("/v1/tokens/t")


async def test_a_first_token_is_made_once_and_kept_for_its_user(tmp_path: Path) -> None:
    """In a file of mode 0600, whole; from the second start on there is none to make."""
    store = MemoryStore(lambda: datetime.now(UTC))
    tokens = Tokens(store, People())
    [made] = await make_first_tokens(store, tokens, [ACME], tmp_path)
    assert made.path.read_text("utf-8") == f"{made.secret}\n"
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert (await tokens.caller_of(made.secret)).role is Role.OWNER
    assert made.secret not in repr(made)
    assert await make_first_tokens(store, tokens, [ACME], tmp_path) == ()
    assert [file.name for file in tmp_path.iterdir()] == ["token"]  # noqa: ASYNC240 - a test's own


async def test_a_gateway_killed_while_making_it_locks_nobody_out(tmp_path: Path) -> None:
    """A token that was never kept is replaced, not left behind as a door nobody watches."""
    store = MemoryStore(lambda: datetime.now(UTC))
    tokens = Tokens(store, People())
    _, lost = await tokens.make(ACME.id, Grant(name=NAME, role=Role.OWNER, content=True))
    (tmp_path / "token.new").write_text(lost, "utf-8")
    [made] = await make_first_tokens(store, tokens, [ACME], tmp_path)
    assert made.secret != lost
    assert len(await tokens.list(ACME.id)) == 1


async def test_gateways_that_start_together_make_one_between_them(tmp_path: Path) -> None:
    """Who has not the turn makes none."""
    store = MemoryStore(lambda: datetime.now(UTC))
    assert await store.bind("first-token:acme:turn", "another", timedelta(minutes=1)) == "another"
    tokens = Tokens(store, People())
    assert await make_first_tokens(store, tokens, [ACME], tmp_path) == ()
    assert await tokens.list(ACME.id) == []


async def test_a_folder_that_takes_no_file_is_refused_in_words(tmp_path: Path) -> None:
    """And the next start makes the token after all."""
    (tmp_path / "file").write_text("", "utf-8")
    store = MemoryStore(lambda: datetime.now(UTC))
    with pytest.raises(Failure, match="Cannot keep the first token"):
        await make_first_tokens(store, Tokens(store, People()), [ACME], tmp_path / "file")
    assert await store.look("first-token:acme") is None
