#!/usr/bin/python3
"""Writes the golden numbers in this folder: what PyTorch computes for small cases, in double precision. Here are the
operations, in model_goldens.py what is made of many.

Needed only to make the files again: apt-get install python3-torch, then tests/golden/make_goldens.py

Each file holds
    inputs     {name: {shape, values}}
    outputs    the same, computed from the inputs
    probes     one array for each output
    gradients  of loss = sum over all outputs of sum(output * probe), for each input that has one
Values are in row-major order. Sequences are [steps, batch, size], weights [in, out]: the transpose of PyTorch's. Inputs
and probes are multiples of 1/256, so float and double builds start from exactly the same numbers. Positions beyond a
row's length hold ordinary numbers in the inputs, to show that nobody reads them.

Before it is written, each output is computed a second time from its formula, in the layout above.
"""

import torch
from torch import nn

import model_goldens
from golden_file import assert_same, backward, leaf, random, real_positions, write

# Recurrent cells. One bidirectional layer gives both files: its reverse half reads each row from the row's own last
# real step to the first. "h_last" is the state after the step that was read last.


def lstm_step(x, h, c, weights):
    i, f, g, o = (x @ weights["w_x"] + h @ weights["w_h"] + weights["b"]).chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(x, h, c, weights):
    x_r, x_z, x_n = (x @ weights["w_x"] + weights["b_x"]).chunk(3, dim=1)
    h_r, h_z, h_n = (h @ weights["w_h"] + weights["b_h"]).chunk(3, dim=1)
    z = (x_z + h_z).sigmoid()
    n = (x_n + (x_r + h_r).sigmoid() * h_n).tanh()
    return (1 - z) * n + z * h, c


def read_steps(step, inputs, reverse):
    """The formula: a row's state changes at its real steps only."""
    x, h, c = inputs["x"], inputs["h0"], inputs.get("c0", inputs["h0"])
    real = real_positions(inputs["lengths"].tolist(), len(x))
    every_h = torch.zeros(len(x), *h.shape, dtype=x.dtype)
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        next_h, next_c = step(x[t], h, c, inputs)
        h, c = torch.where(real[t, :, None], next_h, h), torch.where(real[t, :, None], next_c, c)
        every_h[t] = next_h * real[t, :, None]
    return every_h, h, c


def recurrent(kind, steps=5, size_in=4, size=6, lengths=(5, 3, 1)):
    batch = len(lengths)
    layer = {"lstm": nn.LSTM, "gru": nn.GRU}[kind](size_in, size, bidirectional=True).double()
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            parameter.copy_(random(*parameter.shape, scale=0.5))
            if kind == "lstm" and "bias_hh" in name:
                parameter.zero_()  # an LSTM needs one bias only

    x, h0, c0 = leaf(steps, batch, size_in), leaf(2, batch, size), leaf(2, batch, size)
    state = (h0, c0) if kind == "lstm" else h0
    packed, last = layer(nn.utils.rnn.pack_padded_sequence(x, list(lengths)), state)
    h = nn.utils.rnn.pad_packed_sequence(packed, total_length=steps)[0].view(steps, batch, 2, size)
    h_last, c_last = last if kind == "lstm" else (last, None)
    real = real_positions(lengths, steps)[:, :, None]

    for direction, suffix in enumerate(["", "_reverse"]):
        weight = {
            "w_x": getattr(layer, "weight_ih_l0" + suffix),
            "w_h": getattr(layer, "weight_hh_l0" + suffix),
            "b" if kind == "lstm" else "b_x": getattr(layer, "bias_ih_l0" + suffix),
        }
        if kind == "gru":
            weight["b_h"] = getattr(layer, "bias_hh_l0" + suffix)
        initial = {"h0": h0, "c0": c0} if kind == "lstm" else {"h0": h0}

        outputs = {"h": h[:, :, direction], "h_last": h_last[direction]}
        if kind == "lstm":
            outputs["c_last"] = c_last[direction]
        probes = {name: random(*output.shape) for name, output in outputs.items()}
        probes["h"] = probes["h"] * real
        for tensor in (x, h0, c0, *weight.values()):
            tensor.grad = None
        backward(outputs, probes)

        inputs = {"x": x, "lengths": torch.tensor(lengths)}
        inputs |= {name: tensor.t() for name, tensor in weight.items()}
        inputs |= {name: tensor[direction] for name, tensor in initial.items()}
        gradients = {"x": x.grad}
        gradients |= {name: tensor.grad.t() for name, tensor in weight.items()}
        gradients |= {name: tensor.grad[direction] for name, tensor in initial.items()}

        formula = read_steps({"lstm": lstm_step, "gru": gru_step}[kind], inputs, reverse=direction == 1)
        for found, expected in zip(outputs.values(), formula):
            assert_same(found, expected)
        write(f"{kind}{suffix}.json", inputs, outputs, probes, gradients)


def additive(queries=4, positions=7, query_size=5, memory_size=6, size=8, lengths=(7, 4, 1)):
    """e[q,b,i] = v . tanh(queries[q,b] w + memory[i,b] u + b); weights = softmax over a row's real positions;
    context[q,b] = sum over i of weights[q,b,i] memory[i,b]. Scores beyond a row's end are given as zero."""
    batch = len(lengths)
    inputs = {
        "queries": leaf(queries, batch, query_size),
        "memory": leaf(positions, batch, memory_size),
        "w": leaf(query_size, size, scale=0.5),
        "u": leaf(memory_size, size, scale=0.5),
        "b": leaf(size, scale=0.5),
        "v": leaf(size),
    }
    q, memory, w, u, b, v = inputs.values()
    real = real_positions(lengths, positions).t()  # [batch, positions]
    scores = torch.tanh((q @ w)[:, :, None] + (memory @ u).transpose(0, 1)[None] + b) @ v
    weights = torch.softmax(scores.masked_fill(~real, -torch.inf), dim=2)
    outputs = {
        "scores": scores.masked_fill(~real, 0.0),
        "weights": weights,
        "context": torch.einsum("qbi,ibm->qbm", weights, memory),
    }
    probes = {name: random(*output.shape) for name, output in outputs.items()}
    probes["scores"] = probes["scores"] * real
    backward(outputs, probes)

    for step in range(queries):
        for row, length in enumerate(lengths):
            e = torch.stack([v @ torch.tanh(w.t() @ q[step, row] + u.t() @ memory[i, row] + b) for i in range(length)])
            a = e.exp() / e.exp().sum()
            assert_same(outputs["scores"][step, row, :length], e)
            assert_same(outputs["weights"][step, row, :length], a)
            assert_same(outputs["context"][step, row], sum(a[i] * memory[i, row] for i in range(length)))
    gradients = {name: tensor.grad for name, tensor in inputs.items()}
    write("additive.json", inputs | {"lengths": torch.tensor(lengths)}, outputs, probes, gradients)


def cross_entropy(rows=9, vocabulary=11, smoothing=0.1):
    """Sums over the rows whose target is not 0 (padding). With smoothing s a row costs
    (1 - s) * -log p(target) + s / vocabulary * sum over all ids k, 0 and the target among them, of -log p(k)."""
    logits = leaf(rows, vocabulary, scale=2.0)
    targets = torch.randint(1, vocabulary, (rows,))
    targets[4] = 0

    def summed(label_smoothing):
        return nn.CrossEntropyLoss(ignore_index=0, reduction="sum", label_smoothing=label_smoothing)(logits, targets)

    outputs = {"loss": summed(0.0), "loss_smoothed": summed(smoothing)}
    probes = {"loss": torch.tensor(0.75).double(), "loss_smoothed": torch.tensor(-1.25).double()}
    backward(outputs, probes)

    costs = -(logits.exp() / logits.exp().sum(dim=1, keepdim=True)).log()
    of_target, of_all = costs[torch.arange(rows), targets], costs.mean(dim=1)
    assert_same(outputs["loss"], of_target[targets != 0].sum())
    assert_same(outputs["loss_smoothed"], ((1 - smoothing) * of_target + smoothing * of_all)[targets != 0].sum())
    inputs = {"logits": logits, "targets": targets, "smoothing": torch.tensor(smoothing, dtype=torch.float64)}
    write("cross_entropy.json", inputs, outputs, probes, {"logits": logits.grad})


def layer_norm(steps=4, batch=3, size=9):
    """y = gain (x - mean) / sqrt(variance + 1e-5) + bias along the last axis, the variance divided by the size."""
    inputs = {"x": leaf(steps, batch, size, scale=2.0), "gain": leaf(size), "bias": leaf(size)}
    x, gain, bias = inputs.values()
    outputs = {"y": nn.functional.layer_norm(x, (size,), gain, bias, eps=1e-5)}
    probes = {"y": random(steps, batch, size)}
    backward(outputs, probes)

    centred = x - x.mean(dim=2, keepdim=True)
    variance = (centred**2).mean(dim=2, keepdim=True)
    assert_same(outputs["y"], gain * centred / (variance + 1e-5).sqrt() + bias)
    write("layer_norm.json", inputs, outputs, probes, {name: tensor.grad for name, tensor in inputs.items()})


def threshold_by_bisection(z, exponent):
    """The t with sum_i max(0, z_i - t)^exponent = 1: the sum falls from at least 1 at max(z) - 1 to 0 at max(z)."""
    low, high = z.max() - 1, z.max()
    for _ in range(200):
        middle = (low + high) / 2
        if ((z - middle).clamp(min=0) ** exponent).sum() >= 1:
            low = middle
        else:
            high = middle
    return low


def weights_by_sorting(z, exponent):
    """The same weights from the closed form of the threshold among the k largest: Martins & Astudillo 2016 for exponent
    1, Peters, Niculae & Martins 2019 for 2. PyTorch can go backward through it."""
    largest = z.sort(descending=True).values
    for k in range(len(z), 0, -1):
        mean = largest[:k].mean()
        spread = ((largest[:k] - mean) ** 2).sum()
        if exponent == 2 and spread > 1:
            continue
        threshold = mean - (1 / k if exponent == 1 else ((1 - spread) / k).sqrt())
        if largest[k - 1] > threshold:
            return (z - threshold).clamp(min=0) ** exponent
    raise AssertionError("the largest alone always exceeds its threshold")


def sparse(name, alpha, queries=4, positions=7, lengths=(7, 4, 1)):
    """PyTorch has none. entmax: p_i = max(0, (alpha - 1) scores_i - t)^(1 / (alpha - 1)) with the t that makes them sum
    to one; alpha = 2 is sparsemax. Its Jacobian is diag(s) - s s' / sum(s), s_i = p_i^(2 - alpha) where p_i > 0, else 0
    (Peters 2019)."""
    exponent = round(1 / (alpha - 1))
    scores = leaf(queries, len(lengths), positions)
    probe = random(*scores.shape)
    weights, gradient = torch.zeros(scores.shape).double(), torch.zeros(scores.shape).double()
    for query in range(queries):
        for row, length in enumerate(lengths):
            at = (query, row, slice(length))
            z = (scores[at] / exponent).detach()
            above = z - threshold_by_bisection(z, exponent)
            assert above.abs().min() > 1e-3, "in float the same positions must have weights"
            weights[at] = p = above.clamp(min=0) ** exponent
            s = torch.where(p > 0, p ** (2 - alpha), 0.0)
            gradient[at] = s * (probe[at] - (s @ probe[at]) / s.sum())
            by_sorting = weights_by_sorting(scores[at] / exponent, exponent)
            assert_same(p, by_sorting.detach())
            (by_sorting * probe[at]).sum().backward()
    assert_same(gradient, scores.grad)
    inputs = {"scores": scores, "lengths": torch.tensor(lengths)}
    write(f"{name}.json", inputs, {"weights": weights}, {"weights": probe}, {"scores": gradient})


def pointer_generator(steps=4, positions=5, vocabulary=6, width=9, lengths=(5, 3, 1)):
    """log p = log(g softmax(logits) + (1 - g) sum over the positions i with source[i] = w of a_i), g = sigmoid(gate),
    a = softmax(scores) over a row's real positions, p no less than 1e-30 (See, Liu & Manning 2017). Symbols from
    `vocabulary` on stand in sources only. The loss is -log p(target), summed over targets that are not 0."""
    batch = len(lengths)
    inputs = {
        "logits": leaf(steps, batch, vocabulary),
        "gate": leaf(steps, batch, 1),
        "scores": leaf(steps, batch, positions),
    }
    logits, gate, scores = inputs.values()
    source = torch.tensor([[3, 4, 8], [7, 7, 0], [3, 2, 0], [8, 0, 0], [5, 0, 0]])  # [positions, batch]
    targets = torch.tensor([[3, 7, 8], [7, 1, 2], [8, 5, 0], [1, 0, 0]])  # [steps, batch]
    real = real_positions(lengths, positions).t()
    g = gate.sigmoid()
    weights = torch.softmax(scores.masked_fill(~real, -torch.inf), dim=2)
    from_vocabulary = nn.functional.pad(g * torch.softmax(logits, dim=2), (0, width - vocabulary))
    p = from_vocabulary.scatter_add(2, source.t().expand(steps, batch, positions), (1 - g) * weights)
    log_p = p.clamp(min=1e-30).log()
    loss = nn.functional.nll_loss(log_p.flatten(0, 1), targets.flatten(), ignore_index=0, reduction="sum")
    outputs = {"log_p": log_p, "loss": loss}
    probes = {"log_p": random(steps, batch, width), "loss": torch.tensor(1.5).double()}
    backward(outputs, probes)

    cost = 0.0
    for step in range(steps):
        for row, length in enumerate(lengths):
            a = scores[step, row, :length].exp() / scores[step, row, :length].exp().sum()
            chosen = logits[step, row].exp() / logits[step, row].exp().sum()
            share = 1 / (1 + (-gate[step, row, 0]).exp())
            for symbol in range(width):
                generated = share * chosen[symbol] if symbol < vocabulary else 0.0
                copied = sum(a[i] for i in range(length) if source[i, row] == symbol)
                mixed = torch.as_tensor(generated + (1 - share) * copied).clamp(min=1e-30).log()
                assert_same(log_p[step, row, symbol], mixed)
                cost = cost - mixed * (symbol == targets[step, row] != 0)
    assert_same(loss, cost)
    gradients = {name: tensor.grad for name, tensor in inputs.items()}
    inputs |= {"source": source, "targets": targets, "lengths": torch.tensor(lengths)}
    write("pointer_generator.json", inputs, outputs, probes, gradients)


def rotary(steps=5, batch=2, size=8, first=3):
    """Values 2i and 2i + 1 as one complex number, times e^(j step 10000^(-2i / size)) (Su 2021). Steps go on from
    `first` ("turned"), or are alternatives at that one step ("at_once")."""
    x = leaf(steps, batch, size)
    speeds = 10000.0 ** (-torch.arange(0, size, 2).double() / size)

    def turned(at):
        turns = torch.polar(torch.ones(len(at), size // 2).double(), at.double()[:, None] * speeds)
        return torch.view_as_real(torch.view_as_complex(x.unflatten(2, (-1, 2))) * turns[:, None]).flatten(2)

    outputs = {"turned": turned(first + torch.arange(steps)), "at_once": turned(torch.full((steps,), first))}
    probes = {name: random(*output.shape) for name, output in outputs.items()}
    backward(outputs, probes)

    for name, stride in [("turned", 1), ("at_once", 0)]:
        for step in range(steps):
            for i, speed in enumerate(speeds):
                angle = (first + step * stride) * speed
                a, b = x[step, :, 2 * i], x[step, :, 2 * i + 1]
                assert_same(outputs[name][step, :, 2 * i], a * angle.cos() - b * angle.sin())
                assert_same(outputs[name][step, :, 2 * i + 1], a * angle.sin() + b * angle.cos())
    write("rotary.json", {"x": x, "first": torch.tensor(first)}, outputs, probes, {"x": x.grad})


def main():
    torch.set_num_threads(1)
    makers = [
        lambda: recurrent("lstm"),
        lambda: recurrent("gru"),
        additive,
        cross_entropy,
        layer_norm,
        lambda: sparse("sparsemax", alpha=2),
        lambda: sparse("entmax", alpha=1.5),
        pointer_generator,
        rotary,
        *model_goldens.makers,
    ]
    for seed, make in enumerate(makers):
        torch.manual_seed(seed)  # one seed for each, so that a change to one leaves the others as they were
        make()


if __name__ == "__main__":
    main()
