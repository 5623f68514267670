"""The command line run for real, and (where a second of imports each is too much) in this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from dataclasses import dataclass

import pytest

from fiotools.cli import main
from tests.conftest import ROOT

VOLUMES = "data/dda-vhdx/xml/{volume}.xml"
CACHE = "data/page-cache/{cache}.txt"
LIBAIO = "tests/fixtures/fio/fio-3.33--libaio.json"
DD = "tests/fixtures/dd/gnu-dd-9.1--C_ibs1k_obs1M.txt"


def environment(**changes):
    """Return an environment without the caller's terminal."""
    left_out = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONUNBUFFERED", "TQDM_DISABLE"}
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "PYTHONUTF8": "1", "COLUMNS": "100", **changes}


@pytest.fixture(scope="session", autouse=True)
def compiled(tmp_path_factory):
    """Let the processes share compiled code if Python may not keep it."""
    if not sys.dont_write_bytecode:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("compiled")))
        yield


@pytest.fixture
def cli():
    """Run `python -m fiotools ...` to its end."""

    def run(*args, cwd=ROOT, env=None, **options):
        return subprocess.run(
            [sys.executable, "-m", "fiotools", *map(str, args)],
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
            cwd=cwd,
            env=env or environment(),
            encoding="utf-8",
            timeout=300,
            check=False,
        )

    return run


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def inside(monkeypatch, capsys):
    """Run a command in this process, from the project's root; it must leave no trace here."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TQDM_DISABLE", "1")
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)

    def run(*args):
        with warnings.catch_warnings():
            warnings.simplefilter("default")  # as in a process of its own
            code = main([str(arg) for arg in args])
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return run


@pytest.fixture
def answer(inside):
    """Run a command in this process, and give its rows."""

    def run(*args):
        done = inside(*args, "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
