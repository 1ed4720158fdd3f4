"""Slack as a local server. See `Slack`."""

from channels.testing.slack.server import Slack

__all__ = ["Slack"]
