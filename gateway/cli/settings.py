"""Finds the settings file and reads it together with the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gateway.cli.chats import installed_channels
from gateway.cli.connection import shell_path
from gateway.cli.failure import Failure
from gateway.config import Config, ConfigError, load

if TYPE_CHECKING:
    from gateway.question import Frozen

FILE = "oz-gateway.toml"
"""Read from the folder the command is run in, where OZ_CONFIG names no other."""


def _channel_settings() -> Mapping[str, type[Frozen]]:
    return {name: channel.settings for name, channel in installed_channels().items()}


def read_config(environ: Mapping[str, str], **given: str | None) -> Config:
    """The settings that hold here.

    Args:
        environ: all of the environment.
        given: options of the command by their variable's name (`OZ_BIND`); they win.

    Raises:
        Failure: with every fault.
    """
    environ = dict(environ) | {name: value for name, value in given.items() if value is not None}
    named = environ.get("OZ_CONFIG")
    path = shell_path(named or FILE)
    try:
        text = path.read_text("utf-8") if named or path.exists() else ""
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise Failure(f"The settings in {path} cannot be read: {reason}.") from None
    # What the file says is relative to the file; what the shell says, to the shell's own folder.
    if folder := environ.get("OZ_DATA"):
        environ["OZ_DATA"] = str(shell_path(folder))
    try:
        return load(text, environ, folder=path.parent, channels=_channel_settings)
    except ConfigError as error:
        problems = tuple(
            f"{fault.path}: {fault.message}" if fault.path else fault.message
            for fault in error.problems
        )
        where = f" in {path}" if text else ""
        raise Failure(f"The settings{where} cannot be used:", problems=problems) from None
