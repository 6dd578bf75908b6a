#!/usr/bin/python3
"""Writes log_mel.json: log-mel features of made-up sounds by their definition, with a Fourier sum written out term by
term. Needs Python alone.

The file has the layout of make_goldens.py. For each sound n
    inputs   samples_n, and settings_n: its own rate, and the settings rate, mels, frame, hop, deltas
    outputs  frames_n [frames, numbers]
"""

import cmath
import json
import math
import random
from pathlib import Path

PATH = Path(__file__).resolve().parent / "log_mel.json"


def fourier_powers(frame, size):
    """|sum_n x_n exp(-2 pi i k n / size)|^2 for k = 0 .. size / 2."""
    turns = [cmath.exp(-2j * math.pi * k / size) for k in range(size)]
    return [abs(sum(x * turns[k * n % size] for n, x in enumerate(frame))) ** 2 for k in range(size // 2 + 1)]


def triangle(f, low, middle, high):
    if low < f <= middle:
        return (f - low) / (middle - low)
    if middle < f < high:
        return (high - f) / (high - middle)
    return 0.0


def log_mel(samples, own_rate, rate, mels, frame_ms, hop_ms, deltas):
    length, hop = round(frame_ms * own_rate / 1000), round(hop_ms * own_rate / 1000)
    size = 4
    while size < length:
        size *= 2
    mel = lambda f: 2595 * math.log10(1 + f / 700)
    corners = [700 * (10 ** (mel(rate / 2) * i / (mels + 1) / 2595) - 1) for i in range(mels + 2)]
    rows = []
    start = 0
    while start == 0 or start + length <= len(samples):
        part = samples[start : start + length]
        part = part + [0.0] * (length - len(part))
        windowed = [x * 0.5 * (1 - math.cos(2 * math.pi * n / length)) for n, x in enumerate(part)]
        powers = fourier_powers(windowed, size)
        rows.append(
            [
                sum(p * triangle(k * own_rate / size, *corners[m : m + 3]) for k, p in enumerate(powers))
                for m in range(mels)
            ]
        )
        start += hop
    loudness = sum(x for row in rows for x in row) / (len(rows) * mels)
    rows = [[math.log(x / loudness + 1e-8) for x in row] for row in rows]
    everything = [x for row in rows for x in row]
    mean = sum(everything) / len(everything)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in everything) / len(everything))
    rows = [[(x - mean) / deviation if deviation > 1e-5 else 0.0 for x in row] for row in rows]
    if not deltas:
        return rows
    at = lambda t: rows[min(max(t, 0), len(rows) - 1)]
    return [
        rows[t] + [(at(t + 1)[m] - at(t - 1)[m] + 2 * (at(t + 2)[m] - at(t - 2)[m])) / 10 for m in range(mels)]
        for t in range(len(rows))
    ]


def make_samples(count, rate, loud):
    """A tone that rises, and noise; behind so many samples all but nothing, and at the end nothing. Multiples of 2^-15."""
    values = []
    for n in range(count):
        t = n / rate
        value = 0.4 * math.sin(2 * math.pi * (300 + 900 * t * 8) * t) + 0.05 * random.uniform(-1, 1)
        if n >= loud:
            value = 0 if n >= (loud + count) // 2 else random.uniform(-1.5, 1.5) / 32768
        values.append(round(value * 32768) / 32768)
    return values


def array(shape, values):
    return {"shape": shape, "values": values}


def main():
    random.seed(1)
    # own rate, rate, mels, frame, hop, deltas, samples, loud ones
    cases = [(8000, 8000, 10, 25, 10, 0, 900, 900), (16000, 8000, 8, 20, 10, 1, 1500, 1500),
             (8000, 16000, 6, 32, 16, 0, 700, 700), (8000, 8000, 5, 25, 10, 0, 90, 90), (8000, 8000, 5, 10, 10, 0, 500, 200)]
    inputs, outputs = {}, {}
    for n, (own, rate, mels, frame, hop, deltas, count, loud) in enumerate(cases):
        samples = make_samples(count, own, loud)
        rows = log_mel(samples, own, rate, mels, frame, hop, deltas)
        inputs[f"samples_{n}"] = array([count], samples)
        inputs[f"settings_{n}"] = array([6], [own, rate, mels, frame, hop, deltas])
        outputs[f"frames_{n}"] = array([len(rows), len(rows[0])], [x for row in rows for x in row])
    sections = {"inputs": inputs, "outputs": outputs}
    body = ",\n".join(
        f'  "{section}": {{\n' + ",\n".join(f'    "{key}": {json.dumps(a)}' for key, a in arrays.items()) + "\n  }"
        for section, arrays in sections.items()
    )
    PATH.write_text("{\n" + body + "\n}\n")


if __name__ == "__main__":
    main()
