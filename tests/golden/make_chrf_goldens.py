#!/usr/bin/python3
"""Writes chrf.json: chrF2 by sacreBLEU (pip install sacrebleu) of lines that grow one after the other."""

import json
from pathlib import Path

import sacrebleu

PAIRS = [
    ("the cat sat on the mat", "the cat sat on the mat"),
    ("ein Mann schläft", "ein Mann schlief"),
    ("Größe", "groesse"),
    ("a", "b"),
    ("ab", ""),
    ("日本語 の 文", "日本 の 文章"),
    ("no shared letters", "xyzzy"),
    ("aaaaaaaa", "aaa"),
    ("two  spaces and a tab", "two spaces and a tab"),
    ("naïve café — “quoted”", "naive cafe - \"quoted\""),
]


def score(pairs):
    return sacrebleu.corpus_chrf([answer for _, answer in pairs], [[target for target, _ in pairs]]).score


def main():
    alone = [score([pair]) for pair in PAIRS]
    together = [score(PAIRS[: n + 1]) for n in range(len(PAIRS))]
    data = {"sacrebleu": sacrebleu.__version__, "pairs": PAIRS, "alone": alone, "together": together}
    path = Path(__file__).resolve().parent / "chrf.json"
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
