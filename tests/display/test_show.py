"""The readable form: units, intervals, verdicts with signs, in HTML and as text."""

import json
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from lxml import html
from nbformat.v4 import new_code_cell, new_notebook

import fiotools as ft
from fiotools.display.layout import answer_of
from fiotools.display.verdicts import mark_of
from fiotools.vocabulary import ANSWERS
from tools.kernel import run_cells

# five runs a side, and one level far off
RUNS = pd.DataFrame(
    {
        "fs": ["ext4"] * 5 + ["xfs"] * 5 + ["<b>&"] * 5,
        "bw_bytes_per_s": [
            *(1.00e9, 1.01e9, 0.99e9, 1.02e9, 0.98e9),
            *(0.70e9, 0.71e9, 0.69e9, 0.72e9, 0.70e9),
            *(1.01e9, 1.00e9, 0.99e9, 1.01e9, 1.00e9),
        ],
    }
)


def compared(frame=RUNS):
    return ft.compare(frame, "bw_bytes_per_s", between="fs", baseline="ext4")


def rows(shown):
    """Read the table of a page: its headings with units, its rows, and what stands around it."""
    page = html.fromstring(shown._repr_html_())
    heads = [cell.text_content() for cell in page.findall(".//th")]
    body = [[cell.text_content() for cell in row.findall("td")] for row in page.findall(".//tr")]
    around = [one.text_content() for one in (*page.findall(".//p"), *page.findall(".//li"))]
    return heads, [row for row in body if row], around


def test_a_comparison():
    heads, body, around = rows(ft.show(compared()))
    assert heads == ["fs", "bw", "of ext4", "ratio [95 %]", "n", "verdict"]
    assert [row[:3] for row in body] == [
        ["xfs", "0.704 GB/s", "1.00 GB/s"],
        ["<b>&", "1.00 GB/s", "1.00 GB/s"],
    ]
    answer = compared()
    ends = [f"{answer[name][0]:.3f}" for name in ("ratio", "ratio_lo", "ratio_hi")]
    assert body[0][3] == f"{ends[0]} [{ends[1]}, {ends[2]}]"
    assert [row[4:] for row in body] == [
        ["5", "▼ slower"],
        ["5", "= same within 5 %"],
    ]
    assert around == [
        "bw of each fs, against ext4 (geometric means)",
        "95 % intervals by Welch t of logarithms, for all 2 together",
    ]


def test_pandas_and_polars_look_alike_and_the_frame_stays_as_it_is():
    ours, theirs = compared(), compared(pl.from_dict(RUNS.to_dict("list")))
    before = ours.copy()
    assert isinstance(theirs, pl.DataFrame)
    assert ft.show(ours)._repr_html_() == ft.show(theirs)._repr_html_()
    assert repr(ft.show(ours)) == repr(ft.show(theirs))
    pd.testing.assert_frame_equal(ours, before)


def test_the_page_is_safe_and_its_own():
    page = ft.show(compared())._repr_html_()
    assert "&lt;b&gt;&amp;" in page
    assert "<b>&" not in page
    for outside in ("<script", "http", "url(", " id=", "@import", "\x1b"):
        assert outside not in page


def test_as_text():
    times = ft.read("data/page-cache/{cache}.txt").timings
    answer = ft.compare(times, "real_s", between="cache", baseline="before")
    assert repr(ft.show(answer)).splitlines() == [
        "real of each cache, against before",
        "cache     real  of before  ratio  n  verdict",
        "after  0.466 s     4.36 s  0.107  1  ? one run each, so the error is unknown",
        "need >= 3 runs a side for a verdict",
    ]


def test_a_frame_of_the_vocabulary():
    frame = pd.DataFrame(
        {
            "volume": ["a", "b"],
            "run": [1, 1],
            "job": [None, None],
            "bs_bytes": [4096, 1048576],
            "lat_mean_ns": [466e3, 4.364e6],
            "value_ns": [1e6, None],
            "value_lo_ns": [0.9e6, None],
            "value_hi_ns": [1.1e6, None],
            "direct": [True, True],
        }
    )
    heads, body, around = rows(ft.show(frame))
    # each value has the prefix of the first
    assert heads == ["volume", "bs", "lat mean ms", "value"]
    assert body == [
        ["a", "4 KiB", "0.466", "1.00 [0.900, 1.10] ms"],
        ["b", "1 MiB", "4.36", ""],
    ]
    assert around == ["in all rows: run 1, direct yes"]
    page = html.fromstring(ft.show(frame)._repr_html_())
    assert page.findall(".//th")[2].get("title").startswith("lat_mean_ns: Mean total latency")


def test_an_index_that_says_something_is_a_column():
    named = RUNS.groupby("fs").agg(bw_bytes_per_s=("bw_bytes_per_s", "max"))
    assert rows(ft.show(named))[0] == ["fs", "bw GB/s"]
    assert rows(ft.show(RUNS[RUNS["fs"].eq("xfs")].set_axis(list("abcde"))))[0][0] == ""


def test_what_is_left_out_is_said():
    heads, body, around = rows(ft.show(RUNS, rows=2))
    assert len(body) == 2
    assert around[-1] == "the first 2 of 15 rows"
    # of all rows, and not of those that are shown
    assert heads[0] == "fs"
    assert len(rows(ft.show(RUNS, rows=None))[1]) == 15


def test_a_check_has_the_gravest_first_and_each_thing_once():
    res = ft.read("data/wsl-vhdx/{drive}_{mount}_{operation}.txt")
    answer = ft.check(res, ram="8GB", link="usb3-5g")
    heads, body, around = rows(ft.show(answer, verbose=True))
    assert heads == ["verdict", "check", "of", "observed vs limit", "why", "what to do"]
    impossible = answer[answer["verdict"] == "impossible"]
    suspect = answer[answer["verdict"] == "suspect"]["source"]
    # a run with several findings counts once, by the gravest
    assert around[0] == f"12 runs: {impossible['source'].nunique()} impossible"
    lesser = answer.drop(impossible.index)
    assert rows(ft.show(lesser))[2][0] == f"12 runs: {suspect.nunique()} suspect"
    alone = lesser[lesser["source"] == suspect.iloc[0]]
    assert rows(ft.show(alone))[2][0] == "this run is suspect"
    words = [row[0].split(" ", 1)[1] for row in body]
    order = ["impossible", "suspect", "note", "ok"]
    assert words == sorted(words, key=order.index)
    # up to two accusations have numbers of their own, more of a kind share a row
    grave = answer[answer["verdict"].isin(("impossible", "suspect"))]
    kinds = grave.groupby(["finding", "remedy"]).size()
    assert kinds.max() > 2
    assert words.count("impossible") + words.count("suspect") < len(grave)
    (link,) = (row for row in body if row[:2] == ["✕ impossible", "link"])
    assert link[2].endswith(f", and {kinds['link.beyond'].sum() - 2} more")
    assert link[3] == "966 MB/s to 2.79 GB/s vs 500 MB/s"
    # what is unknown is said once, below: what to give, and what else would decide
    asked, *others = around[1:]
    assert asked == "not checked: cache, sparse, layers; give host_ram=, prefilled=, sides="
    unknown = answer[answer["verdict"].eq("unknown")]
    assert {one.partition(":")[0] for one in others} == {"dd_source", "dd_flush"}
    assert {*asked[13:].partition(";")[0].split(", ")} | {"dd_source", "dd_flush"} == {
        *unknown["check"]
    }
    # a remedy stands once for the rows that follow each other
    remedies = [row[5] for row in body if len(row) == 6 and row[0] == "✕ impossible"]
    assert len(remedies) == 1
    cut = f"the first 3 of {len(body)} rows"
    assert cut not in around
    assert cut in rows(ft.show(answer, rows=3))[2]


def test_settings_and_a_summary():
    res = ft.read("data/how-many-runs/rounds/{workload}_ext4_1.json")
    told = ft.settings_diff(res.settings, between="workload", baseline="fsync")
    heads, body, _ = rows(ft.show(told))
    assert heads == ["option", "workload", "set to", "of fsync"]
    assert ["fsync", "randread", "not given", "1"] in body
    res.settings.loc[res.settings["option"].eq("fsync"), "text"] = ""  # as of time_based
    told = ft.settings_diff(res.settings, between="workload", baseline="fsync")
    assert ["fsync", "randread", "not given", "given"] in rows(ft.show(told))[1]
    heads, body, around = rows(ft.show(ft.summarize(RUNS, "bw_bytes_per_s", by="fs")))
    assert heads[:4] == ["fs", "n", "geometric mean [95 %]", "median"]
    assert body[0][2].startswith("1.00 [0.980, 1.02] GB/s")
    assert around[0] == "bw of the runs of each fs"
    res = ft.read("data/page-cache/{cache}.txt")
    heads, body, _ = rows(ft.show(ft.summarize(res, ["real", "sys"])))
    assert heads[:2] == ["metric", "cache"]
    assert [row[:2] for row in body] == [
        [metric, cache] for metric in ("real", "sys") for cache in ("after", "before")
    ]


@pytest.mark.parametrize(
    ("verdict", "beyond", "sign"),
    [
        ("faster", "yes", "▲"),
        ("slower", "undecided", "▽"),
        ("same", "no", "="),
        ("undecided", "undecided", "?"),
        ("one run", None, "?"),
        ("impossible", None, "✕"),
        ("suspect", None, "!"),
        ("ok", None, "✓"),
        ("not met", None, "✕"),
        ("met", None, "✓"),
    ],
)
def test_verdicts_differ_in_more_than_their_colour(verdict, beyond, sign):
    assert mark_of({"verdict": verdict, "beyond_band": beyond}).sign == sign


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "not int"),
        ({"io": RUNS}, "not dict; show its frames one by one"),
        (RUNS["fs"], "not Series"),
        (pl.LazyFrame({"a": [1]}), "not LazyFrame; collect"),
        (pd.concat([RUNS, RUNS], axis="columns"), "several columns of one name"),
        (RUNS.set_index("fs", drop=False), "several columns of one name"),
    ],
    ids=["int", "dict", "series", "lazy", "doubled", "doubled by the index"],
)
def test_what_cannot_be_shown(given, words):
    with pytest.raises(ft.SchemaError, match=words):
        ft.show(given)


def test_an_answer_without_rows_says_so():
    """A filter in a notebook may leave nothing, and answers without labels may be joined."""
    told = ft.summarize(RUNS, "bw_bytes_per_s")
    for nothing in (RUNS[:0], compared().head(0), told.head(0)):
        assert repr(ft.show(nothing)) == "no rows"
    assert repr(ft.show(pd.concat([told, told]))).count("0.990 [0.710, 1.01] GB/s") == 2


def test_dates_and_spans_of_other_frames():
    frame = pl.DataFrame({"day": [date(2026, 1, 2)], "span": [timedelta(seconds=90)]})
    assert rows(ft.show(frame))[1] == [["2026-01-02", "0:01:30"]]


def test_only_whole_answers_are_recognised():
    names = list(compared().columns)
    assert answer_of(names) == "compare"
    assert answer_of([*names, "mine"]) == answer_of(sorted(names)) == "compare"
    assert answer_of(names[:-1]) is None
    assert answer_of(list(ANSWERS["compare"])) is None  # of nothing
    # a column that somebody added is shown, and the layout stays
    heads = rows(ft.show(compared().assign(mine=[7, 8])))[0]
    assert "mine" in heads
    assert "ratio [95 %]" in heads
    by_name = compared()[sorted(names)]
    assert rows(ft.show(by_name)) == rows(ft.show(compared()))


def test_results_are_shown_as_their_overview():
    res = ft.read("data/dda-vhdx/xml/{volume}.xml")
    heads, body, around = rows(ft.show(res))
    assert around[0].startswith("Results: 3 files, DISKSPD 2.0.21a, 3 runs, ")
    assert around[1].startswith("in all rows: rw randrw, bs 4 KiB, iodepth 32")
    assert heads == [
        "volume",
        "direction",
        "io GB",
        "runtime s",
        "iops /s",
        "bw MB/s",
        "lat mean ms",
    ]
    assert len(body) == 9
    assert rows(ft.show(ft.overview(res)))[:2] == (heads, body)
    _, body, around = rows(ft.show(res, rows=2))
    assert len(body) == 2
    assert "the first 2 of 9 rows: ft.overview(res) shows all" in around
    some = ft.read("data/dda-vhdx/xml/{volume}.xml", tables=("runs",))  # the others are not there
    assert rows(ft.show(some))[0] == ["volume", "source", "duration s"]
    twice = ft.concat([res, res])
    assert "target" in rows(ft.show(twice))[0]


def test_one_column_is_the_most_important_in_every_table(monkeypatch):
    """Values of latency stay where zeros and constants leave no room."""
    res = ft.read("tests/fixtures/check_matrix/fio-3.33--disk_eight_jobs_psync.json")
    monkeypatch.setenv("COLUMNS", "80")
    heads = repr(ft.show(res.io)).splitlines()[0].split()
    assert {"iops", "bw"} < {*heads}
    assert heads.count("mean") == 2  # lat, clat
    assert "short" not in repr(ft.show(res.io))
    assert "in this row: source tests/" in repr(ft.show(res.io)).replace("\n", " ")


def test_times_have_one_prefix_in_all_columns():
    frame = pd.DataFrame(
        {
            "lat_min_ns": [43_600.0, 51_000.0],
            "lat_mean_ns": [194_000.0, 151_000.0],
            "lat_max_ns": [5_400_000.0, 900_000.0],
            "clat_max_ns": [15e9, 0],  # further than can be read with it
            "bw_bytes_per_s": [1e6, 2e6],
        }
    )
    heads, body, _ = rows(ft.show(frame))
    assert heads == ["lat min µs", "lat mean µs", "lat max µs", "clat max s", "bw MB/s"]
    assert body[0] == ["43.6", "194", "5,400", "15.0", "1.00"]
    assert body[1] == ["51.0", "151", "900", "0", "2.00"]


CELLS = [
    "import sys\nimport fiotools as ft\nsorted({'pandas', 'polars'} & {*sys.modules})",
    "io = ft.read('data/dda-vhdx/xml/{volume}.xml').to_polars()['io']\n"
    "ft.compare(io, 'iops', between='volume', baseline='vhdx', by='direction')",
    "answer = ft.example('dda-vhdx').io.pipe(\n"
    "    ft.compare, 'iops', between='volume', baseline='vhdx', by='direction')\nanswer",
    "answer[['volume', 'ratio']]",
    "answer[['volume', 'ratio']]._repr_html_()",
    "%unload_ext fiotools\nanswer",
    "import pandas as pd\n"
    "html = get_ipython().display_formatter.formatters['text/html']\n"
    "html.for_type(pd.DataFrame, lambda frame: 'theirs')\n%load_ext fiotools\nanswer",
    "answer[['volume']]",
    "%unload_ext fiotools\nanswer",
    "ft.show(answer)",
]


def test_answers_show_themselves_in_a_notebook():
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in CELLS])
    run_cells(notebook, Path.cwd())
    assert [len(cell.outputs) for cell in notebook.cells] == [1] * len(CELLS)
    data = [cell.outputs[0].data for cell in notebook.cells]
    pages = [one.get("text/html", "") for one in data]
    assert data[0]["text/plain"] == "[]"  # neither was imported early
    shown = [page.startswith('<div class="fiotools-show">') for page in pages]
    assert shown == [False, True, True, False, False, False, True, False, False, True]
    assert data[-1]["text/plain"].startswith("iops of each volume, against vhdx\ndirection ")
    assert data[2]["text/plain"].startswith("  direction  volume baseline")
    # what is no whole answer is the frame's own, or what there was before
    assert pages[3] == eval(data[4]["text/plain"])
    assert pages[5].startswith("<div>\n<style scoped>")
    assert pages[7] == pages[8] == "theirs"


def test_nothing_of_it_is_loaded_outside_ipython():
    code = "import sys, json, fiotools; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    loaded = json.loads(done.stdout)
    assert not {"IPython", "pandas", "fiotools.display", "fiotools.display.show"} & {*loaded}


def test_a_file_that_was_not_read_stands_below_the_counts(tmp_path):
    (tmp_path / "cut.json").write_text('{ "fio version" : "fio-3.33",\n "jobs" : [ {\n')
    (tmp_path / "dd.txt").write_text("1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n")
    with pytest.warns(UserWarning, match="1 of 2 files could not be read"):
        shown = ft.show(ft.read(tmp_path))
    assert shown._repr_html_().count("<li>1 file was not read (.failures, .notes):") == 1
    # a path that is wider than the terminal is folded within a word
    whole = "".join(repr(shown).split())
    told = f"1filewasnotread(.failures,.notes):{tmp_path.as_posix()}/cut.json:nocompleteJSON"
    assert told in whole


def test_the_mean_of_windows_has_the_unit_of_its_quantity():
    log = Path(__file__).parents[2] / "data" / "per-io-log" / "mixed_lat.1.log"
    windows = ft.window(ft.read(str(log)).where(direction="read"), "1s").head(3)
    names, its_units = str(ft.show(windows)).splitlines()[:2]
    assert (names.split()[-1], its_units.split()[-1]) == ("mean", "µs")
    (one,) = ft.tell(windows.head(1)).sentences
    assert " to " not in one.head


def test_percentiles_of_sides_are_named():
    bins = ft.example("own-disk").bins
    reads = bins[bins["workload"] == "random-read"]
    title = str(ft.show(ft.tails(reads, 99, between="place", baseline="root"))).splitlines()[0]
    assert title.startswith("latency percentiles of each place, against root")


def test_that_memory_was_measured_stands_before_other_doubts():
    res = ft.read("data/own-disk/random-io/{place}_{workload}_{round:d}.json")
    res = res.where("workload=random-read")
    body = rows(ft.show(ft.check(res, between="place", baseline="root", ram="1GB")))[1]
    suspect = [row[1] for row in body if row[0] == "! suspect"]
    assert suspect[0] == "medium"
    assert len(suspect) > 1
    assert not any("…" in text for row in body for text in row)
