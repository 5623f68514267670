"""`check` on outputs of known origin."""

import pytest

from benchmarks.check_matrix import OUTPUTS, cases, name, outcomes, rates, texts
from benchmarks.check_rules import holding


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
    assert not [one.name for one in found if one.rule and one.word == "missed"]


def test_the_label_of_a_case_follows_from_its_rule():
    for case in cases():
        holds = holding(case, texts(case))
        if not case["honest"]:
            assert case.get("rule", "") in (holds or [""]), (name(case), holds)
        elif not {"cache", "media"} & {*case.get("check", {})}:  # what is declared is no fault
            assert not holds, (name(case), holds)
