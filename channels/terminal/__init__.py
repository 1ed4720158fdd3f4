"""The terminal as a chat: one person, no buttons, one reply a line."""
