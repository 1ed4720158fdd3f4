"""What only Slack has to say: a form is answered within three seconds, or beside it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.shown import line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from channels.catalogue import Reader


def not_sent(reader: Reader, faults: Iterable[tuple[str, str]]) -> str:
    """A form with something wrong in it: its entries by name, each with what is wrong."""
    lines = "\n".join(f"{line(name)}: {fault}" for name, fault in faults)
    said = reader.language.say("Not sent yet. Change what is wrong in the form, and send it again.")
    return f"{said}\n\n{lines}"


def go_on(reader: Reader) -> str:
    """A page was kept, and the next could not be shown in its place any more."""
    return reader.language.say('So far kept. Press "Answer" again for the next part.')
