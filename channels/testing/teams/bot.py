"""The way to the bot: activities posted to its endpoint, signed, and what it answers to each."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import aiohttp

from channels.testing.platform import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from channels.testing.teams import Teams

Activity = dict[str, Any]

GIVES_UP_S = 15.0
"""How long the service waits for a bot; its pages say 10 to 15 s."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the bot answered: `status` is None where it did not, and `why` says what happened."""

    status: int | None
    body: Any
    at: float
    why: str | None = None

    @property
    def taken(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


class Bot:
    """The bot's endpoint, as the service knows it."""

    def __init__(self, teams: Teams, gives_up_s: float) -> None:
        self._teams = teams
        self._gives_up_s = gives_up_s
        self._session: aiohttp.ClientSession | None = None
        self._held: list[Activity] | None = None
        self.endpoint: str | None = None
        self.sent: list[Activity] = []
        """Every activity posted to the bot, oldest first, repeats too."""

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    # Sending

    def send(self, activity: Activity) -> None:
        """Posts it in the background, or keeps it while deliveries are held."""
        if self._held is None:
            self._teams.spawn(self._deliver_twice(activity))
        else:
            self._held.append(activity)

    def hold(self) -> None:
        """What people write from now on is kept, until it is released."""
        self._held = []

    async def release(self, order: Callable[[Sequence[Activity]], Sequence[Activity]]) -> None:
        """Delivers what was held, one after the other, in the order that `order` puts it in."""
        held, self._held = self._held or [], None
        for activity in order(held):
            await self.deliver(activity)

    async def again(self, activity_id: str) -> Answer:
        """Posts an activity once more, the same in every byte but its token."""
        found = [one for one in self.sent if one["id"] == activity_id]
        if not found:
            raise LookupError(f"no activity {activity_id!r} was sent to the bot")
        return await self.deliver(found[-1])

    async def _deliver_twice(self, activity: Activity) -> None:
        answer = await self.deliver(activity)
        if answer.why == "Timeout":
            # A slow bot may be told again; one that refused is not.
            await self.deliver(activity)

    async def deliver(self, activity: Activity, **how: Any) -> Answer:
        """Posts it now. `authorization` replaces the header, None leaves it out."""
        service_url = self._teams.service_url
        activity = {**activity, "serviceUrl": activity["serviceUrl"] or service_url}
        self.sent.append(activity)
        bearer = self._teams.identity.bearer(activity["serviceUrl"])
        answer = await self._post(activity, how.get("authorization", bearer))
        invoke = activity["type"] == "invoke"
        await self._teams.note(
            Call(
                "invokeResponse" if invoke else "acknowledge",
                {
                    "activity": activity["id"],
                    "type": activity["type"],
                    "name": activity.get("name"),
                    "status": answer.status,
                    "body": answer.body,
                },
                answer.at,
                None if answer.taken else answer.why or str(answer.status),
            )
        )
        return answer

    async def _post(self, activity: Activity, authorization: str | None) -> Answer:
        loop = asyncio.get_running_loop()
        if self.endpoint is None:
            return Answer(None, None, loop.time(), "NoEndpoint")
        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=self._gives_up_s)
            self._session = aiohttp.ClientSession(timeout=timeout)
        headers = {
            "User-Agent": "Microsoft-SkypeBotApi (Microsoft-BotFramework/3.0)",
            "x-ms-conversation-id": activity["conversation"]["id"],
            "x-ms-tenant-id": self._teams.tenant,
        }
        if authorization is not None:
            headers["Authorization"] = authorization
        try:
            async with self._session.post(self.endpoint, json=activity, headers=headers) as found:
                text = await found.text()
                status = found.status
        except TimeoutError:
            return Answer(None, None, loop.time(), "Timeout")
        except aiohttp.ClientError as error:
            return Answer(None, None, loop.time(), type(error).__name__)
        try:
            body = await found.json(content_type=None) if text else None
        except ValueError:
            body = text
        return Answer(status, body, loop.time())
