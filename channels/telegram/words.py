"""What our commands do, for Telegram's menu of them."""

from __future__ import annotations

from channels.catalogue import message

COMMANDS = (
    ("pending", message("What waits for you")),
    ("help", message("How to answer")),
    ("link", message("What your account is called here")),
)
