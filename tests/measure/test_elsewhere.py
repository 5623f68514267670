"""Nothing that macOS and Windows lack is needed: tried without it, on any system."""

import subprocess
import sys

import pytest

from tests.measure.campaigns import PATIENCE, names, needs, unix

POSIX = ("posix_fadvise", "memfd_create", "sched_getaffinity", "O_DIRECT")
WINDOWS = (
    *POSIX,
    *(
        "O_NOFOLLOW",
        "O_DIRECTORY",
        "O_CLOEXEC",
        "sync",
        "getloadavg",
        "sysconf",
        "geteuid",
        "killpg",
    ),
)
# the names that the system lacks go before anything of fiotools is imported
LACKING = """
import os, shutil, signal, subprocess, sys, types
import orjson, pandas, polars, tqdm  # which look at the system as they are imported
fio = shutil.which("fio")
for name in {names}:
    if hasattr(os, name):
        delattr(os, name)
sys.platform = {system!r}
if sys.platform == "win32":
    sys.modules["fcntl"] = None
    shutil.which = {{"fio": fio}}.get
    del signal.SIGHUP, signal.SIGKILL
    os.O_TEMPORARY = subprocess.CREATE_NEW_PROCESS_GROUP = 0
    sys.modules["msvcrt"] = types.SimpleNamespace(locking=lambda *args: None, LK_NBLCK=0)
from pathlib import Path
import fiotools as ft
from fiotools.files import memory
from fiotools.measure import experiments, machine
machine._TABLE = machine._PROC = machine._SYS = memory._PROC = memory._CGROUP = Path("nowhere")
experiments._ENGINES[sys.platform] = "psync"
"""
MEASURE = """
asked = {"rounds": 1, "size": "16M", "seconds": 1, "only": ["random-read"], "buffered": True}
said = []
c = ft.measure.run("random-io", "place", output="out", say=said.append, **asked)
assert c.status == "complete", c
assert len(c.results.io) == 1, c.results.io
(place,) = c.session["places"]
assert place["file_system"] is place["device"] is None, place
assert "unknown file system" in said[0], said
assert ft.measure.known(c) == {"ram": c.session["machine"]["ram_bytes"], "prefilled": True} or (
    c.session["machine"]["ram_bytes"] is None
), ft.measure.known(c)
for name in ("page-cache", "small-files", "throughput", "diskspd"):
    try:
        ft.measure.run(name, "place", dry=True, say=said.append)
    except ft.MeasureError as error:
        said.append(str(error))
print("\\n".join(said))
"""


@unix
@needs("fio")
@pytest.mark.parametrize(("system", "lacks"), [("darwin", POSIX), ("win32", WINDOWS)])
def test_without_linux(tmp_path, system, lacks):
    (tmp_path / "place").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", LACKING.format(names=lacks, system=system) + MEASURE],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        cwd=tmp_path,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert names(tmp_path / "place") in ([], [".fiotools.lock"])  # which Windows deletes
    assert "page-cache: this system has no posix_fadvise" in done.stdout
    if system == "darwin":
        assert "workloads    unpack\n" in done.stdout
        assert "workloads    write-zeros, write-random, read\n" in done.stdout
        assert "this system lets nobody drop a file from the page cache" in done.stdout
        assert "diskspd runs on Windows" in done.stdout
