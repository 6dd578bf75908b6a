#!/usr/bin/python3
"""Writes what metrics others compute, too (pip install sacrebleu scikit-learn).

chrf.tsv, bleu.tsv and their like: target, answer, its chrF2 or BLEU by sacreBLEU, and that of all lines so far.
    chrf            nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0
    chrf_lc         nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0
    bleu            nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
    bleu_lc_none    nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0, as for Multi30k
    bleu_intl       nrefs:1|case:mixed|eff:no|tok:intl|smooth:exp|version:2.6.0
labels.tsv: target, answer, and of all lines so far accuracy and macro F1 by scikit-learn 1.9.1.
"""

import random
from functools import partial
from pathlib import Path

import sacrebleu
from sklearn.metrics import accuracy_score, f1_score

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


LOWER_PAIRS = [
    ("Ein Mann schläft in einem grünen Raum .", "ein Mann schläft in Einem grünen Zimmer ."),
    ("ZWEI HUNDE LAUFEN ÜBER DAS GRAS .", "zwei hunde rennen über das nasse gras ."),
    ("Ça va , MON ÉLÈVE ?", "ça va mon élève ?"),
    ("ДВА человека идут домой", "два Человека идут Домой"),
    ("a , b , C , d .", "A, B, c, D."),
]

INTL_PAIRS = BLEU_PAIRS + [
    ("Preis: 3,50€ – „ja“ … 5% §7", "Preis : 3,50 € – „ ja “ … 5 % § 7"),
    ("日本語。はい！『本』（一）", "日本語 。 はい ！ 『本』 （一）"),
    ("x+y=z ©2011 №5 a_b", "x + y = z © 2011 № 5 a _ b"),
    ("v2.0.1, (3), 4-5 'n' ¿qué?", "v2.0.1 , ( 3 ) , 4 - 5 'n' ¿ qué ?"),
]


def write_labels():
    random.seed(1)
    labels = ["sport", "news", "a b", "Kunst", "rare"]
    wanted = random.choices(labels, weights=[9, 5, 3, 2, 1], k=40)
    given = [label if random.random() < 0.6 else random.choice([*labels, "none"]) for label in wanted]
    path = Path(__file__).resolve().parent / "labels.tsv"
    with path.open("w", encoding="utf-8") as file:
        for n in range(1, len(wanted) + 1):
            f1 = f1_score(wanted[:n], given[:n], average="macro", zero_division=0)
            accuracy = accuracy_score(wanted[:n], given[:n])
            print(wanted[n - 1], given[n - 1], repr(float(accuracy)), repr(float(f1)), sep="\t", file=file)


def write(name, pairs, metric):
    def score(some):
        return repr(metric([answer for _, answer in some], [[target for target, _ in some]]).score)

    rows = [(*pair, score([pair]), score(pairs[: n + 1])) for n, pair in enumerate(pairs)]
    path = Path(__file__).resolve().parent / name
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def main():
    write("chrf.tsv", CHRF_PAIRS, sacrebleu.corpus_chrf)
    write("bleu.tsv", BLEU_PAIRS, sacrebleu.corpus_bleu)
    write("chrf_lc.tsv", LOWER_PAIRS, sacrebleu.metrics.CHRF(lowercase=True).corpus_score)
    write("bleu_lc_none.tsv", LOWER_PAIRS, partial(sacrebleu.corpus_bleu, lowercase=True, tokenize="none", force=True))
    write("bleu_intl.tsv", INTL_PAIRS, partial(sacrebleu.corpus_bleu, tokenize="intl"))
    write_labels()


if __name__ == "__main__":
    main()
