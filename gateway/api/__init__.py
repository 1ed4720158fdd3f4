"""The HTTP API: REST, the Approvals RPC, server-sent events, and their OpenAPI document."""

from gateway.api.app import build_app, serving
from gateway.api.parts import Parts

__all__ = ["Parts", "build_app", "serving"]
