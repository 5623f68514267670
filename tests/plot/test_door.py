"""What each kind takes: its name, a title, Axes of one's own; and how files are named."""

import subprocess
import sys

import matplotlib.pyplot as plt
import pytest

import fiotools as ft
from fiotools.plot import look
from tests.plot import kinds


def test_a_title_is_that_of_the_function():
    frame = kinds.runs(["a", "b"], 2)
    own = ft.plot.repeats(frame, "iops", y="device", title="Two disks")
    other = ft.plot.repeats(frame, "iops", y="device")
    ft.plot.title(other, "Two disks")
    sizes = [look.figure_of(ax).get_size_inches().tolist() for ax in (own, other)]
    assert sizes[0] == sizes[1]
    assert look.figure_of(own).get_suptitle() == "Two disks"


def test_a_title_on_axes_of_ones_own_is_that_of_the_axes():
    figure, axes = plt.subplots(2, 2)
    frame = kinds.runs(["a", "b"], 2)
    ft.plot.repeats(frame, "iops", y="device", ax=axes[0, 1], title="(b) Two disks")
    ft.plot.repeats(frame, "iops", y="round", by="device", ax=axes[1], title="(c)")
    titles = [ax.get_title(loc="left") for ax in axes.flat]
    assert titles == ["", "(b) Two disks", "(c)\na", "b"]
    assert figure.get_suptitle() == ""
    assert not kinds.faults(figure)


ELSEWHERE = {
    "line": "sweep",
    "bar": "repeats",
    "thread": "fairness",
    "times": "timings",
    "histogram": "cdf",
    "sweap": "sweep",
}


@pytest.mark.parametrize(("name", "meant"), ELSEWHERE.items(), ids=ELSEWHERE)
def test_a_plot_by_another_name_is_told_with_the_one_that_is_meant(name, meant):
    with pytest.raises(ft.FiotoolsError, match=rf"not a kind of plot: .*; did you mean '{meant}'"):
        ft.plot.__getattr__(name)
    assert not hasattr(ft.plot, "pie")


def test_kinds_are_what_the_package_shows():
    others = {"save", "style", "title"}
    assert {name.partition("-")[0] for name in kinds.KINDS} == {*ft.plot.KINDS}
    assert {*ft.plot.KINDS} | others == {*ft.plot.__all__} == {*dir(ft.plot)}
    assert all(callable(getattr(ft.plot, name)) for name in ft.plot.__all__)
    with pytest.raises(ft.plot.NoSuchPlotError, match=r"ft\.plot\.repeats, .*ft\.plot\.threads"):
        ft.plot(ft.example("sweep"))


def test_nobody_waits_for_matplotlib_who_draws_nothing():
    code = "import sys, fiotools.plot; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


FOLDER = "/srv/results/2026/machine-a/"


def in_folders(count=2):
    """Runs whose files lie in folders of one folder."""
    frame = kinds.runs(["disk", "mem"], count)
    return frame.assign(
        source=FOLDER + frame["device"] + "/" + frame["round"].astype(str) + ".json"
    )


def test_files_are_named_without_the_folder_that_they_share():
    spec = ft.plot.repeats.spec(in_folders(), "iops", y="source")
    assert spec.y.order == ("disk/0.json", "disk/1.json", "mem/0.json", "mem/1.json")
    assert [row.y for row in spec.rows] == [*spec.y.order]


def test_curves_panels_and_ratios_of_files_are_named_so_too():
    swept = kinds.swept(in_folders(1))
    swept = swept.assign(source=FOLDER + swept["device"] + "/1.json", run=swept["iodepth"])
    spec = ft.plot.sweep.spec(swept, ["iops", "lat_mean"], x="iodepth", hue="source")
    assert spec.groups == ("disk/1.json", "mem/1.json")
    assert {row.group for row in spec.rows} == {*spec.groups}
    assert FOLDER not in "".join(spec.notes)
    spec = ft.plot.sweep.spec(swept, "iops", x="iodepth", by="source")
    assert spec.panels == ("disk/1.json", "mem/1.json")
    spec = ft.plot.ratios.spec(in_folders(1), "iops", between="source")
    assert spec.y.order == ("mem/0.json / disk/0.json",)
