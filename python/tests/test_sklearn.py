"""The estimator behaves as scikit-learn wants it."""

from __future__ import annotations

import pickle
import warnings

import numpy
import pytest

import fovea
from conftest import copies

pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from fovea.sklearn import Transducer  # noqa: E402


def small() -> Transducer:
    return Transducer(stop_after="3u", threads=1, options={"encoder_size": 8, "decoder_size": 8}, search={"beam": 2})


def test_check_estimator() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that checks for tables of numbers are left out
        results = check_estimator(small(), on_fail=None)
    assert results and [one["check_name"] for one in results if one["status"] == "failed"] == []
    assert any(one["status"] == "passed" for one in results)


def test_fit_predict_score() -> None:
    sources, targets = zip(*copies())
    estimator = small()
    with pytest.raises(NotFittedError):
        estimator.predict(["abc"])
    assert estimator.fit(sources, targets) is estimator
    answers = estimator.predict(numpy.array(sources, dtype=object))
    assert answers.shape == (len(sources),) and answers.dtype == object
    assert list(answers) == estimator.model_.predict(sources, beam=2)
    assert estimator.score(sources, answers) == 1.0
    assert list(pickle.loads(pickle.dumps(estimator)).predict(sources)) == list(answers)
    with pytest.raises(fovea.DataError, match="X has 1 texts, y has 2"):
        estimator.fit(["a"], ["a", "b"])
    with pytest.raises(fovea.DataError, match="X: line 1: wants text, got int"):
        estimator.predict([1])


def test_it_goes_into_pipelines_and_searches() -> None:
    sources, targets = (numpy.array(side, dtype=object) for side in zip(*copies()))
    again = clone(small().set_params(stop_after="1u"))
    assert again.get_params()["stop_after"] == "1u"
    lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
    pipeline = make_pipeline(lower, again)
    assert pipeline.fit(sources, targets).predict(["ABC"]).shape == (1,)
    assert cross_val_score(again, sources, targets, cv=2).shape == (2,)
