"""Signals, threads at the end, forked children, memory: each in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import fovea


def start(code: str, *words: object) -> subprocess.Popen[str]:
    text = "import sys, os, threading, time, fovea\n" + textwrap.dedent(code)
    return subprocess.Popen(
        [sys.executable, "-c", text, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def result(process: subprocess.Popen[str], seconds: float = 60) -> tuple[int, str, str]:
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        pytest.fail(f"it did not end: {out} {err}")
    return process.returncode, out, err


def test_ctrl_c_saves_a_training_and_the_same_call_goes_on(tmp_path: Path) -> None:
    code = """
        options = dict(encoder_size=8, decoder_size=8, threads=1, training_validate_every="1e", training_patience=1000)
        try:
            def told(report):
                print("begun", flush=True)
            fovea.train(fovea.make("copy", 300), sys.argv[1], progress=told, **options)
        except fovea.Interrupted as stopped:
            print("saved", stopped.folder == sys.argv[1], os.path.exists(sys.argv[1] + "/checkpoint.safetensors"))
            model = fovea.train(fovea.make("copy", 300), sys.argv[1], stop_after="1u", **options)
            print(model.training["updates"] > 1)
    """
    process = start(code, tmp_path / "run")
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    code_of, out, err = result(process)
    lines = [line for line in out.splitlines() if line != "begun"]
    assert (code_of, lines) == (0, ["saved True True", "True"]), err


def test_ctrl_c_ends_a_long_prediction(folder: Path) -> None:
    code = """
        model = fovea.load(sys.argv[1])
        print("begun", flush=True)
        try:
            model.predict(["abcabc" * 20] * 200_000)
        except KeyboardInterrupt:
            print("heard", model("abc"))
    """
    process = start(code, folder)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    code_of, out, err = result(process)
    assert (code_of, out) == (0, "heard abc\n"), err


def test_ctrl_c_ends_a_comparison_and_its_child(tmp_path: Path) -> None:
    code = """
        print("begun", flush=True)
        try:
            fovea.compare(fovea.make("copy", 300), sys.argv[1], vary={"attention.score": ["dot", "cosine"]}, stop_after="1h",
                          encoder_size=8, decoder_size=8, threads=1)
        except fovea.Interrupted as stopped:
            print("saved", stopped.folder)
    """
    process = start(code, tmp_path / "runs")
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    code_of, out, err = result(process)
    assert (code_of, out) == (0, f"saved {tmp_path / 'runs'}\n"), err
    left = subprocess.run(["ps", "--ppid", str(process.pid)], capture_output=True, text=True, check=False).stdout
    assert len(left.splitlines()) <= 1


def test_threads_that_answer_do_not_keep_the_interpreter_from_ending(folder: Path) -> None:
    code = """
        model = fovea.load(sys.argv[1])
        def ask(lines):
            while True:
                model.predict(lines)
        for lines in (["abc"], ["abcabc" * 20] * 50_000, ["cab"] * 100):
            threading.Thread(target=ask, args=(lines,), daemon=True).start()
        time.sleep(0.5)
        print("ending", flush=True)
    """
    begun = time.monotonic()
    code_of, out, err = result(start(code, folder), 30)
    assert (code_of, out, err) == (0, "ending\n", "")
    assert time.monotonic() - begun < 20


def test_a_forked_child_is_refused_and_opens_its_own(folder: Path) -> None:
    code = """
        model = fovea.load(sys.argv[1])
        def ask():
            while True:
                model.predict(["abc"] * 50)
        threading.Thread(target=ask, daemon=True).start()
        time.sleep(0.1)
        child = os.fork()
        if child == 0:
            try:
                model("abc")
                os._exit(1)
            except fovea.UsageError as refused:
                assert "forked" in str(refused)
            del model
            again = fovea.load(sys.argv[1])
            os._exit(0 if again("abc") == "abc" else 2)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), model("abc"))
    """
    code_of, out, err = result(start(code, folder), 30)
    assert (code_of, out) == (0, "0 abc\n"), err


def test_children_of_multiprocessing(folder: Path) -> None:
    code = """
        import multiprocessing
        model = fovea.load(sys.argv[1])
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(model_of, [model] * 4))
    """
    helper = "def model_of(model):\n    return model('abc')\n"
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys, fovea\n" + helper + textwrap.dedent(code), str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    code_of, out, err = result(process)
    assert (code_of, out) == (0, "['abc', 'abc', 'abc', 'abc']\n"), err


def test_compare_is_refused_while_another_thread_is_inside(folder: Path) -> None:
    code = """
        model = fovea.load(sys.argv[1])
        threading.Thread(target=lambda: model.predict(["abcabc" * 20] * 50_000), daemon=True).start()
        time.sleep(0.5)
        try:
            fovea.compare(fovea.make("copy", 100), vary={"attention.score": "dot"}, stop_after="1u")
        except fovea.UsageError as refused:
            print(refused)
    """
    code_of, out, err = result(start(code, folder))
    assert (code_of, err) == (0, "") and "another thread" in out


def memory_mib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_ten_thousand_predictions_take_no_memory(model: fovea.Model) -> None:
    for _ in range(500):
        model("abcab")
        model.explain("abc").to_dict()
    before = memory_mib()
    for _ in range(10_000):
        model("abcab")
    for _ in range(300):
        model.explain("abc").to_dict()
        model.predict(["abc"] * 20, beam=2, nbest=2)
    assert memory_mib() - before < 4
