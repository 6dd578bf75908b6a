"""The models of `fovea bench` in PyTorch, written for speed: whatever does not wait for the step before is one product
over all steps, keys are prepared once, projections that read the same are one.

Both models have the same face:
    loss(source, inputs, outputs)    mean of the target's symbols; ids are [batch, length]
    begin(source, length)            -> sources, state     for answers of at most `length` symbols
    step(t, previous, sources, state) -> logits [rows, symbols], state
    reorder(state, rows)             -> the state of these rows, for a beam
Rows are the sources of a batch, or the hypotheses of one source.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Recurrent(nn.Module):
    """BiLSTM, additive attention, LSTM (Bahdanau, Cho & Bengio 2015):
    c_t = attend(s_{t-1}), s_t = LSTM(s_{t-1}, [y_{t-1} ; c_t]), logits = V tanh(W [s_t ; c_t ; y_{t-1}])."""

    def __init__(self, size, symbols):
        super().__init__()
        self.size = size
        self.source_embedding = nn.Embedding(symbols, size)
        self.encoder = nn.LSTM(size, size, bidirectional=True)
        self.bridge_h = nn.Linear(2 * size, size)
        self.bridge_c = nn.Linear(2 * size, size)
        self.key = nn.Linear(2 * size, size)
        self.v = nn.Parameter(torch.empty(size))
        self.target_embedding = nn.Embedding(symbols, size)
        self.from_symbol = nn.Linear(size, 4 * size)
        self.from_state = nn.Linear(size, 5 * size, bias=False)  # the query, then the gates
        self.from_context = nn.Linear(2 * size, 4 * size, bias=False)
        self.readout = nn.Linear(4 * size, size)  # [state ; context ; symbol]
        self.choice = nn.Linear(size, symbols)

    def load(self, weights):
        def linear(module, names, bias):
            module.weight.copy_(torch.cat([weights[n] for n in names]).T)
            if bias:
                module.bias.copy_(weights[bias])

        self.source_embedding.weight.copy_(weights["encoder.embedding.table"])
        for ending, direction in (("l0", "forward"), ("l0_reverse", "backward")):
            name = f"encoder.layer0.{direction}"
            getattr(self.encoder, f"weight_ih_{ending}").copy_(weights[f"{name}.input"].T)
            getattr(self.encoder, f"weight_hh_{ending}").copy_(weights[f"{name}.state"].T)
            getattr(self.encoder, f"bias_ih_{ending}").copy_(weights[f"{name}.bias"])
            getattr(self.encoder, f"bias_hh_{ending}").zero_()
        linear(self.bridge_h, ["decoder.bridge.h0.weight"], "decoder.bridge.h0.bias")
        linear(self.bridge_c, ["decoder.bridge.c0.weight"], "decoder.bridge.c0.bias")
        linear(self.key, ["attention.additive.key.weight"], "attention.additive.key.bias")
        self.v.copy_(weights["attention.additive.v"])
        self.target_embedding.weight.copy_(weights["decoder.embedding.table"])
        linear(self.from_symbol, ["decoder.layer0.input"], "decoder.layer0.bias")
        side_by_side = [weights["attention.additive.query.weight"], weights["decoder.layer0.state"]]
        self.from_state.weight.copy_(torch.cat(side_by_side, 1).T)
        linear(self.from_context, ["decoder.layer0.context"], None)
        linear(self.readout, ["generator.state.weight", "generator.context", "generator.embedding"], "generator.state.bias")
        linear(self.choice, ["generator.choice.weight"], "generator.choice.bias")

    def encode(self, source):
        """-> keys [batch, positions, size], memory [batch, positions, 2 size], and the first h and c [batch, size]."""
        memory, (h, c) = self.encoder(self.source_embedding(source.T))
        memory = memory.transpose(0, 1).contiguous()
        h = torch.tanh(self.bridge_h(torch.cat((h[0], h[1]), 1)))
        c = torch.tanh(self.bridge_c(torch.cat((c[0], c[1]), 1)))
        return self.key(memory), memory, h, c

    def advance(self, symbol_gates, h, c, keys, memory):
        query, state_gates = self.from_state(h).split((self.size, 4 * self.size), 1)
        weights = torch.softmax(torch.tanh(keys + query.unsqueeze(1)) @ self.v, 1)
        context = torch.matmul(weights.unsqueeze(1), memory).squeeze(1)
        gates = torch.addmm(symbol_gates + state_gates, context, self.from_context.weight.T)
        i, f, candidate, o = gates.chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(candidate)
        return torch.sigmoid(o) * torch.tanh(c), c, context

    def loss(self, source, inputs, outputs):
        keys, memory, h, c = self.encode(source)
        symbols = self.target_embedding(inputs.T)  # [steps, batch, size]
        states, contexts = [], []
        for symbol_gates in self.from_symbol(symbols).unbind():
            h, c, context = self.advance(symbol_gates, h, c, keys, memory)
            states.append(h)
            contexts.append(context)
        features = torch.tanh(self.readout(torch.cat((torch.stack(states), torch.stack(contexts), symbols), 2)))
        return F.cross_entropy(self.choice(features).flatten(0, 1), outputs.T.flatten())

    def begin(self, source, length):
        keys, memory, h, c = self.encode(source)
        return (keys, memory), (h, c)

    def step(self, t, previous, sources, state):
        symbol = self.target_embedding(previous)
        h, c, context = self.advance(self.from_symbol(symbol), *state, *sources)
        features = torch.tanh(self.readout(torch.cat((h, context, symbol), 1)))
        return self.choice(features), (h, c)

    def reorder(self, state, rows):
        return tuple(part.index_select(0, rows) for part in state)


def sinusoids(length, size):
    angles = torch.arange(length).double()[:, None] * 10000.0 ** (-torch.arange(0, size, 2).double() / size)
    return torch.stack((angles.sin(), angles.cos()), 2).flatten(1).float()


class Layer(nn.Module):
    """x + part(norm(x)) for each part: self-attention, attention to the memory (of a decoder), feed-forward."""

    def __init__(self, size, heads, looks):
        super().__init__()
        self.heads = heads
        self.itself_norm = nn.LayerNorm(size)
        self.itself = nn.Linear(size, 3 * size)  # queries, keys, values
        self.itself_out = nn.Linear(size, size)
        if looks:
            self.looking_norm = nn.LayerNorm(size)
            self.query = nn.Linear(size, size)
            self.memory = nn.Linear(size, 2 * size)  # keys, values
            self.looking_out = nn.Linear(size, size)
        self.forward_norm = nn.LayerNorm(size)
        self.wide = nn.Linear(size, 4 * size)
        self.narrow = nn.Linear(4 * size, size)

    def split(self, x, parts):
        """[batch, steps, parts * size] -> parts of [batch, heads, steps, size / heads]"""
        return x.unflatten(2, (parts, self.heads, -1)).permute(2, 0, 3, 1, 4)

    def look(self, x, keys, values):
        (queries,) = self.split(self.query(self.looking_norm(x)), 1)
        seen = F.scaled_dot_product_attention(queries, keys, values)
        return x + self.looking_out(seen.transpose(1, 2).flatten(2))

    def attend(self, x, queries, keys, values, causal=False):
        seen = F.scaled_dot_product_attention(queries, keys, values, is_causal=causal)
        return x + self.itself_out(seen.transpose(1, 2).flatten(2))

    def feed_forward(self, x):
        return x + self.narrow(torch.relu(self.wide(self.forward_norm(x))))

    def forward(self, x, memory=None):
        queries, keys, values = self.split(self.itself(self.itself_norm(x)), 3)
        x = self.attend(x, queries, keys, values, causal=memory is not None)
        if memory is not None:
            x = self.look(x, *self.split(self.memory(memory), 2))
        return self.feed_forward(x)


class Transformer(nn.Module):
    """Vaswani et al. 2017, norms before the parts, nothing tied."""

    def __init__(self, size, symbols, heads=4, layers=3, most_positions=512):
        super().__init__()
        self.size, self.heads = size, heads
        self.source_embedding = nn.Embedding(symbols, size)
        self.encoder = nn.ModuleList(Layer(size, heads, False) for _ in range(layers))
        self.encoder_norm = nn.LayerNorm(size)
        self.target_embedding = nn.Embedding(symbols, size)
        self.decoder = nn.ModuleList(Layer(size, heads, True) for _ in range(layers))
        self.decoder_norm = nn.LayerNorm(size)
        self.choice = nn.Linear(size, symbols)
        self.register_buffer("positions", sinusoids(most_positions, size), persistent=False)

    def load(self, weights):
        def linear(module, *names):
            module.weight.copy_(torch.cat([weights[f"{name}.weight"] for name in names], 1).T)
            module.bias.copy_(torch.cat([weights[f"{name}.bias"] for name in names]))

        def norm(module, name):
            module.weight.copy_(weights[f"{name}.gain"])
            module.bias.copy_(weights[f"{name}.bias"])

        self.source_embedding.weight.copy_(weights["encoder.embedding.table"])
        self.target_embedding.weight.copy_(weights["decoder.embedding.table"])
        for side, layers in (("encoder", self.encoder), ("decoder", self.decoder)):
            for i, layer in enumerate(layers):
                name = f"{side}.layer{i}"
                itself = f"{name}.self_attention.project_"
                linear(layer.itself, f"{itself}query", f"{itself}key", f"{itself}value")
                linear(layer.itself_out, f"{itself}context")
                norm(layer.itself_norm, f"{name}.self_attention_norm")
                if side == "decoder":
                    looking = f"{name}.attention.project_"
                    linear(layer.query, f"{looking}query")
                    linear(layer.memory, f"{looking}key", f"{looking}value")
                    linear(layer.looking_out, f"{looking}context")
                    norm(layer.looking_norm, f"{name}.attention_norm")
                linear(layer.wide, f"{name}.wide")
                linear(layer.narrow, f"{name}.narrow")
                norm(layer.forward_norm, f"{name}.forward_norm")
        norm(self.encoder_norm, "encoder.norm")
        norm(self.decoder_norm, "decoder.norm")
        linear(self.choice, "generator.choice")

    def embed(self, table, ids, first=0):
        return table(ids) * math.sqrt(self.size) + self.positions[first : first + ids.shape[1]]

    def encode(self, source):
        x = self.embed(self.source_embedding, source)
        for layer in self.encoder:
            x = layer(x)
        return self.encoder_norm(x)

    def loss(self, source, inputs, outputs):
        memory = self.encode(source)
        x = self.embed(self.target_embedding, inputs)
        for layer in self.decoder:
            x = layer(x, memory)
        return F.cross_entropy(self.choice(self.decoder_norm(x)).flatten(0, 1), outputs.flatten())

    def begin(self, source, length):
        memory = self.encode(source)
        sources = [tuple(layer.split(layer.memory(memory), 2)) for layer in self.decoder]
        cache = (source.shape[0], self.heads, length, self.size // self.heads)
        state = [(memory.new_empty(cache), memory.new_empty(cache)) for _ in self.decoder]
        return sources, state

    def step(self, t, previous, sources, state):
        x = self.embed(self.target_embedding, previous[:, None], t)
        for layer, memory, (keys, values) in zip(self.decoder, sources, state):
            query, key, value = layer.split(layer.itself(layer.itself_norm(x)), 3)
            keys[:, :, t : t + 1] = key
            values[:, :, t : t + 1] = value
            x = layer.attend(x, query, keys[:, :, : t + 1], values[:, :, : t + 1])
            rows = x.shape[0]
            x = layer.look(x, *(part.expand(rows, -1, -1, -1) for part in memory))
            x = layer.feed_forward(x)
        return self.choice(self.decoder_norm(x[:, 0])), state

    def reorder(self, state, rows):
        return [(keys.index_select(0, rows), values.index_select(0, rows)) for keys, values in state]


def make(name, size, symbols):
    return (Transformer if name == "T" else Recurrent)(size, symbols)
