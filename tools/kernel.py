"""Run the cells of a notebook in its own kernel, and start the kernel again if it fails to start.

A kernel gets five TCP ports that were free a moment ago. If two kernels start at once, one may take
a port of the other, which then ends before it answers. No cell has run by then, so another kernel
with other ports can take its place.

This module imports nbclient: import it only to run a notebook.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple, Unpack

from jupyter_core.utils import ensure_async
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from traitlets.config import Config

STARTS = 3
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")
# The output must not depend on the number of cores, the order of sets, or the speed of the machine.
ENVIRONMENT = {
    "POLARS_MAX_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "COLUMNS": "120",  # of tables as text, as without a terminal
    "TQDM_DISABLE": "1",
}


def run_cells(
    notebook: Any,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    on_cell_start: Callable[..., None] | None = None,
) -> None:
    """Execute a notebook and put its outputs into it.

    If the kernel ends before the first cell, or does not answer for a minute, it is started again,
    at most twice. If it ends later, it is not: the cells would run a second time. Raises
    `CellControlSignal` if a cell fails or takes more than ten minutes, and `RuntimeError` if the
    kernel does not start, or ends while it runs a cell.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> notebook = new_notebook(cells=[new_code_cell("6 * 7")])
    >>> run_cells(notebook, Path("."))
    >>> notebook.cells[0].outputs[0].data
    {'text/plain': '42'}
    """
    cells = execute_cells(notebook, folder, environment, on_cell_start)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        run(cells)
    else:  # called from a notebook, in whose thread a loop is running
        with ThreadPoolExecutor(1) as pool:
            pool.submit(run, cells).result()


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """Run the coroutine to its end; Ctrl-C ends it and its kernels."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)


async def execute_cells(
    notebook: Any,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    on_cell_start: Callable[..., None] | None = None,
) -> None:
    """Do the same as `run_cells`, at the same time as others in this process."""
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
    await _run(client, {**os.environ, **ENVIRONMENT, **(environment or {})})


class _Loop(asyncio.SelectorEventLoop):
    """A loop in which Ctrl-C is Python's own: nbclient would end the kernel and go on."""

    def add_signal_handler(
        self, sig: int, callback: Callable[[Unpack[_Ts]], object], *args: *_Ts
    ) -> None:
        """Refuse, as a loop does outside of the main thread."""
        raise RuntimeError("no handlers of signals here")


async def _run(client: NotebookClient, environment: dict[str, str]) -> None:
    """Start a kernel and run all cells; the kernel always ends first."""
    try:
        await _start(client, environment)
        await client.async_execute()  # also ends the kernel
    except DeadKernelError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # nbclient takes Ctrl-C for the kernel's death
            raise asyncio.CancelledError from None
        raise
    finally:
        if client.km is not None and client.km.has_kernel:
            await ensure_async(client.km.shutdown_kernel(now=True))


async def _start(client: NotebookClient, environment: dict[str, str]) -> None:
    """Start a kernel and wait until it answers; nbclient cleans up one that does not."""
    for start in range(1, STARTS + 1):
        client.create_kernel_manager()
        await client.async_start_new_kernel(env=environment)
        try:
            await client.async_start_new_kernel_client()
        except RuntimeError:
            if start == STARTS:
                raise
        else:
            return


def explain(notebook: Any, index: int, error: Exception) -> str:
    """Say in two or three lines where and why a notebook failed."""
    if index < 0:
        return f"no cell ran: {error}"
    number = sum(cell.cell_type == "code" for cell in notebook.cells[: index + 1])
    lines = notebook.cells[index].source.splitlines() or [""]
    if not isinstance(error, CellExecutionError):
        reason = str(error).splitlines()[:1] or [type(error).__name__]
        return f"cell [{number}]: {lines[0]}\n{reason[0]}"
    # the innermost line of this cell that the traceback names; ours and a SyntaxError name none
    found = re.findall(rf"In\[{number}\], line (\d+)", _COLOUR.sub("", error.traceback))
    where = f", which begins {lines[0]!r}"
    if found:
        where = f", line {found[-1]}: {lines[int(found[-1]) - 1].strip()}"
    reason = error.evalue.strip().splitlines()
    more = " ..." if len(reason) > 3 else ""
    text = "\n".join(reason[:3]) + more
    return f"cell [{number}]{where}\n{error.ename}: {text}"
