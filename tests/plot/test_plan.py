import matplotlib.pyplot as plt
import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import SchemaError
from tests.plot.kinds import faults

SIZES = [0.07, 0.1, 0.15, 0.2]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_lines_go_through_the_planned_runs():
    told = ft.plan(0.03, differences=SIZES[::-1], power=[0.8])
    spec = ft.plot.spec("plan", told)
    found, same = spec.groups
    for group, column in ((found, "runs_differ"), (same, "runs_same")):
        points = {(row.x, row.y) for row in spec.rows if row.group == group}
        assert points == set(zip(told["difference_pct"], told[column], strict=True))
    styles = [
        line.get_linestyle() for line in ft.plot.plan(told).lines if len(line.get_xdata()) > 2
    ]
    assert sorted(styles) == ["-", "--"]
    assert not faults(ft.plot.plan(told).get_figure(root=True))


def test_rounds_are_drawn_where_they_were_planned():
    io = ft.read("data/how-many-runs/rounds/randread_{filesystem}_{round:d}.json").io
    told = ft.plan(io, "iops", between="filesystem", pair="round", differences=SIZES)
    spec = ft.plot.spec("plan", told)
    assert spec.y.label == "rounds"
    assert {row.y for row in spec.rows} == {*told["rounds_differ"], *told["rounds_same"]}


def test_plans_of_two_pilots_are_two_figures():
    told = pd.concat([ft.plan(0.03), ft.plan(0.05)])
    with pytest.raises(SchemaError, match="keep the rows of one plan"):
        ft.plot.plan(told)


def test_what_takes_too_many_runs_is_refused():
    with pytest.raises(SchemaError, match="more than 1000 runs"):
        ft.plot.plan(ft.plan(0.9, differences=[0.06]))
