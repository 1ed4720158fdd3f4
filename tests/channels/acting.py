"""How a person answers an ask on any of the four; what differs between them stands here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from channels.catalogue import Reader
from channels.plan import Way, plan
from gateway.cli.chats import installed_channels

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.plan import Presentation
    from channels.testing.platform import Entry, Message
    from channels.testing.town import Place
    from gateway.ask import Ask
    from gateway.question import Field
    from tests.channels.shapes import Shape

ANSWER, SEND, DONE = "Answer", "Send", "Done"


def way(place: Place, ask: Ask) -> Presentation:
    """What the post has to press."""
    return plan(Reader(), ask, installed_channels()[place.name].capabilities)


async def posted(place: Place, conversation: str | None = None, *, count: int = 1) -> Message:
    """The newest post with something to press, once so many messages stand there."""
    where = conversation or place.room

    def look() -> Message | None:
        found = place.posts(where)
        pressable = [one for one in found if one.controls]
        return pressable[-1] if len(found) >= count and pressable else None

    message: Message = await place.platform.until(look)
    return message


async def natively(place: Place, person: str, post: Message, ask: Ask, shape: Shape) -> None:
    """Answers by what the post or its form has."""
    account, platform = place.accounts[person], place.platform
    chosen = way(place, ask)
    match chosen.way:
        case Way.BUTTONS:
            await platform.press(account, post, _button(chosen, shape))
        case Way.MENU:
            label = str(next(iter(shape.filled.values())))
            menu = next(one for one in post.controls if one.kind == "menu")
            option = next(one for one in menu.options if label.split(",", maxsplit=1)[0] in one)
            await platform.choose(account, post, menu.label, [option])
        case Way.CARD:
            await platform.submit(account, shape.filled)
        case Way.FORM:
            await platform.press(account, post, ANSWER)
            await _fill_pages(place, account, shape.filled, chosen.pages)
        case Way.STEPS:
            await platform.press(account, post, ANSWER)
            if post.conversation != account:
                # Where others read along the press is answered with a link to the private chat.
                press = platform.methods.presses[-1]
                await platform.until(lambda: press.link)
                await platform.follow(press)
            await _walk(place, account, ask, shape)
        case Way.TEXT:
            await by_text(place, person, post, shape.texts[0])


async def by_text(place: Place, person: str, post: Message, text: str) -> str:
    """Types it as a reply to the post; the message's id.

    Where a reply says nothing of whom it is to (Slack, Teams) they mention us, as words alone need.
    """
    account, platform = place.accounts[person], place.platform
    if place.name in ("slack", "teams"):
        text = f"@{place.bot} {text}"
    said: str = await platform.type(account, post.conversation, text, reply_to=post.id)
    return said


def _button(chosen: Presentation, shape: Shape) -> str:
    """The button that says what the shape is filled with."""
    (value,) = shape.filled.values()
    wanted = {True: "Yes", False: "No"}.get(value, value) if isinstance(value, bool) else value
    labels = [button.label for button in chosen.buttons]
    return next(label for label in labels if label == wanted or label.endswith(f". {wanted}"))


async def _fill_pages(place: Place, account: str, filled: Mapping[str, Any], pages: int) -> None:
    platform = place.platform
    seen: list[str] = []
    for page in range(pages):
        if page:
            # Discord opens a page from a button only; the others have one page.
            await platform.until(lambda: _continue(place, account))
            await platform.press(account, _continue(place, account), "Continue")
        form = await platform.until(lambda: _next_form(place, account, seen))
        seen.append(form.id)
        here = {entry.label: entry for entry in form.entries}
        values = {name: _drawn(here[name], value) for name, value in filled.items() if name in here}
        await platform.submit(account, values)


def _drawn(entry: Entry, value: Any) -> Any:
    """A value as the form's own options have it, which may bear their numbers."""
    if isinstance(value, list):
        return [_drawn(entry, one) for one in value]
    if isinstance(value, bool) and entry.options:
        return "Yes" if value else "No"
    return next((one for one in entry.options if one.endswith(f". {value}")), value)


def _next_form(place: Place, account: str, seen: list[str]) -> Any:
    form = place.platform.form(account)
    return form if form is not None and form.id not in seen else None


def _continue(place: Place, account: str) -> Message | None:
    """The private message that offers the next page."""
    found = place.platform.messages(place.room, account=account)
    offered = [one for one in found if any(c.label == "Continue" for c in one.controls)]
    return offered[-1] if offered else None


async def _walk(place: Place, account: str, ask: Ask, shape: Shape) -> None:
    """Step by step, in the private chat, on one message that edits itself."""
    walker = Walker(place, account)
    await place.platform.until(lambda: bool(_walking(place, account)))
    for field in ask.question.fields:
        names = (field.title, field.name, "Your answer")
        value = next((shape.filled[name] for name in names if name in shape.filled), None)
        before = _walking(place, account)
        await walker.fill(field, value)
        if isinstance(value, str) and not field.is_choice and ask.question.single is not None:
            return  # a message that answers all of it needs no Send
        await walker.turned(before)
    await walker.tap(SEND)


@dataclass(frozen=True, slots=True)
class Walker:
    """Somebody who walks through a form in their private chat."""

    place: Place
    account: str

    async def fill(self, field: Field, value: Any) -> None:
        """One field, as a person taps or types it."""
        match value:
            case None:
                await self.tap("Leave out")
            case bool():
                await self.tap("Yes" if value else "No")
            case list():
                for label in value:
                    now = _walking(self.place, self.account)
                    await self.tap(label)
                    await self.turned(now)
                await self.tap(DONE)
            case _ if field.is_choice:
                await self.tap(value)
            case _:
                await self.place.platform.type(self.account, self.account, str(value))

    async def tap(self, label: str) -> None:
        message = await self.place.platform.until(lambda: self._step(label))
        control = next(c for c in message.controls if label in c.label)
        await self.place.platform.press(self.account, message, control.label)

    async def turned(self, before: str) -> None:
        """Returns once the message shows something else."""
        await self.place.platform.until(lambda: _walking(self.place, self.account) != before)

    def _step(self, label: str) -> Message | None:
        found = reversed(self.place.posts(self.account))
        return next((one for one in found if any(label in c.label for c in one.controls)), None)


def _walking(place: Place, account: str) -> str:
    """The walk's message as it stands, its controls too."""
    found = [one for one in place.posts(account) if one.controls]
    return f"{found[-1].text} {found[-1].controls}" if found else ""
