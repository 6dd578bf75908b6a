"""The same network in PyTorch gives the same log-probabilities."""

from __future__ import annotations

import math
from typing import Any

import pytest

import fovea
from conftest import copies

torch = pytest.importorskip("torch")

SMALL: dict[str, Any] = {
    "encoder_size": 12, "decoder_size": 12, "encoder_embedding": 8, "decoder_embedding": 10, "generator_size": 14, "threads": 1,
    "attention_size": 12, "stop_after": "8u", "training_learning_rate": 0.1,
}
FAMILIES: dict[str, dict[str, Any]] = {
    "plain": {"preset": "sutskever2014", "encoder_layers": 2, "decoder_layers": 2},
    "plain with a bridge": {"decoder_style": "plain", "encoder_cell": "gru"},
    "bahdanau": {"preset": "bahdanau2015"},
    "bahdanau with LSTM": {"decoder_bridge": "mean", "decoder_layers": 2, "decoder_residual": True},
    "normalized": {"attention_normalized": True, "decoder_bridge": "learned"},
    "concat": {"attention_score": "concat", "decoder_bridge": "zero"},
    "heads": {"attention_score": "scaled_dot", "attention_heads": 3},
    "luong": {"preset": "luong2015_global"},
    "luong without feeding": {"preset": "luong2015_global", "decoder_feeding": False, "attention_score": "dot",
                              "encoder_bidirectional": True, "encoder_residual": True},
    "transformer": {"preset": "vaswani2017", "encoder_layers": 2, "decoder_layers": 2, "encoder_embedding": 12,
                    "decoder_embedding": 12, "encoder_feed_forward": 20, "decoder_feed_forward": 20},
    "transformer with norms after": {"preset": "vaswani2017", "encoder_norm": "post", "decoder_norm": "post", "encoder_layers": 1,
                                     "decoder_layers": 1, "encoder_positions": "learned", "decoder_positions": "learned",
                                     "encoder_max_positions": 3, "generator_tied": False},
    "transformer that writes by an RNN": {"encoder_kind": "transformer", "encoder_layers": 1},
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_log_probabilities(name: str) -> None:
    model = fovea.train(copies() * 3, **{**SMALL, **FAMILIES[name]})
    network = model.to_torch()
    pairs = [("abc", "abc"), ("c", "ab"), ("abcab", "c"), ("zb", "bca")]
    encoded = [model.encode(source, target) for source, target in pairs]
    longest = [max(len(one[side]) for one in encoded) for side in (0, 1)]
    source, target = (
        torch.tensor([list(one[side]) + [0] * (longest[side] - len(one[side])) for one in encoded]) for side in (0, 1)
    )
    lengths = torch.tensor([len(one[0]) for one in encoded])
    with torch.no_grad():
        together = network(source, target, lengths)
    for i, score in enumerate(model.score(pairs)):
        with torch.no_grad():
            alone = network(torch.tensor([encoded[i][0]]), torch.tensor([encoded[i][1]]))[0]
        for step, token in enumerate(score.tokens):
            symbol = encoded[i][1][step]
            assert math.isclose(float(alone[step, symbol]), token.log_probability, abs_tol=1e-5), (name, i, step)
            assert math.isclose(float(together[i, step, symbol]), token.log_probability, abs_tol=1e-5), (name, i, step)


def test_it_learns() -> None:
    network = fovea.train(copies(), **SMALL).to_torch()
    network(torch.tensor([[4, 5, 3]]), torch.tensor([[4, 5, 3]])).sum().backward()
    assert all(p.grad is not None for p in network.parameters())


def test_what_is_not_known_is_refused() -> None:
    model = fovea.train(copies(), **{**SMALL, "attention_select": "sparsemax"})
    with pytest.raises(fovea.UsageError, match="select sparsemax"):
        model.to_torch()
    model = fovea.train(copies(), **{**SMALL, "generator_kind": "pointer_generator"})
    with pytest.raises(fovea.UsageError, match="generator.kind = pointer_generator is not known"):
        model.to_torch()
