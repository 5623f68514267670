"""What others do with the same bytes; fio-plot and jc run in an environment of their own."""

from __future__ import annotations

import contextlib
import io
import runpy
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def fio_plot(path: str) -> Any:
    """Load JSON with fio-plot: all that it takes from a file before it draws."""
    from fio_plot.fiolib import defaultsettings, getdata

    asked = {"input_directory": [path], "rw": "randrw", "iodepth": [1, 16], "numjobs": [1, 2, 3, 4]}
    return getdata.get_json_data({**defaultsettings.get_default_settings(), **asked})


def fio_plot_log(path: str) -> Any:
    """Read a log with fio-plot, without merging it with others (which takes ten times as long)."""
    from fio_plot.fiolib import dataimport

    return dataimport.readLogData({}, {"filename": path})


def jc(path: str) -> list[Any]:
    """Hand the times of each session to jc; its parser of `time` does not know bash's form."""
    from jc.parsers import time

    found = []
    for file in sorted(Path(path).glob("*.txt")):
        _, mark, times = file.read_text().rpartition("real\t")
        found.append(time.parse(mark + times, quiet=True))
    return found


def clat2csv(path: str) -> None:
    """Turn the bins of each JSON+ file into CSV with fio's own script."""
    script = _script("fio_jsonplus_clat2csv")
    with TemporaryDirectory(dir=Path(path).parent) as folder:
        for file in sorted(Path(path).glob("*.json")):
            _run(script, str(file), f"{folder}/out.csv")


def fiologparser(path: str) -> None:
    """Average a log over windows of a second with fio's own script."""
    _run(_script("fiologparser.py"), "--average", path)


def fiologparser_hist(path: str) -> None:
    """Make percentiles of a histogram log with fio's own script."""
    _run(_script("fiologparser_hist.py"), path)


def _script(name: str) -> str:
    """Find a script of fio's: on the PATH, or unpacked from a package's documentation."""
    from benchmarks.venv import SCRIPTS

    found = shutil.which(name) or next(map(str, SCRIPTS.glob(name)), None)
    if found is None:
        sys.exit(f"{name} is not installed")
    return found


def _run(script: str, *arguments: str) -> None:
    sys.argv = [script, *arguments]
    with contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(script, run_name="__main__")
