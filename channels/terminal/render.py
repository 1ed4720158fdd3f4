"""What the terminal prints of a view or of what is said back. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.words import told

if TYPE_CHECKING:
    from channels.catalogue import Reader
    from channels.contract import Tell
    from channels.present import View


def ending(view: View) -> str:
    """How it ended, under a post that nobody can draw anew; "" while it waits."""
    if view.outcome is None or view.outcome == view.sealed:
        return view.outcome or ""
    return f"{view.foot}\n{view.outcome}"


def tell(reader: Reader, said: Tell) -> str:
    """What is said back, and the words to type for its buttons."""
    if not said.buttons:
        return said.text
    words = [button.word for button in said.buttons]
    return f"{said.text}\n{told.choose(reader, words)}"
