"""What comes in by HTTP: names, sizes, forms and callers that misbehave, refused in one shape."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

import gateway.api.connection
import gateway.api.events
import gateway.api.incoming
from gateway.api import build_app, serving
from gateway.api.limits import JSON_DEPTH
from gateway.api.openapi import document
from tests.api.serving import RUN, Answer, Client, Gateway, make_tokens
from tests.api.serving import gateway as a_gateway
from tests.waiting import until


@pytest.fixture
async def gw(tmp_path: Path) -> AsyncIterator[Gateway]:
    """Over memory alone: what is tested here never comes to the store."""
    async with a_gateway(None, tmp_path) as made:
        await make_tokens(made)
        yield made


@asynccontextmanager
async def a_line(
    gw: Gateway, buffer: int | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection, which may take no more than so much at once."""
    host, _, port = gw.base.removeprefix("http://").partition(":")
    line = socket.socket()
    if buffer is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    line.setblocking(False)
    await asyncio.get_running_loop().sock_connect(line, (host, int(port)))
    reader, writer = await asyncio.open_connection(sock=line, limit=buffer or 1 << 16)
    try:
        async with asyncio.timeout(20):
            yield reader, writer
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def raw(gw: Gateway, text: bytes) -> bytes:
    """What comes back for these bytes, until the line is closed."""
    async with a_line(gw) as (reader, writer):
        writer.write(text)
        return await reader.read()


async def send(gw: Gateway, body: bytes, **headers: str) -> Answer:
    """A body, as it is, to create a run with."""
    return await gw.as_("agent").call("POST", "/v1/runs", body, headers)


def one_shape(answer: Answer) -> bool:
    """Whether a refusal has the shape of all refusals."""
    return isinstance(answer.body, dict) and {"code", "message"} <= answer.body.keys()


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.", "", "[::1", "a@localhost", "x" * 300],
)
async def test_only_its_own_names_are_served(gw: Gateway, host: str) -> None:
    """A page whose name was made to point here gets nothing, not even whether it lives."""
    for path in ("/v1/asks", "/healthz", "/openapi.json", "/nothing"):
        refused = await gw.as_("owner").call("GET", path, None, {"Host": host})
        assert (refused.status, refused.code) == (421, "misdirected")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8337", "127.0.0.1:1", "[::1]:8337"])
async def test_loopback_names_are_served(gw: Gateway, host: str) -> None:
    """With whatever port a tunnel gave it."""
    assert (await gw.as_("owner").call("GET", "/v1/asks", None, {"Host": host})).status == 200


async def test_a_configured_name_is_served(tmp_path: Path) -> None:
    """`allowed_hosts` and the console's own name."""
    settings = {"allowed_hosts": ("oz.internal",), "console_url": "https://oz.example.com"}
    async with a_gateway(None, tmp_path, **settings) as gw:
        for host, status in (("oz.internal", 200), ("oz.example.com:443", 200), ("oz", 421)):
            told = await gw.nobody().call("GET", "/healthz", None, {"Host": host})
            assert told.status == status


async def test_a_request_without_a_name_is_refused(gw: Gateway) -> None:
    """HTTP/1.0 may leave Host out, and two of them name nobody."""
    without = await raw(gw, b"GET /healthz HTTP/1.0\r\n\r\n")
    twice = await raw(gw, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n")
    assert b" 421 " in without.splitlines()[0]
    assert b" 4" in twice.splitlines()[0]
    assert b"alive" not in without + twice


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/", 404, "not_found"),
        ("GET", "/v1/elsewhere", 404, "not_found"),
        ("GET", "/v1/asks/", 404, "not_found"),
        ("GET", "/v1/asks/R1", 404, "not_found"),
        ("GET", f"/v1/runs/{RUN}:asks", 404, "not_found"),
        ("GET", f"/v1/runs/{RUN}%00", 404, "not_found"),
        ("GET", "/v1/runs/%FF", 404, "not_found"),
        ("DELETE", "/v1/tokens/*", 404, "not_found"),
        ("DELETE", "/v1/asks", 405, "unimplemented"),
        ("PUT", "/v1/runs", 405, "unimplemented"),
        ("GET", "/oz.v1.Approvals/ListApprovals", 405, "unimplemented"),
        ("POST", "/oz.v1.Approvals/Nothing", 404, "not_found"),
        ("POST", "/healthz", 405, "unimplemented"),
    ],
)
async def test_addresses_and_methods_that_are_not_there(
    gw: Gateway, method: str, path: str, status: int, code: str
) -> None:
    """404 and 405 in the one shape; 405 says which methods there are. Nothing is repeated."""
    refused = await gw.as_("owner").call(method, path, None, {})
    assert (refused.status, refused.code) == (status, code)
    last = path.rsplit("/", 1)[-1]
    assert not last or last not in refused.body["message"]
    assert ("Allow" in refused.headers) is (status == 405)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "not JSON"),
        (b"", ""),
        (b"null", "Must be an object"),
        (b"[]", "Must be an object"),
        (b'"text"', "Must be an object"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"id": "\xed\xa0\x80"}', "not UTF-8"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b'{"agent": "a", "agent": "b"}', "a key twice"),
        (b'{"webhook": {"url": "a", "url": "b"}}', "a key twice"),
        (b'{"agent": NaN}', "NaN"),
        (b'{"timeout": 1e999}', "finite"),
        (b'{"timeout": ' + b"9" * 10_000 + b"}", "too many digits"),
        (b'{"agent": "asker"} {}', "not JSON"),
        (b"{'agent': 'asker'}", "not JSON"),
        (b'{"agent": "\\ud800"}', "agent"),
        (b'{"\\ud800": 1}', "half of a surrogate pair"),
        (b"[" * (JSON_DEPTH + 1) + b"]" * (JSON_DEPTH + 1), "deeper"),
        (b'"' + b'\\"' * 400_000, "not JSON"),
        (b"[" * 100_000, "deeper"),
        (b'{"a":' * 50_000, "deeper"),
    ],
)
async def test_a_body_that_does_not_read(gw: Gateway, body: bytes, says: str) -> None:
    """Every one is refused as invalid, and says why without repeating it; nothing is made."""
    told = await send(gw, body)
    if not body:  # every key of a run may be left out
        assert told.status == 201
        return
    assert (told.status, told.code) == (400, "invalid_argument")
    assert says in json.dumps(told.body)


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": "application/json-seq"},
        {"Content-Type": ""},
    ],
)
async def test_a_body_that_is_not_json_by_its_own_word(
    gw: Gateway, headers: Mapping[str, str]
) -> None:
    """A form of a web page cannot be sent here as JSON in disguise."""
    refused = await gw.as_("agent").call("POST", "/v1/runs", b"{}", headers)
    assert (refused.status, refused.code) == (415, "invalid_argument")


async def test_a_body_over_the_limit_is_refused_with_a_code(gw: Gateway) -> None:
    """By what it holds, whether or not its length was told; the message names the bound."""
    limit = gw.parts.settings.body_bytes
    fits = b'{"agent":"asker"}'.ljust(limit)
    assert (await send(gw, fits)).status == 201
    too_large = fits + b" "
    refused = await send(gw, too_large)
    assert (refused.status, refused.code) == (413, "resource_exhausted")
    assert f"{limit:,} bytes" in refused.body["message"]
    head = (
        "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Authorization: Bearer {gw.secrets['agent']}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"%x\r\n" % len(too_large) + too_large + b"\r\n0\r\n\r\n"
    answer = await raw(gw, head.encode() + chunk)
    assert b" 413 " in answer.splitlines()[0]


@pytest.mark.parametrize("who", ["owner", None])
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "x-unknown", "gzip, gzip"])
async def test_a_packed_body_is_refused_and_never_unpacked(
    gw: Gateway, who: str | None, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousandth of its size unpacks on the loop that serves everybody: token or none, 415."""

    def unpacks(*_: object, **__: object) -> None:
        raise AssertionError("a body is unpacked")

    monkeypatch.setattr("aiohttp.compression_utils.ZLibDecompressor.__init__", unpacks)
    caller = gw.as_(who) if who else gw.nobody()
    sent = {"Content-Encoding": encoding}
    refused = await caller.call("POST", "/v1/runs", gzip.compress(b" " * 1_000_000), sent)
    assert (refused.status, refused.code) == (415, "invalid_argument")
    assert "Content-Encoding" in refused.body["message"]


async def test_a_head_over_the_limit_is_refused_in_the_same_shape(gw: Gateway) -> None:
    """A line too long, too many lines, or no HTTP at all; nothing of it is repeated."""
    line = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    for head in (
        line + b"X-Long: " + b"psst" * 4_000 + b"\r\n\r\n",
        line + b"".join(b"X-%d: psst\r\n" % n for n in range(100)) + b"\r\n",
        b"GET /" + b"psst" * 4_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"psst psst\r\n\r\n",
        line + b"Content-Length: psst\r\n\r\n",
    ):
        answer = await raw(gw, head)
        top, _, body = answer.partition(b"\r\n\r\n")
        assert b" 400 " in top.splitlines()[0]
        assert json.loads(body)["code"] == "invalid_argument"
        assert b"64 lines, of at most 8,190 bytes" in body
        assert b"psst" not in answer


async def test_a_slow_head_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line on which half a head came is closed after the idle time."""
    monkeypatch.setattr(gateway.api.connection, "IDLE_S", 0.05)
    async with a_gateway(None, tmp_path) as gw:
        assert await raw(gw, b"GET /healthz HTTP/1.1\r\nHost: local") == b""


@pytest.mark.parametrize(
    ("path", "status"), [("/v1/runs", 408), ("/oz.v1.Approvals/ListApprovals", 504)]
)
async def test_a_slow_body_is_not_waited_for(
    gw: Gateway, monkeypatch: pytest.MonkeyPatch, path: str, status: int
) -> None:
    """Refused in the one shape, by a status that the document lists, and nothing was made."""
    monkeypatch.setattr(gateway.api.incoming, "BODY_WITHIN_S", 0.05)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Authorization: Bearer {gw.secrets['agent']}\r\n"
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"agent":'
    )
    async with a_line(gw) as (reader, writer):
        writer.write(head.encode())
        top = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readuntil(b"}")
    assert f" {status} " in top.splitlines()[0].decode()
    assert json.loads(body)["code"] == "deadline_exceeded"
    assert str(status) in document()["paths"][path]["post"]["responses"]


async def test_a_reader_that_takes_nothing_is_let_go(
    gw: Gateway, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A stream nobody reads from is closed after a while instead of filling memory."""
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(gateway.api.events, "WRITE_WITHIN_S", 0.05)
    monkeypatch.setattr(gateway.api.events, "HELLO", b":" + b" " * 8_000_000 + b"\n\n")
    await gw.run()
    async with a_line(gw, 4_096) as (reader, writer):
        head = f"GET /v1/runs/{RUN}/events HTTP/1.1\r\nHost: localhost\r\n"
        writer.write(f"{head}Authorization: Bearer {gw.secrets['agent']}\r\n\r\n".encode())
        await until(lambda: "stream.dropped" in caplog.messages, "the gateway hangs up")
        received = 0
        with suppress(ConnectionError):
            while part := await reader.read(1 << 16):
                received += len(part)
    assert 0 < received < 8_000_000


async def test_an_expectation_that_is_unknown(gw: Gateway) -> None:
    """417 in the one shape; the known one is met."""
    refused = await gw.as_("agent").post("/v1/runs", {}, expect="everything")
    assert (refused.status, refused.code) == (417, "invalid_argument")
    met = await gw.as_("agent").post("/v1/runs", {}, expect="100-continue")
    assert met.status == 201


async def test_a_fault_of_ours_tells_nothing_but_a_number(
    gw: Gateway, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """500 with an incident's id that the log has too, and no word of what went wrong."""
    await gw.run()

    async def breaks(*_: object, **__: object) -> None:
        raise KeyError("psst: Customer 17")

    monkeypatch.setattr(type(gw.parts.store), "read_run", breaks)
    with caplog.at_level(logging.ERROR):
        failed = await gw.as_("agent").get(f"/v1/runs/{RUN}")
    assert (failed.status, failed.code) == (500, "internal")
    assert "psst" not in str(failed.body)
    [record] = [record for record in caplog.records if record.name == "gateway.api"]
    assert record.getMessage() == "api.failed"
    assert record.__dict__["fields"] == {
        "incident_id": failed.body["incident_id"],
        "method": "GET",
        "route": "/v1/runs/{run_id}",
    }


async def test_answers_are_kept_nowhere_on_the_way(gw: Gateway) -> None:
    """No cache, no guessing of types, no frame, and no version of what is behind."""
    for path in ("/v1/asks", "/nothing", "/healthz"):
        headers = (await gw.as_("owner").get(path)).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Server"] == "oz-gateway"


async def test_health_and_metrics_need_no_token(gw: Gateway) -> None:
    """Whether it lives, whether it can serve, and what it counted."""
    alive = await gw.nobody().get("/healthz")
    ready = await gw.nobody().get("/readyz")
    ask = await gw.deploy()
    await gw.as_("operator").post(f"/v1/asks/{ask}/answer", {"answer": ""})
    counted = await gw.nobody().get("/metrics")
    assert (alive.status, alive.body) == (200, {"status": "alive"})
    assert (ready.status, ready.body) == (200, {"status": "ready"})
    assert counted.headers["Content-Type"].startswith("text/plain")
    assert 'oz_answers_refused_total{code="invalid_argument"} 1.0' in counted.body
    assert 'oz_asks_opened_total{contract="ask_a_human"} 1.0' in counted.body


async def test_not_ready_until_the_tail_is_heard(gw: Gateway) -> None:
    """Alive, and not to be sent callers whose waits nobody would wake."""
    gw.parts.waiters.hearing.clear()
    ready = await gw.nobody().get("/readyz")
    assert (ready.status, ready.code) == (503, "unavailable")
    assert (await gw.nobody().get("/healthz")).status == 200


async def test_a_server_that_stops_keeps_nobody_waiting(gw: Gateway) -> None:
    """Who waits is told how the ask stands, and nothing of the wait is left; the ask waits on."""
    ask = await gw.deploy()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        async with serving(build_app(gw.parts), listener, finish_s=5.0):
            base = f"http://127.0.0.1:{listener.getsockname()[1]}"
            client = Client(gw.session, base, gw.secrets["agent"])
            waiting = asyncio.create_task(client.get(f"/v1/asks/{ask}/result?wait=300"))
            await until(lambda: ask in gw.parts.waiters._watches, "somebody waits for the ask")
        told = await waiting
    assert (told.status, told.body["status"]) == (200, "pending")
    assert ask not in gw.parts.waiters._watches
    assert await gw.status(ask) == "pending"
