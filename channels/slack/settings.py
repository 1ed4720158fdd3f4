"""What `[channel.slack]` holds. The address is Slack's own unless a test names another."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, SecretStr, model_validator

from gateway.question import Frozen

API_URL = "https://slack.com/api/"
PATH = "/slack/events"
"""Where Bolt serves by default, so that a request URL made for it goes on working."""


def _token(prefix: str, page: str) -> AfterValidator:
    def check(value: SecretStr) -> SecretStr:
        text = value.get_secret_value().strip()
        if not text.startswith(prefix):
            raise ValueError(f"takes the token of {page}, which begins with {prefix}")
        return SecretStr(text)

    return AfterValidator(check)


def _secret(value: SecretStr) -> SecretStr:
    text = value.get_secret_value().strip()
    if not text:
        raise ValueError("takes the Signing Secret of Basic Information")
    return SecretStr(text)


def _address(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("takes an address that begins with https://")
    return value.rstrip("/") + "/"


def _path(value: str) -> str:
    if not value.startswith("/"):
        raise ValueError(f"takes a path that begins with /, such as {PATH}")
    return value


class Settings(Frozen):
    """One app in one workspace.

    `mode`: `socket` dials out and needs `app_token`; `http` is called by Slack at `path` of the
    hooks' port and needs `signing_secret`. `config_token` is for `oz0 doctor` alone, which reads
    the app's manifest with it.
    """

    bot_token: Annotated[SecretStr, _token("xoxb-", "OAuth & Permissions")]
    mode: Literal["socket", "http"] = "socket"
    app_token: Annotated[SecretStr, _token("xapp-", "Basic Information")] | None = None
    signing_secret: Annotated[SecretStr, AfterValidator(_secret)] | None = None
    config_token: Annotated[SecretStr, _token("xoxe.", "App Configuration Tokens")] | None = None
    path: Annotated[str, AfterValidator(_path)] = PATH
    api_url: Annotated[str, AfterValidator(_address)] = API_URL

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.mode == "socket" and self.app_token is None:
            raise ValueError("mode socket needs app_token, with the scope connections:write")
        if self.mode == "http" and self.signing_secret is None:
            raise ValueError("mode http needs signing_secret, by which requests prove themselves")
        return self
