"""`apps.manifest.export`: how the app is set up, told to its owner's configuration token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from channels.testing.slack.workspace import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.testing.slack.rules import Rules


def export(
    rules: Rules, args: Mapping[str, Any], token: str | None, app: str, request_url: str | None
) -> dict[str, Any]:
    """The manifest; `request_url` None is Socket Mode. Raises: Refused."""
    if token in (rules.token, rules.app_token):
        raise Refused("not_allowed_token_type")
    if token != rules.config_token:
        raise Refused("invalid_auth" if token else "not_authed")
    if args.get("app_id") != app:
        raise Refused("invalid_app_id")
    address = {} if request_url is None else {"request_url": request_url}
    command = {"command": "/oz", "description": "What waits for you", "should_escape": True}
    url = {} if request_url is None else {"url": request_url}
    return {
        "display_information": {"name": "OZ"},
        "features": {
            "app_home": {
                "home_tab_enabled": rules.home_tab,
                "messages_tab_enabled": rules.messages_tab,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "OZ", "always_online": True},
            "slash_commands": [command | url] if "commands" in rules.scopes else [],
        },
        "oauth_config": {"scopes": {"bot": sorted(rules.scopes)}},
        "settings": {
            "event_subscriptions": {"bot_events": sorted(rules.events), **address},
            "interactivity": {"is_enabled": True, **address},
            "org_deploy_enabled": False,
            "socket_mode_enabled": request_url is None,
            "token_rotation_enabled": False,
        },
    }
