"""The verbs are the same wherever they are written, and set-up notices what it depends on."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TASKS = runpy.run_path(str(ROOT / "tasks.py"))


def tasks(*args):
    command = [sys.executable, str(ROOT / "tasks.py"), *args]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_help_lists_every_verb():
    done = tasks("help")
    assert done.returncode == 0
    assert re.findall(r"^  (\w+) +\S", done.stdout, re.MULTILINE) == list(TASKS["VERBS"])
    assert tasks().stdout == done.stdout


def test_unknown_verb_gets_the_help():
    done = tasks("figure")
    assert done.returncode == 2
    assert "there is no verb 'figure'" in done.stderr
    assert "figures" in done.stdout


def test_what_is_compiled_is_kept(monkeypatch):
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    kept = TASKS["environment"]()
    assert "PYTHONDONTWRITEBYTECODE" not in kept
    assert Path(kept["PYTHONPYCACHEPREFIX"]).is_relative_to(ROOT / ".venv")
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE")
    assert "PYTHONPYCACHEPREFIX" not in TASKS["environment"]()


def test_two_run_at_a_time(capfd, monkeypatch):
    modules = TASKS["modules"]
    monkeypatch.setitem(modules.__globals__, "PYTHON", sys.executable)
    codes = modules({"one": ["platform"], "two": ["this"], "three": ["fiotools.none"]})
    assert codes == {"one": 0, "two": 0, "three": 1}
    printed = capfd.readouterr().out
    assert printed.index("python -m fiotools.none") < printed.index("python -m platform")
    assert "Beautiful is better than ugly." in printed


def test_makefile_has_the_same_verbs():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^VERBS = (.*)$", makefile, re.MULTILINE)[1].split() == list(TASKS["VERBS"])


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_pages_name_only_verbs_that_exist(page):
    shown = re.findall(r"(?:\bmake|tasks\.py) ([a-z]+)", (ROOT / page).read_text(encoding="utf-8"))
    assert shown
    assert set(shown) <= set(TASKS["VERBS"])


def test_contributing_explains_every_verb():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert not [verb for verb in TASKS["VERBS"] if f"`{verb}`" not in page]


@pytest.mark.parametrize(
    ("name", "old", "new", "rebuilds"),
    [
        ("requirements.lock", "pandas==", "pandas==9", True),
        ("requirements.lock", "\n", "\r\n", False),  # the same lock, checked out on Windows
        ("pyproject.toml", '"pandas>=', '"pandas>=0', True),
        ("pyproject.toml", "line-length = 100", "line-length = 99", False),
    ],
)
def test_venv_is_rebuilt_when_its_sources_change(tmp_path, name, old, new, rebuilds):
    for file in ("pyproject.toml", "requirements.lock", "tasks.py"):
        (tmp_path / file).write_bytes((ROOT / file).read_bytes())
    stamp = runpy.run_path(str(tmp_path / "tasks.py"))["stamp"]
    before = stamp()
    text = (ROOT / name).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / name).write_bytes(text.replace(old, new).encode())
    assert (stamp() != before) == rebuilds
