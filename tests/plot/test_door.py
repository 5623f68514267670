"""What someone meets who calls a plot by a wrong name or with a wrong argument."""

import subprocess
import sys

import matplotlib.pyplot as plt
import pytest

import fiotools as ft
from fiotools.errors import SchemaError
from fiotools.plot import KINDS, look
from tests.plot import kinds

WRONG = {
    "x and y": (lambda d: ft.plot.sweep(d, x="iodepth", y="iops"), "no y=; did you mean metric="),
    "colour": (lambda d: ft.plot.repeats(d, "iops", color="device"), "did you mean hue="),
    "metric": (lambda d: ft.plot.series(d, metric="iops"), "takes no metric="),
    "slip": (lambda d: ft.plot.repeats(d, "iops", titel="x"), r"did you mean title=\?"),
    "style": (lambda d: ft.plot.percentiles(d, style="column"), r'write ft.plot.style\("column"\)'),
    "legend": (lambda d: ft.plot.sweep(d, legend=False), r"write ax.legend\(loc="),
    "nothing like it": (lambda d: ft.plot.repeats(d, "iops", zzz=1), "takes no zzz=; it takes"),
    "by place": (
        lambda d: ft.plot.sweep(d, "iodepth", "iops"),
        r"plot\.sweep takes data, metric in this order, .* by name: x=, hue=",
    ),
    "twice": (lambda d: ft.plot.repeats(d, "iops", metric="iops"), "takes data, metric in this"),
    "no data": (lambda d: ft.plot.repeats(metric="iops"), r"data such as read\(files\)"),
}


@pytest.mark.parametrize(("call", "told"), WRONG.values(), ids=WRONG)
def test_a_wrong_argument_is_told_in_one_line_with_those_there_are(call, told):
    with pytest.raises(SchemaError, match=told) as error:
        call(kinds.runs(["a", "b"], 2))
    assert "\n" not in str(error.value)
    assert "title" in str(error.value)
    assert error.value.__cause__ is None


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
    assert dir(ft.plot) == sorted(ft.plot.__all__)
    assert {*KINDS} | {"save", "style", "title"} == {*dir(ft.plot)}
    for name in ft.plot.__all__:
        assert callable(getattr(ft.plot, name))


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
    ax = ft.plot.repeats(in_folders(), "iops", y="source")
    assert [text.get_text() for text in ax.get_yticklabels()] == [*spec.y.order]


def test_curves_and_panels_of_files_are_named_so_too():
    swept = kinds.swept(in_folders(1))
    swept = swept.assign(source=FOLDER + swept["device"] + "/1.json", run=swept["iodepth"])
    spec = ft.plot.sweep.spec(swept, ["iops", "lat_mean"], x="iodepth", hue="source")
    assert spec.groups == ("disk/1.json", "mem/1.json")
    assert {row.group for row in spec.rows} == {*spec.groups}
    assert FOLDER not in "".join(spec.notes)
    spec = ft.plot.sweep.spec(swept, "iops", x="iodepth", by="source")
    assert spec.panels == ("disk/1.json", "mem/1.json")


def test_ratios_of_files_are_named_so_too():
    spec = ft.plot.ratios.spec(in_folders(1), "iops", between="source")
    assert spec.y.order == ("mem/0.json / disk/0.json",)
