"""The socket by which Discord tells a bot what happens: sessions, heartbeats, resuming.

Every session gets every event it asked for, in order, and keeps what it missed while it was cut
off. Source: platform documentation, "Gateway".
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES = 1 << 0, 1 << 9, 1 << 12
MEMBERS, PRESENCES, MESSAGE_CONTENT = 1 << 1, 1 << 8, 1 << 15
PRIVILEGED = MEMBERS | PRESENCES | MESSAGE_CONTENT
KNOWN_INTENTS = (1 << 17) - 1 | 1 << 20 | 1 << 21 | 1 << 24 | 1 << 25

SENDS, SENDS_WITHIN_S = 120, 60.0
FRAME_BYTES = 4096
HEARTBEAT_S = 41.25
"""What Discord's hello asks for."""
IDENTIFY_EVERY_S = 5.0
"""Discord's: one identify in five seconds, with a `max_concurrency` of 1."""
STARTS_A_DAY = 1000
"""Discord's: so many identifies in 24 hours, those it refuses among them; then a new token."""
DAY_S = 86_400.0

_DISPATCH, _BEAT, _IDENTIFY, _PRESENCE, _VOICE, _RESUME = 0, 1, 2, 3, 4, 6
_RECONNECT, _MEMBERS, _INVALID, _HELLO, _ACK = 7, 8, 9, 10, 11


class Closed(Exception):
    """The connection ends with that code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code, self.reason = code, reason


class Wire:
    """One connection. What is sent goes out in order, compressed where the client asked for it."""

    def __init__(self, socket: web.WebSocketResponse, request: web.Request) -> None:
        self.socket = socket
        self._request = request
        self._zlib = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None
        self._out: asyncio.Queue[str | Closed] = asyncio.Queue()
        self.sent_at: deque[float] = deque()
        self.session: Session | None = None

    def send(self, text: str) -> None:
        self._out.put_nowait(text)

    def op(self, op: int, data: Any = None) -> None:
        self.send(json.dumps({"op": op, "d": data, "s": None, "t": None}))

    def close(self, code: int, reason: str = "") -> None:
        """Closes, after what is still to be sent."""
        self._out.put_nowait(Closed(code, reason))

    def cut(self) -> None:
        """Breaks the connection without a word."""
        if self._request.transport is not None:
            self._request.transport.abort()

    async def write(self) -> None:
        """Sends until the connection ends."""
        while True:
            text = await self._out.get()
            if isinstance(text, Closed):
                await self.socket.close(code=text.code, message=text.reason.encode())
                return
            try:
                if self._zlib is None:
                    await self.socket.send_str(text)
                else:
                    packed = self._zlib.compress(text.encode())
                    await self.socket.send_bytes(packed + self._zlib.flush(zlib.Z_SYNC_FLUSH))
            except ConnectionError:
                # It stays in the session's log, for when the client resumes.
                return


@dataclass(slots=True)
class Session:
    """What one identify began; `log` holds all it was sent, by number."""

    id: str
    intents: int
    sequence: int = 0
    log: list[tuple[int, str]] = field(default_factory=list)
    wire: Wire | None = None

    def push(self, name: str, data: Any) -> None:
        self.sequence += 1
        frame = {"op": _DISPATCH, "s": self.sequence, "t": name, "d": data}
        text = json.dumps(frame)
        self.log.append((self.sequence, text))
        if self.wire is not None:
            self.wire.send(text)


@dataclass(frozen=True, slots=True)
class Welcome:
    """What a session begins with, and who may begin one."""

    token: Callable[[], str]
    privileged: Callable[[], int]
    ready: Callable[[str], dict[str, Any]]
    """READY's data, for a session of that id."""
    guilds: Callable[[], list[dict[str, Any]]]
    members: Callable[[dict[str, Any]], dict[str, Any]]
    changed: Callable[[], Any]
    now_s: Callable[[], float]
    revoke: Callable[[], None]
    """Resets the token, which ends all sessions."""


class Gateway:
    """All sessions of the bot. `identifies` and `resumes` count those that were taken."""

    def __init__(
        self,
        welcome: Welcome,
        *,
        heartbeat_s: float,
        identify_every_s: float,
        starts_a_day: int,
    ) -> None:
        self._welcome = welcome
        self._heartbeat_s = heartbeat_s
        self._identify_every_s = identify_every_s
        self._starts_a_day = starts_a_day
        self._started_at: deque[float] = deque()
        self._identified_at: float | None = None
        self.identifies = 0
        self.resumes = 0
        self.sessions: dict[str, Session] = {}
        self.wires: set[Wire] = set()
        self._held: list[Callable[[], None]] | None = None

    def starts_left(self) -> int:
        """The identifies that are left of the last 24 hours'."""
        while self._started_at and self._started_at[0] <= self._welcome.now_s() - DAY_S:
            self._started_at.popleft()
        return self._starts_a_day - len(self._started_at)

    # Out

    def dispatch(self, name: str, intent: int, data: Callable[[int], Any]) -> None:
        """Tells every session that asked for it; `data` is given the session's intents."""

        def push() -> None:
            for session in self.sessions.values():
                if session.intents & intent or not intent:
                    session.push(name, data(session.intents))

        if self._held is None:
            push()
        else:
            self._held.append(push)

    @contextmanager
    def held(self) -> Iterator[None]:
        """What is dispatched meanwhile comes afterwards, the last first."""
        held: list[Callable[[], None]] = []
        self._held = held
        try:
            yield
        finally:
            self._held = None
            for push in reversed(held):
                push()

    def repeat(self, count: int) -> None:
        """Every connected session gets its last events once more, under the same numbers."""
        for session in self.sessions.values():
            if session.wire is not None:
                for _, text in session.log[-count:]:
                    session.wire.send(text)

    def reconnect(self) -> None:
        """Asks every client to connect anew and resume (op 7)."""
        for wire in self.wires:
            wire.op(_RECONNECT)

    def invalidate(self, *, resumable: bool) -> None:
        """Tells every client that its session is invalid (op 9)."""
        for wire in self.wires:
            wire.op(_INVALID, resumable)
        if not resumable:
            self.sessions.clear()

    def ask_heartbeat(self) -> None:
        """Asks every client for a heartbeat at once (op 1)."""
        for wire in self.wires:
            wire.op(_BEAT)

    def close(self, code: int) -> None:
        for wire in self.wires:
            wire.close(code)

    def cut(self) -> None:
        for wire in self.wires:
            wire.cut()

    # In

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        """Serves one connection until it ends."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        wire = Wire(socket, request)
        self.wires.add(wire)
        writer = asyncio.ensure_future(wire.write())
        try:
            await self._read(wire, request.query.get("v"))
        except Closed as closed:
            wire.close(closed.code, closed.reason)
            await writer
        finally:
            self.wires.discard(wire)
            if wire.session is not None and wire.session.wire is wire:
                wire.session.wire = None
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            await self._welcome.changed()
        return socket

    async def _read(self, wire: Wire, version: str | None) -> None:
        if version != "10":
            raise Closed(4012, "Invalid API version.")
        wire.op(_HELLO, {"heartbeat_interval": int(self._heartbeat_s * 1000), "_trace": []})
        loop = asyncio.get_running_loop()
        # Half as long again as was asked for: a beat is late, not gone.
        patience_s = self._heartbeat_s * 1.5
        beaten = loop.time()
        while True:
            try:
                got = await wire.socket.receive(beaten + patience_s - loop.time())
            except TimeoutError:
                if wire.session is not None:
                    self.sessions.pop(wire.session.id, None)
                raise Closed(4009, "Session timed out.") from None
            if got.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                self._left(wire)
                return
            op, data = self._frame(wire, got.data, loop.time())
            if op == _BEAT:
                beaten = loop.time()
            self._take(wire, op, data)
            await self._welcome.changed()

    def _left(self, wire: Wire) -> None:
        """A client that closes with 1000 or 1001 gives its session up; any other may resume."""
        if wire.session is not None and wire.socket.close_code in (
            WSCloseCode.OK,
            WSCloseCode.GOING_AWAY,
        ):
            self.sessions.pop(wire.session.id, None)

    def _frame(self, wire: Wire, raw: str | bytes, now: float) -> tuple[int, Any]:
        wire.sent_at.append(now)
        while wire.sent_at[0] < now - SENDS_WITHIN_S:
            wire.sent_at.popleft()
        if len(wire.sent_at) > SENDS:
            raise Closed(4008, "You are being rate limited.")
        if len(raw) > FRAME_BYTES:
            raise Closed(4002, "Error while decoding payload.")
        try:
            frame = json.loads(raw)
            return int(frame["op"]), frame.get("d")
        except (ValueError, TypeError, KeyError, AttributeError):
            raise Closed(4002, "Error while decoding payload.") from None

    def _take(self, wire: Wire, op: int, data: Any) -> None:
        if op == _BEAT:
            wire.op(_ACK)
        elif op == _IDENTIFY:
            self._identify(wire, data)
        elif op == _RESUME:
            self._resume(wire, data)
        elif op in (_PRESENCE, _VOICE, _MEMBERS):
            if wire.session is None:
                raise Closed(4003, "Not authenticated.")
            if op == _MEMBERS:
                wire.session.push("GUILD_MEMBERS_CHUNK", self._welcome.members(data))
        else:
            raise Closed(4001, "Unknown opcode.")

    def _identify(self, wire: Wire, data: dict[str, Any]) -> None:
        if wire.session is not None:
            raise Closed(4005, "Already authenticated.")
        if data.get("token") != self._welcome.token():
            raise Closed(4004, "Authentication failed.")
        if not self.starts_left():
            self._welcome.revoke()
            raise Closed(4004, "Authentication failed.")
        self._started_at.append(self._welcome.now_s())
        intents = data.get("intents")
        if not isinstance(intents, int) or intents & ~KNOWN_INTENTS:
            raise Closed(4013, "Invalid intent(s).")
        if intents & PRIVILEGED & ~self._welcome.privileged():
            raise Closed(4014, "Disallowed intent(s).")
        now = asyncio.get_running_loop().time()
        if self._identified_at is not None and now < self._identified_at + self._identify_every_s:
            wire.op(_INVALID, data=False)
            return
        self._identified_at = now
        self.identifies += 1
        session = Session(token_hex(16), intents, wire=wire)
        self.sessions[session.id] = wire.session = session
        session.push("READY", self._welcome.ready(session.id))
        if intents & GUILDS:
            for guild in self._welcome.guilds():
                session.push("GUILD_CREATE", guild)

    def _resume(self, wire: Wire, data: dict[str, Any]) -> None:
        if wire.session is not None:
            raise Closed(4005, "Already authenticated.")
        if data.get("token") != self._welcome.token():
            raise Closed(4004, "Authentication failed.")
        session = self.sessions.get(str(data.get("session_id")))
        if session is None:
            wire.op(_INVALID, data=False)
            return
        seen = data.get("seq")
        if not isinstance(seen, int) or seen > session.sequence:
            raise Closed(4007, "Invalid seq.")
        if session.wire is not None:
            session.wire.close(4000)
        self.resumes += 1
        wire.session, session.wire = session, wire
        for number, text in session.log:
            if number > seen:
                wire.send(text)
        session.push("RESUMED", {"_trace": []})
