"""What Discord takes as a message, an embed, a list of mentions or a slash command.

Lengths are counted in code points. Source of every number: platform documentation, "Messages",
"Create Message", "Embed Limits", "Application Commands".
"""

from __future__ import annotations

import re
from typing import Any

from channels.testing.discord.components import check_message_components
from channels.testing.discord.refusals import Path, Problems, Unsupported, check_text
from channels.testing.discord.shapes import EPHEMERAL

CONTENT_CHARS = 2000
NONCE_CHARS = 25
EMBEDS = 10
EMBED_CHARS = 6000
"""Over all embeds of a message together."""
EMBED_FIELDS = 25
MENTION_IDS = 100
LOADING = 1 << 7
COMPONENTS_V2 = 1 << 15
KEPT_FLAGS = 1 << 2 | 1 << 12 | EPHEMERAL | COMPONENTS_V2
"""Flags a bot can set: embeds suppressed, silent, ephemeral, components of the second kind."""
COMMANDS = 130
"""In one bulk write: 100 slash, 15 user, 15 message commands."""
COMMAND_OPTIONS = 25
OPTION_CHOICES = 25
SUBCOMMAND, SUBCOMMAND_GROUP = 1, 2

_EMBED_TEXTS = {"title": 256, "description": 4096}
_COMMAND_NAME = re.compile(r"[-_'\w]{1,32}")
_LEGACY = ("content", "embeds", "poll", "sticker_ids")
_FOREIGN = ("poll", "sticker_ids", "attachments", "files", "shared_client_theme")


def check_message(body: dict[str, Any], *, v2: bool, path: Path = ()) -> None:
    """Raises: Refusal 50035 for a body that is no message; emptiness is the caller's question."""
    for key in _FOREIGN:
        if body.get(key):
            raise Unsupported(key)
    problems = Problems()
    if v2:
        for key in _LEGACY:
            if body.get(key):
                problems.add(
                    (*path, key),
                    "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                    f"The '{key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
                )
    check_text(problems, (*path, "content"), body.get("content"), 0, CONTENT_CHARS)
    _check_embeds(problems, (*path, "embeds"), body.get("embeds") or [])
    _check_mentions(problems, (*path, "allowed_mentions"), body.get("allowed_mentions") or {})
    _check_nonce(problems, (*path, "nonce"), body.get("nonce"))
    check_message_components(problems, (*path, "components"), body.get("components") or [], v2=v2)
    problems.settle()


def _check_nonce(problems: Problems, path: Path, nonce: Any) -> None:
    if isinstance(nonce, str) and len(nonce) > NONCE_CHARS:
        problems.add(path, "NONCE_TYPE_TOO_LONG", "Must be 25 or fewer characters long.")
    elif not isinstance(nonce, str | int | None) or isinstance(nonce, bool):
        problems.add(path, "NONCE_TYPE_INVALID_TYPE", "This field must be a string or integer.")


def _check_embeds(problems: Problems, path: Path, embeds: list[dict[str, Any]]) -> None:
    if len(embeds) > EMBEDS:
        problems.length(path, 0, EMBEDS)
    total = 0
    for index, embed in enumerate(embeds):
        here = (*path, index)
        parts: list[tuple[Path, Any, int]] = [
            ((*here, key), embed.get(key), most) for key, most in _EMBED_TEXTS.items()
        ]
        parts.append(((*here, "footer", "text"), (embed.get("footer") or {}).get("text"), 2048))
        parts.append(((*here, "author", "name"), (embed.get("author") or {}).get("name"), 256))
        fields = embed.get("fields") or []
        if len(fields) > EMBED_FIELDS:
            problems.length((*here, "fields"), 0, EMBED_FIELDS)
        for number, one in enumerate(fields):
            for key, most in (("name", 256), ("value", 1024)):
                if not one.get(key):
                    problems.required((*here, "fields", number, key))
                parts.append(((*here, "fields", number, key), one.get(key), most))
        for where, value, most in parts:
            check_text(problems, where, value, 0, most)
        total += sum(len(value) for _, value, _ in parts if isinstance(value, str))
    if total > EMBED_CHARS:
        problems.add(
            path, "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {EMBED_CHARS}"
        )


def _check_mentions(problems: Problems, path: Path, allowed: dict[str, Any]) -> None:
    parse = allowed.get("parse") or []
    for index, kind in enumerate(parse):
        if kind not in ("users", "roles", "everyone"):
            problems.choices((*path, "parse", index), "('users', 'roles', 'everyone')")
    for kind in ("users", "roles"):
        ids = allowed.get(kind) or []
        if len(ids) > MENTION_IDS:
            problems.length((*path, kind), 0, MENTION_IDS)
        if ids and kind in parse:
            problems.add(
                path,
                "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
                f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.',
            )


def check_commands(commands: list[dict[str, Any]]) -> None:
    """Raises: Refusal 50035 for a list of slash commands that Discord would not register."""
    problems = Problems()
    if len(commands) > COMMANDS:
        problems.length((), 0, COMMANDS)
    names: set[tuple[Any, Any]] = set()
    for index, command in enumerate(commands):
        _check_command(problems, (index,), command)
        name = (command.get("type") or 1, command.get("name"))
        if name in names:
            problems.add(
                (index,),
                "APPLICATION_COMMANDS_DUPLICATE_NAME",
                "Application command names must be unique",
            )
        names.add(name)
    problems.settle()


def _check_command(problems: Problems, path: Path, command: dict[str, Any]) -> None:
    name = command.get("name")
    if not isinstance(name, str):
        problems.required((*path, "name"))
    elif not _COMMAND_NAME.fullmatch(name) or name != name.lower():
        problems.add((*path, "name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    check_text(problems, (*path, "description"), command.get("description"), 1, 100)
    options = command.get("options") or []
    if len(options) > COMMAND_OPTIONS:
        problems.length((*path, "options"), 0, COMMAND_OPTIONS)
    for index, option in enumerate(options):
        here = (*path, "options", index)
        if option.get("type") not in range(1, 12):
            problems.choices((*here, "type"), tuple(range(1, 12)))
        choices = option.get("choices") or []
        if len(choices) > OPTION_CHOICES:
            problems.length((*here, "choices"), 0, OPTION_CHOICES)
        _check_command(problems, here, option)
