"""The verbs are the same wherever they are written, and set-up notices what it depends on."""

import json
import os
import re
import runpy
import subprocess
import sys
import sysconfig
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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no HOME")
def test_a_home_that_cannot_be_written_is_replaced(monkeypatch, tmp_path):
    """IPython warns of it, which is an error in a test; a good one stays."""
    venv = tmp_path / ".venv"
    monkeypatch.setitem(TASKS["environment"].__globals__, "VENV", venv)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert TASKS["environment"]()["HOME"] == str(tmp_path)
    assert not venv.exists()
    monkeypatch.setenv("HOME", "/nonexistent")
    home = TASKS["environment"]()["HOME"]
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

    def run(*words, **how):
        did.append((words, names["environment"]()))
        return 0

    monkeypatch.setitem(names, "run", run)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(tmp_path / ".venv")}))
    monkeypatch.setattr(
        venv, "create", lambda folder, **more: packages.mkdir(parents=True, exist_ok=True)
    )
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


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "de_DE.ISO-8859-1"])
def test_the_project_is_found_in_a_folder_of_any_name(monkeypatch, tmp_path, locale):
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
        env={**clean, "LC_ALL": locale},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_log_has_a_few_of_pips_lines(monkeypatch, capsys, fresh):
    """A terminal has pip's own, which say what is downloaded and how far it is."""
    said = [f"Collecting package-{n}==1 (from -r requirements.lock)\n  Using x" for n in range(60)]
    said += ["Installing collected packages: " + "x, " * 60, "Successfully installed x"]
    lines = [line for text in said for line in text.splitlines(keepends=True)]
    run, told = TASKS["run"], []
    told = [sys.executable, "-c", f"print(*{lines!r}, sep='\\n')"]

    def pip(*words, progress=None, **how):
        return run(*told, echo=False, progress=progress) if "-r" in words else 0

    monkeypatch.setitem(TASKS["make_venv"].__globals__, "run", pip)
    TASKS["make_venv"]()
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        "  25 packages: package-24==1",
        "  50 packages: package-49==1",
        "  installing 60 packages",
    ]
    assert run(sys.executable, "-c", "raise SystemExit(3)", echo=False, progress=print) == 3


def test_lab_opens_the_contents_as_a_page(monkeypatch):
    asked = []
    told = {"set_up": lambda: None, "module": lambda *words: asked.extend(words)}
    for name, function in told.items():
        monkeypatch.setitem(TASKS["VERBS"]["lab"].__globals__, name, function)
    TASKS["VERBS"]["lab"]([])
    given = dict(word[2:].split("=") for word in asked if word.startswith("--"))
    page = given["LabApp.default_url"].removeprefix("/lab/tree/")
    assert (ROOT / page).read_text(encoding="utf-8").startswith("# Notebooks")
    settings = Path(given["LabApp.app_settings_dir"], "overrides.json").read_text(encoding="utf-8")
    (own,) = (one for name, one in json.loads(settings).items() if "docmanager" in name)
    assert own["defaultViewers"] == {"markdown": "Markdown Preview"}


def test_makefile_has_the_same_verbs():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^VERBS = (.*)$", makefile, re.MULTILINE)[1].split() == list(TASKS["VERBS"])


@pytest.mark.parametrize("page", ["README.md", "docs/install.md", "CONTRIBUTING.md"])
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
