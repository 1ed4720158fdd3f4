"""A Discord on the loopback interface: gateway, REST v10 and people, for the real SDK."""

from channels.testing.discord.refusals import Permission
from channels.testing.discord.server import Discord

__all__ = ["Discord", "Permission"]
