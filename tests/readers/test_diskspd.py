"""DISKSPD's two outputs, XML and text: every fixture, and what is true of both kinds."""

import codecs
from functools import cache

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import ParseError
from tests.readers.outputs import FIXTURES, edited, says, texts, values

FOLDER = FIXTURES / "diskspd"
NO_RESULT = ("err_nofile", "interrupted", "profile_only")
RESULTS = [
    path
    for path in sorted(FOLDER.glob("diskspd-*"))
    if not path.stem.endswith(NO_RESULT) and path.suffix in (".xml", ".txt")
]
every = pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
kinds = pytest.mark.parametrize("kind", ["xml", "txt"])
SEQ = "2.0.14--seqread_noLD"


@cache
def read(path):
    return ft.read(path)


def load(name):
    return read(FOLDER / f"diskspd-{name}")


@every
def test_amounts_are_rates_over_time_and_whole_blocks(path):
    res = read(path)
    for io in (res.io, res.threads):
        assert len(io)
        # XML and text have the time to two decimals
        slack = 0.0051 / io["runtime_s"] + 0.01 / io["iops"]
        assert ((io["iops"] * io["runtime_s"] / io["total_ios"] - 1).abs() <= slack).all()
        assert (io["io_bytes"] == io["total_ios"] * io["bs_bytes"]).all()
        assert (io["bw_bytes_per_s"] / (io["iops"] * io["bs_bytes"]) - 1).abs().max() < 1e-9


@every
def test_the_computed_total_is_the_printed_one(path):
    res = read(path)
    for row in ft.totals(res.io).query("direction == 'total'").to_dict("records"):
        told = res.extras[(res.extras["run"] == row["run"]) & res.extras["entry"].isna()]
        told = told.set_index("path")["text"]
        # XML has only latencies of the total; the text has rates to two decimals
        slack = {"iops": 0.0101, "bw_bytes_per_s": 0.0101 * row["bs_bytes"], "lat_mean_ns": 1010}
        for name in slack:
            if f"total.{name}" in told:
                assert row[name] == pytest.approx(float(told[f"total.{name}"]), abs=slack[name])


@every
def test_samples_make_the_rate(path):
    res = read(path)
    asked = res.settings.query("option == 'CalculateIopsStdDev'")["text"].eq("true").any()
    keys = ["run", "entry", "direction"]
    for samples, table in ((res.samples, res.io), (res.thread_samples, res.threads)):
        iops = samples.query("quantity == 'iops'")
        measured = pd.concat([table, ft.totals(table)]).set_index(keys)["total_ios"]
        for key, rows in iops.groupby(keys):
            steps = rows["time_s"].diff().dropna()
            assert (steps - steps.median()).abs().max() < 1e-9 or steps.empty
            # the last I/Os come after the last sample; each rate was rounded
            found = rows["value"].sum() * rows["time_s"].iloc[0]
            assert found == pytest.approx(measured.get(key, 0), rel=0.03, abs=len(rows) + 2)
        assert len(iops) > 0 if asked else iops.empty


@kinds
@pytest.mark.parametrize("name", ["2.0.21a--err_nofile", "2.1--interrupted"])
def test_a_failed_run_is_a_run(name, kind):
    res = load(f"{name}.{kind}")
    assert res.runs["status"].tolist() == ["error"]
    assert res.io.empty
    assert not res.settings.empty
    errors = res.notes.query("severity == 'error'")
    assert errors["message"].str.startswith("The test was interrupted").sum() == 1
    if name == "2.0.21a--err_nofile":  # from standard error
        assert says(res, r"Error opening file: C:\dsk\nope\missing.dat [3]")["line"] == 1


@kinds
def test_a_profile_is_not_a_result(kind):
    message = rf"profile_only.{kind}:\d: holds a profile without results; run"
    with pytest.raises(ParseError, match=message):
        load(f"2.1--profile_only.{kind}")


@pytest.mark.parametrize(
    ("name", "lines"),
    [("2.2--verbose_stderr_merged.txt", 22), ("2.0.21a--stderr_merged.xml", 13)],
)
def test_progress_in_the_file_is_left_out(name, lines):
    res = load(name)
    note = says(res, f"{lines} lines of progress (-v) were left out")
    assert (note["line"], note["severity"], len(res.notes)) == (1, "info", 1)


@kinds
def test_processors_of_groups_and_sockets(kind):
    """Defect 14: the CPU table of 2.2 begins with other columns, and broke VirtualClient."""
    cpu = load(f"2.2--two_sockets.{kind}").cpu
    assert cpu["group"].tolist()[:8] == [0] * 4 + [1] * 4
    assert cpu["cpu"].tolist() == ["0", "1", "2", "3"] * 2 + ["average"]
    shares = ["usage_pct", "user_pct", "kernel_pct", "idle_pct"]
    assert cpu[shares].iloc[0].tolist() == [100.0, 62.0, 38.0, 0.0]
    assert cpu[["user_pct", "kernel_pct"]].iloc[-1].tolist() == [73.71, 26.29]


# The numbers are those of our list of other tools' defects (tests/test_peers.py).
@kinds
def test_time_spans_are_runs_with_conditions_of_their_own(kind):
    """Defects 7 and 9: PerfKitBenchmarker adds them up, Process-DiskSpd.ps1 cannot have several."""
    res = load(f"2.1--three_timespans.{kind}")
    assert values(ft.totals(res.io), "run", "total_ios", "rw", "bs_bytes", "numjobs") == [
        (1, 31955, "randrw", 4096, 1),
        (2, 58005, "read", 65536, 2),
        (3, 7601, "randwrite", 4096, 1),
    ]
    assert set(res.percentiles["run"]) == {1, 2}


def test_every_target_of_a_thread_counts_with_its_own_block_size():
    """Defects 7 and 9: other readers take only the first <Target> of a thread, or of the profile."""
    file, size = "diskspd/diskspd-2.2--F2O8_weights.xml", "<BlockSize>4096</BlockSize>"
    first, second, rest = edited(file).split(size, 2)
    res = ft.reads(f"{first}{size}{second}<BlockSize>2048</BlockSize>{rest}")
    threads = ft.totals(res.threads)
    assert values(threads, "thread", "target", "bs_bytes") == [
        (thread, target, block)
        for thread in (0, 1)
        for target, block in ((r"C:\dsk\x1.dat", 4096), (r"C:\dsk\x2.dat", 2048))
    ]
    assert threads["total_ios"].sum() == 57955
    assert values(ft.totals(res.io), "total_ios", "bs_bytes") == [(57955, None)]


@pytest.mark.parametrize(
    "encode",
    [
        lambda data: codecs.BOM_UTF8 + data,
        lambda data: data.decode().encode("utf-16"),
        lambda data: data.decode().encode("utf-16-le"),
        lambda data: b"\r\n\r\n" + data,
        lambda data: b'<?xml version="1.0"?>\r\n' + data,
    ],
    ids=["bom", "utf-16", "utf-16 without a mark", "blank lines", "declaration"],
)
def test_the_first_line_need_not_be_results(encode):
    """Defect 9: Process-DiskSpd.ps1 wants the first line to be <Results> and nothing else."""
    res = ft.reads(encode(edited(f"diskspd/diskspd-{SEQ}.xml").encode()))
    assert res.io["total_ios"].tolist() == [54145]
    assert res.notes.empty


@pytest.mark.parametrize("name", ["2.0.21a--three_timespans", "2.2--F2O8_weights"])
def test_the_title_of_the_percentiles(name):
    """Defect 14: "total:" became "Total latency distribution:" in 2.2."""
    charts = load(f"{name}.txt").percentiles.query("entry == 1 and percentile == 50 and run == 1")
    assert charts["direction"].tolist() == ["read", "write", "total"]
    assert charts["value_ns"].gt(0).all()


@pytest.mark.parametrize("printed", ["-1.#J", "-nan(ind)", "nan"])
def test_what_is_not_a_number_in_c_is_missing(printed):
    changes = {
        "xml": ("<UsagePercent>100.00<", f"<UsagePercent>{printed}<"),
        "txt": (" 99.75%", f" {printed}%"),
    }
    for kind, change in changes.items():
        res = ft.reads(edited(f"diskspd/diskspd-{SEQ}.{kind}", change))
        assert res.cpu["usage_pct"].isna().sum() == 1
        assert res.notes.empty


WRITES = "|       {} |     153.78 |   {} |"
THIRD = ("2 |       758448128 |        11573 |", "2 |       758448128 |        11574 |")
FOURTH = ("3 |       344064000 |         5250 |", "3 |       344064000 |         5251 |")
TOTALS = "      3963437056 |        {}"
# a file, what is said and of which line, and what was changed in it
CONTRADICTIONS = [
    (
        "linux--D100.txt",
        "total_ios: read + write = 235945, but the total of thread 0 is 235944",
        42,
        (WRITES.format(118103, 39367.67), WRITES.format(118104, "39368.00")),
    ),
    (
        f"{SEQ}.xml",
        "total_ios: read + write = 54144, but the total of this target is 54145",
        82,
        ("<ReadCount>54145<", "<ReadCount>54144<"),
    ),
    (
        f"{SEQ}.txt",
        "3548446720 bytes are not 54145 I/Os of 4096 bytes, the block size",
        None,
        ("block size: 65536", "block size: 4096"),
    ),
    (
        "2.0.21a--seq64k_t4_D_only.txt",
        "758448128 bytes are not 11574 I/Os of 65536 bytes, the block size; nor in 1 more rows",
        61,
        THIRD,
        FOURTH,
    ),
    (
        "2.0.12--mix_2targets_D_L.xml",
        "total: mean latencies of the threads make 0.062 ms, not 0.064 ms",
        None,
        ("<AverageTotalMilliseconds>0.062<", "<AverageTotalMilliseconds>0.064<"),
    ),
    (
        f"{SEQ}.txt",
        "37071.93 I/O per s is not 54145 I/Os in 2.0 s; nor in",
        None,
        ("27071.93", "37071.93"),
        ("1692.00", "2317.00"),
    ),
    (
        "2.0.12--mix_2targets_D_L.txt",
        "read: percentile 50 is below percentile 25",
        None,
        ("   25th |      0.009", "   25th |      0.900"),
    ),
    (
        "2.1--three_timespans.txt",
        "Totals: total total_ios is 97560, the runs sum to 97561",
        None,
        (TOTALS.format(97561), TOTALS.format(97560)),
    ),
]


@pytest.mark.parametrize("row", CONTRADICTIONS, ids=lambda row: row[1])
def test_numbers_that_contradict_each_other_are_noted(row):
    file, message, line, *changes = row
    note = says(ft.reads(edited(f"diskspd/diskspd-{file}", *changes)), message)
    assert note["severity"] == "warning"
    assert line in (None, note["line"])


@kinds
@pytest.mark.parametrize("names", [("é", "è"), ("\x81", "\x8d")])
def test_two_targets_in_a_code_page_stay_two(names, kind):
    path = FOLDER / f"diskspd-2.0.12--mix_2targets_D_L.{kind}"
    whole, data = read(path), path.read_bytes()
    targets = sorted({*whole.threads["target"]})
    for target, name in zip(targets, names, strict=True):
        other = target[:-5].encode() + name.encode("latin-1") + b".dat"
        data = data.replace(target.encode(), other)
    res = ft.reads(data)
    assert {one[-5] for one in {*res.threads["target"]}} == {*names}
    for table in ("io", "threads"):
        assert res.tables[table]["total_ios"].equals(whole.tables[table]["total_ios"])


@kinds
def test_what_a_later_version_adds_is_kept(kind):
    name, changes, added = LATER[kind]
    file = f"diskspd/diskspd-{name}.{kind}"
    res, whole = ft.reads(edited(file, *changes)), read(FIXTURES / file)
    for table in ("io", "threads", "percentiles"):
        one, other = (part.tables[table].drop(columns="source") for part in (res, whole))
        pd.testing.assert_frame_equal(one, other)
    extras = texts(res).groupby(level=0).unique().map(list)
    assert {path: extras[path] for path in added} == added
    assert len(res.notes) == len(whole.notes)


LATER = {
    "xml": (
        "2.2--F2O8_weights",
        [
            ("<Version>2.2.0<", "<Version>2.9.0<"),
            ("  <Profile>", "  <Health><State>good</State></Health>\r\n  <Profile>"),
            ("<TestTimeSeconds>", "<QueueDepth>9</QueueDepth><TestTimeSeconds>"),
            ("<AverageTotalMilliseconds>", "<Skew>0.5</Skew><AverageTotalMilliseconds>"),
            ("<IOCount>", "<Retries>3</Retries><IOCount>"),
            ("<UserPercent>", "<DpcPercent>1.50</DpcPercent><UserPercent>"),
            ("<System>", '<System><x:Rack xmlns:x="https://example.org/x">7</x:Rack>'),
        ],
        {
            "Health/State": ["good"],
            "QueueDepth": ["9"],
            "Latency/Skew": ["0.5"],
            "Retries": ["3"],
            "CpuUtilization/Average/DpcPercent": ["1.50"],
            "System/{https://example.org/x}Rack": ["7"],
        },
    ),
    "txt": (
        "2.2--two_sockets",
        [
            ("thread count:\t\t2", "thread count:\t\t2\r\nqueue depth:\t\t7"),
            ("Kernel |  Idle", "Kernel | DPC |  Idle"),
            ("%|   0.00%\r\n", "%|   1.50%|   0.00%\r\n"),
            ("| LatStdDev |", "| LatStdDev |  Retries |"),
            (" | C:\\dsk\\test.dat (16MiB)", " |   3 | C:\\dsk\\test.dat (16MiB)"),
            ("    0.342\r\n", "    0.342 |   6\r\n"),
            ("    0.344\r\n", "    0.344 |   6\r\n"),
        ],
        {
            "queue depth": ["7"],
            "CpuUtilization/Average/DPC": ["1.50%"],
            "Total IO/Retries": ["3", "6"],
            "CpuUtilization/CPU[5]/Class": ["1P"],
        },
    ),
}


def test_means_and_deviations_that_2_2_leaves_out_of_its_xml():
    xml, text = load("2.2--F2O8_weights.xml"), load("2.2--F2O8_weights.txt")
    for name in ("lat_mean_ns", "lat_stddev_ns"):
        for table in ("io", "threads"):
            assert xml.tables[table][name].notna().all()
            assert xml.tables[table][name].tolist() == text.tables[table][name].tolist()
        told = text.extras.set_index(["path", "entry"])["text"].astype("str")
        told = told[f"thread.total.{name}"].astype("float64")
        assert len(told) == 4
        totals = ft.totals(xml.threads).set_index("entry")[name]
        assert ((totals - told).abs() <= 1000).all()


@kinds
def test_lines_count_from_the_start_of_the_file(kind, tmp_path):
    """Also those of a second document, and of text output below."""
    whole = edited(f"diskspd/diskspd-{SEQ}.xml") + "\n\n"
    text = edited(f"diskspd/diskspd-{SEQ}.{kind}").replace("\r\n", "\n")
    alone, below = tmp_path / "alone", tmp_path / "below"
    alone.write_text(text[: len(text) * 3 // 4])
    below.write_text(whole.replace("\r\n", "\n") + alone.read_text())
    lines = [ft.read(file, errors="note").notes["line"].tolist() for file in (alone, below)]
    assert lines[1] == [line + whole.count("\n") for line in lines[0]] != []
