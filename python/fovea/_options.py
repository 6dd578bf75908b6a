"""Keyword options, as the tables of the library know them: a new option of the library needs no line here."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, SupportsIndex, Union

from . import _engine
from .errors import UsageError

Option = Union[str, int, float, bool, "os.PathLike[str]", Iterable[str], Iterable[Mapping[str, Any]], None]
Settings = Mapping[str, Option]


def plain(value: Any) -> Any:
    """A value as JSON has it: paths are text, numbers of numpy are numbers, everything else that is iterable a list."""
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, Iterable):
        return [plain(one) for one in value]
    raise UsageError(f"wants text, a number, true or false, or a list, got {type(value).__name__}")


def check_kind(name: str, value: Any, kind: type, wanted: str) -> None:
    """Raises a UsageError unless the value is of that kind; the engine would say it in words of its own."""
    if not isinstance(value, kind):
        raise UsageError(f"{name}: wants {wanted}, got {type(value).__name__}")


def whole_number(name: str, value: Any) -> int:
    """From 0 on, as far as the engine counts."""
    check_kind(name, value, SupportsIndex, "a whole number")
    number = operator.index(value)
    if not 0 <= number < 2**31:
        raise UsageError(f"{name}: wants a whole number from 0 to {2**31 - 1}, got {number}")
    return number


def as_json(options: Mapping[str, Option]) -> str:
    """``from_`` stands for ``from``, which Python keeps for itself; columns may be a list. None is as if not given."""
    if not options:
        return "{}"
    given: dict[str, Any] = {}
    for name, value in options.items():
        if value is None:
            continue
        try:
            value = plain(value)
        except UsageError as error:
            raise UsageError(f"{name}: {error}") from None
        if name == "edits" and isinstance(value, list):
            value = json.dumps(value)
        if name == "columns" and isinstance(value, list):
            value = ",".join(value)
        given[name.rstrip("_")] = value
    return json.dumps(given)


def setting_text(name: str, value: Option) -> str:
    """name=value, as the library reads it."""
    value = plain(value)
    if isinstance(value, bool):
        return f"{name}={'true' if value else 'false'}"
    if isinstance(value, list):
        for one in value:
            if not isinstance(one, str) or "," in one or "+" in one:
                raise UsageError(f"{name}: a list of texts without comma or plus is wanted")
        return f"{name}={'+'.join(value)}"
    return f"{name}={value!r}" if isinstance(value, float) else f"{name}={value}"


@lru_cache(maxsize=None)
def _dotted() -> dict[str, str]:
    return {name.replace(".", "_"): name for name, *_ in _engine.settings()}


def split(options: Mapping[str, Option], known: Iterable[str], settings: Settings | None) -> tuple[str, list[str]]:
    """The options of a call, and the settings of the model among them: ``encoder_size=64`` is encoder.size."""
    check_kind("settings", {} if settings is None else settings, Mapping, 'names with values, such as {"encoder.size": 64}')
    names = set(known)
    own: dict[str, Option] = {}
    texts = [setting_text(name, value) for name, value in (settings or {}).items()]
    for name, value in options.items():
        if name.rstrip("_") in names:
            own[name] = value
        elif value is not None:
            texts.append(setting_text(_dotted().get(name, name), value))
    return as_json(own), texts
