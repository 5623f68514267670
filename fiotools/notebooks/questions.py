"""The questions that have a template, as the templates ask them, and what each leaves open."""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
TAG = "parameters"  # of one cell: papermill's convention
EXAMPLE = "example"  # the tag of the cell that says what the template reads as it is


@cache
def questions() -> dict[str, str]:
    """Return the name of each template, and its heading.

    Examples
    --------
    >>> questions()["two-sides"]
    'Which side is faster, and how sure is that?'
    """
    found = {}
    for file in sorted(FOLDER.glob("*.ipynb")):
        first, *_ = _cells(file.stem)[0]["source"]
        found[file.stem] = first.strip().removeprefix("# ")
    return found


def parameters(question: str) -> dict[str, Any]:
    """Return what a template leaves open, with the values of its example.

    Examples
    --------
    >>> parameters("threads")["where"]
    ['direction=total']
    """
    (cell,) = (one for one in _cells(question) if TAG in one["metadata"].get("tags", ()))
    body = ast.parse("".join(cell["source"])).body
    return {
        line.targets[0].id: ast.literal_eval(line.value)
        for line in body
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)
    }


def _cells(question: str) -> list[dict[str, Any]]:
    notebook = json.loads((FOLDER / f"{question}.ipynb").read_text(encoding="utf-8"))
    cells: list[dict[str, Any]] = notebook["cells"]
    return cells
