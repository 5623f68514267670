"""Nothing that macOS and Windows lack is needed: tried without it, on any system."""

import subprocess
import sys
from pathlib import Path

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
import os, shutil, signal, sys
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
from pathlib import Path
import fiotools as ft
from fiotools.files import memory
from fiotools.measure.experiment import names
from fiotools.measure import experiment, machine
machine._TABLE = machine._PROC = machine._SYS = memory._PROC = memory._CGROUP = Path("nowhere")
experiment._ENGINES[sys.platform] = "psync"
"""
MEASURE = """
import os
asked = {"rounds": 1, "size": "16M", "seconds": 1, "only": ["random-read"]}
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
"""
REFUSED = """
for name in names():
    try:
        ft.measure.run(name, "place", dry=True, say=print)
    except ft.MeasureError as error:
        print(error)
c = ft.measure.campaign({campaign!r})
assert c.status == "complete"
assert len(c.results.io) == 60
"""
CAMPAIGN = Path(__file__).parents[2] / "data" / "own-disk" / "random-io"


@unix
@needs("fio")
@pytest.mark.parametrize(("system", "lacks"), [("darwin", POSIX), ("win32", WINDOWS)])
def test_without_linux(tmp_path, system, lacks):
    (tmp_path / "place").mkdir()
    script = LACKING.format(names=lacks, system=system)
    script += MEASURE if system == "darwin" else ""
    done = subprocess.run(
        [sys.executable, "-c", script + REFUSED.format(campaign=str(CAMPAIGN))],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        cwd=tmp_path,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert names(tmp_path / "place") == []
    refused = [line.split()[0] for line in done.stdout.splitlines() if "needs Linux" in line]
    others = ["block-size", "page-cache", "small-files", "throughput"]
    assert refused == (others if system == "darwin" else sorted([*others, "random-io"]))
