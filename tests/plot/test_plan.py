import matplotlib.pyplot as plt
import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import SchemaError

SIZES = [0.07, 0.1, 0.15, 0.2]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def lines(ax):
    return {
        (line.get_linestyle(), line.get_color()): [*zip(*line.get_data(), strict=True)]
        for line in ax.get_lines()
    }


def test_lines_go_through_the_planned_runs():
    told = ft.plan(0.03, differences=SIZES[::-1], power=[0.8])
    drawn = lines(ft.plot.plan(told))
    assert len(drawn) == 2
    (found,) = [points for (style, _), points in drawn.items() if style == "-"]
    expected = told.sort_values("difference_pct")
    assert found == [*zip(expected["difference_pct"], expected["runs_differ"], strict=True)]


def test_rounds_are_drawn_where_they_were_planned():
    io = ft.read("data/how-many-runs/rounds/randread_{filesystem}_{round:d}.json").io
    told = ft.plan(io, "iops", between="filesystem", pair="round", differences=SIZES)
    ax = ft.plot.plan(told)
    assert ax.get_ylabel() == "rounds"
    drawn = {y for points in lines(ax).values() for _, y in points}
    assert drawn == {*told["rounds_differ"], *told["rounds_same"]}


def test_plans_of_two_pilots_are_two_figures():
    told = pd.concat([ft.plan(0.03), ft.plan(0.05)])
    with pytest.raises(SchemaError, match="keep the rows of one plan"):
        ft.plot.plan(told)


def test_what_takes_too_many_runs_is_refused():
    with pytest.raises(SchemaError, match="more than 1000 runs"):
        ft.plot.plan(ft.plan(0.9, differences=[0.06]))
