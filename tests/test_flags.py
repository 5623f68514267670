"""Flags: every code has a sentence, and a frame holds what the sentence needs."""

import ast
from pathlib import Path

import pandas as pd

import fiotools as ft
from fiotools.display import verdicts
from fiotools.flags import OF_VERDICT, SENTENCES, columns_of, flag, flags_of, has, sentence
from fiotools.words import Span, filled

SOURCE = Path(ft.__file__).parent
OF_WORDS = {"means", "no-run", "no-pair", "one-run", "two"}  # said by the verdict itself


def raised():
    """Give the codes that statistics raise."""
    for path in (SOURCE / "stats").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "flag":
                code = node.args[0] if node.args else None
                either = [getattr(code, name, code) for name in ("body", "orelse")]
                yield from (one.value for one in either if isinstance(one, ast.Constant))


def test_each_code_has_a_sentence():
    found = {*raised()}
    assert len(found) > 60
    assert found - SENTENCES.keys() == OF_WORDS
    assert {*OF_VERDICT} > OF_WORDS


def test_flags_come_back_from_a_frame():
    there = [flag("drift", change=0.25, order="'round'"), flag("blocks")]
    told = columns_of(there)
    assert told["flags"] == "drift;blocks"
    assert flags_of(**told) == there
    assert columns_of([]) == {"flags": None, "details": None}
    assert columns_of([flag("blocks")])["details"] is None
    assert has("drift;no-spread", "no-spread")
    assert not has("unlike-spread", "spread")
    assert not has(None, "drift")


def test_a_sentence_names_the_sides_of_its_row():
    one = flag("unlike-spread", side="baseline")
    assert sentence(one, "xfs", "ext4").startswith("the runs of 'ext4' do not differ at all")
    drift = flag("drift", change=-0.2, order="the file names")
    assert sentence(drift) == "values drift down by 20 % in the order of the file names"
    # without details the code stands
    assert sentence(*flags_of("drift", None)) == "drift"


def test_flags_survive_a_file(tmp_path):
    runs = pd.DataFrame({"g": ["a"] * 4 + ["b"] * 4, "iops": [10, 11, 10, 12, 1, 99, 1, 2]})
    answer = ft.compare(runs, "iops", between="g", baseline="a")
    assert answer["flags"][0]
    answer.to_csv(tmp_path / "a.csv", index=False)
    again = pd.read_csv(tmp_path / "a.csv")
    assert verdicts.told(again) == verdicts.told(answer)
    assert verdicts.verdicts(again) == verdicts.verdicts(answer)
    assert repr(ft.show(again)) == repr(ft.show(answer))


def test_a_number_that_differs_is_a_span():
    span = {"n": Span(1, 3), "rate": Span(1.5e9, 2.5e9), "share": Span(0.11, 0.114)}
    said = filled("{n} {n:=run|runs} of {rate:B/s}, {share:.2g} of them", **span)
    assert said == "1 to 3 runs of 1.50 to 2.50 GB/s, 0.11 of them"
