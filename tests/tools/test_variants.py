"""Each form of a tool's output is read strictly, and what is not is told."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tools import variants
from tools.variants import VARIANTS, Variant, main, problems, unread

FIXTURES = ROOT / "tests" / "fixtures"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
JSON = Variant("fio", "json", "{tool}", "out", "fio_json", "io", "iops")


def program(folder, text):
    path = folder / "tool"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_what_is_read_has_no_problem():
    assert [*unread(JSON, FIXTURES / "fio" / "fio-3.33--libaio.json")] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("echo '{\"fio 5\": 1}'", "out: claimed by no reader instead of fio_json"),
        (f"cat {FIXTURES}/fio/fio-3.33--libaio.txt", "claimed by fio_normal instead of fio_json"),
        (f"head -c 3000 {FIXTURES}/fio/fio-3.33--libaio.json", "no complete JSON document"),
        (f"cat {FIXTURES}/fio/fio-3.33--libaio.json; echo fio: a new warning", "a new warning"),
        (f"grep -v '\"iops\"' {FIXTURES}/fio/fio-3.33--libaio.json", "io.iops is missing"),
        ("echo no such option >&2; exit 3", "exit status 3: no such option"),
    ],
)
def test_what_is_not_read_is_told(tmp_path, text, told):
    folder = tmp_path / "run"
    folder.mkdir()
    found = problems(JSON, program(tmp_path, text), folder)
    assert any(told in one for one in found), found


def test_an_output_that_was_not_written(tmp_path):
    form = Variant("hyperfine", "csv", "{tool}", "x.csv", "hyperfine", "timings", "real_s")
    (tmp_path / "run").mkdir()
    found = problems(form, program(tmp_path, "true"), tmp_path / "run")
    assert found == ["it wrote no x.csv"]


def test_absent_tools_are_skipped_unless_they_are_needed(monkeypatch, capsys):
    monkeypatch.setattr(variants, "called", lambda tool: None)
    assert main([]) == 0
    assert capsys.readouterr().out.count("skipped  ") == len(variants._CALLED)
    assert main(["--need", "fio"]) == 1
    assert "MISSING  fio: it is not installed" in capsys.readouterr().out


def test_the_outputs_are_kept(tmp_path, monkeypatch, capsys):
    source = FIXTURES / "hyperfine" / "hyperfine-1.15.0--one_run.json"
    own = Variant("hyperfine", "json", "cat {tool}", "out", "hyperfine", "timings", "real_s")
    monkeypatch.setattr(variants, "VARIANTS", (own,))
    monkeypatch.setattr(
        variants, "called", lambda tool: str(source) if tool == "hyperfine" else None
    )
    assert main(["--keep", str(tmp_path)]) == 0
    assert (tmp_path / "hyperfine-0" / "out").read_text() == source.read_text()
    assert "ok     json" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("busybox") is None, reason="busybox is not installed")
def test_for_real(tmp_path):
    for number, one in enumerate(one for one in VARIANTS if one.tool == "busybox"):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert problems(one, "busybox", folder) == []


def test_the_weekly_job_needs_each_tool():
    workflow = Path(ROOT, ".github", "workflows", "formats.yml").read_text(encoding="utf-8")
    needed = [words.split()[0] for words in workflow.split("--need ")[1:]]
    assert sorted(needed) == sorted(variants._CALLED)
    done = subprocess.run(
        [sys.executable, "-m", "tools.variants", "--help"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
