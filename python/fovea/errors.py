"""What goes wrong, in one line of words: the same that the commands say.

Where a message speaks of something that can be given, it has its name in backticks, which is that of the keyword.
"""

from __future__ import annotations


class Error(Exception):
    """Something went wrong."""


class UsageError(Error, ValueError):
    """What was asked for is unknown, out of range, or does not go together."""


class DataError(Error):
    """A file or a line is not what it should be."""


class ModelError(Error):
    """A model file cannot be read: it is missing, damaged, or from a newer version."""


class Interrupted(KeyboardInterrupt):
    """A signal came, and all is saved: the same call with this ``folder`` goes on from there."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"stopped and saved; the same call with folder={folder!r} goes on from there")
        self.folder = folder


class FoveaWarning(UserWarning):
    """Something that the commands would say on standard error."""
