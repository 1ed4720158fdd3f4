"""The HTTP API: REST, the Approvals RPC, server-sent events, and their OpenAPI document."""

from gateway.api.app import build_app, serving

__all__ = ["build_app", "serving"]
