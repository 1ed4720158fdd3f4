"""Interactions: what a press, a form or a command brings the bot, and the answers it may give.

One first answer, in time; more by the token while that lives. Source: platform documentation,
"Receiving and Responding to Interactions".
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

from channels.testing.discord import shapes
from channels.testing.discord.bodies import (
    COMPONENTS_V2,
    KEPT_FLAGS,
    LOADING,
    check_message,
)
from channels.testing.discord.components import check_modal
from channels.testing.discord.posts import Messages
from channels.testing.discord.refusals import Problems, Refusal, Unsupported
from channels.testing.discord.shapes import EPHEMERAL

if TYPE_CHECKING:
    from channels.testing.discord.shapes import Channel, Person, Post
    from channels.testing.discord.world import Rules

COMMAND, COMPONENT, MODAL_SUBMIT = 2, 3, 5
MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, AUTOCOMPLETE, MODAL = 4, 5, 6, 7, 8, 9

FAILED = "This interaction failed"
"""What the client shows where nothing answered in time."""


@dataclass(slots=True)
class Turn:
    """One interaction. `answered` is the type of its first answer, `original` what that made."""

    id: str
    token: str
    kind: int
    person: Person
    place: Channel
    made_s: float
    source: Post | None = None
    answered: int | None = None
    original: str | None = None
    made: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Modal:
    """A form that is open in front of somebody, where it was asked for, and from which message."""

    data: dict[str, Any]
    place: Channel
    source: Post | None


class Interactions(Messages):
    """A world in which people press, choose, fill in and command."""

    def __init__(self, token: str, rules: Rules) -> None:
        super().__init__(token, rules)
        self.turns: dict[str, Turn] = {}
        self.modals: dict[str, Modal] = {}
        """The form that is open, by account."""

    async def begin(
        self, kind: int, person: Person, place: Channel, data: dict[str, Any], source: Post | None
    ) -> Turn:
        """An interaction starts: the bot hears of it, and its time runs."""
        turn = Turn(self.snowflake(), token_urlsafe(48), kind, person, place, self.now_s(), source)
        self.turns[turn.id] = turn
        payload = shapes.interaction(turn.id, turn.token, kind, person, place, self.bot)
        payload["data"] = data
        if source is not None:
            payload["message"] = source.raw
        self.gateway.dispatch("INTERACTION_CREATE", 0, lambda _: payload)
        self.spawn(self._show_failure(turn))
        await self.changed()
        return turn

    async def _show_failure(self, turn: Turn) -> None:
        """Wakes whoever waits to see that it failed."""
        await asyncio.sleep(self.rules.ack_within_s)
        if turn.answered is None:
            await self.changed()

    def failed(self, account: str) -> list[str]:
        """Ids of interactions of theirs that nothing answered in time."""
        return [
            one.id
            for one in self.turns.values()
            if one.person.id == account and one.answered is None and self._is_late(one)
        ]

    def _is_late(self, turn: Turn) -> bool:
        return self.now_s() - turn.made_s > self.rules.ack_within_s

    # The first answer

    def answer(self, interaction: str, token: str, body: dict[str, Any]) -> dict[str, Any]:
        """Takes the first answer; what the platform says of it. Raises: Refusal."""
        turn = self.turns.get(interaction)
        if turn is None or turn.token != token:
            raise Refusal(10062)
        if turn.answered is not None:
            raise Refusal(40060)
        if self._is_late(turn):
            raise Refusal(10062)
        kind, data = body.get("type"), body.get("data") or {}
        allowed = self._allowed(turn)
        if kind not in allowed:
            problems = Problems()
            problems.choices(("type",), "{" + ", ".join(map(str, allowed)) + "}")
            problems.settle()
        message = self._first(turn, int(kind or 0), data)
        turn.answered = kind
        return self._receipt(turn, message)

    @staticmethod
    def _allowed(turn: Turn) -> tuple[int, ...]:
        if turn.kind == COMMAND:
            return (4, 5, 9, 10, 12)
        if turn.kind == MODAL_SUBMIT:
            return (4, 5, 6, 7, 10, 12) if turn.source else (4, 5, 10, 12)
        return (4, 5, 6, 7, 9, 10, 12)

    def _first(self, turn: Turn, kind: int, data: dict[str, Any]) -> Post | None:
        if kind == MESSAGE:
            return self._say(turn, data, original=True)
        if kind == DEFERRED_MESSAGE:
            flags = (data.get("flags") or 0) & EPHEMERAL | LOADING
            return self._write(turn, {}, flags, original=True)
        if kind == DEFERRED_UPDATE:
            turn.original = turn.source.raw["id"] if turn.source else None
            return turn.source
        if kind == UPDATE and turn.source is not None:
            self.standing(turn.place, turn.source)
            turn.original = turn.source.raw["id"]
            return self.revise(turn.place, turn.source, data, ("data",))
        if kind == MODAL:
            check_modal(data)
            self.modals[turn.person.id] = Modal(data, turn.place, turn.source)
            return None
        raise Unsupported(f"callback type {kind}")

    def standing(self, place: Channel, post: Post) -> Post:
        """The post, if it still stands. Raises: Refusal 10008."""
        if place.posts.get(post.raw["id"]) is not post:
            raise Refusal(10008)
        return post

    def _say(self, turn: Turn, body: dict[str, Any], *, original: bool = False) -> Post:
        flags = (body.get("flags") or 0) & KEPT_FLAGS
        path = ("data",) if original else ()
        check_message(body, v2=bool(flags & COMPONENTS_V2), path=path)
        return self._write(turn, body, flags, original=original)

    def _write(
        self, turn: Turn, body: dict[str, Any], flags: int, *, original: bool = False
    ) -> Post:
        extra: dict[str, Any] = {
            "application_id": self.bot.id,
            "webhook_id": self.bot.id,
            "interaction_metadata": self._metadata(turn),
        }
        if turn.kind == COMMAND:
            extra["type"] = 20
        private_to = turn.person.id if flags & EPHEMERAL else None
        body = body | {"nonce": None}
        post = self.write(
            turn.place, self.bot, body, flags=flags, private_to=private_to, extra=extra
        )
        turn.made.add(post.raw["id"])
        if original:
            turn.original = post.raw["id"]
        return post

    @staticmethod
    def _metadata(turn: Turn) -> dict[str, Any]:
        """What a message says of the interaction it answers."""
        shape: dict[str, Any] = {"id": turn.id, "user": shapes.user(turn.person)}
        owners = {"0": turn.place.guild.id if turn.place.guild else "0"}
        shape["authorizing_integration_owners"] = owners
        cause = shape | {"type": COMMAND}
        if turn.source is not None:
            cause = shape | {"type": COMPONENT, "interacted_message_id": turn.source.raw["id"]}
        if turn.kind == MODAL_SUBMIT:
            return shape | {"type": MODAL_SUBMIT, "triggering_interaction_metadata": cause}
        return cause

    @staticmethod
    def _receipt(turn: Turn, post: Post | None) -> dict[str, Any]:
        said: dict[str, Any] = {"id": turn.id, "type": turn.kind, "channel_id": turn.place.id}
        if turn.place.guild is not None:
            said["guild_id"] = turn.place.guild.id
        if post is not None:
            said |= {
                "response_message_id": post.raw["id"],
                "response_message_loading": bool(post.raw["flags"] & LOADING),
                "response_message_ephemeral": bool(post.raw["flags"] & EPHEMERAL),
            }
        receipt: dict[str, Any] = {"interaction": said}
        if post is not None and turn.answered in (MESSAGE, UPDATE):
            receipt["resource"] = {"type": turn.answered, "message": post.raw}
        return receipt

    # Further answers

    def turn_of(self, application: str, token: str) -> Turn:
        """The interaction of a token that still lives and was answered once. Raises: Refusal."""
        turn = next((one for one in self.turns.values() if one.token == token), None)
        if turn is None or application != self.bot.id or turn.answered is None:
            raise Refusal(10015)
        if self.now_s() - turn.made_s > self.rules.token_life_s:
            raise Refusal(50027)
        return turn

    def follow_up(self, turn: Turn, body: dict[str, Any]) -> Post:
        """One more message; the first after a deferral takes its place, and its visibility."""
        if turn.answered == DEFERRED_MESSAGE and turn.original is not None:
            post = turn.place.posts.get(turn.original)
            if post is not None and post.raw["flags"] & LOADING:
                return self.revise(turn.place, post, body)
        return self._say(turn, body)

    def answered(self, turn: Turn, message: str) -> Post:
        """A message that the interaction's token may change. Raises: Refusal 10008."""
        if message == "@original":
            message = turn.original or ""
        elif message not in turn.made:
            raise Refusal(10008)
        post = turn.place.posts.get(message)
        if post is None:
            raise Refusal(10008)
        return post
