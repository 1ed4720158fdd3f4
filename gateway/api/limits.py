"""Every bound of the HTTP surface, with where it comes from. The body's own is a setting."""

from __future__ import annotations

from datetime import timedelta

MAX_WAIT_S = 300
"""Seconds one long poll holds on (agreed with the clients); proxies rarely allow more."""

JSON_DEPTH = 32
"""Ours: the deepest call of a contract has six levels."""

HEADER_BYTES = 8_190
"""One line of the head; aiohttp's and nginx's own."""

MAX_HEADERS = 64
"""Ours: browsers send about fifteen, proxies add a few."""

IDLE_S = 75.0
"""Ours, and nginx's: for a whole head to arrive, and between two requests on one line."""

BODY_WITHIN_S = 30.0
"""Ours: for a body to arrive; a megabyte at 300 kbit/s."""

WRITE_WITHIN_S = 30.0
"""Ours: for a reader of a stream to take what was sent; then it is gone, and comes again."""

TRY_KEPT = timedelta(days=1)
"""A try is bound to its ask as long as a chat's message is (design, The store)."""

MAX_KEY = 255
"""Ours: characters of an Idempotency-Key or a call's id; UUIDs and providers' have under 100."""

MAX_WORDS = 4_000
"""Ours: characters of a reason or comment, as an answer in words (the third original)."""

MAX_NAME = 512
"""Ours: characters of a conversation's name, or of an id in an audience."""

MAX_AUDIENCE = 100
"""Ours: more people than that are a role."""

MAX_TAGS = 20
"""Ours: what a run is known by in routes stays readable."""

PAGE, MAX_PAGE = 50, 200
"""Ours: asks of one page."""

AT_ONCE = 64
"""Ours: reads under way for one page; the store gathers them into one write."""
