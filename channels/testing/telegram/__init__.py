"""A local Telegram: the Bot API over HTTP for one bot, by long polling and by webhook."""

from channels.testing.telegram.methods import Press
from channels.testing.telegram.server import TOKEN, Telegram

__all__ = ["TOKEN", "Press", "Telegram"]
