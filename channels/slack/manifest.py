"""What is wrong with an app's manifest, and where at Slack it is mended. Pure, and total."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from channels.contract import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from channels.slack.markup import Json
    from channels.slack.settings import Settings

EVENTS = {
    "app_home_opened": "the Home tab",
    "app_mention": "mentions",
    "app_uninstalled": "being taken out of the workspace",
    "message.channels": "replies in channels",
    "message.groups": "replies in private channels",
    "message.im": "direct messages",
    "message.mpim": "replies in group messages",
    "tokens_revoked": "a token that is revoked",
}
"""What we hear of by each (platform facts, 1.10 and 1.11)."""

COMMAND = "/oz"


def findings(manifest: Json, settings: Settings) -> Iterator[Finding]:
    """Each part of it that the gateway leans on."""
    yield _events(manifest)
    yield _interactivity(manifest)
    yield _messages_tab(manifest)
    yield _command(manifest)
    yield _way_in(manifest, settings)


def _events(manifest: Json) -> Finding:
    given = _at(manifest, "settings", "event_subscriptions", "bot_events")
    missing = [name for name in EVENTS if name not in (given if isinstance(given, list) else ())]
    if not missing:
        return Finding("events: all that are needed", fine=True)
    why = "; ".join(f"{name} for {EVENTS[name]}" for name in missing)
    mend = f"Add {why} at Event Subscriptions, Subscribe to bot events, and install the app again."
    return Finding(f"events: {', '.join(missing)} missing", fine=False, mend=mend)


def _interactivity(manifest: Json) -> Finding:
    fine = _at(manifest, "settings", "interactivity", "is_enabled") is True
    mend = "Switch Interactivity on, at Interactivity & Shortcuts; without it no press arrives."
    return Finding("presses are sent to the app", fine=fine, mend="" if fine else mend)


def _messages_tab(manifest: Json) -> Finding:
    home = ("features", "app_home")
    fine = (
        _at(manifest, *home, "messages_tab_enabled") is True
        and _at(manifest, *home, "messages_tab_read_only_enabled") is not True
    )
    mend = (
        "Switch the Messages Tab on, at App Home, and let users send messages from it; without it "
        "nobody can be asked in direct messages."
    )
    return Finding("the Messages tab is on", fine=fine, mend="" if fine else mend)


def _command(manifest: Json) -> Finding:
    fine = any(_at(one, "command") == COMMAND for one in _commands(manifest))
    mend = f"Add the command {COMMAND}, at Slash Commands."
    return Finding(f"{COMMAND} is a command", fine=fine, mend="" if fine else mend)


def _way_in(manifest: Json, settings: Settings) -> Finding:
    socket = _at(manifest, "settings", "socket_mode_enabled") is True
    if settings.mode == "socket":
        mend = 'Switch Socket Mode on, at Socket Mode, or set mode = "http".'
        return Finding("Socket Mode is on", fine=socket, mend="" if socket else mend)
    wrong = [] if socket else [one for one in _urls(manifest) if not _leads_to(one, settings.path)]
    mend = (
        'Switch Socket Mode off, at Socket Mode, or set mode = "socket"; while it is on, Slack '
        "calls no address."
        if socket
        else "Set the Request URL at Event Subscriptions, at Interactivity & Shortcuts and at "
        f"Slash Commands to https://YOUR.ADDRESS{settings.path}; now one is {wrong and wrong[0]!r}."
    )
    fine = not (socket or wrong)
    return Finding("request URLs: as the settings say", fine=fine, mend="" if fine else mend)


def _urls(manifest: Json) -> Iterator[Any]:
    yield _at(manifest, "settings", "event_subscriptions", "request_url")
    yield _at(manifest, "settings", "interactivity", "request_url")
    for one in _commands(manifest):
        if _at(one, "command") == COMMAND:
            yield _at(one, "url")


def _leads_to(url: Any, path: str) -> bool:
    try:
        return isinstance(url, str) and urlsplit(url).path == path
    except ValueError:
        return False


def _commands(manifest: Json) -> list[Any]:
    found = _at(manifest, "features", "slash_commands")
    return found if isinstance(found, list) else []


def _at(found: Any, *path: str) -> Any:
    """What stands there; None where something else does."""
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found
