"""What each plot shows, against numbers that were written down when they were looked at.

`drawn.py` reads them from matplotlib's artists, so that a curve that stands one step late is seen,
however it is drawn. ``numbers.json`` has a line for each figure of the notebooks, and for kinds
of plots that they do not show.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from fiotools.plot.look import figure_of
from tests.plot import drawn

_ROOT = Path(__file__).parents[2]
_KNOWN: dict[str, Any] = json.loads(Path(__file__).with_name("numbers.json").read_text())
_DIGITS = 2e-4  # of a number: the files have five digits


def _bins() -> Any:
    return ft.example("own-disk").where("workload=random-read").bins


def _tails() -> Any:
    bins = _bins()
    return ft.tails(bins[bins["place"] != "tmpfs"], between="place", baseline="root")


def _timed() -> Any:
    times = {"real_s": [1.1, 1.2, 1.3, 2.0, 2.2, 2.1], "user_s": [0.5, 0.5, 0.6, 1.4, 1.6, 1.5]}
    return pd.DataFrame({"tool": ["cp"] * 3 + ["tar"] * 3, **times, "sys_s": 0.25})


def _grid() -> Any:
    io = ft.example("sweep").where("rw=randread").io
    return ft.compare(io, "iops", between="place", by=["iodepth", "numjobs"])


# what no figure of a notebook shows
_CALLS: Mapping[str, Callable[[], Any]] = {
    "fairness": lambda: ft.plot.fairness(ft.read("data/dda-vhdx/xml/{volume}.xml"), y="volume"),
    "timings of several runs": lambda: ft.plot.timings(_timed(), y="tool"),
    "series": lambda: ft.plot.series(ft.read("data/how-many-runs/long"), "iops"),
    "percentiles": lambda: ft.plot.percentiles(
        ft.example("lima-mounts").where("pattern=randwrite").percentiles, hue="mount"
    ),
    "percentiles of histograms": lambda: ft.plot.percentiles(
        ft.percentiles(_bins(), by="place"), hue="place"
    ),
    "tails": lambda: ft.plot.tails(_tails()),
    "cdf": lambda: ft.plot.cdf(_bins(), hue="place"),
    "cdf of waiting time": lambda: ft.plot.cdf(_bins(), hue="place", weight="time"),
    "threads": lambda: ft.plot.threads(
        ft.read("tests/fixtures/diskspd/diskspd-2.2--seq64k_t4_D_only.xml")
    ),
    "grid": lambda: ft.plot.grid(_grid()),
    "grid of values": lambda: ft.plot.grid(
        ft.example("sweep").where("rw=randread", "place=disk").io, "iops"
    ),
}


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


@pytest.mark.parametrize("name", _CALLS)
def test_a_plot_shows_the_numbers_that_it_showed(name: str, monkeypatch: Any) -> None:
    monkeypatch.chdir(_ROOT)
    assert [*_differences(_KNOWN[name], _of(_CALLS[name]()))] == []


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
    assert figures | {*_CALLS, "start-here ratio"} == {*_KNOWN}


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
