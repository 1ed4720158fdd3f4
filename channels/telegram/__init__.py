"""Telegram: asks as messages with inline keyboards, forms gone through step by step in private."""
