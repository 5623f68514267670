"""fio_log and fio_hist_log: units and layouts of logs, torn lines, bins in intervals."""

import csv
import json
import math
import re
from bisect import bisect_right
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

import fiotools as ft
from fiotools.errors import ParseError, UnknownFormatError
from fiotools.readers.fio import hist_log as fio_hist_log
from tests import fio_forms
from tests.corpus import CORPUS, needs_corpus
from tests.fio_forms import cells, telling, text_of, warnings
from tests.fuzz import mutated

WORDS = {0: "read", 1: "write", 2: "trim"}


def fixture(name):
    return fio_forms.fixture(f"log-{name}.log")


def numbers(path):
    """Parse a log by other means."""
    with path.open(encoding="ascii") as lines:
        return [
            [int(field, 0) for field in row] for row in csv.reader(lines, skipinitialspace=True)
        ]


def report(name):
    return json.loads(text_of(f"log-{name}.json"))["jobs"][0]


def log(text, kind="lat", **arguments):
    return ft.reads(text, name=f"x_{kind}.1.log", **arguments)


def hist(text, **asked):
    return log(text, "clat_hist", **asked)


def row(time, direction, width=1856, at=0, count=1, bs=4096):
    bins = [0] * width
    bins[at] = count
    return ", ".join(map(str, [time, direction, bs, *bins])) + "\n"


def units(results):
    """List the severities of what is said of the unit of latencies."""
    notes = results.notes
    return notes.loc[notes["message"].str.contains("usec"), "severity"].tolist()


@pytest.mark.parametrize("kind", ["slat", "clat", "lat"])
def test_single_ios_match_the_report(kind):
    path = fixture(f"single_{kind}.1")
    results = ft.read(path)
    rows, samples = numbers(path), results.samples
    assert samples["value"].tolist() == [row[1] for row in rows]
    assert samples["time_s"].tolist() == [row[0] / 1000 for row in rows]
    assert samples["bs_bytes"].tolist() == [row[3] for row in rows]
    assert samples["direction"].tolist() == [WORDS[row[2]] for row in rows]
    assert set(samples["quantity"]) == {f"{kind}_ns"}
    assert set(samples["job"]) == {"fio-3.33--log-single"}
    assert set(samples["entry"]) == {1}
    for direction, part in samples.groupby("direction"):
        said = report("single")[direction]
        assert len(part) == said["total_ios"]
        assert part["bs_bytes"].sum() == said["io_bytes"]
        assert part["value"].mean() == pytest.approx(said[f"{kind}_ns"]["mean"], abs=1e-3)
        assert part["value"].max() == said[f"{kind}_ns"]["max"]


def test_bandwidth_of_single_ios_is_in_units_of_1000():
    rates = ft.read(fixture("single_bw.1")).samples
    latencies = ft.read(fixture("single_clat.1")).samples
    for rate, latency in zip(rates.itertuples(), latencies.itertuples(), strict=True):
        assert 0 <= latency.bs_bytes / (latency.value * 1e-9) - rate.value < 1000


def test_bandwidth_of_windows_is_in_units_of_1024():
    path = fixture("windows_bw.1")
    results = ft.read(path)
    assert results.samples["value"].tolist() == [row[1] * 1024 for row in numbers(path)]
    assert results.samples["bs_bytes"].isna().all()
    assert "log_max_value" in results.notes["message"].item()
    for direction, part in results.samples.groupby("direction"):
        said = report("windows")[direction]
        # truncation is below 1 KiB/s; the last window may be missing
        assert 0 <= said["io_bytes"] - part["value"].sum() * 0.25 < said["bw_bytes"] * 0.3


def test_iops_are_rates_only_in_windows():
    windows = ft.read(fixture("windows_iops.1")).samples
    assert set(windows["quantity"]) == {"iops"}
    assert windows["value"].median() == pytest.approx(1000, rel=0.02)
    single = ft.read(fixture("single_iops.1"))
    assert set(single.samples["quantity"]) == {"count"}
    assert single.samples["value"].sum() == sum(
        report("single")[direction]["total_ios"] for direction in ("read", "write")
    )
    assert telling(single, "a row is one I/O, not a rate")


def test_windows_of_a_compressed_log_are_not_rates():
    # as fio 3.33 writes them with log_avg_msec=500 and log_compression=64k, at 400 I/Os a second
    results = log("500, 1, 0, 0, 0\n999, 1, 0, 0, 0\n1000, 1, 0, 0, 0\n", "iops")
    assert any("log_compression" in message for message in warnings(results))


@pytest.mark.parametrize(
    ("name", "offsets", "prio"),
    [
        ("offset_clat.1", 4, "0"),
        ("offset-prio_clat.1", 4, "0x4005"),
        ("prio_clat.1", None, "0x4005"),
    ],
)
def test_offset_and_priority(name, offsets, prio):
    results = ft.read(fixture(name))
    rows = numbers(fixture(name))
    assert set(results.samples["prio"]) == {prio}
    if offsets is None:
        assert results.samples["offset_bytes"].isna().all()
    else:
        assert results.samples["offset_bytes"].tolist() == [row[offsets] for row in rows]
    assert results.notes.empty  # a priority is fio 3.18 and later: ns


def test_unix_times_count_from_the_first_entry():
    path = fixture("epoch_lat.1")
    results = ft.read(path)
    first = numbers(path)[0][0]
    assert results.samples["time_s"].iloc[0] == 0
    assert results.samples["time_s"].iloc[-1] == (numbers(path)[-1][0] - first) / 1000
    assert results.extras[["path", "text"]].to_numpy().tolist() == [["time_zero_ms", str(first)]]
    assert results.runs["started_at"].isna().all()
    assert telling(results, "log_unix_epoch")


def test_several_jobs_in_one_log():
    results = ft.read(fixture("jobs_bw"))
    assert results.samples["job"].unique().tolist() == ["fio-3.33--log-jobs"]
    assert len(results.samples) == len(numbers(fixture("jobs_bw")))
    assert telling(results, "times step back 1 times")


FOUR = "1000, 13709, 0, 0\n2000, 13578, 0, 0\n"


@pytest.mark.parametrize(
    ("text", "version", "scale", "severity"),
    [
        (FOUR, None, 1, "warning"),
        (FOUR, "2.18", 1000, None),
        (FOUR, "fio-3.1", 1, None),
        ("1000, 13709, 0, 0, 0\n", None, 1, "info"),
        ("1000, 13709, 0, 4096, 8192\n", None, 1, "warning"),  # an offset: before 3.18
        ("1000, 13709, 0, 4096, 8192, 0\n", None, 1, None),
        ("1074, 1023924830, 0, 0\n", None, 1, "info"),  # as usec 1024 s
        ("1074, 1023924830, 0, 0\n", "2.18", 1000, "warning"),
        ("100, 61000000, 0, 0\n", None, 1, "info"),
        ("100, 59000000, 0, 0\n", None, 1, "warning"),  # a hung disk may do so
    ],
)
def test_unit_of_latencies(text, version, scale, severity):
    results = log(text, version=version)
    first = int(text.split(",")[1])
    assert results.samples["value"].iloc[0] == first * scale
    assert units(results) == [severity] * bool(severity)


@pytest.mark.parametrize(
    ("text", "version", "scale", "warned"),
    [
        ("500, 1000, 0, 0\n1000, 1000, 0, 0\n", None, 1024, False),
        ("500, 1000, 0, 4096\n1000, 1000, 0, 4096\n", None, 1024, True),
        ("500, 1000, 0, 4096\n1000, 1000, 0, 4096\n", "2.1", 1024, False),
        ("500, 1000, 0, 4096\n1000, 1000, 0, 4096\n", "2.20", 1000, False),
        ("5, 1000, 0, 4096\n9, 1000, 0, 4096\n", None, 1000, True),
        ("5, 1000, 0, 4096\n5, 1000, 0, 4096\n", None, 1000, False),
        ("500, 1000, 0, 4096, 0, 0\n1000, 1000, 0, 4096, 0, 0\n", None, 1000, False),
    ],
)
def test_unit_of_bandwidths(text, version, scale, warned):
    results = log(text, "bw", version=version)
    assert results.samples["value"].iloc[0] == 1000 * scale
    assert bool(telling(results, "unit unknown")) == warned


def test_an_io_that_took_no_time_has_no_rate():
    values = log("5, 0, 0, 4096, 0, 0\n5, 7, 0, 4096, 0, 0\n", "bw").samples["value"]
    assert math.isnan(values[0])
    assert values[1] == 7000
    assert log("500, 0, 0, 0, 0\n", "bw").samples["value"].tolist() == [0]


@pytest.mark.parametrize(
    ("text", "version", "values", "prio", "offset"),
    [
        ("9, 70, 1, 4096\n", None, [70], None, None),
        ("9, 70, 1, 4096, 0\n", None, [70], None, None),
        ("9, 70, 1, 4096, 0\n", "3.33", [70], "0", None),
        ("9, 70, 1, 4096, 0\n", "3.12", [70], None, 0),
        ("9, 70, 1, 4096, 1\n9, 70, 1, 4096, 512\n", None, [70, 70], None, 1),
        ("9, 70, 1, 4096, 8192, 1\n", None, [70], "1", 8192),
        ("9, 70, 80, 1, 0, 0\n", None, [70, 80], None, None),
        ("9, 70, 1, 4096, 8192, 0, 8900000\n", None, [70], "0", 8192),
        ("9, 70, 80, 1, 0, 0, 0x0000\n", None, [70, 80], None, None),
        ("9, 70, 80, 1, 0, 0, 0, 0\n", None, [70, 80], None, None),
    ],
)
def test_layouts(text, version, values, prio, offset):
    samples = log(text, version=version).samples
    assert samples["value"].tolist() == values
    assert set(samples["direction"]) == {"write"}
    assert cells(samples[["prio", "offset_bytes"]])[0] == [prio, offset]


def test_value_and_maximum_of_windows():
    text = "500, 70, 80, 0, 0, 0\n1000, 71, 2, 0, 0, 0\n1500, 72, 72, 2, 0, 0\n"
    results = log(text)
    assert results.samples["quantity"].tolist() == ["lat_mean_ns"] * 2 + ["lat_max_ns"] * 2
    assert results.samples["value"].tolist() == [70, 72, 80, 72]
    assert results.samples["direction"].tolist() == ["read", "trim"] * 2
    assert telling(results, "1 lines with values that fio does not write")
    assert set(log(text, "bw").samples["quantity"]) == {"bw_mean_bytes_per_s", "bw_max_bytes_per_s"}
    assert log(text, "bw").samples["value"].tolist()[0] == 70 * 1024


def test_columns_that_this_version_or_any_does_not_write_so_are_noted():
    assert telling(log("500, 1, 1, 0, 0, 0\n", "iops"), "ambiguous columns")
    results = log("9, 70, 1, 4096, 8192, 0\n", version="2.18")
    assert results.samples["value"].tolist() == [70]
    assert telling(results, "fio 2.18 does not write such columns")


@pytest.mark.parametrize(
    ("name", "host", "job", "entry"),
    [
        ("d/a_b_bw.12.log.node1", "node1", "a_b", 12),
        ("agg-read_bw.log", None, None, 1),  # of all jobs
    ],
)
def test_the_name_of_a_log_has_its_host_job_and_number(name, host, job, entry):
    samples = ft.reads("609, 3290, 0, 0, 0\n", name=name).samples
    assert cells(samples[["host", "job", "entry"]]) == [[host, job, entry]]
    assert samples["value"].item() == 3290 * 1024


@pytest.mark.parametrize("name", ["renamed.log", "x_lat.1.log.txt"])
def test_a_name_without_the_quantity(name):
    with pytest.raises(ParseError, match=r"its name does not say the quantity; .*quantity='iops'"):
        ft.reads("1, 200, 0, 4096, 0\n1, 300, 1, 4096, 0\n", name=name)


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("data.csv", "1, 2, 3, 4\n5, 6, 7, 8\n", UnknownFormatError),
        ("x_lat.1.log", "hello\n", UnknownFormatError),
        # columns of no fio
        ("x_lat.1.log", "0, 24, 1\n500, 25, 1\n", ft.FileError),
        ("x_lat.1.log", "1, 2, 0, 0, 0, 0, 0, 0, 0\n" * 3, ft.FileError),
        ("x_lat.1.log", "1, 2, 9, 4096\n", ft.FileError),
        ("x_lat.1.log", "1, 2\n", ft.FileError),
    ],
)
def test_other_tables_are_not_read(name, text, error):
    with pytest.raises(error):
        ft.reads(text, name=name)


@pytest.mark.parametrize("case", ["windows_bw.1", "offset_clat.1"])
def test_grouped_thousands_are_refused(case, tmp_path):
    text = fixture(case).read_text(encoding="utf-8")
    lines = re.sub(r"\d+", lambda number: f"{int(number[0]):,}", text)
    path = tmp_path / f"x_{case.rpartition('_')[2]}.log"
    path.write_text("1, 2, 0, 0\n" + lines, encoding="utf-8")
    first = 2 + next(at for at, line in enumerate(lines.split("\n")) if re.search(r",\d", line))
    for read in (ft.read, ft.scan):
        with pytest.raises(ParseError, match=f":{first}: commas within numbers"):
            read(path)
    path.write_text(re.sub(r",(?=\d)", "", lines), encoding="utf-8")  # as the message says
    assert len(ft.read(path).samples) == text.count("\n")


def test_a_few_torn_lines_are_not_grouped():
    results = log("1, 2, 0, 4096, 0\n" * 500 + "1,234, 0, 4096, 0, 0\n", "bw")
    assert len(results.samples) == 500
    assert telling(results, "1 lines unlike the others")


def corpus(kind):
    """Give the logs of the corpus: (path, version)."""
    with (CORPUS / "fio" / "MANIFEST.tsv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["kind"] == kind]
    return [(CORPUS / "fio" / row["file"], row["fio_version"]) for row in rows]


@needs_corpus
def test_every_log_of_the_corpus():
    read = 0
    for path, version in corpus("log"):
        if not path.stat().st_size:
            with pytest.raises(UnknownFormatError, match="an empty log of fio"):
                ft.read(path)
            continue
        rows = numbers(path)
        version = version.lstrip("~").split()[0]
        results = ft.read(path, version=None if version == "?" else version)
        samples = results.samples
        kind = samples["quantity"].iloc[0].partition("_")[0]
        single = rows[-1][3] > 0
        if kind in ("slat", "clat", "lat"):
            scale = 1000 if version.startswith("2.") else 1
        else:
            scale = (1000 if single and version > "2.2" else 1024) if kind == "bw" else 1
        assert samples["value"].tolist() == [row[1] * scale for row in rows], path.name
        assert samples["direction"].tolist() == [WORDS[row[2]] for row in rows]
        assert not warnings(results)
        # without the version the values are the same, or a note says why they may differ
        guessed = ft.read(path)
        same = guessed.samples["value"].equals(samples["value"])
        assert same or telling(guessed, "unit unknown"), path.name
        read += 1
    assert read == 44


# --- logs of histograms -------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("width", "at", "low", "high"),
    [
        (1856, 127, 127, 128),
        (1856, 175, 222, 224),
        (116, 10, 192, 224),  # 16 of them
        (1856, 1855, 17045651456, math.inf),
        (29, 28, 8589934592, math.inf),
        (1216, 128, 128000, 130000),
        (1216, 1215, 16646144000, math.inf),
        (19, 2, 128000, 256000),
    ],
)
def test_edges(width, at, low, high):
    bins = hist(row(9, 1, width, at)).bins
    assert bins[["bin_lo_ns", "bin_hi_ns"]].to_numpy().tolist() == [[low, high]]
    assert bins["direction"].item() == "write"


def test_the_content_identifies_the_format():
    text = row(9, 0, count=7) + row(19, 0, count=6)
    results = ft.reads(text)
    assert results.runs["format"].item() == "fio_hist_log"
    assert results.bins["count"].tolist() == [7, 6]
    assert results.notes.empty
    with pytest.raises(UnknownFormatError):
        ft.reads(text.replace(" 0, 4096", " 3, 4096"))


def test_counts_that_never_fall_may_be_cumulative():
    results = hist(row(9, 0, count=6) + row(19, 0, count=7))
    assert telling(results, "totals of the run so far")


def test_unix_times_of_intervals_and_one_without_ios():
    results = hist(row(1795237539043, 0) + row(1795237539543, 1, count=0))
    assert results.samples["time_s"].tolist() == [0, 0.5]
    assert results.samples["value"].tolist() == [1, 0]
    assert results.bins["time_s"].tolist() == [0]
    assert results.extras["text"].tolist() == ["1795237539043"]


# --- damaged logs -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (fixture("prio_clat.1").read_text()[:120], "lat"),
        (row(10, 0, 29, count=8) + row(20, 0, 29, count=5), "clat_hist"),
    ],
    ids=["single", "histograms"],
)
def test_a_cut_log_returns_only_complete_lines(text, kind):
    whole = log(text[: text.rindex("\n") + 1], kind).samples["value"].tolist()
    for end in range(len(text)):
        count = text.count("\n", 0, end)
        if not count:
            with pytest.raises(ft.FileError):
                log(text[:end], kind)
            continue
        results = log(text[:end], kind, tables=("runs", "samples"))
        assert results.samples["value"].tolist() == whole[:count]
        cut = text[end - 1] != "\n"
        assert (results.runs["status"].item() == "truncated") == cut
        assert cut == bool(telling(results, "has no end"))


LINE, WIDE = "12, 34, 0, 4096, 1\n", row(15, 0)


@pytest.mark.parametrize(
    ("kind", "torn"),
    [
        ("lat", LINE.replace("34", "3412, 34")),
        ("lat", LINE.replace("34", "-34")),
        ("lat", LINE.replace("34", "18446744073709551615")),
        ("lat", LINE.replace(", 1", "")),
        ("lat", LINE.replace(" 34", "")),
        ("lat", LINE.replace(" 0,", " 3,")),
        ("lat", LINE.replace(", 1", ", ٣")),
        ("lat", LINE.replace(", 1", ", 0x4005")),
        ("lat", "fio: terminating on signal 2\n"),
        ("clat_hist", WIDE[:-20] + "\n"),
        ("clat_hist", WIDE.replace(" 1, ", " , ")),
        ("clat_hist", row(15, 0, count=10**18)),
        ("clat_hist", row(15, 3)),
    ],
    ids=range(13),
)
def test_only_the_torn_line_is_left_out(kind, torn):
    above, below = ("10, 8, 0, 4096, 1\n", "13, 5, 0, 4096, 1\n")
    if kind == "clat_hist":
        above, below = row(10, 0, count=8), row(20, 0, count=5)
    results = log(above + torn + below, kind)
    assert results.samples["value"].tolist() == [8, 5]
    notes = results.notes
    assert notes.loc[notes["severity"] == "warning", "line"].tolist() == [2]


@needs_corpus
def test_the_logs_of_histograms_of_the_corpus():
    logs = corpus("log-hist")
    assert len(logs) == 5
    for path, version in logs:
        rows = numbers(path)
        results = ft.read(path)
        assert results.samples["value"].tolist() == [sum(row[3:]) for row in rows]
        assert results.samples["time_s"].tolist() == [row[0] / 1000 for row in rows]
        assert results.bins["count"].tolist() == [n for row in rows for n in row[3:] if n]
        assert results.notes.empty
        # usec before 3.0: no edge is finer
        assert (results.bins["bin_lo_ns"].iloc[0] % 1000 == 0) == (version == "2.17")


COARSE = fixture("coarse_clat_hist.1").read_bytes()


@settings(max_examples=40, derandomize=True, suppress_health_check=list(HealthCheck))
@given(broken=mutated([("x", COARSE)]))
def test_a_log_in_pieces_is_the_same(monkeypatch, broken):
    """Megabytes of a log are parsed at once."""
    found = []
    for size in (1 << 20, 3000, 1):
        monkeypatch.setattr(fio_hist_log, "_AT_ONCE", size)
        try:
            tables = ft.reads(broken[1], name="x_clat_hist.1.log").to_polars()
            found.append({name: repr(frame.rows()) for name, frame in tables.items()})
        except ft.FileError as error:
            found.append(str(error))
    assert found[0] == found[1] == found[2]
