"""A model that answers."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from . import _engine
from ._explanation import Explanation, Hypothesis
from ._options import Option, as_json, check_kind, whole_number
from ._rows import Data, Path, data_of, lines_of
from .errors import FoveaWarning, UsageError

if TYPE_CHECKING:
    import numpy
    import torch
    from numpy.typing import NDArray


class Metric(float):
    """A number of an evaluation, with its 95 % confidence interval."""

    interval: tuple[float, float] | None = None

    def __repr__(self) -> str:
        text = f"{float(self):.6g}"
        return f"{text} ({self.interval[0]:.6g} to {self.interval[1]:.6g})" if self.interval else text


class TokenScore(NamedTuple):
    token: str
    log_probability: float


class Scored(NamedTuple):
    """How probable a model finds a target: as a whole, and each of its symbols, the stop symbol too."""

    log_probability: float
    tokens: list[TokenScore]


class Scores(list[Scored]):
    """Of many targets, with the perplexity over all their symbols."""

    perplexity: float = 0.0
    symbols: int = 0


def warn(texts: Iterable[str]) -> None:
    for text in texts:
        warnings.warn(text, FoveaWarning, stacklevel=3)


class Model:
    """An opened model; many threads may ask it at once. ``fovea.load`` and ``fovea.train`` make one.

    >>> model("abc")
    'abc'
    >>> model.predict(["abc", "cab"])
    ['abc', 'cab']
    """

    def __init__(
        self, engine: _engine.Model, threads: int = 0, int8: bool = False, training: dict[str, Any] | None = None,
        files: int = 1,
    ) -> None:
        self._engine = engine
        self._threads = threads
        self._int8 = int8
        self._files = files
        self.training: dict[str, Any] | None = training
        """How it was trained, if that was done here: updates, seconds, metrics on the held-out lines."""

    def __call__(self, text: str, **options: Option) -> str:
        """The answer to one line."""
        check_kind("text", text, str, "one text (model.predict answers many)")
        found, trouble, _, _ = self._engine.predict([text], as_json(options), "text")
        warn(trouble)
        return str(found[0])

    @overload
    def predict(  # type: ignore[overload-overlap]
        self, lines: Iterable[Any], *, nbest: Literal[1] = 1, **options: Option
    ) -> list[str]: ...

    @overload
    def predict(self, lines: Iterable[Any], *, nbest: int, **options: Option) -> list[list[Hypothesis]]: ...

    def predict(
        self, lines: Iterable[Any], *, nbest: int = 1, **options: Option
    ) -> list[str] | list[list[Hypothesis]]:
        """One answer for each line, as the command ``fovea predict`` gives it, or ``nbest`` of them with their scores.

        ``lines`` is anything that gives texts, one after the other: a list, a generator, a column of pandas. The columns of a
        line are a tuple, or stand in one text with tabs between them. The options are those of the command, such as
        ``beam``, ``max_output``, ``sample`` and the rules of docs/search.md.

        >>> for answer in model.predict(["abc"], beam=3, nbest=2)[0]:
        ...     print(answer.text, answer.finished)
        abc True
        ...
        """
        wanted = "text" if nbest == 1 else "hypotheses"
        asked = as_json(options if nbest == 1 else {**options, "nbest": nbest})
        found, trouble, _, _ = self._engine.predict(lines_of(lines), asked, wanted)
        warn(trouble)
        if nbest == 1:
            return found
        return [[Hypothesis(*one) for one in answers] for answers in found]

    def score(self, pairs: Iterable[Any], **options: Option) -> Scores:
        """How probable the model finds given targets: lines of source<TAB>target, or pairs.

        >>> scores = model.score([("abc", "abc"), ("abc", "cba")])
        >>> scores[0].log_probability > scores[1].log_probability
        True
        """
        found, trouble, perplexity, symbols = self._engine.predict(lines_of(pairs), as_json(options), "scores")
        warn(trouble)
        scores = Scores(
            Scored(total, [TokenScore(token, number) for token, number, _ in tokens]) for total, tokens in found
        )
        scores.perplexity = perplexity
        scores.symbols = symbols
        return scores

    def explain(self, text: str, *, target: str = "", words: bool = False, **options: Option) -> Explanation:
        """The answer to one line, with where the model looked; or, with a ``target``, how it would write that.

        ``detail``, ``saliency``, ``self_attention``, ``tree`` and ``media`` are what it can have beside that, and ``edits`` are attention
        weights to be used instead: a list such as ``[{"step": 0, "map": 0, "weights": [0, 1, 0, 0]}]``, or the text of one.

        >>> model.explain("abc").text
        'abc'
        >>> edited = model.explain("abc", edits=[{"step": 0, "weights": [0, 1, 0, 0]}])
        >>> edited.weights[0].tolist()
        [0.0, 1.0, 0.0, 0.0]
        """
        check_kind("text", text, str, "one text")
        check_kind("target", target, str, "one text")
        asked, words = as_json(options), bool(words)

        def drawn() -> _engine.Output:
            return self._engine.look(text, target, asked, words, True)[0]

        output, trouble = self._engine.look(text, target, asked, words, False)
        warn(trouble)
        return Explanation(output, drawn)

    def evaluate(self, data: Data = None, **options: Option) -> dict[str, Metric]:
        """How good the answers to lines with known answers are: every metric, with its interval.

        ``data`` is a file, or pairs.

        >>> found = model.evaluate([("abc", "abc"), ("ba", "ba")])
        >>> found["exact"], found["lines"]
        (1 (0.34238 to 1), 2)
        """
        file, rows = data_of(data)
        text, trouble = self._engine.evaluate(as_json({**options, "file": file}), rows)
        warn(trouble)
        flat = json.loads(text)
        metrics: dict[str, Metric] = {}
        for name, value in flat.items():
            if value is None or any(name == f"{other}{end}" for other in metrics for end in ("_low", "_high")):
                continue
            metrics[name] = Metric(value)
            if flat.get(f"{name}_low") is not None and flat.get(f"{name}_high") is not None:
                metrics[name].interval = (flat[f"{name}_low"], flat[f"{name}_high"])
        return metrics

    def save(self, path: Path) -> None:
        """Writes the model as one file, which every command takes."""
        self._one("saved")
        self._engine.save(os.fspath(path))

    @property
    def config(self) -> dict[str, Any]:
        """Every setting.

        >>> model.config["task"]
        'transduce'
        """
        settings: dict[str, Any] = json.loads(self._engine.config())
        return settings

    @property
    def weights(self) -> dict[str, NDArray[numpy.float32]]:
        """A copy of every array, by name.

        >>> model.weights["generator.choice.bias"].shape == (len(model.target_symbols),)
        True
        """
        self._one("looked into")
        return self._engine.weights()

    @property
    def source_symbols(self) -> list[str]:
        """By number; the first four are the special ones."""
        return self._engine.symbols()[0]

    @property
    def target_symbols(self) -> list[str]:
        return self._engine.symbols()[1]

    def encode(self, source: str, target: str) -> tuple[list[int], list[int]]:
        """The numbers of a pair's symbols, as the network reads them, each with the stop symbol."""
        check_kind("source", source, str, "one text")
        check_kind("target", target, str, "one text")
        return self._engine.encode(source, target)

    def to_torch(self) -> torch.nn.Module:
        """The same network as a module of PyTorch, which must be installed (docs/python.md)."""
        from ._torch import network

        self._one("made a module")
        return network(self)

    def _one(self, what: str) -> None:
        if self._files > 1:
            raise UsageError(f"several models that answer as one cannot be {what}; take one of them")

    def __reduce__(self) -> tuple[Any, ...]:
        self._one("pickled")
        return _from_bytes, (self._engine.bytes(), self._threads, self._int8, self.training)

    def __repr__(self) -> str:
        several = f"{self._files} models, the first: " if self._files > 1 else ""
        return f"<fovea.Model {several}{self.config['task']}, {self._engine.weight_count():,} weights>"


def _from_bytes(content: bytes, threads: int, int8: bool, training: dict[str, Any] | None) -> Model:
    return Model(_engine.Model(content, threads, int8), threads, int8, training)


def load(*paths: Path, threads: int = 0, int8: bool = False) -> Model:
    """Opens a model: the folder of a run, or the file itself. Several answer as one.

    ``threads`` is how many work on an answer (0: one for each core), ``int8`` rounds the weights to 8 bits: faster, and
    answers nearly the same.

    >>> fovea.load(folder)("abc")
    'abc'
    """
    if not paths:
        raise UsageError("paths: wants a model, the folder of a run or a file")
    names = [os.fspath(path) for path in paths]
    threads, int8 = whole_number("threads", threads), bool(int8)
    return Model(_engine.Model(names, threads, int8), threads, int8, files=len(names))


def average(*paths: Path, last: int = 0, threads: int = 0) -> Model:
    """One model whose weights are the mean of others', or of the ``last`` that a run has kept."""
    names = [os.fspath(path) for path in paths]
    if not names or (last and len(names) != 1):
        raise UsageError("paths: wants models, or with `last` the folder of one run")
    threads = whole_number("threads", threads)
    return Model(_engine.Model(_engine.average(names, whole_number("last", last)), threads, False), threads)
