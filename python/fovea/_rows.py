"""Lines and pairs, from whatever Python has them in."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Union

from ._options import check_kind
from .errors import UsageError

Path = Union[str, "os.PathLike[str]"]
Rows = Iterable[Any]
Data = Union[Path, Rows, None]


def lines_of(lines: Iterable[Any]) -> list[Any]:
    """A tuple or list is the columns of one line."""
    if isinstance(lines, (str, bytes)):
        raise UsageError("lines: wants many texts, got one; model(text) answers that")
    check_kind("lines", lines, Iterable, "many texts")
    return ["\t".join(line) if isinstance(line, (tuple, list)) else line for line in lines]


def data_of(data: Data) -> tuple[str | None, list[tuple[Any, ...]] | None]:
    """A file's name, or rows as tuples. A table of pandas gives its rows."""
    if data is None:
        return None, None
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data), None
    check_kind("data", data, Iterable, "a file, or pairs")
    rows = data.itertuples(index=False, name=None) if hasattr(data, "itertuples") else data
    return None, [tuple(row) if not isinstance(row, str) else (row,) for row in rows]
