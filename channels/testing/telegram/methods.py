"""The Bot API's methods, as far as a bot that asks people questions can call them.

Each refuses what the server refuses. A method that is not here is answered with 501.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from channels.testing.telegram import keyboards
from channels.testing.telegram.markdown import parse_markdown
from channels.testing.telegram.markup import clean, parse_html, trimmed, units
from channels.testing.telegram.places import Kept, member_json
from channels.testing.telegram.refusals import bad, forbidden, too_many, unknown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from channels.testing.telegram.places import Chat, Person, World
    from channels.testing.telegram.rates import Rates
    from channels.testing.telegram.updates import Updates

TEXT = 4096
"""Bot API, sendMessage.text: 1-4096 characters after entities parsing, in UTF-16 code units."""
ENTITIES = 100
"""The server keeps the first hundred."""
TOAST = 200
"""Bot API, answerCallbackQuery.text: 0-200 characters."""
QUOTE = 1024
"""Bot API, ReplyParameters.quote: 0-1024 characters after entities parsing."""
QUERY_S = 15.0
"""How long a press may be answered. Not documented; Telegram names 15 s for ephemeral answers."""
DELETE_S = 48 * 3600
"""Bot API, deleteMessage: only if it was sent less than 48 hours ago."""
COMMANDS = 100
"""Bot API, setMyCommands: at most 100."""
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")
"""Bot API, BotCommand.command: 1-32 lowercase English letters, digits and underscores."""

_BACK_TO_BOT = re.compile(r"https://t\.me/(\w+)\?start=[A-Za-z0-9_-]{1,64}", re.ASCII)
"""Bot API, answerCallbackQuery.url."""

NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same "
    "as a current content and reply markup of the message"
)
TOO_OLD = "query is too old and response timeout expired or query ID is invalid"
ACTIONS = frozenset(("typing", "upload_photo", "upload_document", "choose_sticker"))


@dataclass(slots=True)
class Press:
    """Somebody pressed a button. Until it is answered or too old, it spins in front of them."""

    id: str
    account: int
    chat: int
    message: int
    data: str
    at: float
    answered: bool = False
    text: str = ""
    alert: bool = False
    link: str = ""


@dataclass
class Methods:
    """The API of one bot. `query_s` is how long a press may be answered."""

    world: World
    updates: Updates
    query_s: float = QUERY_S
    rates: Rates | None = None
    presses: list[Press] = field(default_factory=list)
    commands: dict[str, list[dict[str, str]]] = field(default_factory=dict)

    def named(self) -> dict[str, Callable[[dict[str, Any]], Awaitable[Any]]]:
        """The methods there are, by their names."""
        return {
            "getMe": self.get_me,
            "getUpdates": self.updates.poll,
            "setWebhook": self.set_webhook,
            "deleteWebhook": self.delete_webhook,
            "getWebhookInfo": self.get_webhook_info,
            "sendMessage": self.send_message,
            "editMessageText": self.edit_message_text,
            "editMessageReplyMarkup": self.edit_message_reply_markup,
            "deleteMessage": self.delete_message,
            "answerCallbackQuery": self.answer_callback_query,
            "sendChatAction": self.send_chat_action,
            "getChat": self.get_chat,
            "getChatMember": self.get_chat_member,
            "leaveChat": self.leave_chat,
            "setMyCommands": self.set_my_commands,
            "getMyCommands": self.get_my_commands,
            "deleteMyCommands": self.delete_my_commands,
        }

    # The bot, and how it is told

    async def get_me(self, _: dict[str, Any]) -> dict[str, Any]:
        return {
            **self.world.bot.json(),
            "can_join_groups": True,
            "can_read_all_group_messages": not self.world.privacy,
            "supports_guest_queries": False,
            "supports_inline_queries": False,
            "can_connect_to_business": False,
            "has_main_web_app": False,
            "has_topics_enabled": False,
            "allows_users_to_create_topics": False,
            "can_manage_bots": False,
            "supports_join_request_queries": False,
        }

    async def set_webhook(self, params: dict[str, Any]) -> bool:
        self.updates.set_webhook(params)
        return True

    async def delete_webhook(self, params: dict[str, Any]) -> bool:
        self.updates.set_webhook({**params, "url": ""})
        return True

    async def get_webhook_info(self, _: dict[str, Any]) -> dict[str, Any]:
        return self.updates.info()

    # Messages

    async def send_message(self, params: dict[str, Any]) -> dict[str, Any]:
        chat = self._writable(params)
        topic = self._topic(chat, params.get("message_thread_id"))
        text, entities = _text(params)
        if units(text) > TEXT:
            raise bad("message is too long")
        rows = keyboards.reply_markup(
            params.get("reply_markup"),
            private=chat.kind == "private",
            channel=chat.kind == "channel",
        )
        answered = self._answered(chat, params.get("reply_parameters"))
        self._within_rates(chat)
        author = None if chat.kind == "channel" else self.world.bot
        kept = self.world.keep(
            chat,
            author,
            text=text,
            entities=entities,
            keyboard=rows,
            reply_to=answered,
            topic=topic,
        )
        return kept.json()

    async def edit_message_text(self, params: dict[str, Any]) -> dict[str, Any]:
        kept = self._own(params)
        text, entities = _text(params)
        if units(text) > TEXT:
            raise bad("MESSAGE_TOO_LONG")
        rows = keyboards.inline(params.get("reply_markup"), private=kept.chat.kind == "private")
        return self._edited(kept, text, entities, rows)

    async def edit_message_reply_markup(self, params: dict[str, Any]) -> dict[str, Any]:
        kept = self._own(params)
        rows = keyboards.inline(params.get("reply_markup"), private=kept.chat.kind == "private")
        return self._edited(kept, kept.text, kept.entities, rows)

    async def delete_message(self, params: dict[str, Any]) -> bool:
        chat = self._readable(params)
        kept = chat.find(_whole(params, "message_id"))
        if kept is None:
            raise bad("message to delete not found")
        own = kept.author is self.world.bot or chat.kind == "private"
        if self.world.now() - kept.date > DELETE_S or not (own or chat.admin(self.world.bot.id)):
            raise bad("message can't be deleted")
        kept.deleted = True
        return True

    async def send_chat_action(self, params: dict[str, Any]) -> bool:
        self._topic(self._writable(params), params.get("message_thread_id"))
        if params.get("action") not in ACTIONS:
            raise bad("wrong parameter action in request")
        return True

    # Presses

    async def answer_callback_query(self, params: dict[str, Any]) -> bool:
        wanted = str(params.get("callback_query_id", ""))
        press = next((one for one in self.presses if one.id == wanted), None)
        if press is None or press.answered or self.late(press):
            raise bad(TOO_OLD)
        text = str(params.get("text") or "")
        if units(text) > TOAST:
            raise bad("MESSAGE_TOO_LONG")
        link = str(params.get("url") or "")
        if link and not _BACK_TO_BOT.fullmatch(link):
            raise bad("URL_INVALID")  # only a game's, or one that leads back to the bot
        press.answered, press.text, press.link = True, text, link
        press.alert = bool(params.get("show_alert"))
        return True

    def late(self, press: Press) -> bool:
        """Whether it is too late to answer a press."""
        return asyncio.get_running_loop().time() - press.at > self.query_s

    # Chats and people

    async def get_chat(self, params: dict[str, Any]) -> dict[str, Any]:
        gifts = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription")
        return {
            **self._readable(params).json(),
            "accent_color_id": 0,
            "max_reaction_count": 11,
            "accepted_gift_types": dict.fromkeys((*gifts, "gifts_from_channels"), False),
        }

    async def get_chat_member(self, params: dict[str, Any]) -> dict[str, Any]:
        chat = self._readable(params)
        try:
            person = self.world.person(params.get("user_id", ""))
        except LookupError:
            raise bad("invalid user_id specified") from None
        return member_json(person, chat.standing.get(person.id, "left"))

    async def leave_chat(self, params: dict[str, Any]) -> bool:
        chat = self._readable(params)
        if chat.kind == "private":
            raise bad("chat member status can't be changed in private chats")
        chat.standing[self.world.bot.id] = "left"
        return True

    async def set_my_commands(self, params: dict[str, Any]) -> bool:
        given = params.get("commands")
        if not isinstance(given, list) or len(given) > COMMANDS:
            raise bad("expected an Array of BotCommand")
        for one in given:
            if not _COMMAND.fullmatch(one["command"]):
                raise bad("BOT_COMMAND_INVALID")
            if not 1 <= units(one["description"]) <= 256:
                raise bad("BOT_COMMAND_DESCRIPTION_INVALID")
        self.commands[_scope(params)] = given
        return True

    async def get_my_commands(self, params: dict[str, Any]) -> list[dict[str, str]]:
        return self.commands.get(_scope(params), [])

    async def delete_my_commands(self, params: dict[str, Any]) -> bool:
        self.commands.pop(_scope(params), None)
        return True

    # What may be done where

    def _readable(self, params: dict[str, Any]) -> Chat:
        wanted = params.get("chat_id")
        if wanted in (None, ""):
            raise bad("chat_id is empty")
        try:
            chat = self.world.chat(str(wanted))
        except LookupError:
            raise bad("chat not found") from None
        if chat.kind == "private":
            return chat
        name = "group" if chat.kind == "group" else chat.kind
        standing = chat.standing.get(self.world.bot.id, "left")
        if chat.migrated_to is None and standing == "kicked":
            raise forbidden(f"bot was kicked from the {name} chat")
        if chat.migrated_to is None and standing == "left":
            raise forbidden(f"bot is not a member of the {name} chat")
        return chat

    def _writable(self, params: dict[str, Any]) -> Chat:
        chat = self._readable(params)
        if chat.migrated_to is not None:
            raise bad(
                "group chat was upgraded to a supergroup chat", migrate_to_chat_id=chat.migrated_to
            )
        if chat.person is not None:
            _reachable(chat.person)
        if chat.kind == "channel" and not chat.admin(self.world.bot.id):
            raise bad("need administrator rights in the channel chat")
        if chat.muted and not chat.admin(self.world.bot.id):
            raise bad("not enough rights to send text messages to the chat")
        return chat

    def _topic(self, chat: Chat, wanted: Any) -> int | None:
        topic = chat.general if wanted is None else chat.topics.get(wanted)
        if topic is None or topic.deleted:
            raise bad("message thread not found")
        if topic.closed and not chat.admin(self.world.bot.id):
            raise bad("TOPIC_CLOSED")
        return wanted if isinstance(wanted, int) else None

    def _answered(self, chat: Chat, given: Any) -> Kept | None:
        if not isinstance(given, dict):
            return None
        if units(str(given.get("quote", ""))) > QUOTE:
            raise bad("QUOTE_TEXT_INVALID")
        found = chat.find(given.get("message_id", 0))
        if found is None and not given.get("allow_sending_without_reply"):
            raise bad("message to be replied not found")
        return found

    def _own(self, params: dict[str, Any]) -> Kept:
        chat = self._readable(params)
        if chat.person is not None:
            _reachable(chat.person)
        kept = chat.find(_whole(params, "message_id"))
        if kept is None:
            raise bad("message to edit not found")
        own = kept.author is (None if chat.kind == "channel" else self.world.bot)
        # That a post of a group from before it was upgraded can be edited is not documented.
        if not own or chat.migrated_to is not None:
            raise bad("message can't be edited")
        return kept

    def _edited(
        self,
        kept: Kept,
        text: str,
        entities: list[dict[str, Any]],
        rows: list[list[dict[str, Any]]] | None,
    ) -> dict[str, Any]:
        if (text, entities, rows) == (kept.text, kept.entities, kept.keyboard):
            raise bad(NOT_MODIFIED)
        self._within_rates(kept.chat)
        kept.text, kept.entities, kept.keyboard = text, entities, rows
        kept.edited = int(self.world.now())
        return kept.json()

    def _within_rates(self, chat: Chat) -> None:
        if self.rates is not None:
            at = asyncio.get_running_loop().time()
            wait = self.rates.wait(chat.id, group=chat.kind != "private", at=at)
            if wait is not None:
                raise too_many(wait)


def _reachable(person: Person) -> None:
    if person.deactivated:
        raise forbidden("user is deactivated")
    if person.is_bot:
        raise forbidden("bots can't send messages to bots")
    if person.blocked:
        raise forbidden("bot was blocked by the user")
    if not person.started:
        raise forbidden("bot can't initiate conversation with a user")


def _text(params: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    text = params.get("text")
    if not isinstance(text, str) or not text:
        raise bad("message text is empty")
    match str(params.get("parse_mode") or "").lower():
        case "html":
            text, entities = parse_html(text)
        case "":
            entities = params.get("entities") or []
        case "markdownv2":
            text, entities = parse_markdown(text)
        case "markdown":
            raise unknown("the old Markdown mode")
        case _:
            raise bad("unsupported parse_mode")
    text, entities = trimmed(clean(text), entities)
    if not text:
        raise bad("message text is empty")
    return text, entities[:ENTITIES]


def _whole(params: dict[str, Any], name: str) -> int:
    value = params.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise bad(f"{name.replace('_id', '')} identifier is not specified")
    return value


def _scope(params: dict[str, Any]) -> str:
    scope = params.get("scope") or {"type": "default"}
    return f"{scope.get('type')}:{scope.get('chat_id', '')}:{params.get('language_code', '')}"
