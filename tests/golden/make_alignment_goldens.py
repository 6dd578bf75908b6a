#!/usr/bin/python3
"""Writes alignment_quality.json: how well made-up attention agrees with made-up word alignments, by the definitions of
Koehn & Knowles 2017 (section 3.5) and Och & Ney 2003. Needs Python alone.

The file has the layout of make_goldens.py. For each line n
    weights_n  [steps, positions], multiples of 1/256; the last step and the last position are the stop symbols
    links_n    [links, 3]: source, target, whether sure
and one line more, "unlinked", of which no links are known.
"""

import json
import math
import random
from pathlib import Path

PATH = Path(__file__).resolve().parent / "alignment_quality.json"


def random_row(positions):
    """Adds up to one."""
    cuts = sorted(random.randrange(257) for _ in range(positions - 1))
    return [(b - a) / 256 for a, b in zip([0, *cuts], [*cuts, 256])]


def make_line(words, source_words):
    weights = [random_row(source_words + 1) for _ in range(words + 1)]
    every = [(i, j) for i in range(source_words) for j in range(words)]
    links = {pair: random.random() < 0.6 for pair in random.sample(every, len(every) // 3)}
    return weights, links


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def measure(lines, unlinked):
    attended, sure, possible = set(), set(), set()
    mass = {-1: [], 0: [], 1: []}  # by shift
    for n, (weights, links) in enumerate(lines):
        possible |= {(n, *pair) for pair in links}
        sure |= {(n, *pair) for pair, is_sure in links.items() if is_sure}
        for j, row in enumerate(weights[:-1]):
            words = row[:-1]
            if max(words) > 0:
                attended.add((n, words.index(max(words)), j))
            partners = [i for i, target in links if target == j]
            for shift in mass:
                if partners and j + shift >= 0:
                    mass[shift].append(sum(weights[j + shift][i] for i in partners))
    every = [weights for weights, _ in lines] + [unlinked]
    return {
        "aer": 1 - (len(attended & sure) + len(attended & possible)) / (len(attended) + len(sure)),
        "mass": mean(mass[0]),
        "shifted_mass": mean(mass[1]),
        "shifted_back_mass": mean(mass[-1]),
        "entropy": mean(-sum(w * math.log(w) for w in row if w > 0) for weights in every for row in weights),
        "stop_mass": mean(row[-1] for weights in every for row in weights[:-1]),
    }


def array(shape, values):
    return {"shape": shape, "values": values}


def matrix(rows):
    return array([len(rows), len(rows[0])], [value for row in rows for value in row])


def main():
    random.seed(1)
    lines = [make_line(5, 6), make_line(4, 3), make_line(6, 1)]
    lines[1][0][2] = [0.0, 0.0, 0.0, 1.0]  # looks at the stop symbol alone
    unlinked, _ = make_line(3, 4)
    inputs = {"weights_unlinked": matrix(unlinked)}
    for n, (weights, links) in enumerate(lines):
        inputs[f"weights_{n}"] = matrix(weights)
        inputs[f"links_{n}"] = matrix([[i, j, int(is_sure)] for (i, j), is_sure in links.items()])
    outputs = {name: array([], [value]) for name, value in measure(lines, unlinked).items()}
    sections = {"inputs": inputs, "outputs": outputs}
    body = ",\n".join(
        f'  "{section}": {{\n' + ",\n".join(f'    "{key}": {json.dumps(a)}' for key, a in arrays.items()) + "\n  }"
        for section, arrays in sections.items()
    )
    PATH.write_text("{\n" + body + "\n}\n")


if __name__ == "__main__":
    main()
