"""What a plot of a report says beside it, and which plots there are."""

import shutil

import pandas as pd
import pytest

import fiotools as ft
from fiotools.plot.look import figure_of
from fiotools.reports.figures import _submitting
from fiotools.reports.questions import Comparison
from fiotools.reports.study import study
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("kind", "submitting", "said"),
    [
        ("clat", [10.0, 600.0], "in 1 of 2 rows on b: there only the mean latency"),
        ("clat", [10.0, 20.0], ""),
        ("clat", [None, None], ""),
        ("lat", [10.0, 600.0], ""),
    ],
    ids=["one side waits while it submits", "none does", "not known", "the whole is drawn"],
)
def test_where_submitting_is_most_of_an_io_its_completion_is_not_taken_for_it(
    kind, submitting, said
):
    frame = pd.DataFrame(
        {
            "place": ["a", "b"],
            "lat_mean_ns": [1000.0, 1000.0],
            "slat_mean_ns": pd.Series(submitting, dtype="Float64"),
        }
    )
    told = _submitting(Comparison(frame, "iops", (), between="place", baseline="a"), kind)
    assert said in told
    assert bool(told) == bool(said)


def headings(part, out):
    return [repr(about) for about, *_ in part.figures(out)]


def said_below(part, out, heading):
    (pieces,) = [own for own in part.figures(out) if repr(own[0]) == heading]
    return " ".join(map(repr, pieces[1:]))


def test_tests_one_after_the_other_are_not_threads(tmp_path):
    folder = ROOT / "tests/fixtures/crystaldiskmark"
    (part,) = study(folder).parts
    told = headings(part, tmp_path)
    assert "All runs" in told
    assert not any("threads" in one or "cannot be drawn" in one for one in told)
    names = ("crystaldiskmark-8.0.4--mix_nvme.txt", "crystaldiskmark-6.0.2--twice_the_mark.txt")
    (part,) = study([folder / name for name in names]).parts
    told = headings(part, tmp_path)
    assert "All runs, by queue depth" in told
    assert not any("threads" in one for one in told)


def test_why_it_is_not_known_whether_single_ios_were_steady(tmp_path):
    (part,) = study(ROOT / "data/per-io-log").parts
    said = said_below(part, tmp_path, "Over time: latency (read)")
    assert "is not known: the rows of lat_ns are one I/O each" in said


def test_a_label_fits_beside_long_names(tmp_path, monkeypatch):
    names = {
        "ext4": "nvme-Samsung-SSD-990-PRO-2TB-over-thunderbolt",
        "xfs": "usb-portable-very-long-name-of-a-disk",
    }
    for short, name in names.items():
        for run in ("randread", "fsync"):
            for number in (1, 2, 3):
                file = ROOT / f"data/how-many-runs/rounds/{run}_{short}_{number}.json"
                shutil.copy(file, tmp_path / f"{name}_{run}_{number}.json")
    save, cut = ft.plot.save, []

    def looked_at(ax, *args, **named):
        figure = figure_of(ax)
        figure.draw_without_rendering()
        labels = [one.xaxis.label for one in figure.axes if one.get_xlabel()]
        cut.extend(one for one in labels if one.get_window_extent().x1 > figure.bbox.x1)
        return save(ax, *args, **named)

    monkeypatch.setattr(ft.plot, "save", looked_at)
    (part,) = study(f"{tmp_path}/{{disk}}_{{load}}_{{round:d}}.json", between="disk").parts
    assert {"All runs", "Mean latency"} <= {*headings(part, tmp_path)}
    assert not cut
