"""People in a Slack workspace: what they see there, and what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from channels.testing.platform import Call, Form, Message, Platform
from channels.testing.slack import payloads
from channels.testing.slack.delivery import ACTION, COMMAND
from channels.testing.slack.picture import page
from channels.testing.slack.reading import (
    control,
    controls,
    empty,
    entries,
    filled,
    state,
    words,
)
from channels.testing.slack.workspace import Posted, Refused, asked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from channels.testing.slack.api import Api
    from channels.testing.slack.delivery import Carrier
    from channels.testing.slack.workspace import Conversation, View, Workspace

HOME = "home"
"""Where messages that are somebody's App Home say they stand."""


class Acting(Platform):
    """The people's side of `Slack`."""

    space: Workspace
    api: Api
    carrier: Carrier

    # Looking

    def messages(self, conversation: str, *, account: str | None = None) -> list[Message]:
        """See `Platform.messages`. Replies in threads stand among the rest, by time."""
        where = self.space.conversation(conversation)
        return [
            self._message(one)
            for one in where.messages.values()
            if one.private_to is None or one.private_to == account
        ]

    def told(self, account: str) -> list[str]:
        """What only they were shown: ephemeral messages, and what their client says of failures."""
        return list(self.space.told[account])

    def form(self, account: str) -> Form | None:
        """The modal on top."""
        top = self._top(account)
        if top is None:
            return None
        raw = payloads.view(self.space, top)
        return Form(
            id=top.id,
            account=account,
            title=raw["title"]["text"],
            entries=entries(raw),
            text=words(raw["blocks"], "", self.space.named),
            errors=dict(top.errors),
            raw=raw,
        )

    def home(self, account: str) -> Message | None:
        """Their App Home, if the app has drawn one."""
        one = self.space.homes.get(account)
        if one is None:
            return None
        blocks = one.content["blocks"]
        return Message(
            id=one.id,
            conversation=HOME,
            author=self.space.bot.id,
            text=words(blocks, "", self.space.named),
            controls=controls(blocks),
            private_to=account,
            raw=payloads.view(self.space, one),
        )

    def html(self, conversation: str, *, account: str | None = None) -> str:
        """See `Platform.html`."""
        title = f"#{self.space.named(conversation)}"
        return page(title, self.messages(conversation, account=account), self.space.named)

    def _message(self, one: Posted) -> Message:
        return Message(
            id=one.ts,
            conversation=one.conversation,
            author=one.user,
            text=self.space.read(one),
            controls=controls(one.blocks),
            thread=None if one.thread == one.ts else one.thread,
            private_to=one.private_to,
            edited=one.edited is not None,
            raw=payloads.message(self.space, one),
        )

    def _top(self, account: str) -> View | None:
        stack = self.space.modals.get(account)
        return stack[-1] if stack else None

    # On messages

    async def press(self, account: str, message: Message, label: str) -> None:
        """See `Platform.press`; the message may be one they saw before it was drawn anew.

        Returns once the app acknowledged it, or Slack gave up waiting.
        """
        block, element = _find(message.raw["blocks"], label, ("button",))
        extra = {key: element[key] for key in ("text", "value", "style") if key in element}
        await self._act(account, message, block, element, extra)

    async def choose(
        self, account: str, message: Message, label: str, options: Sequence[str]
    ) -> None:
        """See `Platform.choose`. A menu that only rides along with a button sends nothing yet."""
        kinds = ("menu", "input")
        block, element = _find(message.raw["blocks"], label, kinds)
        if element["type"] == "overflow":
            held = filled({**element, "type": "static_select"}, options[0])
            await self._act(account, message, block, element, {**held, "type": "overflow"})
            return
        several = element["type"] in ("multi_static_select", "checkboxes")
        held = filled(element, list(options) if several else options[0])
        self._hold(account, message, block, element, held)
        if block["type"] != "input" or block.get("dispatch_action", False):
            await self._act(account, message, block, element, held)

    async def press_in_form(self, account: str, label: str) -> None:
        """Presses a button in their open modal. Raises: LookupError."""
        top = self._need_top(account)
        block, element = _find(top.content["blocks"], label, ("button",))
        extra = {key: element[key] for key in ("text", "value", "style") if key in element}
        await self._act_on_view(top, block, element, extra)

    def _hold(
        self,
        account: str,
        message: Message,
        block: Mapping[str, Any],
        element: Mapping[str, Any],
        held: dict[str, Any],
    ) -> None:
        if message.conversation == HOME:
            kept = self.space.homes[account].state
        else:
            kept = self._seen(account, message).held.setdefault(account, {})
        kept.setdefault(block["block_id"], {})[element["action_id"]] = held

    async def _act(
        self,
        account: str,
        message: Message,
        block: Mapping[str, Any],
        element: Mapping[str, Any],
        extra: Mapping[str, Any],
    ) -> None:
        if message.conversation == HOME:
            await self._act_on_view(self.space.homes[account], block, element, extra)
            return
        one = self._seen(account, message)
        thread = None if one.thread == one.ts else one.thread
        values = state(one.blocks, one.held.get(account, {}))
        payload = payloads.on_message(
            self.space,
            one,
            account,
            [self._action(block, element, extra)],
            self._reply_url(account, one.conversation, one.ts, thread),
        )
        await self._interact(account, ACTION, payload | {"state": {"values": values}})

    async def _act_on_view(
        self,
        view: View,
        block: Mapping[str, Any],
        element: Mapping[str, Any],
        extra: Mapping[str, Any],
    ) -> None:
        view.state = state(view.content["blocks"], view.state)
        payload = payloads.on_view(self.space, view, [self._action(block, element, extra)])
        await self._interact(view.user, ACTION, payload)

    def _action(
        self, block: Mapping[str, Any], element: Mapping[str, Any], extra: Mapping[str, Any]
    ) -> dict[str, Any]:
        return {
            "type": element["type"],
            "action_id": element["action_id"],
            "block_id": block["block_id"],
            **extra,
            "action_ts": self.space.ts(),
        }

    def _seen(self, account: str, message: Message) -> Posted:
        where = self.space.conversation(message.conversation)
        if account not in where.members or message.id not in where.messages:
            raise LookupError(f"{account} does not see message {message.id}")
        one = where.messages[message.id]
        if one.private_to not in (None, account):
            raise LookupError(f"message {message.id} is for {one.private_to} alone")
        return one

    # Modals

    async def submit(self, account: str, values: dict[str, Any]) -> None:
        """See `Platform.submit`. Returns once the app answered, or Slack gave up waiting."""
        top = self._need_top(account)
        blocks = [one for one in top.content["blocks"] if one["type"] == "input"]
        left = dict(values)
        held = state(top.content["blocks"], top.state)
        for block in blocks:
            element, place = block["element"], held[block["block_id"]]
            for name in (block["block_id"], block["label"]["text"]):
                if name in left:
                    place[element["action_id"]] = filled(element, left.pop(name))
            if not block.get("optional", False) and empty(place[element["action_id"]]):
                raise ValueError(f"{block['label']['text']!r} must be filled in")
        if left:
            raise LookupError(f"no {list(left)} among {[one['block_id'] for one in blocks]}")
        top.state, top.errors = held, {}
        payload = payloads.submission(self.space, top)
        await self._interact(account, ACTION, payload, lambda body: self._answered(top, body))

    async def close_form(self, account: str) -> None:
        """Closes their top modal without sending it."""
        top = self._need_top(account)
        self.space.modals[account].remove(top)
        if top.content.get("notify_on_close", False):
            await self._interact(account, ACTION, payloads.closed(self.space, top))

    def _need_top(self, account: str) -> View:
        top = self._top(account)
        if top is None:
            raise LookupError(f"no modal is open in front of {account}")
        return top

    def _answered(self, view: View, body: Any) -> None:
        """Does what the app answered to a submission. Raises: Refused."""
        stack = self.space.modals[view.user]
        match body or {}:
            case {"response_action": "errors", "errors": dict() as errors} if errors:
                inputs = [one["block_id"] for one in view.content["blocks"] if "label" in one]
                if any(name not in inputs for name in errors):
                    raise Refused("invalid_errors")
                view.errors = dict(errors)
            case {"response_action": "update", "view": content}:
                self.api.check_view(content, "modal")
                self.space.redraw(view, content)
            case {"response_action": "push", "view": content}:
                self.api.check_view(content, "modal")
                self.space.push(self.space.view(view.user, content, view))
            case {"response_action": "clear"}:
                stack.clear()
            case {} as said if not said and view in stack:
                stack.remove(view)
            case _:
                raise Refused("invalid_response")

    # Words

    async def type(
        self,
        account: str,
        conversation: str,
        text: str,
        *,
        thread: str | None = None,
        reply_to: str | None = None,
    ) -> str:
        """See `Platform.type`; `@Name` mentions. A reply to a message goes to its thread."""
        where = self._place(account, conversation)
        if reply_to is not None:
            thread = where.messages[reply_to].thread or reply_to
        names = {one.name: one.id for one in self.space.users.values()}
        wire, blocks = payloads.typed(text, names)
        try:
            parent = self.api.thread(where, thread)
        except Refused as said:
            raise LookupError(f"no thread {thread!r}: {said}") from said
        made = Posted(
            conversation=where.id,
            ts=self.space.ts(),
            user=account,
            text=wire,
            blocks=self.space.fill(blocks),
            thread=parent,
            client_msg_id=str(uuid4()),
        )
        self.space.add(made)
        self.api.emit(payloads.message_event(self.space, made), where.id)
        if f"<@{self.space.bot.id}>" in wire and where.kind != "im":
            self.api.emit(payloads.mention_event(self.space, made), where.id)
        await self.changed()
        return made.ts

    async def edit(self, account: str, conversation: str, message: str, text: str) -> None:
        """See `Platform.edit`. Raises: LookupError: it is not theirs."""
        one = self.space.conversation(conversation).messages[message]
        if one.user != account:
            raise LookupError(f"message {message} is not of {account}")
        before = payloads.message(self.space, one)
        names = {user.name: user.id for user in self.space.users.values()}
        one.text, blocks = payloads.typed(text, names)
        one.blocks, one.edited = self.space.fill(blocks), self.space.ts()
        self.api.emit(payloads.changed_event(self.space, one, before), conversation)
        await self.changed()

    async def delete(self, conversation: str, message: str) -> None:
        """Somebody who may deletes a message. Raises: LookupError."""
        self.api.remove(self.space.conversation(conversation).messages[message])
        await self.changed()

    async def command(self, account: str, conversation: str, text: str, name: str = "/oz") -> None:
        """Sends a slash command. Returns once the app answered, or Slack gave up waiting."""
        where = self._place(account, conversation)
        answer_url = self._reply_url(account, where.id, None, None)
        names = {one.name: one.id for one in self.space.users.values()}
        wire, _ = payloads.typed(text, names)
        payload = payloads.command(self.space, account, where, name, wire, answer_url)

        def answered(body: Any) -> None:
            if body:
                said = {"text": body} if isinstance(body, str) else body
                self._say(account, where.id, said, None)

        await self._interact(account, COMMAND, payload, answered)

    def _place(self, account: str, conversation: str) -> Conversation:
        """A conversation they can write in. Raises: LookupError, ValueError."""
        where = self.space.conversation(conversation)
        if account not in where.members:
            raise LookupError(f"{account} is not in {conversation}")
        if where.archived:
            raise ValueError(f"{conversation} is archived")
        if where.kind == "im" and not self.api.rules.messages_tab:
            raise ValueError("the app has no Messages tab: nobody can write to it")
        return where

    # What comes back

    async def _interact(
        self,
        account: str,
        kind: str,
        payload: dict[str, Any],
        then: Callable[[Any], None] | None = None,
    ) -> None:
        """Brings something they did, and does what is answered, or tells them that it failed."""
        answer = await self.carrier.once(kind, payload)
        failure = answer.failure
        try:
            if failure is None and then is not None:
                then(answer.body)
        except Refused as said:
            failure = said.code
        if failure is not None:
            self.space.told[account].append(f"failed: {failure}")
        if answer.heard:
            said_of = {"kind": kind, "type": payload.get("type"), "body": answer.body}
            await self.note(Call("ack", said_of, answer.at, failure))
        await self.changed()

    def _reply_url(
        self, account: str, conversation: str, ts: str | None, thread: str | None
    ) -> str:
        return f"{self.url}/reply/{self.space.reply_url(account, conversation, ts, thread)}"

    def answer(self, ticket: str, args: dict[str, Any]) -> None:
        """Does what was posted to a `response_url`. Raises: Refused."""
        found = self.space.use(ticket)
        where = self.space.conversations.get(found.conversation)
        one = None if where is None or found.ts is None else where.messages.get(found.ts)
        if where is None:
            raise Refused("channel_not_found")
        if args.get("delete_original"):
            if one is None:
                raise Refused("message_not_found")
            self._remove(one)
        elif args.get("replace_original") and one is not None:
            self._replace(one, args)
        else:
            self._say(found.user, where.id, args, found.thread)

    def _remove(self, one: Posted) -> None:
        if one.private_to is None:
            self.api.remove(one)
        else:
            del self.space.conversations[one.conversation].messages[one.ts]

    def _replace(self, one: Posted, args: dict[str, Any]) -> None:
        before = payloads.message(self.space, one)
        made = self.api.content(args, self.space.conversations[one.conversation])
        one.text, one.blocks = made.text, made.blocks
        if one.private_to is not None:
            self.space.told[one.private_to].append(self.space.read(one))
        else:
            self.api.emit(payloads.changed_event(self.space, one, before), one.conversation)

    def _say(
        self, account: str, conversation: str, args: dict[str, Any], thread: str | None
    ) -> None:
        """Shows what the app answered: to them alone, unless it asked for more."""
        where = self.space.conversations[conversation]
        made = self.api.content(args, where)
        made.thread = made.thread or thread
        if args.get("response_type") == "in_channel":
            self.api.show(made, args, parse="none")
        else:
            self.space.whisper(account, made)


def _find(
    blocks: Sequence[Mapping[str, Any]], label: str, kinds: Sequence[str]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The block and the element called so. Raises: LookupError, naming those there are."""
    named = []
    for block, element in asked(blocks):
        one = control(block, element)
        named.append(one.label)
        kind = "button" if one.kind == "link" else one.kind
        if kind in kinds and label in (one.label, one.name):
            return block, element
    raise LookupError(f"no {label!r} among {named}")
