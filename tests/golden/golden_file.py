"""What the makers of golden numbers share: their inputs, and how a file is written (see make_goldens.py)."""

import json
from pathlib import Path

import torch

FOLDER = Path(__file__).resolve().parent


def random(*shape, scale=1.0):
    """Normal numbers, rounded to multiples of 1/256."""
    return torch.round(torch.randn(shape, dtype=torch.float64) * scale * 256) / 256


def leaf(*shape, scale=1.0):
    return random(*shape, scale=scale).requires_grad_()


def real_positions(lengths, positions):
    """[positions, batch]: true where a position is before its row's end."""
    return torch.arange(positions)[:, None] < torch.tensor(lengths)[None, :]


def array(tensor):
    def text(value):
        return f"{value:.17g}" if tensor.is_floating_point() else str(value)

    values = ", ".join(text(value) for value in tensor.detach().reshape(-1).tolist())
    return f'{{"shape": {json.dumps(list(tensor.shape))}, "values": [{values}]}}'


def write(name, inputs, outputs, probes, gradients):
    sections = {"inputs": inputs, "outputs": outputs, "probes": probes, "gradients": gradients}
    body = ",\n".join(
        f'  "{section}": {{\n' + ",\n".join(f'    "{key}": {array(value)}' for key, value in arrays.items()) + "\n  }"
        for section, arrays in sections.items()
    )
    text = "{\n" + body + "\n}\n"
    json.loads(text)
    (FOLDER / name).write_text(text)


def backward(outputs, probes):
    sum((outputs[name] * probes[name]).sum() for name in outputs).backward(retain_graph=True)


def assert_same(found, formula):
    torch.testing.assert_close(found, formula, rtol=1e-12, atol=1e-12)
