"""Who may speak to whom: the bot's access tokens, and the tokens the service signs for the bot.

It serves from a thread of its own, because the SDK fetches keys and tokens with blocking calls
inside the bot's event loop, which may be the loop of the test and of the rest of this fake.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from dataclasses import dataclass, field
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import parse_qs
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from channels.testing.platform import Call

if TYPE_CHECKING:
    from collections.abc import Callable

    from channels.testing.platform import Fault

ISSUER = "https://api.botframework.com"
"""Who signs what the public cloud sends to bots."""

SCOPE = "https://api.botframework.com/.default"

TOKEN_S = 3599
"""How long Entra's client credentials tokens are good for, as it says in `expires_in`."""

SKEW_S = 300
"""How far bots are told to let clocks be apart."""

WRONG = (
    "absent",
    "garbage",
    "not bearer",
    "alg none",
    "expired",
    "not yet valid",
    "wrong audience",
    "wrong issuer",
    "lookalike issuer",
    "wrong service url",
    "no service url",
    "foreign key",
    "unknown key",
    "not endorsed",
    "hmac with the public key",
)
"""What `Identity.wrong` makes: every way a request's token is known to be wrong."""


@lru_cache(maxsize=8)
def _private_key(number: int) -> rsa.RSAPrivateKey:
    """One of a process's keys, by number: making one takes a tenth of a second."""
    del number
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass(frozen=True, slots=True)
class Key:
    """A signing key as the service publishes it, with the channels it may sign for."""

    private: rsa.RSAPrivateKey
    endorsements: tuple[str, ...] = ("msteams",)
    id: str = field(default_factory=lambda: uuid4().hex)

    @property
    def public(self) -> dict[str, Any]:
        found: dict[str, Any] = jwt.algorithms.RSAAlgorithm.to_jwk(
            self.private.public_key(), as_dict=True
        )
        named = {"use": "sig", "kid": self.id, "x5t": self.id}
        return {**found, **named, "endorsements": list(self.endorsements)}


class _Refused(Exception):
    """A request that is answered with an error, under the platform's own code."""

    def __init__(self, status: int, code: str, body: Any) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.body = body


class Identity:
    """Entra's token endpoint, and the bot service's OpenID metadata with its keys.

    `take` gives the fault a call meets, `heard` is told of every call, `down` says whether all
    connections are closed unanswered; all three are called from this server's threads.
    """

    def __init__(
        self,
        app_id: str,
        password: str,
        tenant: str,
        *,
        take: Callable[[str], Fault | None],
        heard: Callable[[Call], None],
        down: Callable[[], bool],
    ) -> None:
        self.app_id = app_id
        self.password = password
        self.tenant = tenant
        self.token_s = TOKEN_S
        self.url = ""
        self._take = take
        self._heard = heard
        self._down = down
        self._stopped = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self._tokens: dict[str, float] = {}
        self._rotations = 0
        self.key = Key(_private_key(0))
        self.unendorsed = Key(_private_key(1), endorsements=("webchat",))

    # Life

    @property
    def metadata_url(self) -> str:
        return f"{self.url}/v1/.well-known/openidconfiguration"

    @property
    def login_url(self) -> str:
        """Where the bot's access tokens come from."""
        return f"{self.url}/{self.tenant}/oauth2/v2.0/token"

    def start(self) -> None:
        """Serves on a free port of the loopback interface."""
        identity = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                identity.serve(self)

            def do_POST(self) -> None:
                identity.serve(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Calls are kept by the platform instead."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        # A request that waits for its delay ends by `_stopped`; nothing is waited for here.
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Blocks until the thread has ended: some hundredths of a second."""
        self._stopped.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    # Serving

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        """Answers one request, from a thread of its own."""
        length = int(request.headers.get("Content-Length") or 0)
        form = {k: v[0] for k, v in parse_qs(request.rfile.read(length).decode()).items()}
        request.close_connection = True
        if self._down():
            return
        at = time.monotonic()
        method, work = self._route(request.command, request.path)
        fault = self._take(method)
        if fault is not None:
            self._stopped.wait(fault.delay_s)
        headers: dict[str, str] = {}
        status, refused = 200, None
        if fault is not None and fault.status is not None:
            status, refused = fault.status, str(fault.status)
            answer, headers = fault.body, fault.headers
        else:
            try:
                answer = work(form)
            except _Refused as error:
                status, refused, answer = error.status, error.code, error.body
        # The secret is the platform's to check, and nobody's to keep.
        shown = {key: value for key, value in form.items() if key != "client_secret"}
        self._heard(Call(method, shown, at, refused))
        if fault is not None and fault.lost:
            return
        body = json.dumps(answer).encode()
        # Not `send_response`: it adds a date of its own beside that of a fault.
        request.send_response_only(status)
        own = {"Date": request.date_time_string(), "Content-Length": str(len(body))}
        headers = {"Content-Type": "application/json", **own, **headers}
        for name, value in headers.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)

    def _route(self, command: str, path: str) -> tuple[str, Callable[[dict[str, str]], Any]]:
        if command == "GET" and path == "/v1/.well-known/openidconfiguration":
            return "openid", self._metadata
        if command == "GET" and path == "/v1/.well-known/keys":
            return "keys", self._keys
        if command == "POST" and path.endswith("/oauth2/v2.0/token"):
            tenant = path.removesuffix("/oauth2/v2.0/token").strip("/")
            return "token", lambda form: self._grant(tenant, form)
        return "unknown", self._unknown

    def _unknown(self, form: dict[str, str]) -> NoReturn:
        del form
        raise _Refused(404, "404", {"message": "No HTTP resource was found."})

    def _metadata(self, form: dict[str, str]) -> dict[str, Any]:
        del form
        return {
            "issuer": ISSUER,
            "authorization_endpoint": "https://invalid.botframework.com",
            "jwks_uri": f"{self.url}/v1/.well-known/keys",
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        }

    def _keys(self, form: dict[str, str]) -> dict[str, Any]:
        del form
        return {"keys": [self.key.public, self.unendorsed.public]}

    def _grant(self, tenant: str, form: dict[str, str]) -> dict[str, Any]:
        """Client credentials only; refusals have Entra's own error codes."""
        if tenant != self.tenant:
            raise _entra(400, "invalid_request", 90002, f"Tenant '{tenant}' not found.")
        if form.get("grant_type") != "client_credentials":
            kind = form.get("grant_type", "")
            raise _entra(
                400, "unsupported_grant_type", 70003, f"The grant type '{kind}' is not supported."
            )
        if form.get("scope") != SCOPE:
            raise _entra(400, "invalid_scope", 1002012, "The provided value for scope is not valid")
        if form.get("client_id") != self.app_id:
            raise _entra(400, "unauthorized_client", 700016, "Application was not found.")
        if form.get("client_secret") != self.password:
            raise _entra(401, "invalid_client", 7000215, "Invalid client secret provided.")
        token = secrets.token_urlsafe(24)
        self._tokens[token] = time.monotonic() + self.token_s
        lifetime = {"expires_in": self.token_s, "ext_expires_in": self.token_s}
        return {"token_type": "Bearer", **lifetime, "access_token": token}

    # Tokens of the bot

    def admits(self, authorization: str | None) -> bool:
        """Whether a request of the bot carries an access token given out and still good."""
        kind, _, token = (authorization or "").partition(" ")
        return kind == "Bearer" and self._tokens.get(token, 0.0) > time.monotonic()

    def revoke(self) -> None:
        """No access token given out so far is good any more."""
        self._tokens.clear()

    # Tokens for the bot

    def rotate(self) -> None:
        """Signs with a new key from now on; the old one is no longer published."""
        self._rotations += 1
        self.key = Key(_private_key(2 + self._rotations % 2))

    def bearer(self, service_url: str, *, key: Key | None = None, **claims: Any) -> str:
        """The `Authorization` header of a delivery; `claims` replace its own, None drops one."""
        key = key or self.key
        now = int(time.time())
        found = {
            "serviceurl": service_url,
            "nbf": now,
            "exp": now + 3600,
            "iss": ISSUER,
            "aud": self.app_id,
            **claims,
        }
        payload = {name: value for name, value in found.items() if value is not None}
        headers = {"kid": key.id, "x5t": key.id}
        return f"Bearer {jwt.encode(payload, key.private, 'RS256', headers=headers)}"

    def wrong(self, kind: str, service_url: str) -> str | None:
        """A header that has to be refused, by its name in `WRONG`; None: there is none."""
        past = int(time.time()) - SKEW_S - 60
        future = int(time.time()) + SKEW_S + 60
        right = self.bearer(service_url)
        claims = jwt.decode(right.split()[1], options={"verify_signature": False})
        # PyJWT itself refuses a PEM as an HMAC secret, so the attack is made of the raw modulus.
        modulus = self.key.public["n"]
        kid = {"kid": self.key.id}
        unpublished = _private_key(4)
        made: dict[str, Callable[[], str | None]] = {
            "absent": lambda: None,
            "garbage": lambda: "Bearer garbage",
            "not bearer": lambda: right.replace("Bearer", "Basic"),
            "alg none": lambda: f"Bearer {jwt.encode(claims, '', 'none', headers=kid)}",
            "expired": lambda: self.bearer(service_url, nbf=past - 3600, exp=past),
            "not yet valid": lambda: self.bearer(service_url, nbf=future),
            "wrong audience": lambda: self.bearer(service_url, aud=str(uuid4())),
            "wrong issuer": lambda: self.bearer(service_url, iss="https://sts.windows.net/x/"),
            "lookalike issuer": lambda: self.bearer(service_url, iss=f"{ISSUER}.example.org"),
            "wrong service url": lambda: self.bearer("https://smba.example.org/emea/"),
            "no service url": lambda: self.bearer(service_url, serviceurl=None),
            "foreign key": lambda: self.bearer(service_url, key=Key(unpublished, id=self.key.id)),
            "unknown key": lambda: self.bearer(service_url, key=Key(unpublished)),
            "not endorsed": lambda: self.bearer(service_url, key=self.unendorsed),
            "hmac with the public key": lambda: (
                f"Bearer {jwt.encode(claims, modulus, 'HS256', headers=kid)}"
            ),
        }
        return made[kind]()


def _entra(status: int, error: str, code: int, message: str) -> _Refused:
    """A refusal of the token endpoint, in its own shape."""
    trace = str(uuid4())
    body = {
        "error": error,
        "error_description": f"AADSTS{code}: {message} Trace ID: {trace}",
        "error_codes": [code],
        "timestamp": time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime()),
        "trace_id": trace,
        "correlation_id": str(uuid4()),
    }
    return _Refused(status, error, body)
