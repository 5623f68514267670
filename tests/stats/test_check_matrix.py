"""How often `check` misses and accuses: outputs of known origin, and an eighth of the corpus."""

import pytest

from benchmarks.check_corpus import CORPUS, DISHONEST, count
from benchmarks.check_matrix import OUTPUTS, cases, name, outcomes, rates

with_corpus = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="../shared/corpus does not lie beside the project"
)


@pytest.fixture(scope="module")
def found():
    return outcomes(cases())


def test_the_table_is_whole():
    told = cases()
    assert len({name(case) for case in told}) == len(told)
    used = {file for case in told for file in (case.get("sides") or {0: case["file"]}).values()}
    there = {path.name for path in OUTPUTS.iterdir()} - {"README.md", "cases.toml"}
    assert {file for file in used if not file.startswith("..")} == there
    for case in told:
        assert case["honest"] != ("fault" in case), name(case)


def test_the_innocent_are_not_accused(found):
    wrong, every = rates(found)["honest cases accused"]
    assert every >= 165
    assert wrong <= 0.02 * every, [one for one in found if one.word == "false"]


def test_the_guilty_are_found(found):
    wrong, every = rates(found)["dishonest cases missed"]
    assert every >= 165
    assert wrong <= 0.10 * every, [one.name for one in found if one.word == "missed"]
    # where something in the output decides
    assert not [one.name for one in found if one.rule and one.word == "missed"]


@with_corpus
def test_honest_runs_are_not_accused():
    told = count(every=8)
    assert told.runs > 120
    assert not told.unclear
    assert told.impossible <= set(DISHONEST)
    assert len(told.without) <= 0.02 * told.runs, told.without
    # what is suspected is suspected for many causes, so that a check gone blind is seen
    assert {"copying", "dd_flush", "dd_source", "dd_time", "flush"} <= set(told.suspects)


@with_corpus
def test_honest_runs_on_a_known_device_are_not_accused():
    told = count(devices=True)
    assert told.runs > 8
    assert not told.impossible
    assert not told.suspects
