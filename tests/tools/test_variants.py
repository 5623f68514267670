"""Each form of a tool's output is read strictly, and what is not is told."""

import shutil
import sys

import pytest

from tests.conftest import FIXTURES, ROOT
from tools import variants
from tools.variants import VARIANTS, Variant, main, problems

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
JSON = Variant("fio", "json", "{tool}", "out", "fio_json", "io", "iops")


def told(folder, text, form=JSON):
    """Give the problems with what a program prints."""
    (folder / "run").mkdir()
    program = folder / "tool"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return problems(form, str(program), folder / "run")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("echo '{\"fio 5\": 1}'", "out: claimed by no reader instead of fio_json"),
        (f"cat {FIXTURES}/fio/fio-3.33--libaio.txt", "claimed by fio_normal instead of fio_json"),
        (f"head -c 3000 {FIXTURES}/fio/fio-3.33--libaio.json", "no complete JSON document"),
        (f"cat {FIXTURES}/fio/fio-3.33--libaio.json; echo fio: a new warning", "a new warning"),
        (f"grep -v '\"iops\"' {FIXTURES}/fio/fio-3.33--libaio.json", "io.iops is missing"),
        ("echo no such option >&2; exit 3", "exit status 3: no such option"),
    ],
)
def test_what_is_not_read_is_told(tmp_path, text, problem):
    found = told(tmp_path, text)
    assert any(problem in one for one in found), found


def test_what_is_read_has_no_problem_and_what_was_not_written_is_one(tmp_path):
    assert told(tmp_path, f"cat {FIXTURES}/fio/fio-3.33--libaio.json") == []
    form = Variant("hyperfine", "csv", "{tool}", "x.csv", "hyperfine", "timings", "real_s")
    (tmp_path / "other").mkdir()
    assert told(tmp_path / "other", "true", form) == ["it wrote no x.csv"]


def test_absent_tools_are_skipped_unless_they_are_needed(monkeypatch, capsys):
    monkeypatch.setattr(variants, "called", lambda tool: None)
    assert main([]) == 0
    assert capsys.readouterr().out.count("skipped  ") == len(variants._CALLED)
    assert main(["--need", "fio"]) == 1
    assert "MISSING  fio: it is not installed" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("busybox") is None, reason="busybox is not installed")
def test_for_real(tmp_path):
    for number, one in enumerate(one for one in VARIANTS if one.tool == "busybox"):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert problems(one, "busybox", folder) == []


def test_the_weekly_job_needs_each_tool():
    workflow = (ROOT / ".github" / "workflows" / "formats.yml").read_text(encoding="utf-8")
    needed = [words.split()[0] for words in workflow.split("--need ")[1:]]
    assert sorted(needed) == sorted(variants._CALLED)
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
