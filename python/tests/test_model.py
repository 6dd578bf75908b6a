"""Answers: the same as those of the command, from whatever holds lines."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest

import fovea


def command(*words: object, lines: str = "") -> str:
    """What the command of this package writes."""
    done = subprocess.run(
        [sys.executable, "-m", "fovea", *map(str, words)], input=lines, capture_output=True, text=True, check=True
    )
    return done.stdout


LINES = ["abc", "a", "ccab", "bbbb", "abcabc", "", "zz top", "a\tb", "Ünïcödé", "cba" * 40]


def test_answers_have_learned(model: fovea.Model) -> None:
    assert model("abc") == "abc"
    assert model("cab", beam=3) == "cab"


def test_predict_has_the_bits_of_the_command(model: fovea.Model, folder: Path) -> None:
    text = "".join(line + "\n" for line in LINES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert model.predict(LINES) == command("predict", folder, lines=text).split("\n")[:-1]
        found = model.predict(LINES, beam=4, nbest=3)
    shown = command("predict", folder, "--beam", 4, "--json", "--nbest", 3, lines=text).splitlines()
    for answers, line in zip(found, shown):
        assert [tuple(one) for one in answers] == [
            (one["text"], one["score"], one["finished"]) for one in json.loads(line)["nbest"]
        ]


def test_lines_come_from_anywhere(model: fovea.Model) -> None:
    pandas = pytest.importorskip("pandas")
    wanted = ["abc", "cab"]
    assert model.predict(text for text in wanted) == wanted
    assert model.predict(pandas.Series(wanted)) == wanted
    assert model.predict(numpy.array(wanted)) == wanted
    assert model.predict(tuple(wanted)) == wanted
    assert model.predict([]) == []


def test_what_is_no_text_is_refused(model: fovea.Model) -> None:
    with pytest.raises(fovea.DataError, match="line 2: wants text, got float"):
        model.predict(["a", float("nan")])
    with pytest.raises(fovea.UsageError, match="wants many texts, got one"):
        model.predict("abc")
    with pytest.raises(fovea.DataError, match="line 1: has half a surrogate"):
        model.predict(["\ud800"])
    with pytest.raises(fovea.UsageError, match="model.predict answers many"):
        model(["abc"])  # type: ignore[arg-type]


def test_errors_have_the_words_of_the_library(model: fovea.Model, tmp_path: Path) -> None:
    with pytest.raises(fovea.UsageError, match="beam: wants a whole number from 1 to 256, got 0"):
        model.predict(["a"], beam=0)
    with pytest.raises(ValueError, match="unknown setting; did you mean beam"):
        model.predict(["a"], baem=2)
    with pytest.raises(fovea.UsageError, match="`nbest` 3 needs `beam` 3 or more"):
        model.predict(["a"], nbest=3)
    with pytest.raises(fovea.ModelError, match="nowhere"):
        fovea.load(tmp_path / "nowhere")
    (tmp_path / "bad.safetensors").write_bytes(b"no model")
    with pytest.raises(fovea.ModelError) as caught:
        fovea.load(tmp_path / "bad.safetensors")
    assert "--" not in str(caught.value) and isinstance(caught.value, fovea.Error)


def test_warnings_are_those_of_the_command(model: fovea.Model) -> None:
    with pytest.warns(fovea.FoveaWarning, match=r"1 line \(first: lines:2\) longer than 3 characters \(`max_length`\)"):
        assert model.predict(["abc", "abcabc"], max_length=3) == ["abc", ""]


def test_rules_of_search_are_keywords(model: fovea.Model) -> None:
    assert model("abc", prefix="b").startswith("b")


def test_draws_depend_on_the_seed_alone(model: fovea.Model) -> None:
    assert model.predict(["abc"] * 9, sample=2.0, seed=3) == model.predict(["abc"] * 9, sample=2.0, seed=3)
    assert model.predict(["abc"] * 9, sample=2.0, seed=3) != model.predict(["abc"] * 9, sample=2.0, seed=4)


def test_explain(model: fovea.Model, folder: Path) -> None:
    answer = model.explain("abc", beam=2)
    shown = json.loads(command("show", folder, "abc", "--beam", 2, "--json"))
    assert answer.to_dict() == shown
    assert answer.text == "abc" and answer.source == "abc" and answer.finished
    assert answer.source_tokens == ["a", "b", "c", "</s>"]
    assert answer.weights.shape == (4, 4)
    assert answer.weights.dtype == numpy.float64
    numpy.testing.assert_allclose(answer.weights.sum(1), 1, atol=1e-6)
    assert answer.weights.argmax(1).tolist() == answer.weights_of(0).argmax(1).tolist()
    assert answer.probabilities.shape == (4,) and (answer.probabilities > 0.3).all()
    assert answer.alternatives[0][0].token == "a"
    assert len(answer.nbest) == 2 and answer.nbest[0].text == "abc"
    assert answer._repr_html_().count("<svg") == 1
    assert answer.svg() == answer.svg(0) == answer.svg(None), "there is one map only"
    assert "<html" in answer.html()
    assert "│" in str(answer)


def test_where_a_generator_points_is_what_is_shown(tmp_path: Path) -> None:
    pairs = [(text, str(len(text))) for text in ("a", "ab", "abc") * 10]
    model = fovea.train(pairs, tmp_path / "where", held_out=pairs[:3], task="locate", stop_after="1u", attention_heads=2, threads=1)
    answer = model.explain("abc")
    assert [one.get("part") for one in answer.maps] == ["generator", None, None]
    assert answer.weights.tolist() == answer.weights_of(0).tolist() != answer.weights_of(1).tolist()
    numpy.testing.assert_allclose(answer.weights[0, int(answer.text) - 1], answer.probabilities[0], atol=1e-6)
    assert answer.svg() == answer.svg(0)


def test_explain_of_a_given_target(model: fovea.Model) -> None:
    assert model.explain("abc", target="ba").tokens == ["b", "a", "</s>"]
    with pytest.raises(fovea.DataError, match="the line is empty"):
        model.explain("")
    with pytest.raises(fovea.UsageError, match="`words`: this model reads by char"):
        model.explain("abc", words=True)


def test_explanations_have_what_is_asked_for(model: fovea.Model, folder: Path) -> None:
    words = ["--detail", "--saliency", "--self", "--tree", "--beam", 2]
    asked = model.explain("abc", detail=True, saliency=True, self_attention=True, tree=True, beam=2)
    assert asked.to_dict() == json.loads(command("show", folder, "abc", *words, "--json"))
    assert asked.to_dict() != model.explain("abc", beam=2).to_dict()
    edit = {"step": 1, "map": 0, "weights": numpy.array([0, 0, 1, 0])}
    text = '[{"step": 1, "weights": [0, 0, 1, 0]}]'
    for edits in ([edit], text):
        assert model.explain("abc", edits=edits).weights[1].tolist() == [0, 0, 1, 0]
    with pytest.raises(fovea.UsageError, match="edits"):
        model.explain("abc", edits=[{"step": 1, "weights": [-1]}])
    with pytest.raises(fovea.UsageError, match="saliency: unknown"):
        model.predict(["abc"], saliency=True)


def test_wrong_types_are_refused_in_our_words(model: fovea.Model, folder: Path) -> None:
    calls: dict[str, Callable[[], object]] = {
        "text: wants one text, got int": lambda: model.explain(5),  # type: ignore[arg-type]
        "target: wants one text, got int": lambda: model.explain("abc", target=5),  # type: ignore[arg-type]
        "source: wants one text, got int": lambda: model.encode(5, "a"),  # type: ignore[arg-type]
        "map: wants a whole number, got str": lambda: model.explain("abc").svg("x"),  # type: ignore[arg-type]
        "lines: wants many texts, got int": lambda: model.predict(5),  # type: ignore[call-overload]
        "data: wants a file, or pairs, got int": lambda: model.evaluate(5),  # type: ignore[arg-type]
        "threads: wants a whole number, got str": lambda: fovea.load(folder, threads="x"),  # type: ignore[arg-type]
        "threads: wants a whole number from 0": lambda: fovea.load(folder, threads=-1),
        "last: wants a whole number, got str": lambda: fovea.average(folder, last="x"),  # type: ignore[arg-type]
        "count: wants a whole number, got str": lambda: fovea.make("copy", "x"),  # type: ignore[arg-type]
        "vary: wants settings with their values": lambda: fovea.compare([("a", "a")], vary="x"),  # type: ignore[arg-type]
        "settings: wants names with values": lambda: fovea.train([("a", "a")], settings="x"),  # type: ignore[arg-type]
    }
    for words, call in calls.items():
        with pytest.raises(fovea.UsageError, match=words):
            call()


def test_scores_are_those_of_the_command(model: fovea.Model, folder: Path) -> None:
    scores = model.score([("abc", "abc"), ("ab", "ba")])
    text = command("score", folder, "--json", lines="abc\tabc\nab\tba\n").splitlines()
    for score, line in zip(scores, text):
        shown = json.loads(line)
        assert score.log_probability == shown["log_probability"]
        assert [t._asdict() for t in score.tokens] == shown["tokens"]
    assert scores.symbols == 7 and scores.perplexity > 1


def test_evaluate_has_the_numbers_of_the_command(model: fovea.Model, folder: Path, tmp_path: Path) -> None:
    pairs = [("abc", "abc"), ("ab", "ba"), ("cc", "cc"), ("b", "b")]
    file = tmp_path / "test.tsv"
    file.write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    shown = json.loads(command("evaluate", folder, file, "--json"))
    for found in (model.evaluate(file), model.evaluate(pairs)):
        assert found["exact"] == shown["exact"] == 0.75
        assert found["exact"].interval == (shown["exact_low"], shown["exact_high"])
        assert found["lines"].interval is None and found["lines"] == 4.0
        assert {name: float(value) for name, value in found.items()} == {
            name: value for name, value in shown.items() if not name.endswith(("_low", "_high"))
        }


def test_saving_keeps_every_bit(model: fovea.Model, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "m.safetensors"
    model.save(file)
    assert file.read_bytes() == (folder / "model.safetensors").read_bytes()
    again = pickle.loads(pickle.dumps(fovea.load(file)))
    assert again.score([("abc", "abc")]) == model.score([("abc", "abc")])


def test_int8_and_several_models(folder: Path) -> None:
    assert fovea.load(folder, int8=True)("abc") == "abc"
    both = fovea.load(folder, folder)
    assert both("abc") == "abc"
    assert repr(both).startswith("<fovea.Model 2 models, the first: transduce, ")
    with pytest.raises(fovea.UsageError, match="cannot be saved"):
        both.save("x")
    assert fovea.average(folder, folder)("abc") == "abc"


def test_weights_by_name(model: fovea.Model) -> None:
    weights = model.weights
    assert weights["encoder.embedding.table"].shape == (len(model.source_symbols), 16)
    assert all(array.dtype == numpy.float32 for array in weights.values())
    weights["encoder.embedding.table"][:] = 0  # a copy
    assert model("abc") == "abc"
    assert model.source_symbols[4:] and set(model.source_symbols[4:]) == set("abc")
    source, target = model.encode("ab", "c")
    assert source[-1] == target[-1] == 3 and len(source) == 3


def test_many_threads_ask_at_once(model: fovea.Model) -> None:
    wanted = model.predict(["abc", "cab", "bbb"] * 20)
    found: list[list[str]] = []

    def ask() -> None:
        for _ in range(5):
            found.append(model.predict(["abc", "cab", "bbb"] * 20))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 40
