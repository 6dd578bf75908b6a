"""One small model that copies three letters, trained once for all tests."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import fovea


def copies() -> list[tuple[str, str]]:
    """Every text of one to four of the letters a, b, c."""
    texts = ["".join(t) for n in range(1, 5) for t in itertools.product("abc", repeat=n)]
    return [(text, text) for text in texts]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs") / "copy"
    fovea.train(
        copies() * 5, place, held_out=copies(), seed=1, stop_after="120u", encoder_size=32, decoder_size=32, encoder_embedding=16,
        decoder_embedding=16, attention_size=32, generator_size=32, training_batch=64, training_learning_rate=0.01,
        training_dropout=0.0, threads=2,
    )
    return place


@pytest.fixture(scope="session")
def model(folder: Path) -> fovea.Model:
    return fovea.load(folder, threads=2)
