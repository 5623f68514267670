"""Did both sides use the same options?"""

from __future__ import annotations

import pytest

from fiotools import compare, settings_diff
from fiotools.display import verdicts
from fiotools.errors import SchemaError


def settings(make, *rows):
    """Build settings: the run of a side, the entry, option, text and origin."""
    names = ("g", "source", "entry", "option", "text", "origin")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return make(**columns, run=[1] * len(rows))


def given(make, a, b):
    """Build settings of two runs, each of which was given options for all of its jobs."""
    sides = (("a", "1", a), ("b", "2", b))
    lines = [
        (side, source, None, option, text, "global")
        for side, source, options in sides
        for option, text in options.items()
    ]
    return settings(make, *lines)


@pytest.fixture
def two(make):
    return make(g=["a", "b"], source=["1", "2"], run=[1, 1], iops=[100.0, 130.0], iodepth=[4, 16])


OF_G = {"between": "g", "baseline": "a"}


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
    found = settings_diff(had, **OF_G)
    assert type(found) is type(had)
    assert rows(found) == [
        {"g": "b", "baseline": "a", "option": option, "text": text, "text_baseline": other}
        for option, text, other in (
            *(("runtime", "60", "30"), ("fsync", "1", None), ("direct", None, "1")),
        )
    ]


@pytest.mark.parametrize(
    ("option", "a", "b"),
    [
        # amounts, however they are written
        ("bs", [(None, "4k", "global")], [(None, "4096", "global")]),
        ("runtime", [(None, "1m", "global")], [(None, "60s", "global")]),
        # where the files are is what is compared
        ("filename", [(None, "/a/file", "global")], [(None, "/b/file", "global")]),
        ("Target/Path", [(None, "F:", "given")], [(None, "G:", "given")]),
        # a default, and the same given
        ("invalidate", [(1, "1", "default")], [(None, "1", "global")]),
        # what an entry has itself hides what is given for all; a default hides nothing
        ("rw", [(None, "write", "global"), (1, "read", "given")], [(1, "read", "given")]),
        ("direct", [(None, "1", "global"), (1, "0", "default")], [(1, "1", "given")]),
    ],
)
def test_what_means_the_same_is_not(make, rows, option, a, b):
    lines = [
        (side, source, entry, option, text, origin)
        for side, source, told in (("a", "1", a), ("b", "2", b))
        for entry, text, origin in told
    ]
    assert rows(settings_diff(settings(make, *lines), **OF_G)) == []


def test_a_sweep_on_both_sides_is_not_a_difference(make, rows):
    swept = [(g, f"{g}{bs}", None, "bs", bs, "global") for g in "ab" for bs in ("4k", "8k")]
    assert rows(settings_diff(settings(make, *swept), **OF_G)) == []
    (found,) = rows(settings_diff(settings(make, *swept[:-1]), **OF_G))
    assert (found["text"], found["text_baseline"]) == ("4k", "4k, 8k")


def test_an_option_without_a_text_is_given_or_not(make, rows, two):
    had = given(make, {"runtime": "30"}, {"runtime": "30", "zero_buffers": ""})
    (row,) = rows(settings_diff(had, **OF_G))
    assert (row["option"], row["text"], row["text_baseline"]) == ("zero_buffers", "", None)
    (row,) = rows(compare(two, "iops", **OF_G, settings=had))
    assert verdicts.settings(row) == ["zero_buffers is given against not given"]
    # a run whose options have no text was given none
    (row,) = rows(settings_diff(given(make, {"direct": "1"}, {"bs": None}), **OF_G))
    assert (row["option"], row["text"], row["text_baseline"]) == ("direct", None, "1")


def test_compare_tells_of_it(make, rows, two):
    had = given(make, {"iodepth": "4", "runtime": "30"}, {"iodepth": "16", "runtime": "60"})
    (row,) = rows(compare(two, "iops", **OF_G, settings=had))
    assert verdicts.settings(row) == ["iodepth is 16 against 4", "runtime is 60 against 30"]
    assert "the sides had other options: iodepth, runtime" in row["told"]
    # what is compared is no news
    (row,) = rows(compare(two, "iops", between="iodepth", baseline=4, settings=had))
    assert row["settings_differ"] == "runtime"
    (row,) = rows(compare(two, "iops", **OF_G))
    assert row["settings_differ"] is None
    assert "options" not in (row["told"] or "")


def test_compare_says_where_it_cannot_know(make, rows, two):
    had = given(make, {"runtime": "30"}, {})
    (row,) = rows(compare(two, "iops", **OF_G, settings=had))
    assert row["settings_differ"] is None
    assert "the reports do not say whether both sides had the same options" in row["told"]


def test_each_cell_has_its_own_runs(make, rows):
    ways, sources = ["read", "read", "write", "write"], [*"1234"]
    runs = make(g=[*"abab"], direction=ways, source=sources, run=1, iops=[1.0, 2.0, 3.0, 4.0])
    fsync = zip("abab", sources, "0018", strict=True)
    had = settings(make, *((g, source, None, "fsync", text, "global") for g, source, text in fsync))
    found = rows(compare(runs, "iops", **OF_G, by="direction", settings=had))
    assert [verdicts.settings(row) for row in found] == [[], ["fsync is 8 against 1"]]


def test_settings_without_their_columns_are_refused(two):
    with pytest.raises(SchemaError, match="no column 'entry'"):
        compare(two, "iops", **OF_G, settings=two)
