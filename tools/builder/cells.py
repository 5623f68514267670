"""Run the cells of a page in the folder where its commands run.

myst-nb would start each kernel once, in the page's own folder; `tools.kernel` retries.
"""

from __future__ import annotations

import logging
import time
import traceback
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_cache.executors.utils import ExecutionResult
from myst_nb.core.execute import direct
from nbclient.exceptions import CellControlSignal
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from tools.kernel import run_cells

# Plots are SVG, and the configuration of the user is not read.
_KERNEL = 'c.InlineBackend.figure_formats = {"svg"}\n'


def setup(app: Sphinx) -> dict[str, bool]:
    """Replace the function with which myst-nb executes a page."""
    app.add_config_value("examples_run_in", None, "env", str)
    app.connect("config-inited", _prepare)
    app.connect("env-before-read-docs", _deal)
    logging.getLogger("traitlets").setLevel(logging.WARNING)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _prepare(app: Sphinx, config: Config) -> None:
    work = Path(config.examples_run_in)
    profile = work / ".ipython" / "profile_default"
    profile.mkdir(parents=True)
    (profile / "ipython_kernel_config.py").write_text(_KERNEL, encoding="utf-8")
    direct.single_nb_execution = partial(_execute, work)


def _deal(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Put every second page first: each of two processes gets one half of the list."""
    pages[:] = [*pages[::2], *pages[1::2]]


def _execute(work: Path, notebook: Any, cwd: str, **options: Any) -> ExecutionResult:
    start, error, trace = time.perf_counter(), None, None
    try:
        run_cells(notebook, work, {"IPYTHONDIR": str(work / ".ipython")})
    except CellControlSignal as signal:
        error, trace = signal, traceback.format_exc(limit=0)
    return ExecutionResult(notebook, cwd, time.perf_counter() - start, error, trace)
