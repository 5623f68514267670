"""Fairness, asked by what is drawn of it."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from tests.plot.kinds import said


def table(**volumes):
    """Make a row per thread of each volume."""
    return pd.DataFrame(
        [
            (name, f"{name}.xml", 1, thread, "total", float(rate))
            for name, rates in volumes.items()
            for thread, rate in enumerate(rates)
        ],
        columns=["volume", "source", "run", "thread", "direction", "iops"],
    )


TWO = table(mirror=[18841.34, 43830.73], nvme=[80351.0, 80337.0])


def draw(io=TWO, **options):
    return ft.plot.fairness(io, **{"y": "volume", **options})


def marks(ax, marker):
    return {
        (round(float(y)), float(x))
        for line in ax.lines
        if line.get_marker() == marker
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


def shares(ax):
    """Give the equal shares: (row, rate)."""
    upright = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 2]
    return {(round((low[1] + high[1]) / 2), float(low[0])) for low, high in upright}


def written(ax):
    return [text.get_text() for text in ax.texts]


def test_threads_stragglers_shares_and_figures_are_drawn():
    ax = draw(order=["nvme", "mirror"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["nvme", "mirror"]
    assert marks(ax, "o") == {(0, 80351.0), (0, 80337.0), (1, 43830.73)}
    assert marks(ax, "v") == {(1, 18841.34)}
    assert {(row, round(rate)) for row, rate in shares(ax)} == {(0, 80344), (1, 31336)}
    assert {*written(ax)} == {"max/min", "Jain", "1.00x", "1.000", "2.33x", "0.863"}
    assert said(ax).startswith("I/Os per second (total) line: equal share")
    assert "Jain: 1 if all threads are equal, 1/k if one of k does everything" in said(ax)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["fell behind"]


def test_polars_draws_the_same():
    io = pl.DataFrame(TWO.to_dict("list"))
    ax = draw(io)
    assert marks(ax, "v") == {(0, 18841.34)}
    assert {"2.33x", "0.863"} < set(written(ax))


def test_the_articles_threads():
    threads = ft.totals(ft.read("data/dda-vhdx/xml/{volume}.xml").threads)
    ax = draw(threads, order=["nvme", "vhdx", "mirror"])
    figures = [text for text in written(ax) if text[-1] == "x" or text[-3:].isdigit()]
    assert figures == ["1.00x", "1.32x", "2.33x", "1.000", "0.981", "0.863"]


def test_what_cannot_be_shared_has_no_figures_and_a_reason():
    ax = draw(table(one=[1000], idle=[0, 900, 900], even=[10, 10]))
    assert written(ax).count("-") == 3
    assert "0.667" in written(ax)
    assert "- one: one thread: nothing to share" in said(ax)
    assert "- idle: a thread did no I/O" in said(ax)
    assert shares(ax) == {(1, 600.0), (2, 10.0)}
    ((place, dead),) = marks(ax, "v")
    assert (dead, round(place)) == (0, 1)


def test_a_missing_rate_is_not_zero():
    ax = draw(table(gap=[1000, np.nan], even=[10, 10]))
    assert marks(ax, "o") == {(0, 1000.0), (1, 10.0)}
    assert "- gap: iops is missing for some threads" in said(ax)


def test_many_threads_lie_in_their_row_and_stragglers_without_names():
    rates = [1000 + i % 7 for i in range(60)] + [410] * 4
    ax = draw(table(raid=rates))
    places = [y for line in ax.lines if line.get_marker() == "o" for y in line.get_ydata()]
    assert len(places) == 60
    assert -0.5 < min(places) < max(places) < 0.5
    assert len(marks(ax, "v")) == 1, "four at one rate"
    assert {*written(ax)} == {"max/min", "Jain", "2.45x", "0.978"}


def test_long_names_and_a_narrow_figure_leave_room():
    io = table(**{"a volume with a very long name": [1, 2], "b": [5, 5]})
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.6), layout="constrained")
    draw(io, ax=left)
    draw(TWO, ax=right)
    figure.canvas.draw()
    assert left.get_position().width > 0.05
    ends = [text.get_window_extent().x1 for text in left.texts]
    names = [label.get_window_extent().x0 for label in right.get_yticklabels()]
    assert max(ends) <= min(names)


MISTAKES = {
    "empty": (lambda: draw(TWO[:0]), "no rows"),
    "y": (lambda: draw(y="volumes"), "did you mean 'volume'"),
    "no y": (lambda: draw(y=None), "name the column that names the rows, y="),
    "no rates": (lambda: draw(TWO.drop(columns="iops")), "no column 'iops'"),
    "directions": (
        lambda: draw(pd.concat([TWO.assign(direction="read"), TWO.assign(direction="write")])),
        r"differ in direction \(read, write\).*keep it, direction == 'read'",
    ),
    "runs": (
        lambda: draw(pd.concat([TWO, TWO.assign(source="second.xml")])),
        r"'mirror' differ in source \(mirror\.xml, second\.xml\).*keep it",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told(mistake):
    draw_it, words = MISTAKES[mistake]
    with pytest.raises(ft.SchemaError, match=words):
        draw_it()
