"""Run the cells of a notebook in a kernel of its own, which starts even if it fails to at first.

A kernel is given five TCP ports that were free a moment ago. Where two kernels start at a time, one
may take a port of the other, which then ends before it has answered. Nothing of the notebook has
run by then, so another kernel, with other ports, is as good as the first.

nbclient is imported here, at the top: import this module only where a notebook is to be run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from traitlets.config import Config

STARTS = 3
# Sums must not depend on the number of cores, nor the order of a set on chance, nor whether there
# is a progress bar on how fast the machine is.
ENVIRONMENT = {
    "POLARS_MAX_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "COLUMNS": "80",
    "TQDM_DISABLE": "1",
}


def run_cells(
    notebook: Any,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    on_cell_start: Callable[..., None] | None = None,
) -> None:
    """Execute a notebook; its outputs are put into it.

    A kernel that ends, or says nothing for a minute, before it could be given the first cell is
    started again, twice at most. One that ends later is not: the cells would run a second time.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The notebook, which is modified.
    folder : pathlib.Path
        Where its code runs.
    environment : mapping of str to str, optional
        Variables that its code finds, besides those of this process and `ENVIRONMENT`.
    on_cell_start : callable, optional
        Called with the keywords ``cell`` and ``cell_index`` before each cell.

    Raises
    ------
    nbclient.exceptions.CellControlSignal
        If a cell fails (`CellExecutionError`), or takes more than ten minutes.
    RuntimeError
        If the kernel cannot be started, or ends while it runs a cell.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> notebook = new_notebook(cells=[new_code_cell("6 * 7")])
    >>> run_cells(notebook, Path("."))
    >>> notebook.cells[0].outputs[0].data
    {'text/plain': '42'}
    """
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,  # would be a difference in each cell of each run
        coalesce_streams=True,  # one text per cell, however the kernel happened to flush
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=on_cell_start,
        # encrypts where the kernel can; otherwise it warns that it does not
        config=Config({"KernelManager": {"transport_encryption": "auto"}}),
    )
    _start(client, {**os.environ, **ENVIRONMENT, **(environment or {})})
    client.execute()  # with the kernel that now runs, which it also ends


def _start(client: NotebookClient, environment: dict[str, str]) -> None:
    """Start a kernel that has answered; of one that has not, nbclient leaves nothing behind."""
    for start in range(1, STARTS + 1):
        client.create_kernel_manager()
        client.start_new_kernel(env=environment)
        try:
            client.start_new_kernel_client()
        except RuntimeError:
            if start == STARTS:
                raise
        else:
            return
