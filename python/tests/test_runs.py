"""Training and comparing: from files and from memory, watched, stopped and gone on with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fovea
from conftest import copies

SMALL: dict[str, Any] = {"encoder_size": 8, "decoder_size": 8, "encoder_embedding": 8, "decoder_embedding": 8, "threads": 1}


def test_training_has_the_bytes_of_the_command(tmp_path: Path) -> None:
    data = tmp_path / "pairs.tsv"
    data.write_text("".join(f"{a}\t{b}\n" for a, b in copies()))
    fovea.train(data, tmp_path / "python", stop_after="6u", seed=3, **SMALL)
    words = ["train", data, "-o", tmp_path / "command", "--stop-after", "6u", "--seed", "3", "--threads", "1"]
    for name in ("encoder.size", "decoder.size", "encoder.embedding", "decoder.embedding"):
        words += ["--set", f"{name}=8"]
    subprocess.run([sys.executable, "-m", "fovea", *map(str, words)], check=True, capture_output=True)
    files = [(tmp_path / run / "model.safetensors").read_bytes() for run in ("python", "command")]
    assert files[0] == files[1]


def test_pairs_in_memory_give_the_same_model_as_a_file(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    data = tmp_path / "pairs.tsv"
    data.write_text("".join(f"{a}\t{b}\n" for a, b in copies()))
    models = [
        fovea.train(source, stop_after="3u", **SMALL)
        for source in (data, str(data), copies(), iter(copies()), pandas.DataFrame(copies(), columns=["source", "target"]))
    ]
    scores = [model.score([("abc", "abc")]) for model in models]
    assert all(score == scores[0] for score in scores)


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    fovea.train(copies(), tmp_path / "a", stop_after="3u", **SMALL)
    gone_on = fovea.train(copies(), tmp_path / "a", stop_after="6u", **SMALL)
    at_once = fovea.train(copies(), tmp_path / "b", stop_after="6u", **SMALL)
    assert gone_on.training is not None and gone_on.training["updates"] == 6
    assert gone_on.score([("abc", "abc")]) == at_once.score([("abc", "abc")])


def test_settings_in_both_forms() -> None:
    model = fovea.train(copies(), stop_after="1u", settings={"attention.score": "dot"}, attention_size=12, **SMALL)
    assert model.config["attention"]["score"] == "dot" and model.config["attention"]["size"] == 12
    assert model.config["encoder"]["size"] == 8
    model = fovea.train(copies(), stop_after="1u", preset="luong2015_global", attention_bias=["markov", "position"], **SMALL)
    assert model.config["decoder"]["style"] == "luong" and model.config["attention"]["bias"] == ["markov", "position"]


def test_what_is_wrong_is_said_in_the_words_of_the_library(tmp_path: Path) -> None:
    with pytest.raises(fovea.UsageError, match=r"encoder_siz=8: unknown setting; did you mean encoder.size"):
        fovea.train(copies(), encoder_siz=8)
    with pytest.raises(fovea.UsageError, match="stop_after: wants 500u"):
        fovea.train(copies(), stop_after="soon")
    with pytest.raises(fovea.UsageError, match="preset"):
        fovea.train(copies(), preset="bahdanau2051")
    with pytest.raises(fovea.Error, match="missing.tsv"):
        fovea.train(tmp_path / "missing.tsv")
    with pytest.raises(fovea.DataError, match="line 2: wants a tuple of 2 texts: source,target"):
        fovea.train([("a", "b"), ("a", "b", "c")])
    with pytest.raises(fovea.UsageError, match="progress: wants one of"):
        fovea.train(copies(), progress="loud")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("precious")
    with pytest.raises(fovea.UsageError) as caught:
        fovea.train(copies(), tmp_path / "full")
    assert "--" not in str(caught.value) and (tmp_path / "full" / "mine.txt").exists()


def test_no_folder_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    fovea.train(copies(), stop_after="1u", **SMALL)
    with pytest.raises(fovea.UsageError):
        fovea.train(copies(), stop_after="soon")
    assert list(tmp_path.iterdir()) == []


def test_a_function_watches_and_may_end_it(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    options: dict[str, Any] = {**SMALL, "training_validate_every": "2u", "stop_after": "6u"}
    fovea.train(copies(), progress=seen.append, **options)
    assert [one["update"] for one in seen] == [2, 4, 6]
    assert "exact" in seen[0]["metrics"] and seen[0]["held_out_loss"] > 0

    def refuse(report: dict[str, Any]) -> None:
        raise RuntimeError(f"enough at {report['update']}")

    with pytest.raises(RuntimeError, match="enough at 2"):
        fovea.train(copies(), tmp_path / "run", progress=refuse, **{**options, "stop_after": "1h"})
    assert (tmp_path / "run" / "checkpoint.safetensors").exists()


def test_progress_is_drawn_in_lines(capsys: pytest.CaptureFixture[str]) -> None:
    fovea.train(copies(), progress="plain", stop_after="2u", **SMALL)
    told = capsys.readouterr().err
    assert "lines to train on" in told and "`settings` gives others" in told
    fovea.train(copies(), stop_after="2u", **SMALL)
    assert capsys.readouterr().err == ""


def test_compare(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    options: dict[str, Any] = {**SMALL, "stop_after": "3u"}
    rows = fovea.compare(
        copies(), tmp_path / "runs", vary={"attention.score": ["dot", "cosine"], "decoder.size": [8, 12]}, **options
    )
    assert [(row["attention.score"], row["decoder.size"]) for row in rows] == [
        ("dot", "8"), ("dot", "12"), ("cosine", "8"), ("cosine", "12")
    ]
    assert all(0 <= row["exact_low"] <= row["exact"] <= row["exact_high"] <= 1 and row["peak_mib"] > 0 for row in rows)
    table = rows.to_pandas()
    assert table.shape[0] == 4 and table["parameters"].dtype.kind == "i"
    assert list(pandas.DataFrame(rows).columns) == list(table.columns)
    assert rows._repr_html_().count("<tr>") == 5
    assert fovea.load(tmp_path / "runs" / "attention.score=dot_decoder.size=8_seed=1").config["attention"]["score"] == "dot"
    again = fovea.compare(copies(), tmp_path / "runs", vary={"attention.score": "dot", "decoder.size": 8}, **options)
    assert again[0]["train_seconds"] == rows[0]["train_seconds"]  # not done again


def test_compare_tells_what_cannot_be_built(tmp_path: Path) -> None:
    rows = fovea.compare(
        copies(), vary={"attention.select": ["softmax", "exact_hard"]}, stop_after="1u", settings={"decoder.style": "bahdanau"},
        **SMALL,
    )
    assert "exact" in rows[0] and "cannot" in rows[1]["trouble"]
    with pytest.raises(fovea.UsageError, match="`vary` training.seed"):
        fovea.compare(copies(), vary={"training.seed": [1, 2]})


def test_what_there_is_to_choose_from() -> None:
    settings = fovea.settings()
    assert settings["encoder.size"].value == "128" and "softmax" in settings["attention.select"].names
    assert "[encoder]" in fovea.presets()["bahdanau2015"]
    assert "dates" in fovea.makers()
    assert fovea.make("dates", 3, seed=2) == fovea.make("dates", 5, seed=2)[:3]
    with pytest.raises(fovea.UsageError, match="did you mean dates"):
        fovea.make("datse")


def test_the_command_is_the_program() -> None:
    done = subprocess.run([sys.executable, "-m", "fovea", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"fovea {fovea.__version__}\n")
    bad = subprocess.run([sys.executable, "-m", "fovea", "predict"], capture_output=True, text=True, check=False)
    assert bad.returncode == 2
    listed = subprocess.run([sys.executable, "-m", "fovea", "list", "presets", "--json"], capture_output=True, check=True)
    assert {row["name"] for row in json.loads(listed.stdout)["presets"]} == set(fovea.presets())
