"""Every block of README.md and docs/install.md runs as a reader would type it.

A block that nobody knows fails.
"""

import doctest
import importlib.util
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
import yaml
from packaging.requirements import Requirement

from fiotools.readers import _NOT_READ, built_in
from tests.cli.conftest import environment
from tests.conftest import ROOT

PAGES = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/install.md", "docs/limits.md")
}
README, INSTALL, LIMITS = PAGES.values()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# what tasks.py tells pip besides, which changes neither what is installed nor how it is checked
QUIET = {"--disable-pip-version-check", "--quiet", "--no-compile"}


@dataclass(frozen=True)
class Block:
    page: str
    heading: str
    language: str
    line: int  # of the first statement
    code: str

    @property
    def commands(self):
        """The words of each line, without comments."""
        lines = self.code.replace("\\", "/").splitlines()
        return [shlex.split(line, comments=True) for line in lines]


def all_blocks():
    pattern = r"^(?:## ([^\n]*)|```(\w*)\n(.*?)^```)$"
    found = []
    for name, page in PAGES.items():
        heading = ""
        for match in re.finditer(pattern, page, re.MULTILINE | re.DOTALL):
            heading = match[1] or heading
            if match[1] is None:
                line = page.count("\n", 0, match.start(3))
                found.append(Block(name, heading, match[2], line, match[3]))
    return found


BLOCKS = all_blocks()


def ran(command, **options):
    """Run a command of the README to its end, and give what it answered."""
    options = {"env": environment(), "encoding": "utf-8", "timeout": 300, **options}
    done = subprocess.run(command, capture_output=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def with_data(command, folder):
    """Copy the data that a command reads into the folder that it may write to."""
    for name in re.findall(r"data/[\w-]+", " ".join(command)):
        shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True)
    return folder


def fiotools(command, folder):
    """Run a line that begins with `fiotools`; what it says that it writes is there then."""
    assert command[0] == "fiotools"
    answer = ran([sys.executable, "-m", *command], cwd=with_data(command, folder))
    if "-o" in command:
        written = folder / command[command.index("-o") + 1]
        assert written.is_dir() or written.stat().st_size
    return answer


def run_python(block, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    parts = (block.code, {"__name__": "readme"}, "README", "README.md", block.line)
    test = doctest.DocTestParser().get_doctest(*parts)
    assert not doctest.DocTestRunner(optionflags=FLAGS).run(test).failed


def run_verbs(block, tmp_path, monkeypatch):
    """Not run within themselves; but they are verbs, the same on Windows, and what CI runs."""
    verbs = runpy.run_path(str(ROOT / "tasks.py"))["VERBS"]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    for line in block.code.splitlines():
        verb, same = re.fullmatch(r"make (\w+) +# Windows, .*: py tasks\.py (\w+)", line).groups()
        assert verb == same
        assert verb in verbs
        assert f"run: python tasks.py {verb}\n" in workflow
        # as it stands
        assert f" make {verb}\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def run_by_hand(block, tmp_path, monkeypatch):
    """The lines are what tasks.py would do."""
    tasks = runpy.run_path(str(ROOT / "tasks.py"))
    shared, did = tasks["set_up"].__globals__, []
    for name in ("VENV", "STAMP"):
        monkeypatch.setitem(shared, name, tmp_path / name)  # nothing is set up yet
    monkeypatch.setitem(shared, "run", lambda *words, **how: did.append(words[2:]) or 0)
    monkeypatch.setitem(shared, "relate", lambda: None)  # for Python up to 3.12 in some folders
    monkeypatch.setitem(
        shared, "modules", lambda checks: {name: shared["module"](*checks[name]) for name in checks}
    )
    monkeypatch.setattr(venv, "create", lambda *a, **k: did.append(("venv", ".venv")))
    assert tasks["figures"]([]) == tasks["test"]([]) == 0

    did = [words for words in did if "uninstall" not in words]  # that only saves time
    pytests = [words for words in did if words[0] == "pytest"]
    others = [tuple(w for w in words if w not in QUIET) for words in did if words not in pytests]
    (first, *expected), shown = dict.fromkeys(others), block.commands
    assert shown.pop(0) == ["py", "-m", *first]
    assert {(python, m) for python, m, *_ in shown} == {(".venv/Scripts/python", "-m")}
    assert [tuple(words) for _, _, *words in shown] == [*expected, ("pytest",)]
    # which has the same folders by itself
    folders = {word for words in pytests for word in words if (ROOT / word).is_dir()}
    assert folders == set(PROJECT["tool"]["pytest"]["testpaths"])

    file, name, count = re.search(
        r"`conda env create -f (\S+)`, `conda activate (\S+)`, then the last (\w+) lines", INSTALL
    ).groups()
    assert yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))["name"] == name
    assert sum(words[2] != "pip" for words in shown) == ["four", "five", "six"].index(count) + 4


def run_install(block, tmp_path, monkeypatch):
    """Installed beside this environment, with nothing to download: its dependencies are here."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip("there is no pip in this environment")
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--target", tmp_path]
    ((python, *words),) = block.commands
    assert python == "python"
    ran([sys.executable, *words, *offline], cwd=ROOT)
    environ = environment(PYTHONPATH=str(tmp_path))
    example = re.search(r"\(`(ft\.example\(.*?\))`\)", INSTALL)[1]
    here = f"import fiotools as ft; print(ft.__file__); assert len({example}.io)"
    found = Path(ran([sys.executable, "-c", here], cwd=tmp_path, env=environ).strip())
    assert found.is_relative_to(tmp_path)
    extras = re.findall(r'`"\.\[(\w+)\]"`', INSTALL)
    assert set(extras) == set(PROJECT["project"]["optional-dependencies"])


def run_elsewhere(block, tmp_path, monkeypatch):
    """The README has the same block, which has run."""
    assert block.code in [other.code for other in BLOCKS if other.page == "README.md"]


def run_command_line(block, tmp_path, monkeypatch):
    *commands, _ = block.commands  # the last is run with its answer, which is the next block
    for command in commands:
        assert fiotools(command, tmp_path) or "-o" in command


def run_answer(block, tmp_path, monkeypatch):
    """The block is what the last line of the block before it answers."""
    before = BLOCKS[BLOCKS.index(block) - 1]
    assert before.language == "sh"
    answer = fiotools(before.commands[-1], tmp_path)
    assert [line.rstrip() for line in answer.splitlines()] == block.code.splitlines()


HOW = {
    ("README.md", "Two commands", "sh"): run_command_line,
    ("README.md", "Two commands", "text"): run_answer,
    ("README.md", "Ten lines of Python", "python"): run_python,
    ("README.md", "Install", "sh"): run_install,
    ("README.md", "Work on it", "sh"): run_verbs,
    ("docs/install.md", "The library", "sh"): run_elsewhere,
    ("docs/install.md", "Plots and tests", "sh"): run_verbs,
    ("docs/install.md", "Plots and tests", "text"): run_by_hand,
}


def test_every_block_is_known():
    fences = re.findall(r"^ *(?:```|~~~)", "".join(PAGES.values()), re.MULTILINE)
    assert len(fences) == 2 * len(BLOCKS)
    assert {(block.page, block.heading, block.language) for block in BLOCKS} == set(HOW)


@pytest.mark.parametrize(
    "block", BLOCKS, ids=lambda block: f"{block.page}_{block.line}_{block.language}"
)
def test_block_runs(block, tmp_path, monkeypatch):
    HOW[block.page, block.heading, block.language](block, tmp_path, monkeypatch)


@pytest.mark.parametrize("name", PAGES)
def test_linked_files_exist(name):
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", PAGES[name])
    assert links or name != "README.md"
    assert not [link for link in links if not (ROOT / name).parent.joinpath(link).exists()]


def test_what_is_recognised_and_not_read():
    named = re.search(r"Output of (.*) is recognised, but not read", LIMITS)[1]
    assert re.split(", | and ", named) == list(_NOT_READ)
    read = {reader.name.partition("_")[0] for reader in built_in()}
    assert not read & set(map(str.lower, _NOT_READ)), "it is read: remove it from _NOT_READ"


def test_packages_are_listed():
    project = PROJECT["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    declared = {Requirement(line).name for line in [*lines, *PROJECT["dependency-groups"]["dev"]]}
    declared.discard(project["name"])  # an extra that holds another
    table = README.split("| package | what for |\n|---|---|\n")[1].split("\n\n")[0]
    cells = [re.sub(r"\*.*?\* ", "", row.split(" | ")[0][2:]) for row in table.splitlines()]
    assert sorted(", ".join(cells).split(", ")) == sorted(declared)


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = PROJECT["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert citation["repository-code"] == project["urls"]["Repository"]


def test_the_numbers_are_counted():
    """A number that is read back and recomputed too counts among the recomputed."""
    files = sorted((ROOT / "data").glob("*/published.csv"))
    rows = pd.concat([pd.read_csv(file, dtype=str).assign(file=file.parent.name) for file in files])
    bases = rows.groupby(["file", "place", "quantity"])["basis"].agg(set)
    recomputed = sum("recomputed" in basis for basis in bases)
    told = re.search(
        r"every number that the articles printed \(([\d,]+)\).* ([\d,]+) are recomputed.* ([\d,]+) are read",
        LIMITS,
        re.DOTALL,
    )
    counts = (len(bases), recomputed, len(bases) - recomputed)
    assert told.groups() == tuple(f"{count:,}" for count in counts)
    without = {file.parent.name for file in files} - set(rows["file"])
    assert without == {"wsl-filesystems"}
    assert "article 003 printed none" in LIMITS
