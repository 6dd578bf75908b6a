"""Golden numbers of parts made of many operations, whose weights have the names that Fovea gives them. PyTorch's
modules are called with these weights in place of their own, so that gradients arrive in the layout of the files.

make_goldens.py writes them, and says what the files hold.
"""

import torch
from torch import nn
from torch.nn.utils.stateless import functional_call

from golden_file import assert_same, backward, leaf, random, real_positions, write


def finish(name, inputs, outputs):
    """Writes a file. Inputs that want a gradient get one."""
    probes = {key: random(*output.shape) for key, output in outputs.items()}
    backward(outputs, probes)
    gradients = {key: tensor.grad for key, tensor in inputs.items() if tensor.requires_grad}
    write(name, inputs, outputs, probes, gradients)


def linear_weights(name, size_in, size_out):
    return {f"{name}.weight": leaf(size_in, size_out, scale=0.4), f"{name}.bias": leaf(size_out, scale=0.4)}


def norm_weights(name, size):
    return {f"{name}.gain": leaf(size), f"{name}.bias": leaf(size, scale=0.4)}


def attention_weights(name, size):
    parts = ["project_query", "project_key", "project_value", "project_context"]
    return {key: value for part in parts for key, value in linear_weights(f"{name}.{part}", size, size).items()}


# The same weights as PyTorch's modules name them.


def as_linear(weights, name, module):
    return {f"{module}.weight": weights[f"{name}.weight"].t(), f"{module}.bias": weights[f"{name}.bias"]}


def as_norm(weights, name, module):
    return {f"{module}.weight": weights[f"{name}.gain"], f"{module}.bias": weights[f"{name}.bias"]}


def as_attention(weights, name, module=""):
    parts = [f"{name}.project_query", f"{name}.project_key", f"{name}.project_value"]
    return {
        f"{module}in_proj_weight": torch.cat([weights[f"{part}.weight"].t() for part in parts]),
        f"{module}in_proj_bias": torch.cat([weights[f"{part}.bias"] for part in parts]),
        **as_linear(weights, f"{name}.project_context", f"{module}out_proj"),
    }


# The formulas: Vaswani 2017.


def linear(weights, name, x):
    return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]


def norm(weights, name, x):
    centred = x - x.mean(dim=-1, keepdim=True)
    deviation = ((centred**2).mean(dim=-1, keepdim=True) + 1e-5).sqrt()
    return weights[f"{name}.gain"] * centred / deviation + weights[f"{name}.bias"]


def attend(weights, name, queries, memory, lengths, heads, causal=False):
    """Each head by itself; gives the context and the mean of the heads' weights."""
    q, k, v = (
        linear(weights, f"{name}.project_{part}", x).chunk(heads, dim=2)
        for part, x in [("query", queries), ("key", memory), ("value", memory)]
    )
    sees = real_positions(lengths, len(memory)).t().expand(len(queries), -1, -1)  # [queries, batch, positions]
    if causal:
        sees = sees & (torch.arange(len(memory)) <= torch.arange(len(queries))[:, None])[:, None]
    contexts, total = [], 0.0
    for head in range(heads):
        e = torch.einsum("qbd,ibd->qbi", q[head], k[head]) / q[head].shape[2] ** 0.5
        a = e.exp() * sees / (e.exp() * sees).sum(dim=2, keepdim=True)
        contexts.append(torch.einsum("qbi,ibd->qbd", a, v[head]))
        total = total + a
    return linear(weights, f"{name}.project_context", torch.cat(contexts, dim=2)), total / heads


def later(steps):
    """[steps, steps]: true for what a step must not see."""
    return torch.ones(steps, steps, dtype=torch.bool).triu(1)


def multi_head(causal, queries=4, positions=6, size=8, heads=4, lengths=(6, 4, 1)):
    """Attention of several heads with projections; causal: a sequence looks at itself up to each step. "weights" is the
    mean over the heads."""
    memory = leaf(positions, len(lengths), size)
    asked = {} if causal else {"queries": leaf(queries, len(lengths), size)}
    weights = attention_weights("attention", size)
    q = asked.get("queries", memory)
    module = nn.MultiheadAttention(size, heads).double()
    options = {
        "key_padding_mask": ~real_positions(lengths, positions).t(),
        "attn_mask": later(positions) if causal else None,
    }
    context, mean = functional_call(module, as_attention(weights, "attention"), (q, memory, memory), options)
    outputs = {"context": context, "weights": mean.transpose(0, 1)}
    for found, formula in zip(outputs.values(), attend(weights, "attention", q, memory, lengths, heads, causal)):
        assert_same(found, formula)
    inputs = asked | {"memory": memory, "lengths": torch.tensor(lengths)} | weights
    finish("multi_head_causal.json" if causal else "multi_head.json", inputs, outputs)


def transformer(decodes, norm_first, size=8, heads=4, wide=12, lengths=(5, 3, 1), memory_lengths=(2, 6, 4)):
    """A layer of a Transformer: x + part(norm(x)), or norm(x + part(x)), for self-attention, attention to a memory if
    it decodes, and W2 relu(W1 x)."""
    steps, positions = max(lengths), max(memory_lengths)
    x, memory = leaf(steps, len(lengths), size), leaf(positions, len(lengths), size)
    looks = ["self_attention", "attention"] if decodes else ["self_attention"]
    weights = {}
    for look in looks:
        weights |= attention_weights(f"layer.{look}", size) | norm_weights(f"layer.{look}_norm", size)
    weights |= linear_weights("layer.wide", size, wide) | linear_weights("layer.narrow", wide, size)
    weights |= norm_weights("layer.forward_norm", size)

    named = as_attention(weights, "layer.self_attention", "self_attn.")
    if decodes:
        named |= as_attention(weights, "layer.attention", "multihead_attn.")
    named |= as_linear(weights, "layer.wide", "linear1") | as_linear(weights, "layer.narrow", "linear2")
    for i, part in enumerate([*looks, "forward"]):
        named |= as_norm(weights, f"layer.{part}_norm", f"norm{i + 1}")
    kind = nn.TransformerDecoderLayer if decodes else nn.TransformerEncoderLayer
    module = kind(size, heads, wide, dropout=0.0, norm_first=norm_first).double()
    padded = ~real_positions(lengths, steps).t()
    if decodes:
        options = {
            "tgt_mask": later(steps),
            "tgt_key_padding_mask": padded,
            "memory_key_padding_mask": ~real_positions(memory_lengths, positions).t(),
        }
        y = functional_call(module, named, (x, memory), options)
    else:
        y = functional_call(module, named, (x,), {"src_key_padding_mask": padded})

    parts = {"self_attention": lambda x: attend(weights, "layer.self_attention", x, x, lengths, heads, decodes)[0]}
    if decodes:
        parts["attention"] = lambda x: attend(weights, "layer.attention", x, memory, memory_lengths, heads)[0]
    parts["forward"] = lambda x: linear(weights, "layer.narrow", linear(weights, "layer.wide", x).relu())
    formula = x
    for part, compute in parts.items():
        name = f"layer.{part}_norm"
        if norm_first:
            formula = formula + compute(norm(weights, name, formula))
        else:
            formula = norm(weights, name, formula + compute(formula))
    assert_same(y, formula)
    inputs = {"x": x, "lengths": torch.tensor(lengths)}
    if decodes:
        inputs |= {"memory": memory, "memory_lengths": torch.tensor(memory_lengths)}
    name = f"transformer_{'decoder' if decodes else 'encoder'}_{'pre' if norm_first else 'post'}.json"
    finish(name, inputs | weights, {"y": y})


# A recurrent encoder-decoder with input feeding (Luong 2015), target given:
#   s_t = lstm(s_{t-1}, [y_{t-1} ; f_{t-1}]), e_i = s_t' (W h_i), a = softmax(e), c = sum_i a_i h_i,
#   f_t = tanh(W_s s_t + W_c c + b), p = softmax(V f_t + b).
# The decoder starts from the encoder's last state and f_0 = 0.


def luong_weights(embedding, size, features, symbols):
    return {
        "encoder.embedding.table": leaf(symbols, embedding),
        "encoder.layer0.forward.input": leaf(embedding, 4 * size, scale=0.5),
        "encoder.layer0.forward.state": leaf(size, 4 * size, scale=0.5),
        "encoder.layer0.forward.bias": leaf(4 * size, scale=0.5),
        "decoder.embedding.table": leaf(symbols, embedding),
        "attention.bilinear.key.weight": leaf(size, size),
        "decoder.layer0.input": leaf(embedding, 4 * size, scale=0.5),
        "decoder.layer0.context": leaf(features, 4 * size, scale=0.5),
        "decoder.layer0.state": leaf(size, 4 * size, scale=0.5),
        "decoder.layer0.bias": leaf(4 * size, scale=0.5),
        **linear_weights("generator.state", size, features),
        "generator.context": leaf(size, features, scale=0.5),
        **linear_weights("generator.choice", features, symbols),
    }


def lstm_cell(weights, name, x, h, c):
    """PyTorch's; of a cell with a context x is [input ; context]."""
    parts = [weights[f"{name}.{part}"] for part in ["input", "context"] if f"{name}.{part}" in weights]
    bias = weights[f"{name}.bias"]
    own = {
        "weight_ih": torch.cat(parts).t(),
        "weight_hh": weights[f"{name}.state"].t(),
        "bias_ih": bias,
        "bias_hh": torch.zeros_like(bias),
    }
    return functional_call(nn.LSTMCell(x.shape[1], h.shape[1]).double(), own, (x, (h, c)))


def luong_by_formula(weights, source, inputs, targets):
    """Row by row, step by step, pads left out: the loss, and the weights of real steps by (step, row)."""

    def cell(name, x, h, c, more=0.0):
        gates = x @ weights[f"{name}.input"] + h @ weights[f"{name}.state"] + weights[f"{name}.bias"] + more
        i, f, g, o = gates.chunk(4)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c

    loss, looks = 0.0, {}
    for row in range(source.shape[1]):
        h = c = torch.zeros(weights["encoder.layer0.forward.state"].shape[0]).double()
        memory = []
        for symbol in source[:, row][source[:, row] != 0]:
            h, c = cell("encoder.layer0.forward", weights["encoder.embedding.table"][symbol], h, c)
            memory.append(h)
        fed = torch.zeros(weights["generator.context"].shape[1]).double()
        for step in range((targets[:, row] != 0).sum()):
            embedded = weights["decoder.embedding.table"][inputs[step, row]]
            h, c = cell("decoder.layer0", embedded, h, c, fed @ weights["decoder.layer0.context"])
            e = torch.stack([h @ (m @ weights["attention.bilinear.key.weight"]) for m in memory])
            a = e.exp() / e.exp().sum()
            context = sum(weight * m for weight, m in zip(a, memory))
            fed = (linear(weights, "generator.state", h) + context @ weights["generator.context"]).tanh()
            logits = linear(weights, "generator.choice", fed)
            loss = loss - logits[targets[step, row]] + logits.exp().sum().log()
            looks[step, row] = a
    return loss, looks


def luong(embedding=3, size=5, features=4, symbols=7):
    """Symbol 0 is padding. "weights" are given as zero beyond a target's end."""
    source = torch.tensor([[4, 6, 5], [5, 3, 1], [6, 0, 4], [3, 0, 3]])  # [positions, batch]
    inputs = torch.tensor([[2, 2, 2], [5, 4, 0], [0, 6, 0]])  # [steps, batch]
    targets = torch.tensor([[5, 4, 3], [3, 6, 0], [0, 3, 0]])
    weights = luong_weights(embedding, size, features, symbols)
    steps, batch = inputs.shape
    real = source != 0

    h, c = torch.zeros(batch, size).double(), torch.zeros(batch, size).double()
    memory = []
    for position, ids in enumerate(source):
        x = weights["encoder.embedding.table"][ids]
        next_h, next_c = lstm_cell(weights, "encoder.layer0.forward", x, h, c)
        h, c = (torch.where(real[position, :, None], new, old) for new, old in [(next_h, h), (next_c, c)])
        memory.append(h)
    memory = torch.stack(memory)
    fed = torch.zeros(batch, features).double()
    logits, looks = [], []
    for step in range(steps):
        x = torch.cat([weights["decoder.embedding.table"][inputs[step]], fed], dim=1)
        h, c = lstm_cell(weights, "decoder.layer0", x, h, c)
        scores = torch.einsum("bq,mq,ibm->bi", h, weights["attention.bilinear.key.weight"], memory)
        looks.append(torch.softmax(scores.masked_fill(~real.t(), -torch.inf), dim=1))
        context = torch.einsum("bi,ibm->bm", looks[-1], memory)
        both = torch.cat([weights["generator.context"], weights["generator.state.weight"]])  # of [c ; s]
        fed = torch.tanh(torch.cat([context, h], dim=1) @ both + weights["generator.state.bias"])
        logits.append(linear(weights, "generator.choice", fed))
    loss = nn.functional.cross_entropy(torch.cat(logits), targets.flatten(), ignore_index=0, reduction="sum")
    outputs = {"loss": loss, "weights": torch.stack(looks) * (targets != 0)[:, :, None]}

    formula_loss, formula_looks = luong_by_formula(weights, source, inputs, targets)
    assert_same(loss, formula_loss)
    for (step, row), a in formula_looks.items():
        assert_same(outputs["weights"][step, row, : len(a)], a)
    finish("luong.json", {"source": source, "inputs": inputs, "targets": targets} | weights, outputs)


makers = [
    lambda: multi_head(causal=False),
    lambda: multi_head(causal=True),
    lambda: transformer(decodes=False, norm_first=True),
    lambda: transformer(decodes=False, norm_first=False),
    lambda: transformer(decodes=True, norm_first=True),
    lambda: transformer(decodes=True, norm_first=False),
    luong,
]
