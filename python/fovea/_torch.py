"""A model as a module of PyTorch, with the same weights and the same log-probabilities.

For recurrent encoders and decoders without attention, in the style of Bahdanau and of Luong, and for Transformers, with the
scores of additive, bilinear, concat, dot and scaled_dot and a softmax over positions. Nothing here is needed for anything else.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .errors import UsageError

if TYPE_CHECKING:
    from ._model import Model

START = 2  # the symbol that a target begins with

State = tuple[Tensor, Optional[Tensor]]  # h, and c of an LSTM


class Weights:
    """Arrays by name, as tensors; each is taken once."""

    def __init__(self, model: Model) -> None:
        self.left = {name: torch.from_numpy(array) for name, array in model.weights.items()}

    def __contains__(self, name: str) -> bool:
        return name in self.left

    def take(self, name: str) -> Tensor:
        return self.left.pop(name)

    def parameter(self, name: str) -> nn.Parameter:
        return nn.Parameter(self.take(name).clone())

    def linear(self, name: str) -> nn.Linear:
        """Weights are [in, out]; PyTorch has them the other way round."""
        weight = self.take(f"{name}.weight")
        bias = self.take(f"{name}.bias") if f"{name}.bias" in self else None
        return linear_of(weight, bias)

    def optional(self, name: str) -> nn.Linear | None:
        return self.linear(name) if f"{name}.weight" in self else None

    def norm(self, name: str) -> nn.LayerNorm:
        gain = self.take(f"{name}.gain")
        norm = nn.LayerNorm(gain.shape[0], eps=1e-5)
        norm.weight.data.copy_(gain)
        norm.bias.data.copy_(self.take(f"{name}.bias"))
        return norm

    def embedding(self, name: str) -> nn.Embedding:
        return nn.Embedding.from_pretrained(self.take(f"{name}.table").clone(), freeze=False)


def linear_of(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    module = nn.Linear(weight.shape[0], weight.shape[1], bias is not None)
    module.weight.data.copy_(weight.T)
    if bias is not None:
        module.bias.data.copy_(bias)
    return module


class Cell(nn.Module):
    """One step of an LSTM or a GRU; gates are in the order of PyTorch."""

    def __init__(self, weights: Weights, name: str) -> None:
        super().__init__()
        self.input = linear_of(weights.take(f"{name}.input"), weights.take(f"{name}.bias"))
        self.lstm = f"{name}.state_bias" not in weights
        state = weights.take(f"{name}.state")
        self.state = linear_of(state, None if self.lstm else weights.take(f"{name}.state_bias"))
        self.context = linear_of(weights.take(f"{name}.context"), None) if f"{name}.context" in weights else None

    def forward(self, x: Tensor, context: Tensor | None, previous: State) -> State:
        h, c = previous
        read = self.input(x)
        if self.context is not None and context is not None:
            read = read + self.context(context)
        kept = self.state(h)
        if self.lstm:
            i, f, g, o = (read + kept).chunk(4, -1)
            assert c is not None
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            return torch.sigmoid(o) * torch.tanh(c), c
        (reset, update, new), (from_reset, from_update, from_new) = read.chunk(3, -1), kept.chunk(3, -1)
        reset, update = torch.sigmoid(reset + from_reset), torch.sigmoid(update + from_update)
        candidate = torch.tanh(new + reset * from_new)
        return (1 - update) * candidate + update * h, None


class RecurrentEncoder(nn.Module):
    def __init__(self, weights: Weights, options: dict[str, Any]) -> None:
        super().__init__()
        self.embedding = weights.embedding("encoder.embedding")
        self.residual = options["residual"]
        kind = nn.LSTM if options["cell"] == "lstm" else nn.GRU
        layers: list[nn.LSTM | nn.GRU] = []
        size = self.embedding.embedding_dim
        for i in range(options["layers"]):
            layer = kind(size, options["size"], bidirectional=options["bidirectional"], batch_first=True)
            directions = ["forward", "backward"] if options["bidirectional"] else ["forward"]
            for direction, end in zip(directions, ("l0", "l0_reverse")):
                name = f"encoder.layer{i}.{direction}"
                getattr(layer, f"weight_ih_{end}").data.copy_(weights.take(f"{name}.input").T)
                getattr(layer, f"weight_hh_{end}").data.copy_(weights.take(f"{name}.state").T)
                getattr(layer, f"bias_ih_{end}").data.copy_(weights.take(f"{name}.bias"))
                state_bias = getattr(layer, f"bias_hh_{end}").data
                if f"{name}.state_bias" in weights:
                    state_bias.copy_(weights.take(f"{name}.state_bias"))
                else:
                    state_bias.zero_()
            layers.append(layer)
            size = options["size"] * len(directions)
        self.layers = nn.ModuleList(layers)

    def forward(self, source: Tensor, real: Tensor) -> tuple[Tensor, list[State]]:
        x = self.embedding(source)
        lengths = real.sum(1).cpu()
        last: list[State] = []
        for i, layer in enumerate(self.layers):
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            y, state = layer(packed)
            y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=source.shape[1])
            h, c = state if isinstance(state, tuple) else (state, None)
            last.append((h.transpose(0, 1).flatten(1), None if c is None else c.transpose(0, 1).flatten(1)))
            x = y + x if self.residual and i > 0 else y
        return x, last


class Attention(nn.Module):
    """scores, a softmax over the real positions, a sum of values; with heads, each has a part of the projections."""

    def __init__(self, weights: Weights, name: str, options: dict[str, Any]) -> None:
        super().__init__()
        check_attention(name, options)
        self.heads = options["heads"]
        self.score = options["score"]
        self.query = weights.optional(f"{name}.project_query")
        self.key = weights.optional(f"{name}.project_key")
        self.value = weights.optional(f"{name}.project_value")
        self.out = weights.optional(f"{name}.project_context")
        self.query_part: nn.Linear | None = None
        self.key_part: nn.Linear | None = None
        self.v: nn.Parameter | None = None
        own = f"{name}.{self.score}"
        if self.score in ("additive", "concat"):
            additive = self.score == "additive"
            self.query_part = weights.linear(f"{own}.query" if additive else f"{own}.w1_query")
            self.key_part = weights.linear(f"{own}.key" if additive else f"{own}.w1_key")
            self.v = weights.parameter(f"{own}.v" if additive else f"{own}.w2")
        elif self.score == "bilinear":
            self.key_part = weights.linear(f"{own}.key")
        self.normalized = options["normalized"] and self.score == "additive"

    def split(self, x: Tensor) -> Tensor:
        """[batch, any, size] -> [batch, heads, any, size / heads]"""
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def prepare(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        keys = self.split(self.key(memory) if self.key is not None else memory)
        values = self.split(self.value(memory) if self.value is not None else memory)
        return self.key_part(keys) if self.key_part is not None else keys, values

    def forward(self, queries: Tensor, prepared: tuple[Tensor, Tensor], seen: Tensor) -> Tensor:
        """queries [batch, steps, any], seen [batch, steps or 1, positions] -> [batch, steps, any]"""
        keys, values = prepared
        asked = self.split(self.query(queries) if self.query is not None else queries)
        if self.v is not None:
            assert self.query_part is not None
            v = self.v / self.v.norm() if self.normalized else self.v
            scores = torch.tanh(self.query_part(asked).unsqueeze(3) + keys.unsqueeze(2)) @ v
        else:
            scores = asked @ keys.transpose(2, 3)
            if self.score == "scaled_dot":
                scores = scores / math.sqrt(asked.shape[3])
        weights = torch.softmax(scores.masked_fill(~seen.unsqueeze(1), -math.inf), 3)
        context = (weights @ values).transpose(1, 2).flatten(2)
        return context if self.out is None else self.out(context)


class Bridge(nn.Module):
    """The first states of a recurrent decoder."""

    def __init__(self, weights: Weights, options: dict[str, Any]) -> None:
        super().__init__()
        self.kind = options["bridge"]
        self.size, self.layers, self.lstm = options["size"], options["layers"], options["cell"] == "lstm"
        names = [f"decoder.bridge.{part}{i}" for part in ("h", "c")[: 2 if self.lstm else 1] for i in range(self.layers)]
        self.maps = nn.ModuleList([weights.linear(n) for n in names if f"{n}.weight" in weights])
        self.learned = nn.ParameterList([weights.parameter(n) for n in names if self.kind == "learned"])

    def first(self, index: int, memory: Tensor, real: Tensor, last: Tensor) -> Tensor:
        if self.kind == "zero":
            return memory.new_zeros(memory.shape[0], self.size)
        if self.kind == "learned":
            return self.learned[index].expand(memory.shape[0], -1)
        if self.kind == "mean":
            return torch.tanh(self.maps[index](masked_mean(memory, real)))
        return torch.tanh(self.maps[index](last)) if len(self.maps) else last

    def forward(self, memory: Tensor, real: Tensor, last: list[State]) -> list[State]:
        states: list[State] = []
        for i in range(self.layers):
            h, c = last[max(0, i + len(last) - self.layers)]
            first_h = self.first(i, memory, real, h)
            states.append((first_h, self.first(i + self.layers, memory, real, h if c is None else c) if self.lstm else None))
        return states


class RecurrentDecoder(nn.Module):
    def __init__(self, weights: Weights, config: dict[str, Any]) -> None:
        super().__init__()
        options = config["decoder"]
        self.style, self.residual = options["style"], options["residual"]
        self.feeds = self.style == "luong" and options["feeding"]
        self.embedding = weights.embedding("decoder.embedding")
        self.bridge = Bridge(weights, options)
        self.attention = None if self.style == "plain" else Attention(weights, "attention", config["attention"])
        self.cells = nn.ModuleList([Cell(weights, f"decoder.layer{i}") for i in range(options["layers"])])
        self.from_state = weights.linear("generator.state")
        self.from_context = linear_of(weights.take("generator.context"), None) if self.attention is not None else None
        symbol = "generator.embedding" in weights
        self.from_symbol = linear_of(weights.take("generator.embedding"), None) if symbol else None

    def features(self, state: Tensor, context: Tensor | None, symbol: Tensor) -> Tensor:
        total = self.from_state(state)
        if self.from_context is not None:
            total = total + self.from_context(context)
        if self.from_symbol is not None:
            total = total + self.from_symbol(symbol)
        return torch.tanh(total)

    def forward(self, inputs: Tensor, memory: Tensor, real: Tensor, last: list[State]) -> Tensor:
        states = self.bridge(memory, real, last)
        prepared = self.attention.prepare(memory) if self.attention is not None else None

        def look(query: Tensor) -> Tensor:
            assert self.attention is not None
            context: Tensor = self.attention(query.unsqueeze(1), prepared, real.unsqueeze(1))
            return context.squeeze(1)

        fed = memory.new_zeros(memory.shape[0], self.from_state.out_features)
        made: list[Tensor] = []
        for symbol in self.embedding(inputs).unbind(1):
            context = look(states[-1][0]) if self.style == "bahdanau" else None
            below = symbol
            for i, cell in enumerate(self.cells):
                extra = None if i > 0 else context if self.style == "bahdanau" else fed if self.feeds else None
                states[i] = cell(below, extra, states[i])
                below = states[i][0] + below if self.residual and i > 0 else states[i][0]
            if self.style == "luong":
                context = look(below)
            fed = self.features(below, context, symbol)
            made.append(fed)
        return torch.stack(made, 1)


class Positions(nn.Module):
    def __init__(self, weights: Weights, name: str, options: dict[str, Any]) -> None:
        super().__init__()
        self.kind, self.size = options["positions"], options["size"]
        self.table = weights.embedding(name) if self.kind == "learned" else None

    def forward(self, x: Tensor) -> Tensor:
        if self.kind == "none":
            return x
        places = torch.arange(x.shape[1], device=x.device)
        if self.table is not None:
            return x + self.table(places.clamp(max=self.table.num_embeddings - 1))
        even = torch.arange(self.size, device=x.device) // 2 * 2
        angles = places.double()[:, None] * 10000.0 ** (-even.double() / self.size)
        turned = torch.where(torch.arange(self.size, device=x.device) % 2 == 0, angles.sin(), angles.cos())
        return x + turned.to(x.dtype)


class TransformerLayer(nn.Module):
    def __init__(self, weights: Weights, name: str, config: dict[str, Any], options: dict[str, Any], looks: bool) -> None:
        super().__init__()
        self.pre = options["norm"] == "pre"
        self.self_attention = Attention(weights, f"{name}.self_attention", config["self_attention"])
        self.self_attention_norm = weights.norm(f"{name}.self_attention_norm")
        self.attention = Attention(weights, f"{name}.attention", config["attention"]) if looks else None
        self.attention_norm = weights.norm(f"{name}.attention_norm") if looks else None
        self.wide, self.narrow = weights.linear(f"{name}.wide"), weights.linear(f"{name}.narrow")
        self.forward_norm = weights.norm(f"{name}.forward_norm")

    def before(self, norm: nn.LayerNorm, x: Tensor) -> Tensor:
        return norm(x) if self.pre else x

    def after(self, norm: nn.LayerNorm, x: Tensor) -> Tensor:
        return x if self.pre else norm(x)

    def forward(self, x: Tensor, seen: Tensor, memory: Tensor | None = None, real: Tensor | None = None) -> Tensor:
        asking = self.before(self.self_attention_norm, x)
        looked = self.self_attention(asking, self.self_attention.prepare(asking), seen)
        x = self.after(self.self_attention_norm, x + looked)
        if self.attention is not None:
            assert self.attention_norm is not None and memory is not None and real is not None
            asking = self.before(self.attention_norm, x)
            looked = self.attention(asking, self.attention.prepare(memory), real.unsqueeze(1))
            x = self.after(self.attention_norm, x + looked)
        wide = torch.relu(self.wide(self.before(self.forward_norm, x)))
        return self.after(self.forward_norm, x + self.narrow(wide))


class TransformerSide(nn.Module):
    """What encoder and decoder have in common."""

    def __init__(self, weights: Weights, side: str, config: dict[str, Any]) -> None:
        super().__init__()
        options = config[side]
        self.embedding = weights.embedding(f"{side}.embedding")
        self.widen = weights.optional(f"{side}.widen")
        self.positions = Positions(weights, f"{side}.positions", options)
        self.layers = nn.ModuleList(
            [TransformerLayer(weights, f"{side}.layer{i}", config, options, side == "decoder") for i in range(options["layers"])]
        )
        self.norm = weights.norm(f"{side}.norm") if options["norm"] == "pre" else None

    def embed(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids) * math.sqrt(self.embedding.embedding_dim)
        x = x if self.widen is None else self.widen(x)
        placed: Tensor = self.positions(x)
        return placed

    def end(self, x: Tensor) -> Tensor:
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(TransformerSide):
    def forward(self, source: Tensor, real: Tensor) -> tuple[Tensor, list[State]]:
        x = self.embed(source)
        for layer in self.layers:
            x = layer(x, real.unsqueeze(1))
        x = self.end(x)
        return x, [(masked_mean(x, real), None)]


class TransformerDecoder(TransformerSide):
    def forward(self, inputs: Tensor, memory: Tensor, real: Tensor, last: list[State]) -> Tensor:
        x = self.embed(inputs)
        steps = inputs.shape[1]
        seen = torch.ones(steps, steps, dtype=torch.bool, device=inputs.device).tril().unsqueeze(0)
        for layer in self.layers:
            x = layer(x, seen, memory, real)
        return self.end(x)


class Network(nn.Module):
    """``network(source, target)`` is the log-probability of every symbol at every step, [batch, steps, symbols].

    ``source`` and ``target`` are numbers of symbols, [batch, length], as ``model.encode`` gives them, each with its stop symbol;
    ``lengths`` are the real ones of sources that are filled up with zeros.
    """

    def __init__(self, model: Model) -> None:
        super().__init__()
        config = model.config
        check(config)
        weights = Weights(model)
        self.encoder = (
            TransformerEncoder(weights, "encoder", config) if config["encoder"]["kind"] == "transformer"
            else RecurrentEncoder(weights, config["encoder"])
        )
        self.decoder = (
            TransformerDecoder(weights, "decoder", config) if config["decoder"]["kind"] == "transformer"
            else RecurrentDecoder(weights, config)
        )
        self.narrow = weights.optional("generator.narrow")
        self.tied = config["generator"]["tied"]
        self.choice = None if self.tied else weights.linear("generator.choice")
        self.bias = weights.parameter("generator.choice.bias") if self.tied else None
        if weights.left:
            raise UsageError(f"to_torch: nothing is known of {', '.join(sorted(weights.left))}")

    def forward(self, source: Tensor, target: Tensor, lengths: Tensor | None = None) -> Tensor:
        places = torch.arange(source.shape[1], device=source.device)
        real = torch.ones_like(source, dtype=torch.bool) if lengths is None else places < lengths[:, None]
        inputs = torch.cat((torch.full_like(target[:, :1], START), target[:, :-1]), 1)
        memory, last = self.encoder(source, real)
        features = self.decoder(inputs, memory, real, last)
        if self.narrow is not None:
            features = self.narrow(features)
        logits = F.linear(features, self.decoder.embedding.weight, self.bias) if self.choice is None else self.choice(features)
        return torch.log_softmax(logits, 2)


def masked_mean(x: Tensor, real: Tensor) -> Tensor:
    share = real.to(x.dtype)
    return (x * share.unsqueeze(2)).sum(1) / share.sum(1, keepdim=True)


def check_attention(name: str, options: dict[str, Any]) -> None:
    known = ("additive", "bilinear", "concat", "dot", "scaled_dot")
    if options["score"] not in known or options["bias"] or options["select"] != "softmax" or options["read"] != "sum":
        raise UsageError(
            f"to_torch: {name} has score {options['score']}, bias {options['bias']}, select {options['select']}, read "
            f"{options['read']}; known are {', '.join(known)} without bias, softmax and sum"
        )
    if options["rotary"]:
        raise UsageError(f"to_torch: {name}.rotary is not known")


def check(config: dict[str, Any]) -> None:
    def refuse(what: str) -> None:
        raise UsageError(f"to_torch: {what} is not known; docs/python.md has what is")

    if config["task"] != "transduce":
        refuse(f"task = {config['task']}")
    if config["columns"] and [name for name in config["columns"] if name not in ("source", "target", "skip", "alignment")]:
        refuse(f"columns = {config['columns']}")
    if config["encoder"]["kind"] not in ("rnn", "transformer"):
        refuse(f"encoder.kind = {config['encoder']['kind']}")
    if config["source"]["kind"] != "text":
        refuse(f"source.kind = {config['source']['kind']}")
    if config["generator"]["kind"] != "softmax":
        refuse(f"generator.kind = {config['generator']['kind']}")
    if config["encoder"]["rationale"]:
        refuse("encoder.rationale")


def network(model: Model) -> Network:
    return Network(model).eval()
