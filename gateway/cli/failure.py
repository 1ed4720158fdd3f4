"""What goes wrong on the command line: one line, and how to go on.

Exit codes: 0 done, 1 refused or failed, 2 wrong use, 130 stopped from the keyboard.
"""

from __future__ import annotations

from typing import Any

REFUSED = 1
WRONG_USE = 2
INTERRUPTED = 130
"""128 + SIGINT, as shells count."""


class Failure(Exception):
    """Ends a command.

    Args:
        message: one sentence, without `oz0:`.
        how: what to do next; may be "".
        problems: one line per fault.
        body: the API's own error, for `--json`.
    """

    def __init__(
        self,
        message: str,
        how: str = "",
        *,
        exit_code: int = REFUSED,
        problems: tuple[str, ...] = (),
        body: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.how = how
        self.exit_code = exit_code
        self.problems = problems
        self.body = body or {"code": "failed", "message": message}
