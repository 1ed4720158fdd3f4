"""A post, a form and what is said back, as Teams' own JSON. Pure.

What agents and people wrote stands in text runs, which Teams shows to the letter: no Markdown, no
mention and no link is made of it.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from channels.callback import pack
from channels.capabilities import Capabilities, Reach
from channels.contract import AskReason, OpenForm, PressApprove, PressDecline, Send, Unfit
from channels.fitting import split
from channels.present import head, tail
from channels.shown import short, unstamped
from channels.teams.inputs import BRACES, brief, inputs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from channels.contract import Button, Tell
    from channels.drawing import Drawing
    from channels.forms import Entry, Form, Reason
    from channels.present import View

Node = dict[str, Any]

ADAPTIVE = "application/vnd.microsoft.card.adaptive"

VERSION = "1.5"
"""The newest that bots may send (platform facts, 2.7)."""

CARD_BYTES = 28 * 1024
"""What older pages allow a card, where newer ones allow 100 KB a message (platform facts, 2.6)."""

MESSAGE_BYTES = 80 * 1024
"""To stay below, in UTF-16, where the service's limit is about 100 KB (platform facts, 2.6)."""

TEXT_BYTES = 16 * 1024
"""Ours: of a card's text, so that as much is left for its inputs, which repeat the options."""

LINE_BYTES = 62
"""Of the card's JSON around a line of text."""

SUMMARY_CHARS = 160
"""Ours: of the question, in the note that says a card has come, and above a thread."""

LOOK = "look"
"""The verb by which a client asks for a card anew; it is answered, and changes nothing."""

DATA = "oz"
"""Where a press carries what `channels.callback` packed."""

REASON = "reason"
"""The input of the dialog that asks why."""

_BLANKS = re.compile(r"(?<= ) | (?= )|^ ")


def measure(text: str) -> int:
    """Bytes of a card that a text takes at most, with what stands around each of its lines.

    It is asked for every piece of a long text, so it counts instead of writing the card.
    """
    escaped = text.count('"') + text.count("\\")
    # Some blanks become ones that do not break, of two bytes; braces in a row are parted.
    changed = text.count(" ") + 3 * text.count("{{")
    lines = text.count("\n") + 1
    return len(text.encode("utf-8", "surrogatepass")) + escaped + changed + LINE_BYTES * lines


CAPABILITIES = Capabilities(
    channel="teams",
    # Ours, of the 28 KB of a card (platform facts, 2.6); inputs and buttons take the rest.
    text=TEXT_BYTES,
    measure=measure,
    # One line, truncated by the client at a length that is not documented (facts, 0.3): ours.
    label=40,
    # Clients draw about 6, the rest in an overflow menu (facts, 2.7); one is Open in OZ.
    buttons=5,
    # The whole form stands on the card; in a dialog all of it too. Ours: a question has 20 fields.
    form=20,
    inline=True,
    links=True,
    # A channel has threads, a group chat has quotes.
    reach=Reach.EITHER,
)


# Posts


def post(drawing: Drawing, *, opens_thread: bool = False) -> list[Node]:
    """The messages that show an ask, in their order; the last one is its post.

    Only that one is drawn anew, so whatever stands beside it never changes. `opens_thread`: the
    post goes first, and the others follow under it.

    Raises: Unfit, its inputs are too large for any card.
    """
    leading, text = list(drawing.leading), drawing.text
    if not leading:
        whole = _post(drawing, _view(drawing.view), drawing.form)
        if _fits(whole):
            return [whole]
        leading, text = split(head(drawing.view), TEXT_BYTES, measure), tail(drawing.view)
    body = _top(drawing.view) if opens_thread else list(_lines(text))
    last = _post(drawing, body, drawing.form)
    if drawing.form is not None and not _fits(last):
        last = _post(drawing, body, brief(drawing.form))
        if not _fits(last):
            raise Unfit("card_too_large")
    return [*map(plain_card, leading), last]


def update(drawing: Drawing, *, opens_thread: bool = False) -> Node:
    """The post itself, drawn anew. Raises: Unfit, as `post`."""
    return post(drawing, opens_thread=opens_thread)[-1]


def _post(drawing: Drawing, body: list[Node], form: Form | None) -> Node:
    actions: list[Node] = []
    chosen = drawing.presentation
    if chosen is not None:
        if form is not None:
            body = [*body, *(node for one in form.entries for node in inputs(one))]
            actions.append(_send(form))
        actions += [_action(one) for one in (*chosen.buttons, *chosen.ways_out)]
    if drawing.link:
        actions.append({"type": "Action.OpenUrl", "title": drawing.link_label, "url": drawing.link})
    sealed = drawing.view.sealed
    said = sealed or f"{drawing.view.heading}: {drawing.view.question}"
    card = _card(body, actions)
    if chosen is not None and not any("id" in node for node in body):
        # A client that missed an update asks for it; inputs are left alone, as that empties them.
        card["refresh"] = {"action": _look(drawing.view.ask_id)}
    message = _message(card, short(unstamped(said), SUMMARY_CHARS))
    if chosen is not None:
        # A card alone raises no note in the feed of a personal chat.
        message["channelData"] = {"notification": {"alert": True}}
    return message


def plain_card(text: str) -> Node:
    """A message of text alone, every line break and blank of it kept."""
    return _message(_card(list(_lines(text)), []), short(unstamped(text), SUMMARY_CHARS))


def _top(view: View) -> list[Node]:
    """The first message of a thread in which the whole question follows."""
    if view.sealed is not None:
        return _view(view)
    return _view(replace(view, question=short(view.question, SUMMARY_CHARS), sections=()))


def _view(view: View) -> list[Node]:
    if view.sealed is not None:
        return list(_lines(view.sealed))
    body = [*_lines(view.heading, weight="Bolder"), *_lines(view.question, size="Medium")]
    for section in view.sections:
        body += _apart(_lines(section.heading or "", weight="Bolder"))
        rows = [f"{row.key}. {row.text}" for row in section.rows]
        shown = list(_lines("\n".join(rows)))
        body += shown if section.heading else _apart(iter(shown))
    body += _apart(_lines(view.outcome or "", weight="Bolder"))
    body += _apart(_lines("\n".join(filter(None, (view.hint, view.way_out)))))
    return [*body, *_lines(view.foot, size="Small", isSubtle=True)]


def _apart(blocks: Iterator[Node]) -> list[Node]:
    found = list(blocks)
    if found:
        found[0] = {**found[0], "spacing": "Medium"}
    return found


def _lines(text: str, **style: Any) -> Iterator[Node]:
    """A block a line: neither Markdown nor the client joins them. Blank lines part what follows."""
    parted = False
    for line in unstamped(text).split("\n"):
        if not line.strip():
            parted = True
            continue
        # Clients fold blanks in a row and at a line's beginning, if they may break there.
        kept = _BLANKS.sub("\u00a0", line.rstrip())
        runs = [{"type": "TextRun", "text": part, **style} for part in BRACES.split(kept)]
        inlines: Sequence[Any] = runs if style else [run["text"] for run in runs]
        spacing = "Medium" if parted else "None"
        yield {"type": "RichTextBlock", "inlines": inlines, "spacing": spacing}
        parted = False


# Controls


def _action(button: Button) -> Node:
    data = pack(button.ask_id, button.control)
    if isinstance(button.control, AskReason):
        # A dialog opens only by this; it says why before anything is declined.
        fetch = {DATA: data, "msteams": {"type": "task/fetch"}}
        return {
            "type": "Action.Submit",
            "title": button.label,
            "data": fetch,
            "associatedInputs": "none",
            "style": "destructive",
        }
    style = {}
    if isinstance(button.control, PressApprove | Send):
        style = {"style": "positive"}
    if isinstance(button.control, PressDecline):
        style = {"style": "destructive"}
    return _execute(button.label, data, associatedInputs="none", **style)


def _send(form: Form) -> Node:
    data = pack(form.ask_id, OpenForm(form.page))
    return _execute(form.send, data, style="positive")


def _execute(title: str, data: str, **more: Any) -> Node:
    """An action, and what older clients do instead: they send the same as a message."""
    common: Node = {"title": title, "data": {DATA: data}, **more}
    fallback = {"type": "Action.Submit", **common}
    return {"type": "Action.Execute", "verb": DATA, **common, "fallback": fallback}


def _look(ask_id: str) -> Node:
    return {"type": "Action.Execute", "verb": LOOK, "data": {DATA: pack(ask_id, OpenForm())}}


# Forms


def form_card(form: Form, given: Mapping[str, str], faults: Mapping[str, str]) -> Node:
    """A form again, with what is wrong above each input; `given` is what stood in them, by id."""
    wrong = dict(faults)
    body = list(_lines(form.title, weight="Bolder"))
    body += _lines(form.question, size="Medium")
    for entry in form.entries:
        body += _entry(entry, given, wrong.pop(entry.field.name, ""))
    for text in wrong.values():
        body += _fault(text)
    return _card(body, [_send(form)])


def _entry(entry: Entry, given: Mapping[str, str], fault: str) -> Iterator[Node]:
    yield from _lines(entry.hint, size="Small", isSubtle=True)
    yield from _fault(fault)
    yield from inputs(entry, given)


def _fault(text: str) -> Iterator[Node]:
    yield from _lines(text, color="Attention", weight="Bolder")


def reason_dialog(reason: Reason) -> Node:
    """The answer to a press that opens the dialog asking why."""
    node = {"type": "Input.Text", "id": REASON, "label": reason.label, "isMultiline": True}
    data = {DATA: pack(reason.ask_id, AskReason())}
    send = {"type": "Action.Submit", "title": reason.send, "data": data, "style": "destructive"}
    card = {"contentType": ADAPTIVE, "content": _card([node], [send])}
    value = {"title": reason.title, "height": "medium", "width": "medium", "card": card}
    return {"task": {"type": "continue", "value": value}}


# What is said back


def said(text: str) -> Node:
    """A message of one text, as markup in which nothing of it is a mark."""
    lines = escape(unstamped(text), quote=False).split("\n")
    kept = [_BLANKS.sub("&nbsp;", line) for line in lines]
    return {"type": "message", "textFormat": "xml", "text": "<br/>".join(kept)}


def tell(found: Tell, *, public: bool) -> Node | None:
    """What is said in a chat; None where nothing may be said before others."""
    text = found.public if public else found.text
    if text is None:
        return None
    if not found.buttons:
        return said(text)
    actions = [_action(one) for one in found.buttons]
    return _message(_card(list(_lines(text)), actions), short(unstamped(text), SUMMARY_CHARS))


def toast(text: str) -> Node:
    """The answer to a press: words that only the presser sees."""
    kind = "application/vnd.microsoft.activity.message"
    return {"statusCode": 200, "type": kind, "value": unstamped(text)}


def shown_to_presser(card: Node) -> Node:
    """The answer to a press: a card that only the presser sees in the post's place."""
    return {"statusCode": 200, "type": ADAPTIVE, "value": card}


def unknown() -> Node:
    """The answer to a client that asks for a card which nobody keeps: it leaves what it has."""
    kind = "application/vnd.microsoft.error"
    return {"statusCode": 400, "type": kind, "value": {"code": "NotFound", "message": "Not found"}}


def task_said(text: str) -> Node:
    """The answer to a dialog: it closes, with these words."""
    return {"task": {"type": "message", "value": unstamped(text)}}


# Cards


def _card(body: list[Node], actions: list[Node]) -> Node:
    found: Node = {
        "type": "AdaptiveCard",
        "version": VERSION,
        "msteams": {"width": "Full"},
        "body": body,
    }
    return {**found, "actions": actions} if actions else found


def _message(card: Node, summary: str) -> Node:
    """A card alone: with a text beside it Teams would make two messages of it."""
    attachment = {"contentType": ADAPTIVE, "content": card}
    return {"type": "message", "summary": summary, "attachments": [attachment]}


def _fits(message: Node) -> bool:
    card = message["attachments"][0]["content"]
    if len(_json(card)) > CARD_BYTES:
        return False
    return len(_json(message).decode().encode("utf-16-le")) <= MESSAGE_BYTES


def _json(value: Any) -> bytes:
    # Stored text has no lone surrogates left: `visible` writes them out.
    return json.dumps(value, ensure_ascii=False).encode()
