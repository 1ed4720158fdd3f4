"""What the gateway counts, for Prometheus. Labels are codes and never ids, so series stay few.

One object per process, made by `cli` and passed in; there is no global registry.
"""

from __future__ import annotations

WAKE_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
"""From a fast wake (3 to 10 ms at 200 a second, store-measured) to one that somebody notices."""

LATE_BUCKETS_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 600.0)
"""Around the promise that 1,000 timers of one second fire within one; the rest is outages."""


class Metrics:
    """Counters and histograms by attribute; `render` is what `/metrics` serves."""

    def __init__(self) -> None:
        # Inside, because prometheus_client brings an HTTP server, and `oz0 --help` must not wait.
        from prometheus_client import CollectorRegistry, Counter, Histogram

        self._registry = registry = CollectorRegistry()
        self.opened = Counter("oz_asks_opened", "Asks opened.", ["contract"], registry=registry)
        self.settled = Counter(
            "oz_asks_settled", "Asks ended, by how.", ["status", "surface"], registry=registry
        )
        self.refused = Counter(
            "oz_answers_refused", "Answers not taken, by why.", ["code"], registry=registry
        )
        self.unavailable = Counter(
            "oz_store_unavailable",
            "Requests refused because the store was away.",
            registry=registry,
        )
        self.webhooks = Counter(
            "oz_webhook_tries", "Webhook tries, by result.", ["result"], registry=registry
        )
        self.dead = Counter(
            "oz_dead_letters", "Entries given up for good.", ["group"], registry=registry
        )
        self.posts = Counter(
            "oz_posts",
            "Posts of asks, by channel and result.",
            ["channel", "result"],
            registry=registry,
        )
        self.undelivered = Counter(
            "oz_asks_undelivered",
            "Asks that had places to go to, none of which took a post.",
            registry=registry,
        )
        self.engine_restarts = Counter(
            "oz_engine_restarts",
            "Times the embedded engine died and was started again.",
            registry=registry,
        )
        self.resume_s = Histogram(
            "oz_resume_seconds",
            "From an ask's end to its run being told.",
            buckets=WAKE_BUCKETS_S,
            registry=registry,
        )
        self.late_s = Histogram(
            "oz_timer_late_seconds",
            "How late rungs and deadlines fired.",
            buckets=LATE_BUCKETS_S,
            registry=registry,
        )

    def render(self) -> tuple[bytes, str]:
        """The exposition text and its content type."""
        from prometheus_client import generate_latest
        from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

        return generate_latest(self._registry), CONTENT_TYPE_PLAIN_0_0_4
