"""Did both sides use the same options?"""

from __future__ import annotations

import pytest

import fiotools as ft
from fiotools import compare, settings_diff
from fiotools.display import verdicts
from fiotools.errors import SchemaError
from fiotools.stats import frames


def settings(make, *rows):
    """Build settings from (label, source, entry, option, text, origin)."""
    names = ("g", "source", "entry", "option", "text", "origin")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return make(**columns, run=[1] * len(rows))


@pytest.fixture
def two(make):
    return make(g=["a", "b"], source=["1", "2"], run=[1, 1], iops=[100.0, 130.0], iodepth=[4, 16])


def test_what_differs_is_listed(make, rows):
    had = settings(
        make,
        ("a", "1", None, "ioengine", "libaio", "global"),
        ("a", "1", None, "runtime", "30", "global"),
        ("a", "1", 1, "direct", "1", "given"),
        ("b", "2", None, "ioengine", "libaio", "global"),
        ("b", "2", None, "runtime", "60", "global"),
        ("b", "2", 1, "fsync", "1", "given"),
    )
    found = settings_diff(had, between="g", baseline="a")
    assert type(found) is type(had)
    assert rows(found) == [
        {"g": "b", "baseline": "a", "option": option, "text": text, "text_baseline": other}
        for option, text, other in (
            *(("runtime", "60", "30"), ("fsync", "1", None), ("direct", None, "1")),
        )
    ]


def test_what_means_the_same_is_not(make, rows):
    had = settings(
        make,
        # amounts, however they are written
        ("a", "1", None, "bs", "4k", "global"),
        ("b", "2", None, "bs", "4096", "global"),
        ("a", "1", None, "runtime", "1m", "global"),
        ("b", "2", None, "runtime", "60s", "global"),
        # where the files are is what is compared
        ("a", "1", None, "filename", "/a/file", "global"),
        ("b", "2", None, "filename", "/b/file", "global"),
        ("a", "1", None, "Target/Path", "F:", "given"),
        ("b", "2", None, "Target/Path", "G:", "given"),
        # a default, and the same given
        ("a", "1", 1, "invalidate", "1", "default"),
        ("b", "2", None, "invalidate", "1", "global"),
        # what an entry has itself hides what is given for all; a default hides nothing
        ("a", "1", None, "rw", "write", "global"),
        ("a", "1", 1, "rw", "read", "given"),
        ("b", "2", 1, "rw", "read", "given"),
        ("a", "1", None, "direct", "1", "global"),
        ("a", "1", 1, "direct", "0", "default"),
        ("b", "2", 1, "direct", "1", "given"),
    )
    assert rows(settings_diff(had, between="g", baseline="a")) == []


def test_a_sweep_on_both_sides_is_not_a_difference(make, rows):
    swept = [(g, f"{g}{bs}", None, "bs", bs, "global") for g in "ab" for bs in ("4k", "8k")]
    assert rows(settings_diff(settings(make, *swept), between="g", baseline="a")) == []
    found = rows(settings_diff(settings(make, *swept[:-1]), between="g", baseline="a"))
    assert [(row["text"], row["text_baseline"]) for row in found] == [("4k", "4k, 8k")]


def test_compare_tells_of_it(make, rows, two):
    had = settings(
        make,
        ("a", "1", None, "iodepth", "4", "global"),
        ("a", "1", None, "runtime", "30", "global"),
        ("b", "2", None, "iodepth", "16", "global"),
        ("b", "2", None, "runtime", "60", "global"),
    )
    ask = {"between": "g", "baseline": "a"}
    (row,) = rows(compare(two, "iops", **ask, settings=had))
    assert verdicts.settings(row) == ["iodepth is 16 against 4", "runtime is 60 against 30"]
    assert "the sides had other options: iodepth, runtime" in row["told"]
    # what is compared is no news
    (row,) = rows(compare(two, "iops", between="iodepth", baseline=4, settings=had))
    assert row["settings_differ"] == "runtime"
    (row,) = rows(compare(two, "iops", **ask))
    assert row["settings_differ"] is None
    assert "options" not in (row["told"] or "")


def test_an_option_without_a_value_is_given(make, rows, two):
    had = settings(
        make,
        ("a", "1", None, "runtime", "30", "global"),
        ("b", "2", None, "runtime", "30", "global"),
        ("b", "2", None, "zero_buffers", "", "global"),
    )
    (row,) = rows(settings_diff(had, between="g", baseline="a"))
    assert (row["option"], row["text"], row["text_baseline"]) == ("zero_buffers", "", None)
    (row,) = rows(compare(two, "iops", between="g", baseline="a", settings=had))
    assert verdicts.settings(row) == ["zero_buffers is given against not given"]


def test_compare_says_where_it_cannot_know(make, rows, two):
    had = settings(make, ("a", "1", None, "runtime", "30", "global"))
    (row,) = rows(compare(two, "iops", between="g", baseline="a", settings=had))
    assert row["settings_differ"] is None
    assert "the reports do not say whether both sides had the same options" in row["told"]


def test_each_cell_has_its_own_runs(make, rows):
    runs = make(
        g=["a", "b", "a", "b"],
        direction=["read", "read", "write", "write"],
        source=["1", "2", "3", "4"],
        run=[1] * 4,
        iops=[1.0, 2.0, 3.0, 4.0],
    )
    had = settings(
        make,
        *(
            (g, source, None, "fsync", text, "global")
            for g, source, text in (
                ("a", "1", "0"),
                ("b", "2", "0"),
                ("a", "3", "1"),
                ("b", "4", "8"),
            )
        ),
    )
    found = rows(compare(runs, "iops", between="g", baseline="a", by="direction", settings=had))
    assert [verdicts.settings(row) for row in found] == [[], ["fsync is 8 against 1"]]


def test_of_real_reports():
    res = ft.read("data/dda-vhdx/xml/{volume}.xml")
    assert len(ft.settings_diff(res.settings, between="volume", baseline="vhdx")) == 0
    found = ft.compare(
        res.io, "iops", between="volume", baseline="vhdx", by="direction", settings=res.settings
    )
    assert found["settings_differ"].isna().all()


def test_bad_questions(make):
    had = settings(make, ("a", "1", None, "runtime", "30", "global"))
    with pytest.raises(SchemaError, match="no column 'h'"):
        settings_diff(had, between="h", baseline="a")
    with pytest.raises(SchemaError, match="baseline 'z' is not a value of 'g'; there are: 'a'"):
        settings_diff(had, between="g", baseline="z")
    with pytest.raises(SchemaError, match="'g' holds only 'a'"):
        settings_diff(had, between="g", baseline="a")
    runs = make(g=["a", "b"], iops=[1.0, 2.0])
    with pytest.raises(SchemaError, match="no column 'source'"):
        compare(runs, "iops", between="g", baseline="a", settings=runs)


def test_a_label_named_baseline_is_to_be_renamed(make):
    had = settings(make, ("a", "1", 1, "direct", "1", "given"), ("b", "2", 1, "bs", "4k", "given"))
    named = frames.opened(had).rename({"g": "baseline"}).to_native()
    with pytest.raises(SchemaError, match="column 'baseline' would hide"):
        settings_diff(named, between="baseline", baseline="a")


def test_a_run_whose_options_have_no_text_was_given_none(make, rows):
    had = settings(make, ("a", "1", 1, "direct", "1", "given"), ("b", "2", 1, "bs", None, "given"))
    (row,) = rows(settings_diff(had, between="g", baseline="a"))
    assert (row["option"], row["text"], row["text_baseline"]) == ("direct", None, "1")
