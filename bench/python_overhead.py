#!/usr/bin/env python3
"""Measures what Python costs: import time, one prediction, and many against the command, in turns.

Times of import and of one prediction are those of the processor, so that what else a machine does matters little.

usage: bench/python_overhead.py MODEL    (with the interpreter that has fovea installed)
"""

import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5


def timed(work, clock=time.perf_counter):
    begun = clock()
    result = work()
    return clock() - begun, result


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def import_seconds(code):
    """The least of new interpreters that run this."""
    return min(
        timed(lambda: subprocess.run([sys.executable, "-c", code], check=True), children_seconds)[0] for _ in range(9)
    )


def main(path):
    numpy, both = import_seconds("import numpy"), import_seconds("import numpy, fovea")
    print(f"import: {1000 * (both - numpy):.1f} ms beyond numpy, which takes {1000 * numpy:.0f} ms with the interpreter")

    import fovea

    model = fovea.load(path, threads=1)
    lines = [source for source, _ in fovea.make("dates", 100_000, seed=7)]
    # Per call, what Python adds: a line with no symbols is answered without the network.
    clock = time.thread_time
    empty = min(timed(lambda: [model("") for _ in range(2000)], clock)[0] for _ in range(ROUNDS)) / 2000
    one = min(timed(lambda: [model(line) for line in lines[:300]], clock)[0] for _ in range(ROUNDS)) / 300
    print(f"one prediction: {1e6 * one:.0f} us, of which {1e6 * empty:.1f} us are not the network ({100 * empty / one:.1f} %)")

    model = fovea.load(path)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(line + "\n" for line in lines))
        file.flush()
        ratios, cpu_ratios = [], []
        for _ in range(ROUNDS):
            cpu = time.process_time()
            here, answers = timed(lambda: model.predict(lines))
            cpu_here, cpu = time.process_time() - cpu, children_seconds()
            there, done = timed(
                lambda: subprocess.run(
                    [sys.executable, "-m", "fovea", "predict", path, file.name], check=True, capture_output=True, text=True
                )
            )
            assert done.stdout.split("\n")[:-1] == answers
            ratios.append(there / here)
            cpu_ratios.append((children_seconds() - cpu) / cpu_here)
            print(f"{len(lines)} lines: {len(lines) / here:.0f} a second here, {len(lines) / there:.0f} by the command")
    cpu = statistics.median(cpu_ratios)
    print(f"throughput: {statistics.median(ratios):.3f} of the command's, {cpu:.3f} by the processor's time; the same answers")


if __name__ == "__main__":
    main(sys.argv[1])
