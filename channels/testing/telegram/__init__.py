"""A local Telegram: the Bot API over HTTP for one bot, by long polling and by webhook.

async with Telegram() as chat:
    chat.person("7", "Ana")
    chat.group("-1001", members=["7"])
    Application.builder().token(chat.token).base_url(chat.base_url)
"""

from channels.testing.telegram.methods import Press
from channels.testing.telegram.server import TOKEN, Telegram

__all__ = ["TOKEN", "Press", "Telegram"]
