"""The verbs are the same wherever they are written, and set-up notices what it depends on."""

import os
import re
import runpy
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.conftest import ROOT

TASKS = runpy.run_path(str(ROOT / "tasks.py"))


def tasks(*args):
    command = [sys.executable, str(ROOT / "tasks.py"), *args]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_help_lists_every_verb():
    done = tasks("help")
    assert done.returncode == 0
    assert re.findall(r"^  (\w+) +\S", done.stdout, re.MULTILINE) == list(TASKS["VERBS"])
    asked = tasks()
    assert (asked.stdout, asked.stderr, asked.returncode) == (done.stdout, "", 0)
    unknown = tasks("figure")
    assert unknown.returncode == 2
    assert "there is no verb 'figure'" in unknown.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no HOME")
def test_the_environment_of_commands(monkeypatch, tmp_path):
    """What is compiled is kept; a home that cannot be written is replaced, as IPython warns of it."""
    environment, venv = TASKS["environment"], tmp_path / ".venv"
    monkeypatch.setitem(environment.__globals__, "VENV", venv)
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    kept = environment()
    assert "PYTHONDONTWRITEBYTECODE" not in kept
    assert Path(kept["PYTHONPYCACHEPREFIX"]).is_relative_to(venv)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE")
    assert "PYTHONPYCACHEPREFIX" not in environment()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert environment()["HOME"] == str(tmp_path)
    assert not venv.exists()
    monkeypatch.setenv("HOME", "/nonexistent")
    home = environment()["HOME"]
    assert (Path(home).parent, os.access(home, os.W_OK)) == (venv, True)


def test_two_run_at_a_time(capfd, monkeypatch):
    modules = TASKS["modules"]
    monkeypatch.setitem(modules.__globals__, "PYTHON", sys.executable)
    codes = modules({"one": ["platform"], "two": ["this"], "three": ["fiotools.none"]})
    assert codes == {"one": 0, "two": 0, "three": 1}
    printed = capfd.readouterr().out
    assert printed.index("python -m fiotools.none") < printed.index("python -m platform")
    assert "Beautiful is better than ugly." in printed


def test_the_readme_says_for_which_systems():
    readme = " ".join((ROOT / "docs/install.md").read_text(encoding="utf-8").split())
    pythons, platforms = TASKS["PYTHONS"], " ".join(TASKS["PLATFORMS"])
    assert f"You need Python {pythons[0]} to {pythons[-1]} (with venv)" in readme
    said = re.search(r"wheels for (.*?); elsewhere", readme)[1]
    names = {"Linux": "linux", "macOS": "darwin", "Windows": "windows", "ARM64": "aarch64"}
    assert all(name in said and word in platforms for name, word in names.items())


@pytest.mark.parametrize("version", [(3, 10, 12), (3, 15, 0)])
def test_another_python_gets_a_line(monkeypatch, version):
    """Every way to set up comes by, as that of .ci/run; a line of help needs no certain Python."""
    made = []
    monkeypatch.setitem(TASKS["set_up"].__globals__, "make_venv", lambda: made.append(1))
    monkeypatch.setattr(sys, "argv", ["tasks.py", "test"])
    monkeypatch.setattr(sys, "version_info", version)
    for way in ("main", "set_up"):
        with pytest.raises(
            SystemExit, match=r"^fiotools needs Python 3\.11 to 3\.14, .*; this is \S+$"
        ):
            TASKS[way]()
    assert not made
    monkeypatch.setattr(sys, "argv", ["tasks.py", "help"])
    assert TASKS["main"]() == 0


SAY = f"""
import runpy, sys

sys.stdout.reconfigure(encoding='cp1252')
tasks = runpy.run_path({str(ROOT / "tasks.py")!r})
tasks['modules'].__globals__['PYTHON'] = sys.executable
says = {{'one': ['speaks'], 'two': ['platform']}}
tasks['VERBS']['say'] = lambda args: tasks['modules'](says)['one']
sys.argv[1:] = ['say']
sys.exit(tasks['main']())
"""


def test_letters_that_a_pipe_does_not_have(tmp_path):
    (tmp_path / "speaks.py").write_text("print('\u65e5\u672c')", encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", SAY], capture_output=True, env=env, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\u65e5\u672c" in done.stdout


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """Names of tasks.py, with a .venv that is not there yet, and what is run to make one."""
    names, did = TASKS["set_up"].__globals__, []
    monkeypatch.setitem(names, "VENV", tmp_path / ".venv")
    monkeypatch.setitem(names, "STAMP", tmp_path / ".venv" / "stamp")
    monkeypatch.setitem(names, "leave_venv", lambda: None)

    def run(*words, **how):
        did.append((words, names["environment"]()))
        return 0

    monkeypatch.setitem(names, "run", run)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(tmp_path / ".venv")}))
    monkeypatch.setattr(
        venv, "create", lambda folder, **more: packages.mkdir(parents=True, exist_ok=True)
    )
    return tmp_path / ".venv", did


def test_a_venv_in_use(monkeypatch, fresh):
    """Windows removes no program that runs; what is left of .venv then is not taken for a whole."""
    folder, did = fresh
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    TASKS["set_up"]()
    # pip warns of things of its own
    assert len(did) == 3
    assert not [words for words, env in did if "PYTHONWARNINGS" in env]
    stamp = folder / "stamp"
    assert stamp.exists()

    def refuse(*_, **__):
        raise PermissionError(13, "Access is denied", "python.exe")

    monkeypatch.setattr(venv, "create", refuse)
    stamp.write_text("of another lock", encoding="utf-8")
    line = r"^python\.exe: Access is denied; if something runs in \.venv .*end it and try again$"
    with pytest.raises(SystemExit, match=line):
        TASKS["set_up"]()
    assert not stamp.read_text(encoding="utf-8")
    monkeypatch.setitem(TASKS["clean"].__globals__, "ROOT", folder.parent)
    monkeypatch.setattr("shutil.rmtree", refuse)
    with pytest.raises(SystemExit, match=line):
        TASKS["clean"]([])


def test_a_venv_of_somebody_else_is_left_alone(fresh):
    folder, did = fresh
    folder.mkdir()
    (folder / "pyvenv.cfg").write_text("home = /usr/bin", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"a \.venv that this command did not make: give it"):
        TASKS["set_up"]()
    assert not did
    assert [one.name for one in folder.iterdir()] == ["pyvenv.cfg"]


def test_the_project_is_found_in_a_folder_of_any_name(monkeypatch, tmp_path):
    """Python up to 3.12 reads a .pth file in the locale's encoding, and not in UTF-8."""
    root = tmp_path / "b\u00e4nk \u65e5\u672c" / "fiotools"
    names = TASKS["relate"].__globals__
    monkeypatch.setitem(names, "ROOT", root)
    monkeypatch.setitem(names, "VENV", root / ".venv")
    venv.create(root / ".venv", with_pip=False)
    (root / "found_here.py").touch()
    TASKS["relate"]()
    (file,) = root.glob(".venv/**/_fiotools.pth")
    assert not file.read_bytes().strip(b"./\\\r\n")
    python = root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [python, "-c", "import found_here"],
        env={**clean, "LC_ALL": "C"},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_pages_and_the_makefile_have_these_verbs():
    pages = ("Makefile", "README.md", "docs/install.md", "CONTRIBUTING.md")
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in pages}
    verbs = re.search(r"^VERBS = (.*)$", texts.pop("Makefile"), re.MULTILINE)[1]
    assert verbs.split() == list(TASKS["VERBS"])
    for text in texts.values():
        shown = re.findall(r"(?:\bmake|tasks\.py) ([a-z]+)", text)
        assert shown
        assert set(shown) <= set(TASKS["VERBS"])
    assert not [verb for verb in TASKS["VERBS"] if f"`{verb}`" not in texts["CONTRIBUTING.md"]]


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
