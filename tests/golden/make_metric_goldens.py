#!/usr/bin/python3
"""Writes chrf.tsv and bleu.tsv: target, answer, its chrF2 or BLEU by sacreBLEU (pip install sacrebleu), and that of all
lines so far.

nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0
nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
"""

from pathlib import Path

import sacrebleu

CHRF_PAIRS = [
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

BLEU_PAIRS = [
    ("a man sleeps in the green house", "a man sleeps in the green house"),
    ("two dogs run over the grass .", "two dogs are running over the wet grass ."),
    ("The cat, it sat on the mat.", "The cat sat on the mat, it did."),
    ("It cost $1,234.56 in 1999-2000 (about 3.5%).", "It cost $1,234.56 in 1999 - 2000, about 3.5 %."),
    ("He said \"no\" & left; she's here/there", "He said &quot;no&quot; &amp; left; she's here / there"),
    ("a <b> &lt;tag&gt; &amp;lt; x", "a &lt;b&gt; <tag> &lt; x"),
    ("wait... what?! v2.0,beta", "wait.. what ?! v2.0 ,beta"),
    ("x<skipped>y -5 e-mail 5-6", "xy - 5 e-mail 5 -6"),
    ("one word", "one"),
    ("nothing is shared", "xyzzy plugh"),
    ("an empty answer is short", ""),
    ("Größe und Maße. »So«, sagte sie – ja!", "Größe und Masse. »So«, sagte sie - ja!"),
    ("日本 の 文 。これ", "日本 の 文 。これ です"),
    ("no-break\u00a0space\u3000and\u2003others here", "no-break space and others here"),
    ("the the the the the the", "the the"),
    ("a b", "the the the the the a b c d a b"),
    (".,., 1.,2 ,3 4. 5,", ".,., 1.,2 ,3 4. 5,."),
    ("{[(a+b)*c]} = ~d^e_f`g|h\\i@j#k'l", "{[(a+b)*c]} = ~d^e_f`g|h\\i@j#k l"),
]


def write(name, pairs, metric):
    def score(some):
        return repr(metric([answer for _, answer in some], [[target for target, _ in some]]).score)

    rows = [(*pair, score([pair]), score(pairs[: n + 1])) for n, pair in enumerate(pairs)]
    path = Path(__file__).resolve().parent / name
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def main():
    write("chrf.tsv", CHRF_PAIRS, sacrebleu.corpus_chrf)
    write("bleu.tsv", BLEU_PAIRS, sacrebleu.corpus_bleu)


if __name__ == "__main__":
    main()
