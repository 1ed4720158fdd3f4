"""The metrics: counted where they happen, rendered for Prometheus, one set per object."""

from __future__ import annotations

from gateway.metrics import Metrics


def test_what_is_counted_is_rendered() -> None:
    """A counter and a histogram come out with their labels."""
    metrics = Metrics()
    metrics.settled.labels(status="answered", surface="slack").inc()
    metrics.resume_s.observe(0.004)
    text, kind = metrics.render()
    lines = text.decode().splitlines()
    assert kind.startswith("text/plain")
    assert 'oz_asks_settled_total{status="answered",surface="slack"} 1.0' in lines
    assert 'oz_resume_seconds_bucket{le="0.005"} 1.0' in lines
    assert 'oz_resume_seconds_bucket{le="0.0025"} 0.0' in lines


def test_two_gateways_in_one_process_count_apart() -> None:
    """There is no global registry."""
    one, two = Metrics(), Metrics()
    one.unavailable.inc()
    assert b"oz_store_unavailable_total 1.0" in one.render()[0]
    assert b"oz_store_unavailable_total 0.0" in two.render()[0]
