"""`fiotools compare --fail-if`: the exit code, and its output for people and pipelines."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from fiotools.cli import main

SIDES = ["old=old.txt", "new=new.txt", "--metric", "real"]


@pytest.fixture
def sides(tmp_path, monkeypatch):
    for name, shift in (("old", 1.0), ("new", 1.3)):
        times = [shift * (2 + at / 100) for at in range(5)]
        reports = "".join(f"real {one:.3f}\nuser 0.100\nsys 0.100\n\n" for one in times)
        (tmp_path / f"{name}.txt").write_text(reports)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("rule", "code"), [("slower:5%", 4), ("slower:60%", 0), ("faster", 0)])
def test_the_exit_code(sides, rule, code, capsys):
    assert main(["compare", *SIDES, "--fail-if", rule]) == code
    said = capsys.readouterr()
    assert "ratio" in said.out
    assert ("fails slower:5%: new / old: 1.3" in said.err) is (code == 4)


def test_junit(sides, capsysbinary):
    assert main(["compare", *SIDES, "--fail-if", "slower:5%", "--format", "junit"]) == 4
    suite = ElementTree.fromstring(capsysbinary.readouterr().out)
    assert suite.attrib["failures"] == "1"
    assert "slower by more than 5 %" in suite.find("testcase/failure").attrib["message"]


def test_github(sides, capsys):
    assert main(["compare", *SIDES, "--fail-if", "slower:5%", "--format", "github"]) == 4
    assert capsys.readouterr().out.startswith("::error title=fiotools slower:5%25::new / old: ")


def test_a_gate_s_format_needs_a_rule(sides, capsys):
    assert main(["compare", *SIDES, "--format", "junit"]) == 2
    assert "--fail-if" in capsys.readouterr().err


def test_two_runs_are_undecided(tmp_path, monkeypatch, capsys):
    for name in ("old", "new"):
        reports = "".join(f"real {one}\nuser 0.100\nsys 0.100\n\n" for one in ("2.00", "2.01"))
        (tmp_path / f"{name}.txt").write_text(reports)
    monkeypatch.chdir(tmp_path)
    assert main(["compare", *SIDES, "--fail-if", "not-settled"]) == 4
    assert "fails not-settled" in capsys.readouterr().err
