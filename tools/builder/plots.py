"""The plots of the docstrings' examples, drawn when the site is built."""

from __future__ import annotations

import doctest
import io
from collections.abc import Iterable
from contextlib import chdir, redirect_stdout
from pathlib import Path

import matplotlib.pyplot as plt

import fiotools as ft
from tools.builder.reference import found

_PARSER = doctest.DocTestParser()


def example(name: str) -> str:
    """Return the code of an example that draws; empty if there is none.

    Examples
    --------
    >>> print(example("plot.style").splitlines()[0])
    import fiotools as ft
    """
    code = "".join(one.source for one in _PARSER.get_examples(found(name).__doc__ or ""))
    return code.rstrip() if "plot." in code else ""


def draw(names: Iterable[str], work: Path, folder: Path) -> list[str]:
    """Run the examples in `work`, keep the last plot of each as SVG, and return their names."""
    folder.mkdir()
    drawn = []
    ft.plot.style()
    for name in names:
        plt.close("all")
        with chdir(work), redirect_stdout(io.StringIO()):
            exec(example(name), {})
        if plt.get_fignums():
            ft.plot.save(plt.gcf(), folder / f"{name}.svg")
            drawn.append(name)
    plt.close("all")
    return drawn
