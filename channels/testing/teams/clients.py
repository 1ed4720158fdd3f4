"""The Teams clients of people: what they type, press and fill in, and what they see of it.

A client sends what it drew: pressing an old picture of a message sends that picture's action.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from channels.testing.platform import Call, Form, Message
from channels.testing.teams.card_rules import MOST_REFRESHED, CardRefused, check
from channels.testing.teams.cards import Action, Drawn, draw, entry, held, initial, problem
from channels.testing.teams.rooms import ADAPTIVE, GROUP, PERSONAL, Post

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from channels.testing.teams import Teams
    from channels.testing.teams.bot import Answer
    from channels.testing.teams.card_rules import Node
    from channels.testing.teams.rooms import Person, Room

UNREACHABLE = "Unable to reach app. Please try again."
"""What a client says when the bot did not answer a press in time."""

WENT_WRONG = "Something went wrong. Please try again."
"""What a client says when the bot's answer to a press is none."""

REFRESH_AFTER = timedelta(minutes=1)
"""A client asks for a card again once its copy is older than this."""

CARD_ANSWER = "application/vnd.microsoft.card.adaptive"
TOAST_ANSWER = "application/vnd.microsoft.activity.message"
ERROR_ANSWERS = {
    "application/vnd.microsoft.error": (400, 500),
    "application/vnd.microsoft.error.preconditionFailed": (412,),
}


class AnswerRefused(Exception):
    """The bot's answer to an invoke is not one that Teams takes."""


@dataclass(slots=True)
class _Copy:
    """One client's copy of a message: what was put into it, opened and shown there alone."""

    values: dict[str, str] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    visible: dict[str, bool] = field(default_factory=dict)
    card: Node | None = None
    """A card that the bot answered a press with: only this client has it."""
    fetched: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Dialog:
    """A dialog that is open in front of somebody."""

    id: str
    title: str
    card: Node
    message: Message


class Clients:
    """The clients of everybody in one tenant."""

    def __init__(self, teams: Teams) -> None:
        self._teams = teams
        self._rooms = teams.rooms
        self._copies: defaultdict[tuple[str, str, str], _Copy] = defaultdict(_Copy)
        self._dialogs: dict[str, _Dialog] = {}
        self._watching: set[tuple[str, str]] = set()
        self.told: defaultdict[str, list[str]] = defaultdict(list)

    # Looking

    def messages(self, conversation: str, account: str | None) -> list[Message]:
        """What stands there; with `account`, as their client draws it."""
        room, thread = self._rooms.find(conversation)
        return [
            self._message(room, post, account)
            for post in room.posts.values()
            if not post.deleted
            and (thread is None or thread in (post.id, post.thread))
            and (post.private_to is None or post.private_to == account)
        ]

    def _message(self, room: Room, post: Post, account: str | None) -> Message:
        drawn = [self._draw(card, room, post, account) for card in self._cards(room, post, account)]
        return Message(
            id=post.id,
            conversation=room.id,
            author=post.author,
            text=post.words(drawn),
            controls=tuple(one for card in drawn for one in card.controls),
            thread=post.thread,
            private_to=post.private_to,
            edited=post.edited is not None,
            raw={**post.activity, "cards": self._cards(room, post, account)},
        )

    def _cards(self, room: Room, post: Post, account: str | None) -> list[Node]:
        own = self._copies[account, room.id, post.id].card if account else None
        return post.cards if own is None else [own]

    def _draw(self, card: Node, room: Room, post: Post, account: str | None) -> Drawn:
        if account is None:
            return draw(card)
        return self._drawn(card, self._copies[account, room.id, post.id], account)

    def _drawn(self, card: Node, copy: _Copy, account: str) -> Drawn:
        execute = not self._rooms.person(account).old_client
        opened = frozenset(copy.opened)
        return draw(card, opened=opened, visible=copy.visible, execute=execute)

    def form(self, account: str) -> Form | None:
        """Their open dialog, else the newest message they see that has something to fill in."""
        dialog = self._dialogs.get(account)
        if dialog is not None:
            copy = self._copies[account, "dialog", dialog.id]
            drawn = self._drawn(dialog.card, copy, account)
            return _form(dialog.id, account, dialog.title, drawn, copy, dialog.card)
        found = self._newest_form(account)
        if found is None:
            return None
        room, post, card = found
        copy = self._copies[account, room.id, post.id]
        return _form(post.id, account, "", self._drawn(card, copy, account), copy, card)

    def _newest_form(self, account: str) -> tuple[Room, Post, Node] | None:
        found = [
            (post.at, room, post, card)
            for room in self._rooms.rooms.values()
            if account in room.members
            for post in room.posts.values()
            if not post.deleted and post.private_to in (None, account)
            for card in self._cards(room, post, account)
            if self._draw(card, room, post, account).inputs
        ]
        if not found:
            return None
        _, room, post, card = max(found, key=lambda one: one[0])
        return room, post, card

    # Pressing and filling in

    def fill(self, account: str, message: Message, values: Mapping[str, Any]) -> None:
        """Puts values into a message's inputs, by label or id. Raises: LookupError, ValueError."""
        copy = self._copies[account, message.conversation, message.id]
        drawn = [self._drawn(card, copy, account) for card in message.raw["cards"]]
        for name, value in values.items():
            node = _first(drawn, lambda one, wanted=name: one.input(wanted))
            copy.values[node["id"]] = held(node, value)

    async def press(self, account: str, message: Message, label: str) -> None:
        """Presses, and waits until the client has dealt with the bot's answer.

        Raises: LookupError for what is not drawn, ValueError where the client holds it back.
        """
        room, _ = self._rooms.find(message.conversation)
        person = self._rooms.person(account)
        post = room.posts[message.id]
        if person.id not in room.members or post.deleted:
            raise LookupError(f"{account} does not see the message {message.id}")
        copy = self._copies[person.id, room.id, post.id]
        drawn = [self._drawn(card, copy, person.id) for card in message.raw["cards"]]
        action = _first(drawn, lambda one: one.action(label))
        if action.node.get("isEnabled", True) is not True:
            raise LookupError(f"{label!r} cannot be pressed")
        match action.kind:
            case "ShowCard":
                copy.opened ^= {action.name}
            case "ToggleVisibility":
                _toggle(action.node, copy)
            case "Execute":
                values = self._values(action, copy)
                await self._execute(person, message, action.node, values, "manual")
            case "Submit":
                await self._submit(person, message, action, self._values(action, copy))
            case _:
                raise LookupError(f"{label!r} opens a page, and no bot hears of it")
        await self._teams.changed()

    def _values(self, action: Action, copy: _Copy) -> dict[str, str]:
        """What the inputs send along with a press; empty ones send nothing."""
        if str(action.node.get("associatedInputs", "auto")).lower() == "none":
            return {}
        found = {node["id"]: copy.values.get(node["id"], initial(node)) for node in action.inputs}
        if self._teams.client_checks:
            wrong = [problem(node, found[node["id"]]) for node in action.inputs]
            if any(wrong):
                raise ValueError("; ".join(one for one in wrong if one))
        return {name: value for name, value in found.items() if value or self._teams.send_empty}

    async def submit(self, account: str, values: Mapping[str, Any], label: str | None) -> None:
        """Fills in their form, and presses what sends it: `label`, or the first that would."""
        dialog = self._dialogs.get(account)
        if dialog is not None:
            await self._submit_dialog(self._rooms.person(account), dialog, values, label)
            return
        found = self._newest_form(account)
        if found is None:
            raise LookupError(f"nothing to fill in stands before {account}")
        room, post, card = found
        message = self._message(room, post, account)
        self.fill(account, message, values)
        drawn = self._draw(card, room, post, account)
        await self.press(account, message, label or _sending(drawn).name)

    async def _execute(
        self, person: Person, message: Message, node: Node, values: Mapping[str, str], trigger: str
    ) -> None:
        action = {name: node[name] for name in ("type", "id", "verb", "title") if name in node}
        value: dict[str, Any] = {
            "action": {**action, "data": _merged(node, values)},
            "trigger": trigger,
        }
        answer = await self._invoke(person, message, "adaptiveCard/action", value)
        if answer is None:
            return
        try:
            card, words = _read_action(answer)
        except AnswerRefused as error:
            await self._refuse(person, answer, error)
            return
        if card is not None:
            key = (person.id, message.conversation, message.id)
            self._copies[key] = _Copy(card=card, fetched=self._rooms.now())
        elif words and trigger == "manual":
            self.told[person.id].append(words)

    async def _submit(
        self, person: Person, message: Message, action: Action, values: Mapping[str, str]
    ) -> None:
        value = _merged(action.node, values)
        special: dict[str, Any] = {}
        if isinstance(value, dict):
            special = value.pop("msteams", None) or {}
        match special.get("type"):
            case "task/fetch":
                sent: dict[str, Any] = {
                    "data": {**value, "type": "task/fetch"},
                    "context": {"theme": "default"},
                }
                answer = await self._invoke(person, message, "task/fetch", sent)
                await self._show_task(person, message, answer)
            case "messageBack":
                back = {"value": special.get("value", value), "text": special.get("text", "")}
                await self._send_value(person, message, back)
            case _:
                await self._send_value(person, message, {"value": value})

    async def _send_value(self, person: Person, message: Message, parts: Mapping[str, Any]) -> None:
        activity = self._pressed(person, message, "message", **parts)
        answer = await self._teams.bot.deliver(activity)
        if not answer.taken:
            self.told[person.id].append(WENT_WRONG if answer.status else UNREACHABLE)

    def _pressed(self, person: Person, message: Message, kind: str, **parts: Any) -> dict[str, Any]:
        room, _ = self._rooms.find(message.conversation)
        thread = (message.thread or message.id) if room.kind not in (PERSONAL, GROUP) else None
        data = {"source": {"name": "message"}, "legacy": {"replyToId": message.id}}
        return self._rooms.activity(
            person, room, kind, thread, replyToId=message.id, channelData=data, **parts
        )

    async def _invoke(
        self, person: Person, message: Message, name: str, value: Mapping[str, Any]
    ) -> Answer | None:
        """The bot's answer; None: there was none, and the person was told."""
        activity = self._pressed(person, message, "invoke", name=name, value=value)
        answer = await self._teams.bot.deliver(activity)
        if answer.taken:
            return answer
        self.told[person.id].append(WENT_WRONG if answer.status else UNREACHABLE)
        return None

    async def _refuse(self, person: Person, answer: Answer, error: AnswerRefused) -> None:
        self.told[person.id].append(WENT_WRONG)
        payload = {"status": answer.status, "body": answer.body, "why": str(error)}
        await self._teams.note(Call("invokeResponse", payload, answer.at, "BadInvokeResponse"))

    # Dialogs

    async def _submit_dialog(
        self, person: Person, dialog: _Dialog, values: Mapping[str, Any], label: str | None
    ) -> None:
        copy = self._copies[person.id, "dialog", dialog.id]
        drawn = self._drawn(dialog.card, copy, person.id)
        for name, value in values.items():
            node = drawn.input(name)
            copy.values[node["id"]] = held(node, value)
        action = drawn.action(label) if label else _sending(drawn)
        sent = {
            "data": _merged(action.node, self._values(action, copy)),
            "context": {"theme": "default"},
        }
        answer = await self._invoke(person, dialog.message, "task/submit", sent)
        await self._show_task(person, dialog.message, answer)
        await self._teams.changed()

    async def _show_task(self, person: Person, message: Message, answer: Answer | None) -> None:
        """Opens, replaces or closes the dialog, as the bot's answer says."""
        if answer is None:
            return
        try:
            card, title, words = _read_task(answer.body)
        except AnswerRefused as error:
            await self._refuse(person, answer, error)
            return
        self._dialogs.pop(person.id, None)
        if card is not None:
            self._dialogs[person.id] = _Dialog(str(uuid4()), title, card, message)
        if words:
            self.told[person.id].append(words)

    # Refresh

    async def open(self, account: str, conversation: str) -> None:
        """Opens a chat and leaves it open: cards that refresh are asked for where they are old."""
        room, _ = self._rooms.find(conversation)
        person = self._rooms.person(account)
        self._watching.add((person.id, room.id))
        for post in list(room.posts.values()):
            await self._refresh(person, room, post)

    def redrawn(self, room: Room, post: Post) -> None:
        """A message was replaced for everybody: whoever has the chat open asks for their card."""
        for key in list(self._copies):
            if key[1:] == (room.id, post.id):
                # A replaced card is drawn from nothing: what somebody was writing is gone.
                self._copies[key] = _Copy()
        for account, conversation in self._watching:
            if conversation == room.id:
                self._teams.spawn(self._refresh(self._rooms.person(account), room, post))

    async def _refresh(self, person: Person, room: Room, post: Post) -> None:
        copy = self._copies[person.id, room.id, post.id]
        fresh = copy.fetched or (post.at if post.edited is None else None)
        if post.deleted or (fresh and self._rooms.now() - fresh < REFRESH_AFTER):
            return
        for card in self._cards(room, post, person.id):
            refresh = card.get("refresh") or {}
            users: Sequence[str] = refresh.get("userIds") or room.members[: MOST_REFRESHED + 1]
            if refresh and person.id in users and len(users) <= MOST_REFRESHED:
                message = self._message(room, post, person.id)
                await self._execute(person, message, refresh["action"], {}, "automatic")
                await self._teams.changed()


def _form(name: str, account: str, title: str, drawn: Drawn, copy: _Copy, card: Node) -> Form:
    entries = tuple(entry(node, copy.values.get(node["id"])) for node in drawn.inputs)
    return Form(name, account, title, entries, "\n".join(drawn.words), raw=card)


def _sending(drawn: Drawn) -> Action:
    """The first action that sends what was filled in."""
    for action in drawn.actions:
        sends = str(action.node.get("associatedInputs", "auto")).lower() != "none"
        if sends and action.kind in ("Execute", "Submit") and action.inputs:
            return action
    raise LookupError("nothing here sends a form")


def _first(drawn: Sequence[Drawn], look: Any) -> Any:
    """What `look` finds on the first card that has it. Raises: LookupError, of the last."""
    missing: LookupError = LookupError("the message has no card")
    for one in drawn:
        try:
            return look(one)
        except LookupError as error:
            missing = error
    raise missing


def _merged(node: Node, values: Mapping[str, str]) -> Any:
    """An action's data with the inputs' values over it; a text stays one where there are none."""
    data = node.get("data")
    return {**data, **values} if isinstance(data, dict) else dict(values) if values else data


def _toggle(node: Node, copy: _Copy) -> None:
    for target in node["targetElements"]:
        name = target if isinstance(target, str) else target["elementId"]
        shown = None if isinstance(target, str) else target.get("isVisible")
        copy.visible[name] = not copy.visible.get(name, True) if shown is None else shown


def _read_action(answer: Answer) -> tuple[Node | None, str]:
    """The card or the words of an answer to Action.Execute. Raises: AnswerRefused."""
    body = answer.body
    if not isinstance(body, dict) or not {"statusCode", "type", "value"} <= body.keys():
        raise AnswerRefused("no statusCode, type and value")
    kind, status, value = body["type"], body["statusCode"], body["value"]
    if kind == CARD_ANSWER and status == 200:
        try:
            check(value)
        except CardRefused as error:
            raise AnswerRefused(str(error)) from error
        return value, ""
    if kind == TOAST_ANSWER and status == 200 and isinstance(value, str):
        return None, value
    named = isinstance(value, dict) and all(
        isinstance(value.get(part), str) for part in ("code", "message")
    )
    if named and status in ERROR_ANSWERS.get(kind, ()):
        return None, value["message"]
    raise AnswerRefused(f"no answer is of type {kind!r} with status {status!r} and that value")


def _read_task(body: Any) -> tuple[Node | None, str, str]:
    """A dialog's card and title, or words to show. Raises: AnswerRefused."""
    task = body.get("task") if isinstance(body, dict) else None
    if not task:
        return None, "", ""
    value = task.get("value")
    if task.get("type") == "message" and isinstance(value, str):
        return None, "", value
    attachment = value.get("card") if isinstance(value, dict) else None
    if task.get("type") != "continue" or not isinstance(attachment, dict):
        raise AnswerRefused("a task is a message, or continues with a card")
    if attachment.get("contentType") != ADAPTIVE:
        raise AnswerRefused("a dialog's card is a whole attachment")
    try:
        check(attachment.get("content"))
    except CardRefused as error:
        raise AnswerRefused(str(error)) from error
    return attachment["content"], str(value.get("title", "")), ""
