import csv
import json
import math
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import ParseError, UnknownFormatError
from fiotools.readers import opened, sniff

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fio"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "fio"
WORDS = {0: "read", 1: "write", 2: "trim"}


def fixture(name):
    return FIXTURES / f"fio-3.33--log-{name}.log"


def numbers(path):
    """Parse a log by other means."""
    with path.open(encoding="ascii") as lines:
        return [
            [int(field, 0) for field in row] for row in csv.reader(lines, skipinitialspace=True)
        ]


def report(name):
    path = FIXTURES / f"fio-3.33--log-{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["jobs"][0]


def messages(results):
    return [*zip(results.notes["severity"], results.notes["message"], strict=True)]


def log(text, kind="lat", **arguments):
    return ft.reads(text, name=f"x_{kind}.1.log", **arguments)


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
    assert ("info", "a row is one I/O, not a rate") in messages(single)


def test_windows_of_a_compressed_log_are_not_rates():
    # as fio 3.33 writes them with log_avg_msec=500 and log_compression=64k, at 400 I/Os a second
    results = log("500, 1, 0, 0, 0\n999, 1, 0, 0, 0\n1000, 1, 0, 0, 0\n", "iops")
    assert [s for s, message in messages(results) if "log_compression" in message] == ["warning"]


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
    assert any("log_unix_epoch" in message for _, message in messages(results))


def test_several_jobs_in_one_log():
    results = ft.read(fixture("jobs_bw"))
    assert results.samples["job"].unique().tolist() == ["fio-3.33--log-jobs"]
    assert len(results.samples) == len(numbers(fixture("jobs_bw")))
    assert ("info", "times step back 1 times") in [(s, m[:23]) for s, m in messages(results)]


def test_trims():
    results = ft.read(fixture("trim_clat.1"))
    assert results.samples["direction"].value_counts().to_dict() == {"trim": 64, "write": 64}


FOUR = "1000, 13709, 0, 0\n2000, 13578, 0, 0\n"


@pytest.mark.parametrize(
    ("text", "version", "scale", "severity"),
    [
        (FOUR, None, 1, "warning"),
        (FOUR, "2.18", 1000, None),
        (FOUR, "fio-3.1", 1, None),
        ("1000, 13709, 0, 0, 0\n", None, 1, "info"),
        ("1000, 13709, 0, 0, 0\n", "2.18", 1000, None),
        ("1000, 13709, 0, 4096, 8192\n", None, 1, "warning"),  # an offset: before 3.18
        ("1000, 13709, 0, 4096, 8192, 0\n", None, 1, None),
        ("1000, 13709, 0, 4096, 0x4005\n", None, 1, None),
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
    said = [s for s, message in messages(results) if "usec" in message]
    assert said == ([severity] if severity else [])


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
    assert ("unit unknown" in str(messages(results))) == warned


def test_an_io_that_took_no_time_has_no_rate():
    values = log("5, 0, 0, 4096, 0, 0\n5, 7, 0, 4096, 0, 0\n", "bw").samples["value"]
    assert math.isnan(values[0])
    assert values[1] == 7000
    assert log("500, 0, 0, 0, 0\n", "bw").samples["value"].tolist() == [0]


@pytest.mark.parametrize(
    ("text", "version", "values", "direction", "prio", "offset"),
    [
        ("9, 70, 1, 4096\n", None, [70], "write", None, None),
        ("9, 70, 1, 4096, 0\n", None, [70], "write", None, None),
        ("9, 70, 1, 4096, 0\n", "3.33", [70], "write", "0", None),
        ("9, 70, 1, 4096, 0\n", "3.12", [70], "write", None, 0),
        ("9, 70, 1, 4096, 1\n9, 70, 1, 4096, 512\n", None, [70, 70], "write", None, 1),
        ("9, 70, 1, 4096, 8192, 1\n", None, [70], "write", "1", 8192),
        ("9, 70, 80, 1, 0, 0\n", None, [70, 80], "write", None, None),
        ("9, 70, 1, 4096, 8192, 0, 8900000\n", None, [70], "write", "0", 8192),
        ("9, 70, 80, 1, 0, 0, 0x0000\n", None, [70, 80], "write", None, None),
        ("9, 70, 80, 1, 0, 0, 0, 0\n", None, [70, 80], "write", None, None),
    ],
)
def test_layouts(text, version, values, direction, prio, offset):
    samples = log(text, version=version).samples
    assert samples["value"].tolist() == values
    assert samples["direction"].iloc[0] == direction
    row = samples[["prio", "offset_bytes"]].astype(object).iloc[0]
    assert [None if value is None or value != value else value for value in row.fillna(-1)] == [
        -1 if prio is None else prio,
        -1 if offset is None else offset,
    ]


def test_value_and_maximum_of_windows():
    text = "500, 70, 80, 0, 0, 0\n1000, 71, 2, 0, 0, 0\n1500, 72, 72, 1, 0, 0\n"
    results = log(text)
    assert results.samples["quantity"].tolist() == ["lat_mean_ns"] * 2 + ["lat_max_ns"] * 2
    assert results.samples["value"].tolist() == [70, 72, 80, 72]
    assert results.samples["direction"].tolist() == ["read", "write"] * 2
    assert "1 lines with values that fio does not write" in str(messages(results))
    assert set(log(text, "bw").samples["quantity"]) == {"bw_mean_bytes_per_s", "bw_max_bytes_per_s"}
    assert log(text, "bw").samples["value"].tolist()[0] == 70 * 1024


def test_ambiguous_columns_are_noted():
    assert "ambiguous columns" in str(messages(log("500, 1, 1, 0, 0, 0\n", "iops")))


def test_a_version_that_never_writes_such_columns():
    results = log("9, 70, 1, 4096, 8192, 0\n", version="2.18")
    assert results.samples["value"].tolist() == [70]
    assert "fio 2.18 does not write such columns" in str(messages(results))


@pytest.mark.parametrize("name", ["prio_clat.1", "windows_lat.1"])
def test_a_cut_log_returns_only_complete_lines(name):
    data = fixture(name).read_bytes()[:120]
    whole = ft.reads(data[: data.rfind(b"\n") + 1], name="x_lat.1.log").samples["value"].tolist()
    for end in range(len(data)):
        count = data.count(b"\n", 0, end)
        if not count:
            with pytest.raises(ft.FileError):
                ft.reads(data[:end], name="x_lat.1.log")
            continue
        results = ft.reads(data[:end], name="x_lat.1.log", tables=("runs", "samples"))
        assert results.samples["value"].tolist() == whole[:count]
        cut = data[end - 1 : end] != b"\n"
        assert (results.runs["status"].item() == "truncated") == cut
        assert cut == ("has no end" in str(messages(results)))


@pytest.mark.parametrize(
    "torn",
    [
        "12, 34\0\0\0, 0, 4096, 0\n",
        "12, 3412, 34, 0, 4096, 0\n",
        "12, -34, 0, 4096, 0\n",
        "12, 18446744073709551615, 0, 4096, 0\n",
        "12, 34, 0, 4096\n",
        "fio: terminating on signal 2\n",
        "12, 34, 0, 4096, 0, \n",
        "12,, 0, 4096, 0\n",
        "12, 34, 3, 4096, 0\n",
        "12, 34, 0, 4096, ٣\n",
        "12, 34, 0, \udc80, 0\n",
        "12, 34, 0, 4096, 0x4005\n",
    ],
    ids=repr,
)
def test_only_the_torn_line_is_left_out(torn):
    good = "10, 30, 0, 4096, 1\n11, 31, 1, 4096, 1\n"
    results = log(good + torn + "13, 33, 0, 4096, 1\n")
    assert results.samples["value"].tolist() == [30, 31, 33]
    warned = results.notes[results.notes["severity"] == "warning"]
    assert warned["line"].tolist() == [3]


def test_a_log_of_a_client_has_its_host():
    samples = ft.reads("1, 2, 0, 4096, 8192, 0\n", name="d/x_clat.3.log.node1").samples
    assert samples[["host", "job", "entry"]].to_numpy().tolist() == [["node1", "x", 3]]


def test_the_log_of_all_jobs():
    samples = ft.reads("609, 3290, 0, 0, 0\n", name="agg-read_bw.log").samples
    assert samples["job"].isna().all()
    assert samples["value"].item() == 3290 * 1024


@pytest.mark.parametrize("name", ["renamed.log", "x_lat.1.log.txt", "<text>"])
def test_a_name_without_the_quantity(name):
    with pytest.raises(ParseError, match=r"its name does not say the quantity; .*quantity='iops'"):
        ft.reads("1, 200, 0, 4096, 0\n1, 300, 1, 4096, 0\n", name=name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data.csv", "1, 2, 3, 4\n5, 6, 7, 8\n"),
        ("data.csv", "1, 2, 0, 4\n5, 6, 1, 8\n"),
        ("published.csv", "id,place,quantity\n1,table,iops\n"),
        ("times.csv", "command,mean,stddev\nsleep 1,1.0,0.1\n"),
        ("x_lat.1.log", "hello\n"),
        ("x_lat.1.log", ""),
    ],
)
def test_other_tables_are_not_claimed(name, text):
    with pytest.raises(UnknownFormatError):
        sniff(opened(name, text))


@pytest.mark.parametrize(
    "text",
    ["0, 24, 1\n500, 25, 1\n", "1, 2, 0, 0, 0, 0, 0, 0, 0\n" * 3, "1, 2, 9, 4096\n", "1, 2\n"],
)
def test_columns_of_no_known_fio(text):
    with pytest.raises(ft.FileError):
        log(text)


def test_hostile_texts_take_linear_time():
    for text in (
        "1, 2, 0, 4096" + ", 0" * 10**6,
        "1," * 10**6 + "\n",
        "1, 2, 0, 0\n" + "0x" * 10**6,
    ):
        with pytest.raises(ft.FileError):
            log(text + "\n", format="fio_hist_log")
        with suppress(ft.FileError):
            log(text + "\n", format="fio_log")


@pytest.mark.parametrize(
    "case", ["log-windows_bw.1.log", "log-single_clat.1.log", "log-offset_clat.1.log"]
)
def test_grouped_thousands_are_refused(case, tmp_path):
    text = next(FIXTURES.glob(f"*{case}")).read_text(encoding="utf-8")
    lines = re.sub(r"\d+", lambda number: f"{int(number[0]):,}", text)
    assert lines != text
    path = tmp_path / f"x_{case.rpartition('_')[2]}"
    path.write_text("1, 2, 0, 0\n" + lines, encoding="utf-8")
    first = next(
        number
        for number, line in enumerate(path.read_text().split("\n"), 1)
        if "," in line.replace(", ", "")
    )
    for read in (ft.read, ft.scan):
        with pytest.raises(ParseError, match=f":{first}: commas within numbers"):
            read(path)
    without = re.sub(r",(?=\d)", "", lines)  # as the message says
    path.write_text(without, encoding="utf-8")
    assert len(ft.read(path).samples) == text.count("\n")


def test_a_few_torn_lines_are_not_grouped(tmp_path):
    path = tmp_path / "x_bw.1.log"
    path.write_text("1, 2, 0, 4096, 0\n" * 500 + "1,234, 0, 4096, 0, 0\n", encoding="utf-8")
    results = ft.read(path)
    assert len(results.samples) == 500
    assert "1 lines unlike the others" in str(messages(results))


def corpus():
    if not CORPUS.is_dir():
        pytest.skip("the corpus (../shared/corpus) does not lie beside the project")
    with (CORPUS / "MANIFEST.tsv").open(encoding="utf-8") as lines:
        return [row for row in csv.DictReader(lines, delimiter="\t") if row["kind"] == "log"]


def test_every_log_of_the_corpus():
    read = 0
    for entry in corpus():
        path = CORPUS / entry["file"]
        if not path.stat().st_size:
            with pytest.raises(UnknownFormatError, match="an empty log of fio"):
                ft.read(path)
            continue
        rows = numbers(path)
        version = entry["fio_version"].lstrip("~").split()[0]
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
        assert not (results.notes["severity"] == "warning").any()
        # without the version the values are the same, or a note says why they may differ
        guessed = ft.read(path)
        same = guessed.samples["value"].equals(samples["value"])
        assert same or "unit unknown" in str(messages(guessed)), path.name
        read += 1
    assert read == 44


def test_a_text_without_a_line_of_numbers_imports_no_log():
    code = (
        "import sys, fiotools as ft\n"
        "assert len(ft.read(sys.argv[1]).jobs)\n"
        "print(*(name for name in sys.modules if name.endswith(('fio.log', 'fio.hist_log'))))"
    )
    for name, woken in (("clones.json", 0), ("log-epoch_lat.1.log", 2)):
        path = next(FIXTURES.glob(f"*{name}"))
        asked = code if not woken else code.replace("jobs", "samples")
        done = subprocess.run(
            [sys.executable, "-c", asked, path], capture_output=True, text=True, check=False
        )
        assert (len(done.stdout.split()), done.stderr) == (woken, "")
