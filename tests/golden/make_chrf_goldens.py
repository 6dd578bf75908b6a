#!/usr/bin/python3
"""Writes chrf.tsv: target, answer, its chrF2 by sacreBLEU (pip install sacrebleu), and that of all lines so far."""

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
    rows = [(*pair, repr(score([pair])), repr(score(PAIRS[: n + 1]))) for n, pair in enumerate(PAIRS)]
    path = Path(__file__).resolve().parent / "chrf.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
