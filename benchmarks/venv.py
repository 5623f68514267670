"""Peers in an environment of their own: they are dependencies of the benchmark, not of fiotools."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

from benchmarks.process import WORK

PACKAGES = ("fio-plot==1.1.21", "jc==1.26.1")
FOLDER = WORK / "peers"
PYTHON = FOLDER / "bin" / "python"
SCRIPTS = WORK / "fio"
# where packages of fio put scripts that are not on the PATH
_SHARED = ("/usr/share/doc/fio", "/usr/share/fio", "/usr/local/share/fio")


def set_up() -> str | None:
    """Make the environment unless it is there; give what went wrong, if anything did."""
    stamp, wanted = FOLDER / "installed.txt", "\n".join(PACKAGES)
    _unpack_scripts()
    if stamp.exists() and stamp.read_text() == wanted:
        return None
    print(f"installing {', '.join(PACKAGES)} into {FOLDER} ...", flush=True)
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--retries", "1"]
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(FOLDER)],
        [*pip, "--timeout", "20", "install", "--quiet", *PACKAGES],
    ):
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            return f"could not be installed: {lines[-1] if lines else 'no reason given'}"
    stamp.write_text(wanted)
    return None


def _unpack_scripts() -> None:
    """Copy the scripts of fio, which Debian keeps packed beside its documentation."""
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    for folder in map(Path, _SHARED):
        for plain in sorted(folder.glob("fiologparser*.py")):
            (SCRIPTS / plain.name).write_bytes(plain.read_bytes())
        for packed in sorted(folder.glob("fiologparser*.py.gz")):
            (SCRIPTS / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
