"""What a model answered and where it looked."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _engine
from ._options import whole_number

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


class Alternative(NamedTuple):
    token: str
    probability: float


class Hypothesis(NamedTuple):
    """One of several answers; ``score`` is its log-probability, normalised by length."""

    text: str
    score: float
    finished: bool


class Explanation:
    """An answer with each of its steps; in a notebook it draws itself.

    >>> answer = model.explain("abc")
    >>> answer.tokens
    ['a', 'b', 'c', '</s>']
    >>> answer.weights.shape == (len(answer.tokens), len(answer.source_tokens))
    True
    """

    def __init__(self, output: _engine.Output, drawn: Callable[[], _engine.Output]) -> None:
        self._output = output
        self._drawn_by = drawn

    @cached_property
    def _drawn(self) -> _engine.Output:
        return self._drawn_by()

    @cached_property
    def _fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(self._output.json())
        return fields

    def to_dict(self) -> dict[str, Any]:
        """The explanation JSON (docs/explanation.md)."""
        fields: dict[str, Any] = json.loads(self._output.json())
        return fields

    @property
    def text(self) -> str:
        """The answer."""
        return str(self._fields["text"])

    @property
    def score(self) -> float:
        """Its log-probability, normalised by length."""
        return float(self._fields["score"])

    @property
    def finished(self) -> bool:
        """False if it was cut at the greatest length."""
        return bool(self._fields["finished"])

    @property
    def source(self) -> str:
        """The text that was read."""
        return str(self._fields["source"]["text"])

    @property
    def source_tokens(self) -> list[str]:
        """The positions that can be looked at."""
        return [token["text"] for token in self._fields["source"]["tokens"]]

    @property
    def tokens(self) -> list[str]:
        """The symbols of the answer, the stop symbol too."""
        return [step["token"] for step in self._fields["steps"]]

    @cached_property
    def probabilities(self) -> NDArray[numpy.float64]:
        """Of each token: [steps]."""
        import numpy

        return numpy.array([step["probability"] for step in self._fields["steps"]], numpy.float64)

    @property
    def alternatives(self) -> list[list[Alternative]]:
        """For each step the most probable tokens, best first."""
        return [[Alternative(**one) for one in step["alternatives"]] for step in self._fields["steps"]]

    @property
    def nbest(self) -> list[Hypothesis]:
        """As many answers as the beam has, best first."""
        return [Hypothesis(**one) for one in self._fields["nbest"]]

    @property
    def maps(self) -> list[dict[str, Any]]:
        """Layer, head and source of each map; none of a model without attention. One with the ``part`` ``generator`` is where
        that points, and comes first."""
        return list(self._fields["maps"])

    def weights_of(self, map: int) -> NDArray[numpy.float64]:
        """The weights of one of the maps: [steps, positions]."""
        return self._rows(map, "weights")

    def scores_of(self, map: int) -> NDArray[numpy.float64]:
        """The scores before selection: [steps, positions]."""
        return self._rows(map, "scores")

    def _rows(self, map: int, name: str) -> NDArray[numpy.float64]:
        import numpy

        return numpy.array([step["looks"][map][name] for step in self._fields["steps"]], numpy.float64)

    @cached_property
    def weights(self) -> NDArray[numpy.float64]:
        """How much each step read from each position, [steps, positions]: of the one map, or of several where the
        generator points, or else the mean over the heads of the last layer that look at the first source."""
        import numpy

        if not self.maps:
            return numpy.zeros((len(self.tokens), 0))
        first = self.maps[0]
        alike = [i for i, one in enumerate(self.maps) if all(one.get(k) == first.get(k) for k in ("source", "part"))]
        last = max(self.maps[i]["layer"] for i in alike)
        chosen = [i for i in alike if self.maps[i]["layer"] == last]
        mean: NDArray[numpy.float64] = numpy.mean([self.weights_of(i) for i in chosen], axis=0)
        return mean

    def svg(self, map: int | None = None) -> str:
        """A map as a picture; without one, that of :attr:`weights`."""
        return self._drawn.svg(None if map is None else whole_number("map", map))

    def html(self) -> str:
        """A page of its own with all maps, and the same as tables."""
        return self._drawn.html()

    def _repr_html_(self) -> str:
        return f"<div>{self.svg()}</div>"

    def __str__(self) -> str:
        """The map of :attr:`weights` as it is drawn in a terminal."""
        return self._drawn.text_map(100)

    def __repr__(self) -> str:
        return f"<fovea.Explanation {self.source!r} -> {self.text!r}>"
