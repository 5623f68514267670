"""What each plot shows, against numbers that were written down when they were looked at.

`drawn.py` reads them from matplotlib's artists, so that a curve that stands one step late is seen,
however it is drawn. ``numbers.json`` has a line for each figure of the notebooks, and for each call
of `gallery.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest

import fiotools as ft
from fiotools.plot.look import figure_of
from tests.plot import drawn
from tests.plot.gallery import CALLS

_ROOT = Path(__file__).parents[2]
_KNOWN: dict[str, Any] = json.loads(Path(__file__).with_name("numbers.json").read_text())
_DIGITS = 2e-4  # of a number: the files have five digits


def _differences(known: Any, found: Any, place: str = "") -> Iterator[str]:
    """Name the places where two trees of numbers differ."""
    if isinstance(known, dict) and isinstance(found, dict):
        if [*known] != [*found]:
            yield f"{place}: {[*known]} became {[*found]}"
        for name in known.keys() & found.keys():
            yield from _differences(known[name], found[name], f"{place}/{name}")
    elif isinstance(known, (list, tuple)) and isinstance(found, (list, tuple)):
        if len(known) != len(found):
            yield f"{place}: {len(known)} values became {len(found)}: {known} became {found}"
        else:
            for at, pair in enumerate(zip(known, found, strict=True)):
                yield from _differences(*pair, f"{place}/{at}")
    elif isinstance(known, (int, float)) and isinstance(found, (int, float)):
        if not np.isclose(known, found, rtol=_DIGITS, atol=1e-12):
            yield f"{place}: {known} became {found}"
    elif known != found:
        yield f"{place}: {known!r} became {found!r}"


def _of(ax: Any) -> list[dict[str, Any]]:
    figure = figure_of(ax)
    figure.draw_without_rendering()
    return drawn.panels(figure)


@pytest.mark.parametrize("name", CALLS)
def test_a_plot_shows_the_numbers_that_it_showed(name: str, monkeypatch: Any) -> None:
    monkeypatch.chdir(_ROOT)
    assert [*_differences(_KNOWN[name], _of(CALLS[name]()))] == []


@pytest.mark.parametrize(
    "notebook", sorted((_ROOT / "notebooks").glob("*.ipynb")), ids=lambda one: one.stem
)
def test_a_figure_shows_the_numbers_that_it_showed(notebook: Path, monkeypatch: Any) -> None:
    found: dict[str, Any] = {}

    def save(ax: Any, path: Any, **_: Any) -> list[Path]:
        name = Path(path).name
        found["start-here ratio" if notebook.stem == "start-here" else name] = _of(ax)
        return []

    monkeypatch.chdir(notebook.parent)
    monkeypatch.setattr(ft.plot, "save", save, raising=False)
    cells = [one for one in nbformat.read(notebook, as_version=4).cells if one.cell_type == "code"]
    names: dict[str, Any] = {"display": lambda *_, **__: None}
    last = max(at for at, one in enumerate(cells) if "plot.save" in one.source)
    for cell in cells[: last + 1]:
        exec("\n".join(line for line in cell.source.splitlines() if line[:1] not in "%!"), names)
        plt.close("all")
    differ = {name: [*_differences(_KNOWN[name], own)] for name, own in found.items()}
    assert {name: lines for name, lines in differ.items() if lines} == {}


def test_every_figure_is_known() -> None:
    figures = {one.stem for one in (_ROOT / "figures").glob("*.png")}
    assert figures | {*CALLS, "start-here ratio"} == {*_KNOWN}


def test_a_curve_that_is_one_step_late_is_seen() -> None:
    steps = {"drawstyle": "steps-post"}
    for count in (12, 300):
        times, values = np.arange(count + 1.0), np.sin(np.arange(count + 1.0))
        told = []
        for late in (0, 1):
            ax = plt.figure().add_subplot()
            ax.plot(times + late, values, **steps)
            told.append(drawn.panel(ax))
        assert [*_differences(*told)]
