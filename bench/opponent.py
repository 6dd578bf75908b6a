"""PyTorch's side of the comparison, one process for each way of running it. FOLDER is what `fovea bench --save` wrote.

    opponent.py check FOLDER    does it compute what Fovea computed? prints JSON
    opponent.py product         GFLOP/s of its own large product, the best of several sizes on all cores
    opponent.py first FOLDER    loads the model, answers one line, ends: for the start-up time
    opponent.py serve FOLDER MODE THREADS [compile]
                                prints a line when ready; then, for each line SECONDS that it reads, measures that long
                                and prints JSON
"""

import itertools
import json
import math
import statistics
import sys
import time
from pathlib import Path

import torch

import models
from prediction import START, STOP, Search


def read_safetensors(path):
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    memory = memoryview(bytearray(data))[start:]
    weights = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        weights[name] = torch.frombuffer(memory[first:last], dtype=torch.float32).reshape(entry["shape"])
    return weights


class Given:
    """The model and batch in FOLDER."""

    def __init__(self, folder):
        self.said = json.loads((folder / "batch.json").read_text())
        self.model = models.make(self.said["shape"], self.said["size"], self.said["symbols"])
        with torch.no_grad():
            self.model.load(read_safetensors(folder / "model.safetensors"))
        target = torch.tensor(self.said["target"])
        edge = torch.ones(len(target), 1, dtype=torch.long)
        source = torch.tensor(self.said["source"])
        self.source = torch.cat((source, STOP * edge), 1)
        self.inputs = torch.cat((START * edge, target), 1)
        self.outputs = torch.cat((target, STOP * edge), 1)
        self.length = self.said["target_length"]
        self.beam = self.said["beam_size"]


def relative(found, wanted):
    return abs(found - wanted) / abs(wanted)


def check(given, lines=8):
    """Where two symbols are equal to the last digits an answer may go another way; the scores of the others tell."""
    loss = given.model.loss(given.source, given.inputs, given.outputs)
    loss.backward()
    gradients = [p.grad for name, p in given.model.named_parameters() if "bias_hh" not in name]  # Fovea has one bias
    norm = math.sqrt(sum(gradient.double().square().sum().item() for gradient in gradients))
    search = Search(given.model)
    symbols, scores = search.greedy(given.source, given.length, with_scores=True)
    greedy = list(zip(symbols.tolist(), scores.tolist()))
    beam = [search.beam(source[None], given.length, given.beam) for source in given.source[:lines]]
    beam = [(symbols.tolist(), score.item()) for symbols, score in beam]
    out = {"loss": loss.item(), "fovea_loss": given.said["loss"],
           "loss_error": relative(loss.item(), given.said["loss"]),
           "gradient_error": relative(norm, given.said["gradient_norm"])}
    for mode, found in (("greedy", greedy), ("beam", beam)):
        pairs = zip(found, given.said[mode])
        same = [relative(score, w["score"]) for (symbols, score), w in pairs if symbols == w["symbols"]]
        out[f"{mode}_same"] = len(same) / len(found)
        out[f"{mode}_error"] = max(same, default=1)
    errors = [out[f"{name}_error"] for name in ("loss", "gradient", "greedy", "beam")]
    out["ok"] = max(errors) <= 1e-4 and out["greedy_same"] >= 0.95 and out["beam_same"] >= 0.85  # one of the eight
    return out


def work(given, mode, compiled):
    """What is to be measured, as a function without arguments; compiled, too, it must compute the same."""
    wrap = torch.compile if compiled else lambda function: function

    def agree(same):
        if not same:
            sys.exit("it does not compute the same")

    if mode == "train":
        loss = wrap(given.model.loss)
        optimizer = torch.optim.Adam(given.model.parameters(), lr=0.001, fused=True)
        agree(relative(loss(given.source, given.inputs, given.outputs).item(), given.said["loss"]) <= 1e-4)

        def step():
            loss(given.source, given.inputs, given.outputs).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

        return step

    search = Search(given.model, wrap(given.model.begin), wrap(given.model.step))
    if mode == "greedy":
        answers = search.greedy(given.source, given.length)[0].tolist()
        agree(sum(a == w["symbols"] for a, w in zip(answers, given.said["greedy"])) >= 0.95 * len(answers))
        return lambda: search.greedy(given.source, given.length)

    lines = list(given.source.split(1))
    answers = [search.beam(line, given.length, given.beam)[0].tolist() for line in lines[:8]]
    agree(sum(a == w["symbols"] for a, w in zip(answers, given.said["beam"])) >= 7)
    turn = itertools.cycle(lines)
    return lambda: search.beam(next(turn), given.length, given.beam)


def peak_mib():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024


def measure(run, seconds):
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def product_gflops():
    best = 0
    with torch.inference_mode():
        for size in (512, 1024, 2048):
            a, b, out = (torch.full((size, size), 0.5) for _ in range(3))
            ends = time.perf_counter() + 0.5
            while time.perf_counter() < ends:
                start = time.perf_counter()
                torch.mm(a, b, out=out)
                best = max(best, 2 * size**3 / (time.perf_counter() - start) / 1e9)
    return best


def main():
    command = sys.argv[1]
    if command == "product":
        print(product_gflops())
        return
    folder = Path(sys.argv[2])
    if command == "check":
        print(json.dumps(check(Given(folder))))
    elif command == "first":
        given = Given(folder)
        print(Search(given.model).greedy(given.source[:1], given.length)[0].tolist())
    elif command == "serve":
        torch.set_num_threads(int(sys.argv[4]))
        run = work(Given(folder), sys.argv[3], "compile" in sys.argv[5:])
        for _ in range(3):
            run()
        print("ready", torch.__version__, flush=True)
        for line in sys.stdin:
            print(json.dumps({"ms": measure(run, float(line)), "peak_mib": peak_mib()}), flush=True)


main()
