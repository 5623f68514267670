"""CrystalDiskMark: fixtures written after its source, people's files where they lie, and damage."""

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError
from tests.corpus import CORPUS
from tests.readers.outputs import FIXTURES, edited, replaced, texts, values

OWN = sorted((FIXTURES / "crystaldiskmark").glob("*.txt"))
WILD = sorted((CORPUS / "diskspd" / "wild").glob("*cdm*"))

HEADER = (
    "------------------------------------------------------------------------------\n"
    "CrystalDiskMark 8.0.1 x64 (C) 2007-2021 hiyohiyo\n"
    "                                  Crystal Dew World: https://crystalmark.info/\n"
    "------------------------------------------------------------------------------\n"
    "* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]\n"
    "* KB = 1000 bytes, KiB = 1024 bytes\n\n"
)
READS = "[Read]\n  RND    4KiB (Q= 32, T= 1):   269.406 MB/s [  65772.9 IOPS] <   470.58 us>\n"
FACTS = (
    "\nProfile: Default\n   Test: 1 GiB (x5) [E: 96% (894/932GiB)]\n   Mode: [Admin]\n"
    "   Date: 2021/06/22 17:19:21\n     OS: Windows 10  [10.0 Build 19042] (x64)\n"
)
OLD = (
    "Random Read 512KB : 73.339 MB/s\n"
    "Random Read 4KB (QD=1) : 1.127 MB/s [ 275.1 IOPS]\n"
    "Test : 50 MB [D: 0.0% (0.2/1660.8 GB)] (x9)\n"
)


def fixture(case):
    return ft.read(FIXTURES / "crystaldiskmark" / f"{case}.txt")


def test_bytes_only_of_2_2():
    results = fixture("crystaldiskmark-2.2.0--bytes_only")
    assert values(results.io, "rw", "direction", "bs_bytes", "bw_bytes_per_s") == [
        ("read", "read", None, 81234000.0),
        ("write", "write", None, 79500000.0),
        ("randread", "read", 524288, 40123000.0),
        ("randwrite", "write", 524288, 55000000.0),
        ("randread", "read", 4096, 632000.0),
        ("randwrite", "write", 4096, 1444000.0),
    ]
    assert results.io["iops"].tolist()[3] == pytest.approx(55e6 / 524288, abs=0, rel=1e-12)
    assert set(results.io["size_bytes"]) == {100 * 2**20}
    assert results.runs["status"].item() == "ok"


@pytest.mark.parametrize("size", ["100MB", "100\u202fMB"])
def test_a_test_size_whose_blank_was_changed(size):
    old, new = (f"Test Size : {one}" for one in ("100 MB", size))
    file = "crystaldiskmark/crystaldiskmark-2.2.0--bytes_only.txt"
    assert set(ft.reads(edited(file, (old, new))).io["size_bytes"]) == {100 * 2**20}


def test_queue_depths_and_comment_of_3_0():
    results = fixture("crystaldiskmark-3.0.1--0fill_comment")
    assert values(results.io, "rw", "bs_bytes", "iodepth", "numjobs", "iops")[4:] == [
        ("randread", 4096, 1, None, 6153.8),
        ("randwrite", 4096, 1, None, 15552.6),
        ("randread", 4096, 32, None, 66371.9),
        ("randwrite", 4096, 32, None, 42650.1),
    ]
    assert results.io["bw_bytes_per_s"].tolist()[0] == 1505825000
    assert set(results.io["size_bytes"]) == {1000 * 2**20}
    extras = texts(results)
    assert extras["Comment"] == "RAID 0, Write-Back"
    assert extras["OS"] == "Windows 7 Ultimate Edition SP1 [6.1 Build 7601] (x64)"


def test_block_sizes_that_5_1_does_not_print_are_defaults():
    results = fixture("crystaldiskmark-5.1.2--shizuku_utf16le_bom")
    assert values(results.io, "rw", "bs_bytes", "iodepth", "numjobs")[4:6] == [
        ("read", None, None, 1),
        ("write", None, None, 1),
    ]
    default = results.settings.query("origin == 'default'")
    assert set(default["option"]) == {"block size"}
    sizes = [(1, "128KiB"), (2, "128KiB"), (5, "1MiB"), (6, "1MiB")]
    assert values(default, "entry", "text") == sizes
    assert texts(results)["edition"] == "Shizuku Edition x64"


def test_latencies_of_7_0():
    results = fixture("crystaldiskmark-7.0.0--real_utf16le_bom")
    assert values(results.io, "rw", "bs_bytes", "lat_mean_ns", "target") == [
        ("read", 1048576, 3847390.0, None),
        ("randread", 4096, 143750.0, None),
        ("write", 1048576, 19463740.0, None),
        ("randwrite", 4096, 76580.0, None),
    ]
    settings = texts(results, "settings", "option")
    assert settings["Profile"] == "Real"
    assert settings["count"] == "5"


def test_a_mix_of_8_0():
    io = fixture("crystaldiskmark-8.0.4--mix_nvme").io
    names = ("direction", "rw", "bs_bytes", "iodepth", "numjobs", "rwmixread_pct", "size_bytes")
    assert values(io, *names)[8] == ("mixed", "rw", 1048576, 8, 1, 70.0, 64 * 2**30)
    assert values(io, *names)[10] == ("mixed", "randrw", 4096, 32, 16, 70.0, 64 * 2**30)
    assert io["rwmixread_pct"].isna().sum() == 8
    assert set(io["target"]) == {"D:"}


def test_what_was_not_run_is_not_a_row():
    results = fixture("crystaldiskmark-9.0.1--aoi_not_run")
    assert results.io["entry"].tolist() == [1, 2, 3, 4]
    assert results.io["bw_bytes_per_s"].tolist() == [561039000, 41375000, 530118000, 98900000]
    assert "4 tests were not run: SEQ 1MiB (Q= 1, T= 1) read" in results.notes["message"].item()
    assert texts(results)["Comment"] == "外付けSSD（葵）"


def test_the_best_of_several_runs_is_not_a_mean_and_the_date_has_no_zone():
    results = ft.reads(HEADER + READS + FACTS)
    said = "each value is the best of 5 runs, not their mean"
    assert values(results.notes, "line", "severity", "message") == [(1, "info", said)]
    assert results.runs["reported_at"].isna().all()
    assert texts(results)["Date"] == "2021/06/22 17:19:21"


@pytest.mark.parametrize("file", [*OWN, *WILD], ids=lambda p: p.stem)
def test_littles_law(file):
    """IOPS x latency is what is in flight; both are the best of several runs, perhaps not one."""
    results = ft.read(file)
    assert set(results.runs["status"]) == {"ok"}
    io = results.io
    inflight = io["iops"] * io["lat_mean_ns"] / 1e9 / (io["iodepth"] * io["numjobs"])
    assert inflight.dropna().astype(float).between(0.93, 1.02).all()
    assert (io["lat_mean_ns"].notna() == (file.name >= "crystaldiskmark-7")).all() or file in WILD


@pytest.mark.skipif(not WILD, reason="the corpus (../shared/corpus) is not beside the project")
def test_peoples_files():
    results = ft.read(WILD)
    versions = ["8.0.1", "8.0.1", "8.0.1", "5.1.1", "7.0.0", "8.0.0", "8.0.4"]
    assert results.runs["tool_version"].tolist() == versions
    assert results.io.groupby("source").size().tolist() == [8] * 7
    assert set(results.notes["severity"]) == {"info"}


def test_thousands_with_commas_and_utf16():
    """Another parser's pattern lets 1,234.567 through, and float() then fails; it reads no UTF-16."""
    text = (
        "[Read]\nSequential 1MiB (Q=  8, T= 1): 1,234.567 MB/s [  1,177.4 IOPS] <  6,795.04 us>\n"
    )
    results = ft.reads(b"\xff\xfe" + (HEADER + text + FACTS).encode("utf-16-le"))
    assert values(results.io, "bw_bytes_per_s", "lat_mean_ns") == [(1234567000.0, 6795040.0)]


@pytest.mark.parametrize("number", ["269,406", "269.41", "1,23.456"])
def test_numbers_that_it_never_prints_are_not_read(number):
    text = HEADER + READS + READS[7:].replace("269.406", number) + FACTS
    results = ft.reads(text)
    assert len(results.io) == 1
    problem = results.notes.query("severity == 'warning'")
    assert repr(number) in problem["message"].item()
    assert problem["line"].item() == 10


def test_iops_that_contradict_the_rate():
    results = ft.reads(HEADER + READS.replace("65772.9", "65773.2") + FACTS)
    assert results.io["iops"].item() == pytest.approx(269.406e6 / 4096)
    assert "65773.2 IOPS are not 269.406 MB/s / 4096 bytes" in results.notes["message"].iloc[0]
    # within half a digit of the rate
    assert len(ft.reads(HEADER + READS.replace("65772.9", "65773.0") + FACTS).notes) == 1


def test_a_latency_that_was_not_measured():
    results = ft.reads(HEADER + READS.replace("470.58", "0.00") + FACTS)
    assert results.io["lat_mean_ns"].isna().all()
    computed = "Seq Read 128KiB (Q= 32,T= 1): 3000.000 MB/s [  22888.2 IOPS] <    43.69 us>\n"
    results = ft.reads(HEADER + computed + FACTS)
    assert results.io["lat_mean_ns"].isna().all()
    assert "computed, not measured" in results.notes["message"].iloc[0]


def test_several_reports_in_an_article():
    quoted = "".join(f"> {line}\n" for line in (HEADER + READS + FACTS).splitlines())
    text = f"# Drives\n\n```\n{OLD}```\nand then\n```\n{OLD}```\n\n{quoted}\nThe end.\n"
    results = ft.reads(text)
    assert results.runs["format"].tolist() == ["crystaldiskmark"] * 3
    assert results.runs["tool_version"].fillna("").tolist() == ["", "", "8.0.1"]
    assert results.io.groupby("run").size().tolist() == [2, 2, 1]
    assert set(results.io.query("run < 3")["size_bytes"]) == {50 * 2**20}
    # without anything between them, they part where a test repeats
    results = ft.reads((OLD[: OLD.index("Test")]) * 2)
    assert results.io.groupby("run").size().tolist() == [2, 2]


def test_lost_newlines():
    results = ft.reads((HEADER + READS + FACTS).replace("\n", " "))
    assert values(results.io, "rw", "iops", "size_bytes") == [("randread", 65772.9, 2**30)]
    settings = texts(results, "settings", "option")
    assert settings["Profile"] == "Default"


def test_a_section_cut_off_is_not_guessed():
    results = ft.reads(READS[7:])
    assert results.io["direction"].isna().all()
    assert results.io["rw"].isna().all()
    assert "is cut off above" in results.notes.query("severity == 'warning'")["message"].item()


@pytest.mark.parametrize(
    "text",
    [
        # KDiskMark's without its header, others, no IOPS, other IOPS, a header alone
        "[Read]\nSequential 1 MiB (Q= 8, T= 1):   550.145 MB/s [    537.3 IOPS] < 14840.12 us>\n",
        f"LinuxDiskMark 1.0 (fio-based)\n-----\n{READS}",
        "Sequential Read : 123.456 MB/s\nSequential Write : 120.001 MB/s\n",
        "Random Read 4KB (QD=1) : 1.127 MB/s [ 299.9 IOPS]\n",
        "CrystalDiskMark 8.0.1 x64 (C) 2007-2021 hiyohiyo\n",
    ],
)
def test_what_others_print_is_not_its_own(text):
    with pytest.raises(UnknownFormatError):
        ft.reads(text)


def test_kdiskmark_is_a_tool_of_its_own():
    results = fixture("kdiskmark-3.1.3--default")
    run = results.runs.iloc[0]
    assert run[["tool", "tool_version", "status"]].tolist() == ["kdiskmark", "3.1.3", "ok"]
    assert texts(results).to_dict() == {
        "Date": "2026-11-28 17:19:21",
        "OS": "debian 12 [linux 6.1.0-40-amd64]",
        "fio": "3.33",
    }
    io = results.io
    assert io["direction"].tolist() == ["read"] * 4 + ["write"] * 4
    assert io["size_bytes"].unique().tolist() == [2**30]
    # 1,024,000 bytes, by its IOPS
    assert io["bw_bytes_per_s"].tolist() == pytest.approx(
        (io["iops"] * io["bs_bytes"]).tolist(), 1e-4
    )
    assert io["bw_bytes_per_s"][0] == round(3391.897 * 1_024_000)
    assert io["iops"][3] == 14021.3
    said = results.notes["message"].tolist()
    assert said[1:] == ["each value is the mean of 5 runs"]
    assert "1,024,000 bytes per second" in said[0]


def test_kdiskmarks_best_and_its_mixes():
    results = fixture("kdiskmark-3.1.3--peak_mix")
    assert "the best of 3 runs" in results.notes["message"].tolist()[-1]
    mixed = values(results.io.query("direction == 'mixed'"), "rwmixread_pct", "iops", "lat_mean_ns")
    assert mixed == [(70.0, None, 4_429_900), (70.0, None, 5_662_970)]
    assert (results.notes["code"] == "left out").sum() == 2
    assert results.io["numjobs"].tolist() == [1, 16] * 3


def test_kdiskmarks_first_versions():
    results = fixture("kdiskmark-1.5--mebibytes_not_run")
    assert results.runs["tool_version"].isna().all()
    assert results.io["bw_bytes_per_s"][0] == round(528.1 * 2**20)
    assert "3 tests were not run" in results.notes["message"].tolist()[-1]
    assert "1,048,576 bytes" in results.notes["message"][0]


KDISKMARK = edited("crystaldiskmark/kdiskmark-3.1.3--default.txt")


def test_kdiskmarks_megabyte_may_be_that_of_its_header():
    text = replaced(KDISKMARK, ("3391.897", "3473.303"), ("56.085", "57.431"))
    results = ft.reads(text)
    assert results.io["bw_bytes_per_s"].iloc[[0, 3]].tolist() == [3473303000, 57431000]
    assert not results.notes["code"].eq("contradiction").any()


def test_kdiskmark_in_a_post_cut_and_contradicting():
    lines = f"My new disk:\n\n{KDISKMARK}".split("\n")
    post = ft.reads("".join(f"> {line}\n" for line in lines))
    assert post.runs["tool"].tolist() == ["kdiskmark"]
    assert len(post.io) == 8
    cut = ft.reads(KDISKMARK[: KDISKMARK.index("Profile")])
    assert cut.runs["status"].tolist() == ["truncated"]
    wrong = ft.reads(KDISKMARK.replace(" 56.085 MB/s", " 86.085 MB/s"))
    assert wrong.notes["code"].tolist()[0] == "contradiction"
    assert wrong.io["bw_bytes_per_s"].isna().sum() == 1
    assert wrong.io["iops"][3] == 14021.3
    both = ft.reads(f"{KDISKMARK}\n\n{HEADER}{READS}{FACTS}")
    assert both.runs["tool"].tolist() == ["kdiskmark", "crystaldiskmark"]


@pytest.mark.parametrize(
    "text",
    [
        ("SEQ" + " " * 90) * 10_000,
        "RND 4KiB : " + "1," * 500_000 + " MB/s",
        (READS[7:] + "OS: " + " " * 550 + "x\n") * 1_500,
        HEADER + READS[7:] * 12_000,
    ],
)
def test_hostile_text_takes_no_time(text):
    # each took minutes with a pattern that backtracks
    try:
        ft.reads(text, tables=["runs"])
    except ft.FileError:
        assert "MB/s\n" not in text


ROWS = (
    "Sequential Read (Q= 32,T= 1)   :   123.125 MB/s\n"
    "Random Read 4KiB (Q= 32,T= 1)  :     0.844 MB/s [   206.1 IOPS]\n"
)


@pytest.mark.parametrize(
    ("header", "version", "edition"),
    [
        ("CrystalDiskMark 5.1.0 x64 ", "5.1.0", "x64"),
        ("CrystalDiskMark 5.1.0", "5.1.0", None),
        ("CrystalDiskMark v8.0.4c x64:", "8.0.4c", "x64"),
        ("### CrystalDiskMark 8.0.4 ARM64 [ADMIN]\n", "8.0.4", "ARM64 [ADMIN]"),
        ("**CrystalDiskMark 8.0.4 Shizuku Edition x64**", "8.0.4", "Shizuku Edition x64"),
        ("CrystalDiskMark 8.0.4 x64 (c) 2007-2021 hiyohiyo", "8.0.4", "x64"),
    ],
)
def test_a_header_with_and_without_its_copyright(header, version, edition):
    results = ft.reads(f"My disk:\n\n{header}\n{ROWS}\nand so on\n")
    assert results.runs["tool_version"].tolist() == [version]
    extras = texts(results)
    assert extras.get("edition") == edition
    default = results.settings.query("origin == 'default'")
    assert default["text"].tolist() == ["128KiB"]


@pytest.mark.parametrize("prose", ["CrystalDiskMark 5.1.0 says:", "CrystalDiskMark 5 x64"])
def test_prose_that_names_a_version_is_not_a_header(prose):
    assert ft.reads(f"{prose}\n{ROWS}").runs["tool_version"].isna().tolist() == [True]


@pytest.mark.parametrize("case", ["crystaldiskmark-8.0.4--mix_nvme", "kdiskmark-3.1.3--default"])
def test_tests_ran_one_after_another_and_are_not_added_up(case):
    results = fixture(case)
    told = ft.overview(results)
    assert told["bw_bytes_per_s"].tolist() == results.io["bw_bytes_per_s"].tolist()
    assert results.io["group"].is_unique
    total = ft.combine(results, to="run")
    assert total[["iops", "bw_bytes_per_s"]].isna().all(axis=None)
    assert set(total["flags"]) == {"groups"}
