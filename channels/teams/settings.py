"""What `[channel.teams]` says: the bot's account, and the addresses of Microsoft's services."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, SecretStr

from gateway.question import Frozen

ISSUER = "https://api.botframework.com"
"""Who signs what the public cloud sends to bots (platform facts, 2.2)."""

PATH = "/teams/messages"
"""Where the bot's messaging endpoint points to, on the address that Microsoft reaches."""


def _address(value: str) -> str:
    try:
        parts = urlsplit(value)
        whole = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        whole = False
    if not whole:
        raise ValueError("Write the whole address, for example https://login.microsoftonline.com.")
    return value.rstrip("/")


def _named(value: str) -> str:
    if not value.strip():
        raise ValueError("Copy it from the bot's registration; it looks like 00000000-0000-….")
    return value.strip()


def _secret(value: SecretStr) -> SecretStr:
    if not value.get_secret_value().strip():
        raise ValueError("Copy the client secret's value, not its id.")
    return value


Address = Annotated[str, AfterValidator(_address)]
Named = Annotated[str, AfterValidator(_named)]


class Settings(Frozen):
    """The `[channel.teams]` table.

    `tenant` is the directory that the bot is registered in; a bot of several tenants from before
    2025 gets its tokens from `login_tenant = "botframework.com"`. The other addresses are those of
    the public cloud; other clouds, and a fake, have their own.
    """

    app_id: Named
    app_password: Annotated[SecretStr, AfterValidator(_secret)]
    tenant: Named
    login_tenant: str = ""
    login_url: Address = "https://login.microsoftonline.com"
    scope: str = f"{ISSUER}/.default"
    service_url: Address = "https://smba.trafficmanager.net/teams"
    """Used until a conversation has told its own."""
    keys_url: Address = "https://login.botframework.com/v1/.well-known/openidconfiguration"
    issuer: Address = ISSUER

    @property
    def token_url(self) -> str:
        """Where access tokens come from."""
        return f"{self.login_url}/{self.login_tenant or self.tenant}/oauth2/v2.0/token"
