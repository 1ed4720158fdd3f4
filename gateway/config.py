"""What the operator set: one TOML file and a few environment variables, checked whole.

Pure: the file's text and the environment are given; the settings come out, or every fault at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    PlainValidator,
    SecretStr,
    StrictBool,
    ValidationError,
)
from pydantic import Field as Bound

from gateway import durations
from gateway.config_addresses import check_console, check_host, check_redis
from gateway.config_channels import channel_variables, read_channels
from gateway.config_checks import people_faults, route_faults, tenant_faults, unknown
from gateway.errors import GatewayError, Problem
from gateway.person import Person, Tenant
from gateway.question import Frozen
from gateway.routes import Route

PREFIX = "OZ_"
"""Every environment variable of ours; one we do not know is a fault, not a silence."""

ENVIRON = {
    "OZ_BIND": "bind",
    "OZ_CONSOLE_URL": "console_url",
    "OZ_DATA": "data",
    "OZ_FSYNC": "fsync",
    "OZ_HOOKS": "hooks",
    "OZ_REDIS_URL": "redis",
}
"""Variables that win over the same key of `[gateway]`."""

CLIENT_ENVIRON = ("OZ_CONFIG", "OZ_TOKEN", "OZ_URL")
"""Variables the command line reads for itself: this file's path, and how to reach a gateway."""

MAX_PARTITIONS = 256
"""An ask's id carries its partition in one byte (`gateway.ids`)."""

DEFAULT_RETENTION = timedelta(days=30)
"""Design, the store: settled asks go 30 days after their run's last event."""

DEFAULT_PORT = 8337
"""Ours: no well-known service has it."""

DEFAULT_HOOKS_PORT = 8338
"""Ours, likewise."""

MAX_BODY_BYTES = 64 * 1024 * 1024
"""Ours: a body is held in memory while it is read."""

Fsync = Literal["always", "everysec"]


class ConfigError(GatewayError):
    """The gateway does not start: `problems` has every fault with its place in the file."""

    code = "invalid_config"


@dataclass(frozen=True, slots=True)
class Bind:
    """Where the HTTP API listens."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT

    @property
    def loopback(self) -> bool:
        """Only this machine reaches it."""
        return self.host in {"localhost", "::1"} or self.host.startswith("127.")


def _bind(value: object) -> Bind:
    if isinstance(value, Bind):
        return value
    try:
        parts = urlsplit(f"//{value}" if isinstance(value, str) else "")
        host, port = parts.hostname, parts.port
    except ValueError:  # a port that is none, a bracket that does not close
        host, port = None, None
    else:
        host = None if parts.path or parts.query or parts.fragment or parts.username else host
    if not host or host.isdecimal():  # a port alone reads as a host
        raise ValueError("Write host:port, for example 127.0.0.1:8337 or [::1]:8337.")
    return Bind(host, DEFAULT_PORT if port is None else port)


def _redis(value: SecretStr) -> SecretStr:
    check_redis(value.get_secret_value())
    return value


def _console(value: str) -> str:
    check_console(value)
    return value.rstrip("/")


def _host(value: str) -> str:
    check_host(value)
    return value.lower()


def _own_name(value: str) -> str:
    if not value.isascii():
        raise ValueError("Write the name as browsers send it, in ASCII: xn--….")
    return _host(value)


def _data(value: object) -> object:
    if value == "" or (isinstance(value, str) and value.startswith("~")):
        raise ValueError("Write the folder's path, in full or from ~/ on.")
    return value


def _private(value: object) -> bool | tuple[str, ...]:
    if isinstance(value, bool):
        return value
    if isinstance(value, list | tuple) and all(isinstance(host, str) for host in value):
        return tuple(map(_host, value))
    raise ValueError('Write true, false, or the hosts that are allowed: ["hooks.internal"].')


def _retention(value: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    return durations.parse(value if isinstance(value, str) else "")


class Settings(Frozen):
    """The `[gateway]` table. `redis` is None where the gateway runs its own engine in `data`.

    `allow_private_webhooks` is true for any, or the hosts that webhooks may reach although they
    are private or loopback. `body_bytes` bounds one request's body. `hooks` is where platforms that
    call us are heard, apart from the API; nothing listens there unless a channel wants it.
    """

    data: Annotated[Path, BeforeValidator(_data)]
    bind: Annotated[Bind, PlainValidator(_bind)] = Bind()
    redis: Annotated[SecretStr, AfterValidator(_redis)] | None = None
    fsync: Fsync = "always"
    partitions: Annotated[int, Bound(strict=True, ge=1, le=MAX_PARTITIONS)] = 16
    retention: Annotated[timedelta, BeforeValidator(_retention)] = DEFAULT_RETENTION
    wait_for_replicas: StrictBool = True
    allowed_hosts: tuple[Annotated[str, AfterValidator(_own_name)], ...] = ()
    allow_private_webhooks: Annotated[bool | tuple[str, ...], PlainValidator(_private)] = False
    console_url: Annotated[str, AfterValidator(_console)] | None = None
    hooks: Annotated[Bind, PlainValidator(_bind)] = Bind(port=DEFAULT_HOOKS_PORT)
    body_bytes: Annotated[int, Bound(strict=True, ge=65_536, le=MAX_BODY_BYTES)] = 1_048_576

    @property
    def hosts(self) -> frozenset[str]:
        """Lower-case names that a request's `Host` may bear, without a port."""
        names = {"localhost", "127.0.0.1", "::1", self.bind.host, *self.allowed_hosts}
        if self.console_url:
            names.add(urlsplit(self.console_url).hostname or self.bind.host)
        return frozenset(name.lower() for name in names)

    def may_reach_private(self, host: str) -> bool:
        """Whether a webhook may go to that host although it is private or loopback."""
        allowed = self.allow_private_webhooks
        return allowed if isinstance(allowed, bool) else host.lower() in allowed


DEFAULT_TENANT = Tenant(id="default", name="Default")
"""The one tenant of a gateway that names none."""


class Config(Frozen):
    """Everything that was set. `channels` has the settings of each that was configured, by name."""

    gateway: Settings
    tenants: Annotated[tuple[Tenant, ...], Bound(alias="tenant")] = (DEFAULT_TENANT,)
    people: Annotated[tuple[Person, ...], Bound(alias="person")] = ()
    routes: Annotated[tuple[Route, ...], Bound(alias="route")] = ()
    channels: Annotated[Mapping[str, Any], Bound(alias="channel", default_factory=dict)]


Models = Callable[[], Mapping[str, type[Frozen]]]


def load(
    text: str,
    environ: Mapping[str, str],
    *,
    folder: Path,
    channels: Models = dict,
) -> Config:
    """The settings in a file's text, the environment's over them.

    Args:
        text: TOML; "" where there is no file.
        channels: the keys of `[channel.<name>]`, by the name of each channel that is installed;
            called only where something was set that may be a channel's.
        environ: all of the environment; only names that begin with `OZ_`, `XDG_DATA_HOME` and
            `HOME` are looked at.
        folder: absolute; what relative paths are relative to.

    Raises:
        ConfigError: with every fault found; none repeats a value.
    """
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also a number of 5,000 digits, 1,000 brackets
        raise _refusal([Problem("", f"Not TOML: {error}.")]) from None
    ours = {*ENVIRON, *CLIENT_ENVIRON}
    others = [name for name in environ if name.startswith(PREFIX) and name not in ours]
    models = channels() if others or "channel" in tables or "route" in tables else {}
    problems = _unknown_variables(environ, models)
    table = tables.setdefault("gateway", {})
    if isinstance(table, dict):
        table.update({key: environ[name] for name, key in ENVIRON.items() if environ.get(name)})
        _place_data(table, environ, folder)
    _fill_tenant(tables)
    try:
        config = Config.model_validate(tables)
    except ValidationError as error:
        raise _refusal([*problems, *_type_faults(error, environ)]) from None
    problems += tenant_faults(config.tenants) + people_faults(config.tenants, config.people)
    problems += route_faults(config.tenants, config.people, config.routes, list(models))
    read, faults = read_channels(tables.get("channel", {}), models, environ)
    problems += faults
    if problems:
        raise _refusal(problems)
    return config.model_copy(update={"channels": read})


def _refusal(problems: Sequence[Problem]) -> ConfigError:
    lines = [
        f"{fault.path}: {fault.message}" if fault.path else fault.message for fault in problems
    ]
    return ConfigError("\n".join(lines), problems)


def _unknown_variables(
    environ: Mapping[str, str], channels: Mapping[str, type[Frozen]]
) -> list[Problem]:
    known = (*ENVIRON, *CLIENT_ENVIRON, *channel_variables(channels))
    return [
        Problem(name, unknown("variable", name, known), code="unknown")
        for name in sorted(environ)
        if name.startswith(PREFIX) and name not in known
    ]


def _place_data(table: dict[str, Any], environ: Mapping[str, str], folder: Path) -> None:
    """Makes the data folder absolute; without one it is the XDG data folder's `oz-gateway`."""
    home = environ.get("HOME", "")
    given = table.get("data")
    if isinstance(given, str) and given:
        if home and given.partition("/")[0] == "~":
            given = f"{home}{given[1:]}"
        table["data"] = given if given.startswith("~") else str(folder / given)
    elif given is None:
        shared = environ.get("XDG_DATA_HOME", "")
        # A relative XDG folder is to be ignored (XDG base directory specification).
        if shared.startswith("/"):
            table["data"] = f"{shared}/oz-gateway"
        elif home:
            table["data"] = f"{home}/.local/share/oz-gateway"


def _fill_tenant(tables: dict[str, Any]) -> None:
    """People and routes need not name their tenant where there is only one."""
    tenants = tables.get("tenant", [{"id": DEFAULT_TENANT.id}])
    if not (isinstance(tenants, list) and len(tenants) == 1):
        return
    only = tenants[0].get("id") if isinstance(tenants[0], dict) else None
    for name in ("person", "route"):
        listed = tables.get(name, [])
        for one in listed if isinstance(listed, list) else ():
            if only is not None and isinstance(one, dict):
                one.setdefault("tenant", only)


_TABLES: dict[str, type[Frozen]] = {
    "gateway": Settings,
    "tenant": Tenant,
    "person": Person,
    "route": Route,
}

_WORDS = {
    "missing": "Needed, and missing.",
    "model_type": "Write a table: [gateway], [[tenant]], [[person]], [[route]].",
    "mapping_type": "Write a table for each channel: [channel.slack].",
    "tuple_type": 'Write a list: ["…"], or [[…]] above each table.',
}
"""Where pydantic's own words speak of Python."""


def _type_faults(error: ValidationError, environ: Mapping[str, str]) -> list[Problem]:
    problems = []
    for fault in error.errors(include_input=False, include_url=False, include_context=False):
        place, path = fault["loc"], _path(fault["loc"], environ)
        if fault["type"] == "extra_forbidden":
            table = _TABLES.get(str(place[0])) if len(place) > 1 else None
            known = list(table.model_fields if table else (*_TABLES, "channel"))
            problems.append(Problem(path, unknown("key", str(place[-1]), known), code="unknown"))
        else:
            said = fault["msg"].removeprefix("Value error, ").rstrip(".") + "."
            problems.append(Problem(path, _WORDS.get(fault["type"], said), code=fault["type"]))
    return problems


def _path(place: tuple[str | int, ...], environ: Mapping[str, str]) -> str:
    """As `person[1].name`; a key that came from a variable is called by the variable's name."""
    for name, key in ENVIRON.items():
        if place == ("gateway", key) and environ.get(name):
            return name
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
