"""Training, and comparing trainings."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Union

from . import _engine
from ._model import Model, load, warn
from ._options import Option, Settings, check_kind, plain, setting_text, split
from ._progress import Progress, Shown
from ._rows import Data, Path, Rows, data_of
from .errors import Interrupted

if TYPE_CHECKING:
    import pandas

Values = Union[str, int, float, Iterable[Any]]


@contextmanager
def _folder_for(folder: Path | None) -> Iterator[str]:
    """The folder, or one that goes away at the end, unless a signal came: then all is saved there."""
    import shutil
    import tempfile  # here, since they take longer to import than all the rest

    place = os.fspath(folder) if folder is not None else tempfile.mkdtemp(prefix="fovea-")
    keep = folder is not None
    try:
        yield place
    except KeyboardInterrupt:
        keep = True
        raise Interrupted(place) from None
    finally:
        if not keep:
            shutil.rmtree(place, ignore_errors=True)


def train(
    data: Data = None, folder: Path | None = None, *, held_out: Rows | None = None, settings: Settings | None = None,
    progress: Progress = "auto", **options: Option,
) -> Model:
    """Trains a model and returns it.

    ``data`` is a file of source<TAB>target on each line, or pairs, or a table of pandas with these columns; ``held_out``, pairs, are
    measured on (else a part of the data is). All else follows from the data unless it is given: options of the command
    ``fovea train`` such as ``preset``, ``stop_after``, ``seed``, ``dev``, ``threads``, ``from_``, and settings of the model, either as
    ``settings={"encoder.size": 64}`` or as ``encoder_size=64``; ``fovea.settings()`` has all of them.

    With a ``folder`` the run stays there, and the same call goes on where it stopped. Ctrl-C saves first and raises
    ``fovea.Interrupted``, which has the folder. ``progress`` is auto, live, plain, none, or a function that is called with each
    validation; what that raises ends the run, saved.

    >>> small = fovea.train(fovea.make("copy", 200), stop_after="2u", encoder_size=8, decoder_size=8)
    >>> small.training["updates"]
    2
    """
    file, rows = data_of(data)
    shown = Shown(progress)
    names = [name for name, *_ in _engine.train_options()]
    with _folder_for(folder) as place:
        asked, given = split({**options, "file": file, "folder": place}, names, settings)
        held = None if held_out is None else data_of(held_out)[1]
        text = _engine.train(asked, given, rows, held, shown.mode, shown.width, shown.colour, shown.take)
        training: dict[str, Any] = json.loads(text)
        if "warning" in training:
            warn([training["warning"]])
        threads = options.get("threads")
        model = load(place, threads=threads if isinstance(threads, int) else 0)
    model.training = {**training, "folder": place if folder is not None else None}
    return model


class Comparison(list[dict[str, Any]]):
    """One row for each combination: the settings, the metrics with their intervals, time and memory.

    ``details`` is all of it, as the command writes it (docs/compare.md).
    """

    details: dict[str, Any] = {}

    def to_pandas(self) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame(list(self))

    def _repr_html_(self) -> str:
        from html import escape

        names = list(dict.fromkeys(name for row in self for name in row))

        def cell(value: Any) -> str:
            return f"<td>{value:.4g}</td>" if isinstance(value, float) else f"<td>{escape(str(value))}</td>"

        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(f"<tr>{''.join(cell(row.get(name, '')) for name in names)}</tr>" for row in self)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = dict(row["settings"])
    for name, value in row.items():
        if name in ("settings", "runs"):
            continue
        if isinstance(value, dict):
            flat[name] = value["mean"]
            flat.update({f"{name}_{end}": value[end] for end in ("low", "high") if end in value})
        else:
            flat[name] = value
    return flat


def compare(
    data: Data = None, folder: Path | None = None, *, vary: Mapping[str, Values], held_out: Rows | None = None,
    settings: Settings | None = None, progress: Progress = "auto", **options: Option,
) -> Comparison:
    """Trains every combination of some settings under one budget, each in a process of its own: rows that pandas takes.

    ``vary`` has the values of each setting, or ``"all"`` of them; ``stop_after`` is the budget of each run, ``seeds`` how many runs each
    combination has. With a ``folder``, runs that are done there are not done again.

    >>> rows = fovea.compare(fovea.make("copy", 200), vary={"attention.score": ["dot", "additive"]}, stop_after="2u",
    ...                      encoder_size=8, decoder_size=8)
    >>> [row["attention.score"] for row in rows]
    ['dot', 'additive']
    """
    check_kind("vary", vary, Mapping, 'settings with their values, such as {"attention.score": "all"}')
    file, rows = data_of(data)
    shown = Shown(progress)
    names = [name for name, *_ in _engine.compare_options()]
    with _folder_for(folder) as place:
        asked, given = split({**options, "file": file, "folder": place}, names, settings)
        varied = [(name, _values(name, values)) for name, values in vary.items()]
        held = None if held_out is None else data_of(held_out)[1]
        details = json.loads(_engine.compare(asked, given, varied, rows, held, shown.mode, shown.take))
    comparison = Comparison(_flat(row) for row in details["rows"])
    comparison.details = details
    return comparison


def _values(name: str, values: Values) -> list[str]:
    """As the library reads them; a list among them is one value."""
    all_of_them = [values] if isinstance(values, (str, bool, int, float)) else list(values)
    return [setting_text(name, plain(value)).partition("=")[2] for value in all_of_them]
