"""Where progress is shown: drawn by the library, written here to wherever Python's standard error goes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any, Union

from .errors import UsageError

Progress = Union[str, Callable[[dict[str, Any]], object]]

_ERASE = "\r\x1b[K"


def in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(getattr(shell, "get_ipython")(), "kernel")


def columns() -> int:
    try:
        return os.get_terminal_size(2).columns or 80
    except OSError:  # no terminal
        return 80


class Shown:
    """``auto`` is ``live`` in a terminal and in a notebook, else ``none``: warnings only. A function is called with each
    validation instead."""

    def __init__(self, progress: Progress) -> None:
        self.called = progress if callable(progress) else None
        self.notebook = in_notebook()
        self.width = 100 if self.notebook else columns()
        self.mode = "none"
        self.length = 0  # of what stands on the last line of a notebook
        if not callable(progress):
            if progress not in ("auto", "live", "plain", "none"):
                raise UsageError(f"progress: wants one of auto, live, plain, none, or a function, got {progress!r}")
            terminal = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
            self.mode = progress if progress != "auto" else "live" if terminal or self.notebook else "none"
        self.colour = self.mode == "live" and not os.environ.get("NO_COLOR")

    def take(self, kind: str, text: str) -> None:
        if kind == "validation":
            if self.called:
                self.called(json.loads(text))
        elif sys.stderr is not None:
            # A notebook goes back to the beginning of a line, but clears none.
            sys.stderr.write(text.replace(_ERASE, "\r" + " " * self.width + "\r") if self.notebook else text)
            sys.stderr.flush()
