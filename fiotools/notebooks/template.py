"""A template: a plain notebook, of which one cell holds parameters, as papermill has it.

This module imports nbformat and nbclient: import it only to make a notebook. The questions of the
templates are in `questions`.
"""

from __future__ import annotations

import ast
import os
import tokenize
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import CellControlSignal
from nbformat.sign import NotebookNotary

from fiotools.errors import FiotoolsError
from fiotools.notebooks.kernel import explain, run_cells
from fiotools.notebooks.questions import EXAMPLE, FOLDER, TAG


class NotebookError(FiotoolsError, RuntimeError):
    """A cell of a notebook failed; the message says which, and why."""


def template(question: str) -> Any:
    """Read the template of a question."""
    return nbformat.read(FOLDER / f"{question}.ipynb", as_version=4)


def fill(notebook: Any, values: Mapping[str, Any]) -> None:
    r"""Put values into the cell of parameters; what stands beside them stays.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> cell = new_code_cell("n = 1  # of runs\nside = None", metadata={"tags": ["parameters"]})
    >>> fill(new_notebook(cells=[cell]), {"n": 3})
    >>> print(cell.source)
    n = 3  # of runs
    side = None
    """
    (cell,) = (cell for cell in notebook.cells if TAG in cell.metadata.get("tags", ()))
    lines = cell.source.splitlines()
    for one in reversed(ast.parse(cell.source).body):
        name = (
            one.targets[0].id
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
            else ""
        )
        if name in values:
            own = slice(one.lineno - 1, one.end_lineno)
            lines[own] = [f"{name} = {_python(values[name])}{_comment(lines[own])}"]
    cell.source = "\n".join(lines)


def introduce(notebook: Any, text: str) -> None:
    """Say what a notebook reads, where the template names its example."""
    (cell,) = (one for one in notebook.cells if EXAMPLE in one.metadata.get("tags", ()))
    cell.metadata.tags.remove(EXAMPLE)
    cell.source = text


def _comment(lines: Sequence[str]) -> str:
    """Return the comment beside some code."""
    tokens = tokenize.generate_tokens(iter([f"{line}\n" for line in lines]).__next__)
    found = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return f"  {found[-1]}" if found else ""


def _python(value: Any) -> str:
    """Write a value as ruff does: a text between double quotes, if it has none."""
    text = repr(value)
    return text if '"' in text else text.replace("'", '"')


def execute(notebook: Any, folder: Path) -> None:
    """Execute a notebook in a folder; its kernel may use all processors.

    Raises
    ------
    NotebookError
        If a cell fails, or the kernel does.
    """
    current = -1

    def started(cell: Any, cell_index: int) -> None:
        nonlocal current
        current = cell_index

    threads = os.environ.get("POLARS_MAX_THREADS", str(os.cpu_count() or 1))
    try:
        run_cells(notebook, folder, {"POLARS_MAX_THREADS": threads}, on_cell_start=started)
    except (CellControlSignal, RuntimeError) as error:  # RuntimeError: the kernel died
        raise NotebookError(explain(notebook, current, error)) from None


def text(notebook: Any) -> str:
    """Write a notebook that was executed here, and sign it as `jupyter trust` does.

    JupyterLab takes the looks of tables away from notebooks that nobody signed.
    """
    with suppress(OSError):
        NotebookNotary().sign(notebook)
    return f"{nbformat.writes(notebook)}\n"
