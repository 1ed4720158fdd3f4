"""What a post needs so that it shows its ask as it stands. Pure: the worker does what this says.

Looking again is always right: nothing here depends on what was heard of, or how often.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from gateway.posts import PostState

if TYPE_CHECKING:
    from gateway.ask import AskRecord
    from gateway.posts import Post


class Need(StrEnum):
    NOTHING = "nothing"
    POST = "post"
    REDRAW = "redraw"
    FORGET = "forget"


def need(record: AskRecord, post: Post | None) -> Need:
    """What is to be done in one place.

    A post that was begun and never recorded is made again while the ask waits: at most one too
    many, which is adopted at its first press. Once the ask has ended there is nothing to find it
    by, and it is let go.
    """
    if post is None:
        return Need.POST if record.pending else Need.NOTHING
    match post.state:
        case PostState.POSTING:
            return Need.POST if record.pending else Need.FORGET
        case PostState.SHUT if record.pending:
            return Need.POST
        case PostState.SHOWN:
            return Need.NOTHING if post.version == record.version else Need.REDRAW
        case _:
            return Need.NOTHING
