import csv
import math
import re
from bisect import bisect_right
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings

import fiotools as ft
from fiotools.errors import UnknownFormatError
from fiotools.readers.fio import hist_log as fio_hist_log
from tests.fuzz import mutated

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fio"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "fio"
WORDS = {0: "read", 1: "write", 2: "trim"}


def fixture(name):
    return FIXTURES / f"fio-3.33--log-{name}.log"


def numbers(path):
    with path.open(encoding="ascii") as lines:
        return [
            [int(field, 0) for field in row] for row in csv.reader(lines, skipinitialspace=True)
        ]


def row(time, direction, width=1856, at=0, count=1, bs=4096):
    bins = [0] * width
    bins[at] = count
    return ", ".join(map(str, [time, direction, bs, *bins])) + "\n"


@pytest.mark.parametrize("name", ["hist", "coarse"])
def test_intervals_hold_the_latencies_that_fio_logged_beside_them(name):
    results = ft.read(fixture(f"{name}_clat_hist.1"))
    single = numbers(fixture(f"{name}_clat.1"))
    samples, bins = results.samples, results.bins
    assert len(results.extras) == len(results.notes) == (name == "coarse")  # in Unix time
    assert set(bins["latency"]) == {"clat"}
    assert set(samples["quantity"]) == {"count"}
    assert set(bins["job"]) == {f"fio-3.33--log-{name}"}
    for code in {line[2] for line in single}:
        latencies = [line[1] for line in single if line[2] == code]
        done = 0
        for interval in samples[samples["direction"] == WORDS[code]].itertuples():
            own = bins[
                (bins["direction"] == WORDS[code]) & (bins["time_s"] == interval.time_s)
            ].sort_values("bin_lo_ns")
            lows = own["bin_lo_ns"].tolist()
            part = latencies[done : done + int(interval.value)]
            found = Counter(bisect_right(lows, latency) - 1 for latency in part)
            assert own["count"].tolist() == [found[i] for i in range(len(own))]
            for latency in part:
                at = bisect_right(lows, latency) - 1
                assert lows[at] <= latency < own["bin_hi_ns"].iloc[at]
            done += len(part)
        assert len(latencies) * 0.6 < done < len(latencies)  # fio drops the last interval


def test_all_counts_are_within_the_report_of_the_run():
    logged = ft.read(fixture("hist_clat_hist.1")).bins
    report = ft.read(FIXTURES / "fio-3.33--log-hist.json").bins
    assert logged["time_s"].notna().all()
    assert report["time_s"].isna().all()
    keys = ["direction", "bin_lo_ns", "bin_hi_ns"]
    whole = report.set_index(keys)["count"]
    for key, count in logged.groupby(keys)["count"].sum().items():
        assert count <= whole[key]


def test_coarse_bins_are_merged_fine_bins():
    fine = ft.reads(row(9, 0, at=160, count=3) + row(10, 0, at=175), name="x_clat_hist.1.log").bins
    coarse = ft.reads(row(9, 0, 116, at=10, count=4), name="x_clat_hist.1.log").bins
    assert fine["bin_lo_ns"].iloc[0] == coarse["bin_lo_ns"].item() == 192
    assert fine["bin_hi_ns"].iloc[1] == coarse["bin_hi_ns"].item() == 224
    assert fine["bin_lo_ns"].iloc[1] == 222


@pytest.mark.parametrize(
    ("width", "at", "low", "high"),
    [
        (1856, 5, 5, 6),
        (1856, 128, 128, 130),
        (1856, 1855, 17045651456, math.inf),
        (29, 28, 8589934592, math.inf),
        (1216, 5, 5000, 6000),
        (1216, 128, 128000, 130000),
        (1216, 1215, 16646144000, math.inf),
        (19, 2, 128000, 256000),
    ],
)
def test_edges(width, at, low, high):
    bins = ft.reads(row(9, 1, width, at), name="x_clat_hist.1.log").bins
    assert bins[["bin_lo_ns", "bin_hi_ns"]].to_numpy().tolist() == [[low, high]]
    assert bins["direction"].item() == "write"


def test_an_empty_interval_is_a_sample_without_bins():
    results = ft.reads(row(9, 0, count=0) + row(19, 0, count=0), name="x_hist.2.log")
    assert results.samples["value"].tolist() == [0, 0]
    assert results.samples["entry"].tolist() == [2, 2]
    assert results.bins.empty


def test_the_content_identifies_the_format():
    text = row(9, 0, count=7) + row(19, 0, count=6)
    results = ft.reads(text)
    assert results.runs["format"].item() == "fio_hist_log"
    assert results.bins["count"].tolist() == [7, 6]
    assert results.notes.empty
    with pytest.raises(UnknownFormatError):
        ft.reads(text.replace(" 0, 4096", " 3, 4096"))


def test_counts_that_never_fall_may_be_cumulative():
    text = row(9, 0, count=6) + row(19, 0, count=7)
    message = ft.reads(text, name="x_clat_hist.1.log").notes["message"].item()
    assert "totals of the run so far" in message


def test_unix_times():
    results = ft.reads(row(1795237539043, 0) + row(1795237539543, 1), name="x_clat_hist.1.log")
    assert results.samples["time_s"].tolist() == [0, 0.5]
    assert results.bins["time_s"].tolist() == [0, 0.5]
    assert results.extras["text"].tolist() == ["1795237539043"]


@pytest.mark.parametrize(
    "torn",
    [
        row(15, 0)[:-20] + "\n",
        row(15, 0)[:-1] + ", 5\n",
        row(15, 0).replace(" 1, ", " -1, "),
        row(15, 0).replace(" 1, ", " , "),
        row(15, 0).replace(" 1, ", " 1  , "),
        row(15, 0, count=10**18),
        row(15, 0, count=10**30),
        row(15, 3),
        row(15, 0).replace("1", "\0", 1),
        row(15, 0).replace("1", "١", 1),
        "fio: terminating on signal 2\n",
    ],
    ids=range(11),
)
def test_only_the_torn_line_is_left_out(torn):
    text = row(10, 0, count=8) + torn + row(20, 0, count=5)
    results = ft.reads(text, name="x_clat_hist.1.log")
    assert results.bins["count"].tolist() == [8, 5]
    assert results.notes["line"].tolist() == [2]


def test_a_cut_log_returns_only_complete_lines():
    text = row(10, 0, 29, count=8) + row(20, 0, 29, count=5)
    for end in range(len(text)):
        part = text[:end]
        if "\n" not in part:
            with pytest.raises(ft.FileError):
                ft.reads(part, name="x_clat_hist.1.log")
            continue
        results = ft.reads(part, name="x_clat_hist.1.log", tables="bins")
        assert results.bins["count"].tolist() == [8]
        assert ("has no end" in str(list(results.notes["message"]))) == (not part.endswith("\n"))


def test_the_logs_of_the_corpus():
    if not CORPUS.is_dir():
        pytest.skip("the corpus (../shared/corpus) does not lie beside the project")
    with (CORPUS / "MANIFEST.tsv").open(encoding="utf-8") as lines:
        entries = [r for r in csv.DictReader(lines, delimiter="\t") if r["kind"] == "log-hist"]
    assert len(entries) == 5
    for entry in entries:
        rows = numbers(CORPUS / entry["file"])
        results = ft.read(CORPUS / entry["file"])
        assert results.samples["value"].tolist() == [sum(row[3:]) for row in rows]
        assert results.samples["time_s"].tolist() == [row[0] / 1000 for row in rows]
        assert results.bins["count"].tolist() == [n for row in rows for n in row[3:] if n]
        assert results.notes.empty
        # usec before 3.0: no edge is finer
        assert (results.bins["bin_lo_ns"].iloc[0] % 1000 == 0) == (entry["fio_version"] == "2.17")


def one_by_one(text, width):
    """Read a log line by line: heads and bins of its rows, and the numbers of the other lines."""
    rows, bad = [], []
    for number, line in enumerate(text.split("\n")[:-1], 1):
        fields = line.split(",")
        is_row = all(re.fullmatch(r"[ \t]*(\+?0*[0-9]{1,18}|-0+)\r?", field) for field in fields)
        if len(fields) == width and is_row and int(fields[1]) <= 2:
            rows.append([int(field) for field in fields])
        elif line:
            bad.append(number)
    return rows, bad


def together(text, width):
    rows, bad = [], []
    for heads, filled in fio_hist_log.read_rows(text, width - 3, bad):
        bins = {number: [0] * (width - 3) for number in heads["row"]}
        for number, place, count in filled.select("row", "bin", "count").iter_rows():
            bins[number][place] = count
        assert (filled["count"] > 0).all()
        assert heads["sum"].to_list() == [sum(own) for own in bins.values()]
        rows += [
            [*head, *bins[number]]
            for *head, number in heads.select("time", "ddir", "bs", "row").iter_rows()
        ]
    return rows, sorted(bad)


COARSE = fixture("coarse_clat_hist.1").read_bytes()
WIDTH = COARSE.split(b"\n")[0].count(b",") + 1


@pytest.mark.parametrize("size", [1, 3000, 1 << 18])
@settings(max_examples=40, derandomize=True, suppress_health_check=list(HealthCheck))
@given(broken=mutated([("x", COARSE)]))
@example(("x", b""))
@example(("x", b"\n\n"))
@example(("x", COARSE.replace(b", 0", b", 00", 3).replace(b"\n", b"\n\n", 2)))
@example(("x", COARSE.replace(b", 1", b", 000000000000001", 2)))
@example(("x", COARSE.replace(b", 1", b", 0000000000000001", 2)))
@example(("x", COARSE.replace(b", 0", b",0 ", 2)))
@example(("x", COARSE.replace(b", 0", b" ,0", 2)))
@example(("x", COARSE.replace(b", 0, 0\n", b", 123456789, 999999999999999\n")))
@example(("x", b" " + COARSE))
@example(("x", COARSE.replace(b"0", b"\xd9\xa1", 1)))
def test_lines_parse_the_same_together_and_one_by_one(monkeypatch, size, broken):
    monkeypatch.setattr(fio_hist_log, "_AT_ONCE", size)
    text = broken[1].decode("utf-8", "replace")
    assert together(text, WIDTH) == one_by_one(text, WIDTH)


def test_an_undamaged_log_is_not_read_line_by_line(monkeypatch):
    monkeypatch.setattr("fiotools.readers.fio.log.exact", None)
    assert ft.read(fixture("hist_clat_hist.1")).notes.empty
