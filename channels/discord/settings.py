"""What `[channel.discord]` holds. The addresses are Discord's own unless a test names others."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, SecretStr, StrictBool

from gateway.question import Frozen

API_URL = "https://discord.com/api/v10"
GATEWAY_URL = "wss://gateway.discord.gg/"


def _token(value: SecretStr) -> SecretStr:
    text = value.get_secret_value().strip()
    if not text or " " in text:
        raise ValueError("takes the token of the Bot page, without the word Bot before it")
    return SecretStr(text)


def _http(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("takes an address that begins with https://")
    return value.rstrip("/")


def _websocket(value: str) -> str:
    if not value.startswith(("ws://", "wss://")):
        raise ValueError("takes an address that begins with wss://")
    return value


class Settings(Frozen):
    """One bot. `message_content`: its privileged intent is switched on in the developer portal."""

    token: Annotated[SecretStr, AfterValidator(_token)]
    message_content: StrictBool = False
    api_url: Annotated[str, AfterValidator(_http)] = API_URL
    gateway_url: Annotated[str, AfterValidator(_websocket)] = GATEWAY_URL
