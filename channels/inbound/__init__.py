"""From what a chat hands in to an effect at the broker, and to what is said back. No SDK, no chat.

One event has one effect, however often and wherever it arrives.
"""
