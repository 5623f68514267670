"""The tests pass on any machine: what CI runs, with and without the corpus, fio and Chromium."""

import os
import re
import shutil
import subprocess
import sys

import hypothesis
import pytest
import yaml

from tests.conftest import ROOT
from tests.measure.campaigns import linux

WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
TASKS = "def set_up():\n    print('set up')\n"
MAKEFILE = """
figures test docs:
\t@echo "$@ $(ARGS): shared $$(ls ../shared); fio $$(command -v fio)"
"""
WHEEL = '#!/bin/sh\n[ ! -d "$1" ] && echo the wheel in "${1##*/}"\n'


SOME = """
import pathlib, pytest
THERE = pathlib.Path('there').exists()
def test_always(): pass
@pytest.mark.skipif(not THERE, reason='not there')
def test_skipped(): pass
@pytest.mark.parametrize('name', ['a'] * THERE)
def test_each(name): pass
"""


def test_what_was_skipped_can_be_run_by_itself(tmp_path):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_some.py").write_text(SOME, encoding="utf-8")
    (tmp_path / "none.ini").touch()

    def passed(*asked):
        command = [sys.executable, "-m", "pytest", "-v", "-c", "none.ini", "--rootdir=.", *asked]
        options = {"cwd": tmp_path, "encoding": "utf-8", "capture_output": True, "check": False}
        done = subprocess.run(command, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return re.findall(r"::(\S+) PASSED", done.stdout)

    assert passed() == ["test_always"]
    (tmp_path / "there").touch()
    assert passed("--not-run") == ["test_skipped", "test_each[a]"]


needs_tools = pytest.mark.skipif(
    not shutil.which("git") or not shutil.which("make"), reason="needs git, make"
)


def ci_run(tmp_path, makefile=MAKEFILE, tools=("fio", "chromium"), path=None, wheel=WHEEL):
    """Run .ci/run on a project of a few lines, in a folder with programs of these names."""
    project, bin = tmp_path / "project", tmp_path / "bin"
    for folder in (project / ".ci", bin):
        folder.mkdir(parents=True)
    for tool in tools:
        (bin / tool).write_text("#!/bin/sh\n", encoding="utf-8")
        (bin / tool).chmod(0o755)
    shutil.copy(ROOT / ".ci" / "run", project / ".ci")
    (project / ".ci" / "wheel").write_text(wheel, encoding="utf-8")
    (project / ".ci" / "wheel").chmod(0o755)
    (project / "tasks.py").write_text(TASKS, encoding="utf-8")
    (project / "Makefile").write_text(makefile, encoding="utf-8")
    (project / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    mine = ("-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "init.defaultBranch=x")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "x")):
        subprocess.run(["git", *mine, *words], cwd=project, check=True)
    # what a make around this one was asked for, it gives to all that it starts
    asked = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "ARGS")
    own = {name: value for name, value in os.environ.items() if name not in asked}
    return subprocess.run(
        [project / ".ci" / "run"],
        env={**own, "PATH": f"{bin}{os.pathsep}{own['PATH'] if path is None else path}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@linux
@needs_tools
def test_ci_runs_in_all_worlds(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "corpus").touch()
    done = ci_run(tmp_path)
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stdout.splitlines() if re.search(": shared|the wheel in", line)]
    fio = tmp_path / "bin" / "fio"
    assert told == [
        "the wheel in wheel",
        "figures : shared ; fio ",
        "test : shared ; fio ",
        f"test -n 2 --dist loadfile --not-run tests: shared corpus; fio {fio}",
    ]
    assert "not run:" not in done.stdout


@linux
@needs_tools
@pytest.mark.parametrize("name", ["a-new-plot.svg", "Makefile"])
def test_ci_fails_if_a_plot_changed(tmp_path, name):
    done = ci_run(tmp_path, f"{MAKEFILE}\t@echo >> {name}\n")
    assert done.returncode == 1
    assert "make figures changed what is committed:\n" in done.stdout
    assert name in done.stdout
    assert "test :" not in done.stdout


@linux
@needs_tools
def test_ci_fails_if_the_wheel_alone_does(tmp_path):
    done = ci_run(tmp_path, wheel="#!/bin/sh\necho no such package >&2\nexit 3\n")
    assert done.returncode == 1
    assert "no such package" in done.stdout
    assert "figures :" not in done.stdout


@linux
@needs_tools
def test_ci_ends_with_what_it_could_not_run(tmp_path):
    """Because programs are not there, and cannot be installed."""
    links = tmp_path / "links"
    links.mkdir()
    needed = "bash", "sh", "git", "make", "env", "dirname", "rm", "cat", "mkdir", "cp", "ln", "id"
    for name in needed:
        (links / name).symlink_to(shutil.which(name))
    (links / "python3").symlink_to(sys.executable)
    done = ci_run(tmp_path, tools=(), path=str(links))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == [
        "not run: what needs fio, which could not be installed",
        "not run: what needs Chromium, which could not be installed",
        "not run: what needs ../shared, which is not there",
    ]


def test_the_workflow():
    """It ends in time, sees new files too, and knows users without fio."""
    job, wheel = yaml.safe_load(WORKFLOW)["jobs"].values()
    assert job["timeout-minutes"] <= 60
    assert wheel["steps"][-1]["run"] == "python tasks.py test tests/test_wheel.py"
    matrix = job["strategy"]["matrix"]
    assert {True, False} == {*matrix["fio"], *(extra["fio"] for extra in matrix["include"])}
    assert 'test -z "$(git status --porcelain)"' in WORKFLOW
    assert hypothesis.settings.default.deadline is None
