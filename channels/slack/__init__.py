"""Slack as a channel: blocks and modals, by Socket Mode or by signed requests."""
