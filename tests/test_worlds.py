"""The tests pass on any machine: what CI runs, with and without the corpus, fio and Chromium."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest
import yaml

from tests.measure.campaigns import linux

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
TASKS = "def set_up():\n    print('set up')\n"
MAKEFILE = """
figures test docs:
\t@echo "$@ $(ARGS): shared $$(ls ../shared); fio $$(command -v fio)"
"""


def test_no_example_has_a_deadline():
    assert hypothesis.settings.default.deadline is None


def test_what_was_skipped_can_be_run_by_itself(tmp_path):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_some.py").write_text(
        "import pathlib, pytest\n"
        "THERE = pathlib.Path('there').exists()\n"
        "def test_always(): pass\n"
        "@pytest.mark.skipif(not THERE, reason='not there')\n"
        "def test_skipped(): pass\n"
        "@pytest.mark.parametrize('name', ['a'] * THERE)\n"
        "def test_each(name): pass\n",
        encoding="utf-8",
    )

    def passed(*asked):
        command = [sys.executable, "-m", "pytest", "-v", "-c", "none.ini", "--rootdir=.", *asked]
        options = {"cwd": tmp_path, "encoding": "utf-8", "capture_output": True, "check": False}
        done = subprocess.run(command, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return re.findall(r"::(\S+) PASSED", done.stdout)

    (tmp_path / "none.ini").touch()
    assert passed() == ["test_always"]
    (tmp_path / "there").touch()
    assert passed("--not-run") == ["test_skipped", "test_each[a]"]


needs_tools = pytest.mark.skipif(
    not shutil.which("git") or not shutil.which("make"), reason="needs git, make"
)


def ci_run(tmp_path, makefile=MAKEFILE, tools=("fio", "chromium"), path=None):
    """Run .ci/run on a project of a few lines, in a folder with programs of these names."""
    project, bin = tmp_path / "project", tmp_path / "bin"
    for folder in (project / ".ci", bin):
        folder.mkdir(parents=True)
    for tool in tools:
        (bin / tool).write_text("#!/bin/sh\n", encoding="utf-8")
        (bin / tool).chmod(0o755)
    shutil.copy(ROOT / ".ci" / "run", project / ".ci")
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
def test_ci_runs_in_both_worlds(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "corpus").touch()
    done = ci_run(tmp_path)
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stdout.splitlines() if ": shared" in line]
    fio = tmp_path / "bin" / "fio"
    assert told == [
        "figures : shared ; fio ",
        "test : shared ; fio ",
        f"test -n 2 --dist loadfile --not-run tests: shared corpus; fio {fio}",
        f"docs : shared corpus; fio {fio}",
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
def test_ci_ends_with_what_it_could_not_run(tmp_path):
    """Of programs that are not there, and cannot be installed."""
    needed = (
        "bash",
        "sh",
        "git",
        "make",
        "python3",
        "env",
        "dirname",
        "rm",
        "mkdir",
        "cp",
        "ln",
        "id",
    )
    links = tmp_path / "links"
    links.mkdir()
    for name in needed:
        (links / name).symlink_to(shutil.which(name))
    (links / "python3").unlink()
    (links / "python3").symlink_to(sys.executable)
    done = ci_run(tmp_path, tools=(), path=str(links))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == [
        "not run: what needs fio, which could not be installed",
        "not run: what needs Chromium, which could not be installed",
        "not run: what needs ../shared, which is not there",
    ]


def test_the_workflow():
    """It ends in time, sees new files too, takes no old action, and knows users without fio."""
    job, wheel = yaml.safe_load(WORKFLOW)["jobs"].values()
    assert job["timeout-minutes"] <= 60
    assert wheel["steps"][-1]["run"] == "python tasks.py test tests/test_wheel.py"
    matrix = job["strategy"]["matrix"]
    assert {True, False} == {*matrix["fio"], *(extra["fio"] for extra in matrix["include"])}
    uses = [step["uses"] for step in job["steps"] if "uses" in step]
    assert uses == ["actions/checkout@v7", "actions/setup-python@v7"]
    assert 'test -z "$(git status --porcelain)"' in WORKFLOW
    assert "git diff" not in WORKFLOW
