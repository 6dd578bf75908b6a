"""Trains, runs and looks inside sequence models with attention, on an ordinary computer.

>>> import fovea
>>> model = fovea.load(folder)
>>> model("abc")
'abc'

``train``, ``load`` and ``compare`` are what there is to begin with; docs/python.md tells more.
"""

from __future__ import annotations

import atexit as _atexit
import os as _os
from typing import NamedTuple as _NamedTuple

from . import errors as _errors  # before the engine, which raises them
from . import _engine
from ._explanation import Alternative, Explanation, Hypothesis
from ._model import Metric, Model, Scored, Scores, TokenScore, average, load
from ._options import check_kind as _check_kind, whole_number as _whole_number
from ._runs import Comparison, compare, train
from .errors import DataError, Error, FoveaWarning, Interrupted, ModelError, UsageError

__version__: str = _engine.version

__all__ = [
    "Alternative", "Comparison", "DataError", "Error", "Explanation", "FoveaWarning", "Hypothesis", "Interrupted", "Metric",
    "Model", "ModelError", "Scored", "Scores", "Setting", "TokenScore", "UsageError", "average", "compare", "load", "make",
    "makers", "presets", "settings", "train",
]

# Calls of other threads end before the interpreter does, and a forked child does not wait for those of its parent.
_atexit.register(_engine.end_all)
_os.register_at_fork(after_in_child=_engine.forget_all)


class Setting(_NamedTuple):
    """A setting of a model: its value if nobody gives another, and the names it may have, if those are all."""

    value: str
    help: str
    names: list[str]


def settings() -> dict[str, Setting]:
    """Every setting by its name.

    >>> fovea.settings()["attention.score"].value
    'additive'
    """
    return {name: Setting(value, help, names) for name, value, help, names in _engine.settings()}


def presets() -> dict[str, str]:
    """Published systems by name, each as the TOML of its settings.

    >>> "bahdanau2015" in fovea.presets()
    True
    """
    return dict(_engine.presets())


def makers() -> dict[str, str]:
    """Data sets that can be made, and what they are."""
    return dict(_engine.makers())


def make(name: str, count: int = 10000, seed: int = 1) -> list[tuple[str, str]]:
    """Pairs of a data set that is made rather than collected.

    >>> source, target = fovea.make("reverse", 1)[0]
    >>> target == source[::-1]
    True
    """
    _check_kind("name", name, str, "the name of a data set")
    _check_kind("seed", seed, int, "a whole number")
    return _engine.make(name, _whole_number("count", count), seed)
