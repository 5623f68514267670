"""The verbs are the same wherever they are written, and set-up notices what it depends on."""

import os
import re
import runpy
import subprocess
import sys
import venv
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
    for words in ([], ["--help"], ["-h"]):
        asked = tasks(*words)
        assert (asked.stdout, asked.stderr, asked.returncode) == (done.stdout, "", 0)


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


def test_the_readme_says_for_which_systems():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    pythons, platforms = TASKS["PYTHONS"], " ".join(TASKS["PLATFORMS"])
    assert f"You need Python {pythons[0]} to {pythons[-1]} (with venv)" in readme
    said = re.search(r"wheels for (.*?); elsewhere", readme)[1]
    names = {"Linux": "linux", "macOS": "darwin", "Windows": "windows", "ARM64": "aarch64"}
    assert all(name in said and word in platforms for name, word in names.items())


@pytest.mark.parametrize("version", [(3, 10, 12), (3, 15, 0)])
def test_another_python_gets_a_line(monkeypatch, version):
    set_up = []
    monkeypatch.setitem(TASKS["VERBS"], "test", set_up.append)
    monkeypatch.setattr(sys, "argv", ["tasks.py", "test"])
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(
        SystemExit, match=r"^fiotools needs Python 3\.11 to 3\.14, .*; this is \S+$"
    ):
        TASKS["main"]()
    assert not set_up


def test_letters_that_a_pipe_does_not_have(tmp_path):
    (tmp_path / "speaks.py").write_text("print('\u65e5\u672c')", encoding="utf-8")
    code = (
        f"import runpy, sys; tasks = runpy.run_path({str(ROOT / 'tasks.py')!r})\n"
        "tasks['modules'].__globals__['PYTHON'] = sys.executable\n"
        "says = {'one': ['speaks'], 'two': ['platform']}\n"
        "tasks['VERBS']['say'] = lambda args: tasks['modules'](says)['one']\n"
        "sys.argv[1:] = ['say']; sys.exit(tasks['main']())"
    )
    utf8 = {"PYTHONPATH": str(tmp_path), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.stdout.reconfigure(encoding='cp1252')\n{code}"],
        capture_output=True,
        env={**os.environ, **utf8},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\u65e5\u672c" in done.stdout


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """Names of tasks.py, with a .venv that is not there yet, and what is run to make one."""
    names, did = TASKS["set_up"].__globals__, []
    monkeypatch.setitem(names, "VENV", tmp_path / ".venv")
    monkeypatch.setitem(names, "STAMP", tmp_path / ".venv" / "stamp")
    monkeypatch.setitem(names, "leave_venv", lambda: None)

    def run(*words, echo=True):
        did.append((words, names["environment"]()))
        return 0

    monkeypatch.setitem(names, "run", run)
    monkeypatch.setattr(venv, "create", lambda folder, **more: Path(folder).mkdir(exist_ok=True))
    return tmp_path / ".venv", did


def test_warnings_that_are_errors_do_not_end_set_up(monkeypatch, fresh):
    """Pip warns of things of its own."""
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    TASKS["set_up"]()
    assert len(fresh[1]) == 3
    assert not [words for words, env in fresh[1] if "PYTHONWARNINGS" in env]
    assert os.environ["PYTHONWARNINGS"] == "error"


def test_a_venv_in_use(monkeypatch, fresh):
    """Windows removes no program that runs; what is left of .venv then is not taken for a whole."""
    folder, _ = fresh
    TASKS["set_up"]()
    stamp = folder / "stamp"
    assert stamp.exists()

    def refuse(*_, **__):
        raise PermissionError(13, "Access is denied", "python.exe")

    monkeypatch.setattr(venv, "create", refuse)
    stamp.write_text("of another lock", encoding="utf-8")
    line = r"^python\.exe: Access is denied; if something runs in \.venv .*end it and try again$"
    with pytest.raises(SystemExit, match=line):
        TASKS["set_up"]()
    assert not stamp.exists()
    monkeypatch.setitem(TASKS["clean"].__globals__, "ROOT", folder.parent)
    monkeypatch.setattr("shutil.rmtree", refuse)
    with pytest.raises(SystemExit, match=line):
        TASKS["clean"]([])


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
