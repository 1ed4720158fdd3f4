"""Text as Telegram holds it: plain words and entities, measured in UTF-16 code units.

What its HTML mode refuses is refused here in the same words; raw `>` and `&` pass, as there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from channels.testing.telegram.refusals import bad

TYPES = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("i", "em"), "italic"),
    **dict.fromkeys(("u", "ins"), "underline"),
    **dict.fromkeys(("s", "strike", "del"), "strikethrough"),
    **dict.fromkeys(("tg-spoiler", "span"), "spoiler"),
    "a": "text_link",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "tg-emoji": "custom_emoji",
    "tg-time": "date_time",
}

_NAME = re.compile(r"<([^\s>]*)")
_ATTRIBUTE = re.compile(r"""\s+([^\s=>]+)(?:\s*=\s*("[^"]*"|'[^']*'|[\w.-]+))?""")
_END = re.compile(r"</([^\s>]*)\s*>")
_CHARACTER = re.compile(r"&(?:lt|gt|amp|quot|#\d{1,7}|#x[0-9a-fA-F]{1,6});?")
_TIME_FORMAT = re.compile(r"r|w?[dD]?[tT]?")
WEB = re.compile(r"(?:https?://[^\s/.:]+(?:\.[^\s/.:]+)+|tg://|ton://)\S*|[^\s/:]+\.[^\s/:]+\S*")

# What a person's client marks in what they type.
_MARKED = re.compile(
    r"(?P<bot_command>(?<![\w/])/\w{1,32}(?:@\w{3,32})?)"
    r"|(?P<mention>(?<![\w@])@[A-Za-z]\w{3,31})"
    r"|(?P<url>https?://[^\s<>]+)"
)

_DROPPED = re.compile("[\r\u2028-\u202e]")  # as the server does before it looks at a text
_BLANKED = re.compile("[\x00-\x09\x0b-\x1f]")


def units(text: str) -> int:
    """The length of a text in UTF-16 code units, which is how Telegram counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def clean(text: str) -> str:
    """A text without what the server takes out: control characters and overrides of direction."""
    return _BLANKED.sub(" ", _DROPPED.sub("", text))


def marked(text: str) -> list[dict[str, Any]]:
    """The commands, mentions and links in what somebody typed, as entities."""
    return [
        {
            "type": found.lastgroup,
            "offset": units(text[: found.start()]),
            "length": units(found[0]),
        }
        for found in _MARKED.finditer(text)
    ]


def trimmed(text: str, entities: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """The text without space around it, entities moved and cut to what is left."""
    bare = text.strip()
    before, length = units(text[: len(text) - len(text.lstrip())]), units(bare)
    kept = []
    for one in entities:
        start = max(one["offset"] - before, 0)
        end = min(one["offset"] + one["length"] - before, length)
        if end > start:
            kept.append({**one, "offset": start, "length": end - start})
    return bare, kept


@dataclass(slots=True)
class _Open:
    tag: str
    extra: dict[str, Any]
    offset: int
    begin: int


@dataclass(slots=True)
class _Reader:
    source: str
    at: int = 0
    parts: list[str] = field(default_factory=list)
    offset: int = 0
    nested: list[_Open] = field(default_factory=list)
    entities: list[dict[str, Any]] = field(default_factory=list)

    def byte(self) -> int:
        return len(self.source[: self.at].encode())

    def take(self, text: str, length: int) -> None:
        self.parts.append(text)
        self.offset += units(text)
        self.at += length

    def words(self) -> None:
        found = _CHARACTER.match(self.source, self.at)
        if found is None:
            self.take(self.source[self.at], 1)
        else:
            self.take(unescape(found[0].rstrip(";") + ";"), len(found[0]))

    def start(self) -> None:
        name = _NAME.match(self.source, self.at)
        if name is None or name.end() == len(self.source):
            raise _cannot(f"Unclosed start tag at byte offset {self.byte()}")
        tag = name[1].lower()
        if tag not in TYPES:
            raise _cannot(f'Unsupported start tag "{tag}" at byte offset {self.byte()}')
        attributes, end = {}, name.end()
        while (found := _ATTRIBUTE.match(self.source, end)) is not None:
            if found[2] is None and found[1] != "expandable":
                raise _cannot(
                    "Expected equal sign in declaration of an attribute of the tag "
                    f'"{tag}" at byte offset {self.byte()}'
                )
            attributes[found[1]] = unescape((found[2] or "").strip("\"'"))
            end = found.end()
        end += len(self.source[end:]) - len(self.source[end:].lstrip())
        if self.source[end : end + 1] != ">":
            raise _cannot(f"Unclosed start tag at byte offset {self.byte()}")
        self.nested.append(_Open(tag, self.said(tag, attributes), self.offset, len(self.parts)))
        self.at = end + 1

    def said(self, tag: str, given: dict[str, str]) -> dict[str, Any]:
        """What an entity of that tag says besides where it is."""
        if tag == "span" and given.get("class") != "tg-spoiler":
            raise _cannot(f'Tag "span" must have class "tg-spoiler" at byte offset {self.byte()}')
        if tag == "tg-emoji":
            if not given.get("emoji-id", "").isdecimal():
                raise _cannot("Invalid custom emoji identifier specified")
            return {"custom_emoji_id": given["emoji-id"]}
        if tag == "tg-time":
            if not given.get("unix", "").isdecimal():
                raise _cannot("Invalid date-time unix time specified")
            if not _TIME_FORMAT.fullmatch(given.get("format", "")):
                raise _cannot("Invalid date-time format specified")
            return {"unix_time": int(given["unix"]), "date_time_format": given.get("format", "")}
        if tag == "blockquote" and "expandable" in given:
            return {"type": "expandable_blockquote"}
        if tag == "code" and given.get("class", "").startswith("language-"):
            return {"language": given["class"].removeprefix("language-")}
        return {"url": given.get("href", "")} if tag == "a" else {}

    def end(self) -> None:
        if not self.nested:
            raise _cannot(f"Unexpected end tag at byte offset {self.byte()}")
        found = _END.match(self.source, self.at)
        if found is None:
            raise _cannot(f"Unclosed end tag at byte offset {self.byte()}")
        opened = self.nested.pop()
        if found[1] and found[1].lower() != opened.tag:
            raise _cannot(
                f"Unmatched end tag at byte offset {self.byte()}, expected "
                f'"</{opened.tag}>", found "</{found[1].lower()}>"'
            )
        self.at = found.end()
        if self.offset > opened.offset:
            self.close(opened)

    def close(self, opened: _Open) -> None:
        length = self.offset - opened.offset
        entity: dict[str, Any] = {
            "type": TYPES[opened.tag],
            "offset": opened.offset,
            "length": length,
        }
        entity.update(opened.extra)
        last = self.entities[-1] if self.entities else None
        same = last is not None and (last["offset"], last["length"]) == (opened.offset, length)
        if opened.tag == "a":
            entity["url"] = entity["url"] or "".join(self.parts[opened.begin :])
            if not WEB.fullmatch(entity["url"]):
                return  # a link that leads nowhere is plain text
        if opened.tag == "pre" and same and last is not None and "language" in last:
            last["type"] = "pre"
            return
        self.entities.append(entity)


def parse_html(source: str) -> tuple[str, list[dict[str, Any]]]:
    """The words and the entities of a text in Telegram's HTML. Raises: Refused."""
    reader = _Reader(source)
    while reader.at < len(source):
        if source[reader.at] != "<":
            reader.words()
        elif source.startswith("</", reader.at):
            reader.end()
        else:
            reader.start()
    if reader.nested:
        raise _cannot(f'Can\'t find end tag corresponding to start tag "{reader.nested[-1].tag}"')
    for entity in reader.entities:
        if entity["type"] == "code":
            entity.pop("language", None)  # only a block of code has one
    reader.entities.sort(key=lambda one: (one["offset"], -one["length"]))
    return "".join(reader.parts), reader.entities


def _cannot(why: str) -> Exception:
    return bad(f"can't parse entities: {why}")
