"""Fovea and PyTorch in turn, on the same weights and batches; see docs/performance.md. Started by bench/run."""

import argparse
import json
import os
import re
import select
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
MODES = {"train": "step", "greedy": "batch", "beam": "line"}
CORES = len(os.sched_getaffinity(0))
THREADS = sorted({1, CORES})


def say(text):
    print(text, file=sys.stderr, flush=True)


def fail(text):
    say(f"bench/run: {text}")
    sys.exit(1)


def output_of(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        fail(f"{' '.join(map(str, command))} ended with exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Fovea:
    """Each measurement is a new process."""

    def __init__(self, program, shape, mode, threads, *more):
        self.name = " ".join([f"{threads} threads" if threads > 1 else "1 thread", *more])
        self.command = [program, "bench", "--json", "--shape", shape, "--mode", mode, "--threads", threads, *more]
        self.unit = MODES[mode]
        self.times, self.peaks = [], []

    def measure(self, seconds):
        found = json.loads(output_of([*self.command, "--seconds", seconds]))
        self.times.append(found[f"ms_per_{self.unit}"])
        self.peaks.append(found["peak_mib"])
        self.roofline, self.product = found["roofline_gflops"], found["product_gflops"]
        self.tokens = found["tokens_per_second"] * found[f"ms_per_{self.unit}"]  # of one unit, times 1000
        # What it multiplies itself, and what a program does that multiplies every position.
        self.flops, self.whole = (found[name] * found[f"ms_per_{self.unit}"] for name in ("gflops", "whole_gflops"))

    def close(self):
        pass


class PyTorch:
    """One process that measures whenever it is asked to, so that it compiles once; it sleeps in between."""

    def __init__(self, folder, mode, threads, compiled, limit):
        self.name = (f"{threads} threads" if threads > 1 else "1 thread") + (", compiled" if compiled else ", eager")
        self.times, self.peaks = [], []
        self.errors = tempfile.TemporaryFile("w+")
        command = [sys.executable, HERE / "opponent.py", "serve", folder, mode, str(threads)]
        environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
        self.process = subprocess.Popen(command + ["compile"] * compiled, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors, env=environment)
        self.ready = self.read(limit).startswith("ready")

    def read(self, limit):
        readable, _, _ = select.select([self.process.stdout], [], [], limit)
        return self.process.stdout.readline() if readable else ""

    def why_not(self):
        if self.process.poll() is None:
            return "it took too long"
        self.errors.seek(0)
        return (self.errors.read().strip().splitlines() or ["no message"])[-1]

    def measure(self, seconds):
        print(seconds, file=self.process.stdin, flush=True)
        line = self.read(600 + 10 * seconds)
        if not line:
            fail(f"PyTorch ({self.name}) gave no answer: {self.why_not()}")
        found = json.loads(line)
        self.times.append(found["ms"])
        self.peaks.append(found["peak_mib"])

    def close(self):
        self.process.kill()
        self.process.wait()


def check(shape, folder, options):
    """Refuses to time programs that do not compute the same."""
    output_of([options.fovea, "bench", "--shape", shape, "--seconds", 1, "--save", folder])
    found = json.loads(output_of([sys.executable, HERE / "opponent.py", "check", folder]))
    say(f"{shape}: loss {found['fovea_loss']:.6f} and {found['loss']:.6f}, gradient within "
        f"{found['gradient_error']:.0e}, the same answers to {found['greedy_same']:.0%} of the lines (greedy) and "
        f"{found['beam_same']:.0%} (beam), scores within {max(found['greedy_error'], found['beam_error']):.0e}")
    if not found["ok"]:
        fail(f"shape {shape}: the two programs do not compute the same, so there is nothing to compare: {found}")
    return found


def start_pytorch(folder, mode, options):
    started = []
    for threads in THREADS:
        for compiled in [False] + [True] * (options.compile_limit > 0 and threads == CORES):
            one = PyTorch(folder, mode, threads, compiled, options.compile_limit if compiled else 600)
            if one.ready:
                started.append(one)
                continue
            say(f"  PyTorch ({one.name}) is left out: {one.why_not()}")
            one.close()
            if not compiled:
                fail("PyTorch does not run")
    return started


def compare(shape, mode, folder, options):
    ours = [Fovea(options.fovea, shape, mode, threads) for threads in THREADS]
    rounded = [Fovea(options.fovea, shape, mode, CORES, "--int8")] * (mode != "train")
    theirs = start_pytorch(folder, mode, options)
    tried = {"fovea": list(ours), "pytorch": list(theirs)}
    roofline, product, their_product = 0, 0, 0
    for turn in range(options.rounds):
        if turn == 1:  # what is far behind need not be measured again
            for side in (ours, theirs):
                best = min(one.times[0] for one in side)
                for one in [one for one in side if one.times[0] > 1.3 * best]:
                    one.close()
                    side.remove(one)
        for one in ours + theirs + rounded:
            one.measure(options.seconds)
        roofline = max([roofline] + [one.roofline for one in ours])
        product = max([product] + [one.product for one in ours])
        their_product = max(their_product, float(output_of([sys.executable, HERE / "opponent.py", "product"])))
    for one in theirs:
        one.close()

    def best_of(side):
        best = min(side, key=lambda one: statistics.median(one.times))
        ms = statistics.median(best.times)
        flops = ours[0].whole if side is theirs else ours[0].flops
        return {"how": best.name, "ms": ms, "tokens_per_second": ours[0].tokens / ms, "gflops": flops / ms,
                "share": flops / ms / roofline, "peak_mib": max(best.peaks)}

    row = {"shape": shape, "mode": mode, "unit": MODES[mode], "roofline_gflops": roofline,
           "product_gflops": product, "pytorch_product_gflops": their_product,
           "fovea": best_of(ours), "pytorch": best_of(theirs), "int8": best_of(rounded) if rounded else None,
           "tried_ms": {name: {one.name: one.times for one in side} for name, side in tried.items()}}
    row["ratio"] = row["pytorch"]["ms"] / row["fovea"]["ms"]
    say(f"  {mode}: {row['fovea']['ms']:.2f} ms a {row['unit']}, PyTorch {row['pytorch']['ms']:.2f}")
    return row


def first_answer_ms(command, line=None):
    def once():
        start = time.perf_counter()
        output_of(command, input=line)
        return (time.perf_counter() - start) * 1e3

    return statistics.median(once() for _ in range(5))


def size_mb(paths):
    files = {path.resolve() for path in paths if path.is_file()}
    return sum(path.stat().st_size for path in files) / 1e6


def sizes(program):
    """Of Fovea the program and the libraries it loads, the C library aside; of PyTorch its packages, all of them and
    those that are not for a GPU."""
    libraries = re.findall(r"=> (/\S+)", output_of(["ldd", program]))
    libraries = [Path(path) for path in libraries if not re.match(r"(libc|libm|ld-linux.*)\.so", Path(path).name)]
    packages = Path(sysconfig.get_path("purelib"))
    tools = ("pip", "setuptools")
    installed = [path for path in packages.rglob("*") if path.relative_to(packages).parts[0] not in tools]
    for_gpu = re.compile(r"(nvidia|cuda|triton)|torch/lib/[^/]*(cuda|nvshmem)")
    without_gpu = [path for path in installed if not for_gpu.match(str(path.relative_to(packages)))]
    return {"fovea_mb": size_mb([Path(program), *libraries]), "fovea_program_mb": size_mb([Path(program)]),
            "pytorch_mb": size_mb(installed), "pytorch_without_gpu_mb": size_mb(without_gpu)}


def table(found):
    lines = ["| shape | mode | Fovea tokens/s | PyTorch tokens/s | Fovea ms | PyTorch ms | times faster | share of the "
             "machine | memory MiB | PyTorch at its best with |", "|---|---|---:|---:|---:|---:|---:|---:|---:|---|"]
    for row in found["rows"]:
        ours, theirs = row["fovea"], row["pytorch"]
        lines.append(
            f"| {row['shape']} | {row['mode']} | {ours['tokens_per_second']:,.0f} | "
            f"{theirs['tokens_per_second']:,.0f} | {ours['ms']:.2f} a {row['unit']} | {theirs['ms']:.2f} | "
            f"{row['ratio']:.2f} | {ours['share']:.0%} / {theirs['share']:.0%} | "
            f"{ours['peak_mib']:.0f} / {theirs['peak_mib']:.0f} | {theirs['how']} |")
    if with_int8 := [row for row in found["rows"] if row["int8"]]:
        lines += ["", "| shape | mode | Fovea --int8, ms | PyTorch in float, ms | times faster | memory MiB |",
                  "|---|---|---:|---:|---:|---:|"]
    for row in with_int8:
        lines.append(f"| {row['shape']} | {row['mode']} | {row['int8']['ms']:.2f} a {row['unit']} | "
                     f"{row['pytorch']['ms']:.2f} | {row['pytorch']['ms'] / row['int8']['ms']:.2f} | "
                     f"{row['int8']['peak_mib']:.0f} |")
    lines += ["", "| what the machine can do | GFLOP/s |", "|---|---:|"]
    for what, name in (("multiply-adds on registers alone: the physical limit, of which shares are given", "roofline"),
                       ("Fovea's own large product", "product"), ("PyTorch's own large product", "pytorch_product")):
        lines.append(f"| {what} | {max(row[name + '_gflops'] for row in found['rows']):.0f} |")
    start, size = found["first_answer_ms"], found["installed"]
    lines += ["", "| | Fovea | PyTorch |", "|---|---:|---:|",
              f"| from the start of the process to a first answer | {start['fovea']:.0f} ms | "
              f"{start['pytorch']:.0f} ms |",
              f"| installed | {size['fovea_mb']:.0f} MB (the program {size['fovea_program_mb']:.1f} MB) | "
              f"{size['pytorch_mb']:,.0f} MB ({size['pytorch_without_gpu_mb']:,.0f} MB without what is for a GPU) |"]
    return "\n".join(lines)


def chosen(all_of_them):
    def parse(text):
        words = text.split(",")
        for word in words:
            if word not in all_of_them:
                raise argparse.ArgumentTypeError(f'no "{word}"; there are {", ".join(all_of_them)}')
        return words

    return parse


def main():
    parser = argparse.ArgumentParser(prog="bench/run")
    parser.add_argument("--fovea", type=Path, required=True)
    parser.add_argument("--shapes", type=chosen("SMLT"), default=list("SMLT"))
    parser.add_argument("--modes", type=chosen(list(MODES)), default=list(MODES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--compile-limit", type=float, default=600)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if min(options.rounds, options.seconds) < 1:
        parser.error("--rounds and --seconds must be at least 1")
    if options.quick:
        options.rounds, options.seconds, options.compile_limit = 1, 1, 0
    options.fovea = options.fovea.resolve()
    if (load := os.getloadavg()[0]) > 0.5:
        say(f"The machine is busy (load {load:.1f}): times measured now mean little.")

    torch_version = output_of([sys.executable, "-c", "import torch; print(torch.__version__)"]).strip()
    found = {"cores": CORES, "pytorch": torch_version, "rounds": options.rounds, "seconds": options.seconds,
             "checks": {}, "rows": []}
    with tempfile.TemporaryDirectory() as temporary:
        for shape in options.shapes:
            folder = Path(temporary) / shape
            found["checks"][shape] = check(shape, folder, options)
            found["rows"] += [compare(shape, mode, folder, options) for mode in options.modes]
        small = Path(temporary) / options.shapes[0]
        line = " ".join(f"w{i}" for i in range(4, 30)) + "\n"
        found["first_answer_ms"] = {
            "fovea": first_answer_ms([options.fovea, "predict", small], line),
            "pytorch": first_answer_ms([sys.executable, HERE / "opponent.py", "first", small])}
    found["installed"] = sizes(options.fovea)
    print(f"PyTorch {torch_version}, {CORES} cores, medians of {options.rounds} rounds of {options.seconds} s\n")
    print(table(found))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


main()
