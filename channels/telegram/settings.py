"""What `[channel.telegram]` holds. The address is Telegram's own unless a test names another."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, SecretStr, model_validator

from gateway.question import Frozen

API_URL = "https://api.telegram.org"

PORTS = (443, 80, 88, 8443)
"""Bot API, setWebhook: the ports it posts to."""

_TOKEN = re.compile(r"\d+:[A-Za-z0-9_-]{20,}")
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
"""Bot API, setWebhook.secret_token."""


def _token(value: SecretStr) -> SecretStr:
    text = value.get_secret_value().strip()
    if not _TOKEN.fullmatch(text):
        raise ValueError("takes the token that @BotFather gave, like 110201543:AAHdqTcvCH1v…")
    return SecretStr(text)


def _secret(value: SecretStr | None) -> SecretStr | None:
    if value is not None and not _SECRET.fullmatch(value.get_secret_value()):
        raise ValueError("takes 1 to 256 letters, digits, _ or -")
    return value


def _public(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        parts = urlsplit(value)
        fits = parts.scheme == "https" and parts.hostname and (parts.port or 443) in PORTS
    except ValueError:  # a port that is none
        fits = False
    if not fits:
        ports = ", ".join(map(str, PORTS))
        raise ValueError(f"takes an address that begins with https://, on port {ports}")
    return value


def _api(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("takes an address that begins with https://")
    return value.rstrip("/")


class Settings(Frozen):
    """One bot. `webhook_url` is where Telegram posts to, as the internet sees it."""

    token: Annotated[SecretStr, AfterValidator(_token)]
    mode: Literal["polling", "webhook"] = "polling"
    webhook_url: Annotated[str | None, AfterValidator(_public)] = None
    secret: Annotated[SecretStr | None, AfterValidator(_secret)] = None
    api_url: Annotated[str, AfterValidator(_api)] = API_URL

    @model_validator(mode="after")
    def _has_an_address(self) -> Self:
        if self.mode == "webhook" and self.webhook_url is None:
            raise ValueError('mode = "webhook" needs webhook_url.')
        return self

    @property
    def webhook_secret(self) -> str:
        """What Telegram proves itself with; every replica of this bot knows the same."""
        if self.secret is not None:
            return self.secret.get_secret_value()
        return sha256(f"oz webhook {self.token.get_secret_value()}".encode()).hexdigest()

    @property
    def webhook_path(self) -> str:
        """The path Telegram posts to."""
        return urlsplit(self.webhook_url or "").path or "/"
