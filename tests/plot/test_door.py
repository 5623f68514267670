"""What someone meets who calls a plot by a wrong name or with a wrong argument."""

import importlib
import subprocess
import sys

import pytest

import fiotools as ft
from fiotools.errors import SchemaError
from fiotools.plot import look
from fiotools.plot.kind import KINDS
from fiotools.plot.names import MEANT
from tests.plot import kinds

WRONG = {
    "x and y": (lambda d: ft.plot.sweep(d, x="iodepth", y="iops"), "not y; did you mean metric="),
    "between": (lambda d: ft.plot.cdf(d, between="device"), "not between; did you mean hue="),
    "rows between": (lambda d: ft.plot.timings(d, between="device"), "did you mean y="),
    "colour": (lambda d: ft.plot.repeats(d, "iops", color="device"), "did you mean hue="),
    "metric": (lambda d: ft.plot.series(d, metric="iops"), "did you mean quantity="),
    "latency": (lambda d: ft.plot.load(d, metric="lat_mean"), "did you mean latency="),
    "slip": (lambda d: ft.plot.repeats(d, "iops", titel="x"), "did you mean 'title'?"),
    "nothing like it": (lambda d: ft.plot.repeats(d, "iops", zzz=1), r"not zzz$"),
    "by place": (
        lambda d: ft.plot.sweep(d, "iodepth", "iops"),
        r"sweep takes frame, metric in this order, .* \(x=, hue=, .*not 3 values",
    ),
    "twice": (lambda d: ft.plot.repeats(d, "iops", metric="iops"), "not metric twice"),
    "no data": (lambda d: ft.plot.repeats(metric="iops"), "before them the data"),
    "Axes of values": (lambda d: ft.plot.spec("repeats", d, "iops", ax=1), "not ax$"),
}


@pytest.mark.parametrize(("call", "told"), WRONG.values(), ids=WRONG)
def test_a_wrong_argument_is_told_in_one_line_with_those_there_are(call, told):
    with pytest.raises(SchemaError, match=told) as error:
        call(kinds.runs(["a", "b"], 2))
    assert "\n" not in str(error.value)
    assert "title" in str(error.value)
    assert error.value.__cause__ is None


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_every_kind_takes_a_title(kind, monkeypatch):
    name = kind.partition("-")[0]
    made = KINDS[name].spec
    monkeypatch.setattr(
        KINDS[name], "spec", lambda *given, **named: made(*given, **named, title="A")
    )
    figure = kinds.figure_of(kinds.KINDS[kind](kinds.runs(["a", "b", "c"], 2)))
    assert figure.get_suptitle() == "A"


def test_a_title_is_that_of_the_function():
    frame = kinds.runs(["a", "b"], 2)
    own = ft.plot.repeats(frame, "iops", y="device", title="Two disks")
    other = ft.plot.repeats(frame, "iops", y="device")
    ft.plot.title(other, "Two disks")
    sizes = [look.figure_of(ax).get_size_inches().tolist() for ax in (own, other)]
    assert sizes[0] == sizes[1]
    assert look.figure_of(own).get_suptitle() == "Two disks"


ELSEWHERE = {
    "line": "series or sweep",
    "bars": "timings",
    "threads": "fairness",
    "times": "timings",
    "histogram": "cdf",
    "box": "repeats",
    "violin": "repeats",
    "cells": "grid",
    "sweap": "'sweep'",
}


@pytest.mark.parametrize(("name", "meant"), ELSEWHERE.items(), ids=ELSEWHERE)
def test_a_plot_by_another_name_is_told_with_the_one_that_is_meant(name, meant):
    """A module of the package may have this name, too."""
    with pytest.raises(ft.FiotoolsError, match=rf"not a kind of plot: .*; did you mean .*{meant}"):
        getattr(ft.plot, name)(kinds.runs(["a"], 1))
    with pytest.raises(SchemaError, match=rf"did you mean .*{meant}"):
        ft.plot.spec(name, kinds.runs(["a"], 1))


def test_hints_lead_to_plots_and_never_stand_in_their_way():
    assert {kind for kinds in MEANT.values() for kind in kinds} <= {*KINDS}
    assert not {*MEANT} & {*ft.plot.__all__}


def test_other_names_are_not_there():
    assert not hasattr(ft.plot, "line")
    with pytest.raises(AttributeError):
        _ = ft.plot.nothing


def test_the_package_shows_plots_and_helpers_alone():
    assert dir(ft.plot) == sorted(ft.plot.__all__)
    assert {*KINDS} < {*dir(ft.plot)}


def test_the_package_lists_its_plots_when_it_is_called():
    with pytest.raises(SchemaError) as error:
        ft.plot(kinds.runs(["a"], 1))
    lines = str(error.value).splitlines()[1:]
    assert [line.split(":")[0].strip() for line in lines] == [f"ft.plot.{kind}" for kind in KINDS]


@pytest.mark.parametrize("name", ["times", "rows", "cells", "kind", "frame"])
def test_modules_of_the_package_are_imported_as_before(name):
    assert importlib.import_module(f"fiotools.plot.{name}") is getattr(ft.plot, name)
    code = f"import fiotools.plot.{name}; from fiotools.plot import {name}; print({name}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"fiotools.plot.{name}"


FOLDER = "/srv/results/2026/machine-a/"


def in_folders(count=2):
    """Runs whose files lie in folders of one folder."""
    frame = kinds.runs(["disk", "mem"], count)
    return frame.assign(
        source=FOLDER + frame["device"] + "/" + frame["round"].astype(str) + ".json"
    )


def test_files_are_named_without_the_folder_that_they_share():
    spec = ft.plot.spec("repeats", in_folders(), "iops", y="source")
    assert spec.y.order == ("disk/0.json", "disk/1.json", "mem/0.json", "mem/1.json")
    assert [row.y for row in spec.rows] == [*spec.y.order]
    ax = ft.plot.repeats(in_folders(), "iops", y="source")
    assert [text.get_text() for text in ax.get_yticklabels()] == [*spec.y.order]


def test_curves_and_panels_of_files_are_named_so_too():
    swept = kinds.swept(in_folders(1))
    swept = swept.assign(source=FOLDER + swept["device"] + "/1.json", run=swept["iodepth"])
    spec = ft.plot.spec("load", swept, x="iodepth", hue="source")
    assert spec.groups == ("disk/1.json", "mem/1.json")
    assert {row.group for row in spec.rows} == {*spec.groups}
    assert FOLDER not in "".join(spec.notes)
    spec = ft.plot.spec("sweep", swept, "iops", x="iodepth", by="source")
    assert spec.panels == ("disk/1.json", "mem/1.json")


def test_ratios_of_files_are_named_so_too():
    spec = ft.plot.spec("ratios", in_folders(1), "iops", between="source")
    assert spec.y.order == ("mem/0.json / disk/0.json",)
