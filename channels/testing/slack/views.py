"""The Web API's views: modals, opened by a trigger that is spent by it, and the App Home."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from channels.testing.slack import payloads
from channels.testing.slack.limits import too_large, view_problems
from channels.testing.slack.rules import Part
from channels.testing.slack.workspace import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.testing.slack.workspace import Trigger, View


class Views(Part):
    """`views.*`."""

    def views_open(self, args: Mapping[str, Any]) -> dict[str, Any]:
        trigger, content = self._triggered(args)
        made = self.space.view(trigger.user, content, self._top(trigger))
        if trigger.view is None:
            self.space.modals[trigger.user] = []
        self.space.push(made)
        return {"view": payloads.view(self.space, made)}

    def views_push(self, args: Mapping[str, Any]) -> dict[str, Any]:
        trigger, content = self._triggered(args)
        top = self._top(trigger)
        if top is None:
            raise Refused("invalid_trigger_id")
        made = self.space.view(trigger.user, content, top)
        self.space.push(made)
        return {"view": payloads.view(self.space, made)}

    def views_update(self, args: Mapping[str, Any]) -> dict[str, Any]:
        content = self._view(args, "modal", "home")
        for one in self.space.views():
            external = one.content.get("external_id")
            if one.id == args.get("view_id") or (external and external == args.get("external_id")):
                self._unchanged(one, args)
                self.space.redraw(one, content)
                return {"view": payloads.view(self.space, one)}
        raise Refused("not_found")

    def views_publish(self, args: Mapping[str, Any]) -> dict[str, Any]:
        content = self._view(args, "home")
        user = str(args.get("user_id"))
        if user not in self.space.users:
            raise Refused("invalid_arguments", ["invalid user_id [json-pointer:/user_id]"])
        if not self.rules.home_tab:
            raise Refused("not_enabled")
        home = self.space.homes.get(user)
        if home is None:
            home = self.space.homes[user] = self.space.view(user, content)
        else:
            self._unchanged(home, args)
            self.space.redraw(home, content)
        return {"view": payloads.view(self.space, home)}

    def _triggered(self, args: Mapping[str, Any]) -> tuple[Trigger, Any]:
        content = self._view(args, "modal")
        names = [one.content.get("external_id") for one in self.space.views()]
        if content.get("external_id") and content["external_id"] in names:
            raise Refused("duplicate_external_id")
        return self.space.spend(args.get("trigger_id")), content

    def _top(self, trigger: Trigger) -> View | None:
        stack = self.space.modals.get(trigger.user, [])
        return stack[-1] if stack and trigger.view is not None else None

    def _view(self, args: Mapping[str, Any], *kinds: str) -> Any:
        content = args.get("view")
        if isinstance(content, str):
            try:
                content = json.loads(content)
            except ValueError:
                raise Refused("invalid_arguments", ["must be JSON [json-pointer:/view]"]) from None
        self.check_view(content, *kinds)
        return content

    def check_view(self, content: Any, *kinds: str) -> None:
        """Raises: Refused."""
        problems = view_problems(content, *kinds)
        if problems:
            raise Refused("invalid_arguments", problems)
        if too_large(content):
            raise Refused("view_too_large")

    def _unchanged(self, one: View, args: Mapping[str, Any]) -> None:
        if args.get("hash") not in (None, one.hash):
            raise Refused("hash_conflict")
