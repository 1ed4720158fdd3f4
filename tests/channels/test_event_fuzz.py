"""The short run of `make fuzz` over what platforms send."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.event_fuzz import READERS, run
from tests.fuzz.payloads import SHAPES, payloads

COUNT = 20_000
"""Two seconds of it; `make fuzz` reads a million."""


async def test_no_event_of_any_platform_makes_a_parser_raise(
    redis_url: str, tmp_path: Path
) -> None:
    """Real ones, changed in a few places, and JSON of all kinds; unchanged they are understood."""
    sent = await payloads(redis_url, tmp_path)
    assert set(sent) == set(READERS)
    for name, read in READERS.items():
        understood = [one for one in sent[name] if read(one) is not None]
        assert len(understood) > len(SHAPES), name
    assert run(COUNT, seed=1, sent=sent) == 0
