"""An estimator of scikit-learn, which must be installed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._model import Model
from ._runs import train
from .errors import DataError


class Transducer(BaseEstimator):  # type: ignore[misc]
    """Turns texts into texts: ``fit`` trains a model, ``predict`` answers with it, ``score`` is the share of right answers.

    ``options`` are those of ``fovea.train``; ``search`` those of ``Model.predict``, such as ``{"beam": 5}``.

    >>> from fovea.sklearn import Transducer
    >>> sources, targets = zip(*fovea.make("copy", 200))
    >>> estimator = Transducer(stop_after="2u", options={"encoder_size": 8, "decoder_size": 8}).fit(sources, targets)
    >>> estimator.predict(["abc"]).shape
    (1,)
    """

    def __init__(
        self, preset: str | None = None, stop_after: str | None = None, seed: int | None = None, threads: int = 0,
        options: dict[str, Any] | None = None, search: dict[str, Any] | None = None,
    ) -> None:
        self.preset = preset
        self.stop_after = stop_after
        self.seed = seed
        self.threads = threads
        self.options = options
        self.search = search

    def fit(self, X: Iterable[Any], y: Iterable[Any]) -> Transducer:
        sources, targets = _texts(X, "X"), _texts(y, "y")
        if len(sources) != len(targets):
            raise DataError(f"X has {len(sources)} texts, y has {len(targets)}")
        self.model_: Model = train(
            zip(sources, targets), preset=self.preset, stop_after=self.stop_after, seed=self.seed, threads=self.threads,
            progress="none", **(self.options or {}),
        )
        return self

    def predict(self, X: Iterable[Any]) -> NDArray[numpy.object_]:
        check_is_fitted(self)
        answers: list[str] = self.model_.predict(_texts(X, "X"), **(self.search or {}))
        return numpy.array(answers, dtype=object)

    def score(self, X: Iterable[Any], y: Iterable[Any]) -> float:
        """The share of answers that are right to the letter."""
        wanted = _texts(y, "y")
        right = [answer == target for answer, target in zip(self.predict(X), wanted)]
        return float(numpy.mean(right))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags


def _texts(values: Iterable[Any], name: str) -> list[str]:
    """Also those of a table with one column."""
    texts = []
    for number, value in enumerate(values, 1):
        if not isinstance(value, (str, os.PathLike)) and hasattr(value, "__len__") and len(value) == 1:
            value = value[0]
        if not isinstance(value, str):
            raise DataError(f"{name}: line {number}: wants text, got {type(value).__name__}")
        texts.append(str(value))
    return texts
