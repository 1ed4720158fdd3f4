"""Discord: asks as messages with buttons, menus and forms, over discord.py."""
