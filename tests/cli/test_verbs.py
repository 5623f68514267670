"""Each verb, run for real: its output and exit code."""

import csv
import io
import json
import re

import polars as pl
import pytest

import fiotools as ft
from tests.cli.conftest import environment
from tests.conftest import ROOT

VOLUMES = "data/dda-vhdx/xml/{volume}.xml"
LIBAIO = "tests/fixtures/fio/fio-3.33--libaio.json"
MADE = "data/page-cache/create.log"  # by a dd without a version
DD = "tests/fixtures/dd/gnu-dd-9.1--C_ibs1k_obs1M.txt"


def test_formats(cli):
    done = cli("formats")
    assert (done.returncode, done.stderr) == (0, "")
    first = [line.split(" ")[0] for line in done.stdout.splitlines()]
    assert {*ft.formats()["format"]} <= {*first}
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_describe(inside):
    done = inside("describe", "bw", "lat_mean_ns")
    assert done.stdout.startswith("bw_bytes_per_s [float64, B/s]\n")
    assert "Mean total latency" in done.stdout
    assert inside("describe", "timings").stdout.count("\n") == 11 + 2
    listed = json.loads(inside("describe", "--format", "json").stdout)
    assert {"iops", "real_s", "util_pct"} <= {row["name"] for row in listed}


def test_read_for_people(cli):
    done = cli("read", VOLUMES, "-t", "io", "-w", "direction=total")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("3 files, DISKSPD 2.0.21a, 3 runs")
    assert {"iops", "bw", "lat_mean"} <= {*lines[1].split()}
    assert {"volume", "MB/s", "ms"} <= {*lines[2].split()}
    assert lines[3].startswith("mirror")
    assert {"62,671", "257", "1.02"} <= {*lines[3].split()}
    assert "bs 4 KiB" in done.stdout
    assert max(map(len, lines)) <= 100


def test_files_of_several_kinds_are_listed(inside, tmp_path):
    """Each with its format and its rows, or why it was not read."""
    for name, source in (("a.json", LIBAIO), ("copy.txt", DD)):
        (tmp_path / name).write_bytes((ROOT / source).read_bytes())
    (tmp_path / "notes.txt").write_text("hello\n")
    (tmp_path / "README.md").write_text("mine\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "cut.json").write_text((ROOT / LIBAIO).read_text()[:500])
    done = inside("read", tmp_path)
    assert done.returncode == 1
    told = done.stdout[done.stdout.index("file   ") :].splitlines()
    assert [line.split()[:2] for line in told[1:3]] == [["a.json", "fio_json"], ["copy.txt", "dd"]]
    gave = [" ".join(line.split()[2:]) for line in told[1:3]]
    assert gave == ["1 run, 2 io rows", "1 run, 1 io row"]
    assert "not read: no complete JSON document of fio" in " ".join(" ".join(told).split())
    assert "notes.txt" in done.stdout
    assert told[-1] == "left out: .git, README.md"
    (tmp_path / "README.md").unlink()
    (tmp_path / ".git").rmdir()
    assert "left out" not in inside("read", tmp_path).stdout
    assert f"fiotools read {tmp_path} --table notes" in done.stderr  # to be typed as it stands
    alike = inside("read", "data/page-cache/before.txt", "data/page-cache/after.txt")
    assert "file   " not in alike.stdout


def test_many_files_alike_have_a_line_and_those_not_read_their_names(inside, tmp_path):
    (tmp_path / "dd").mkdir()
    (tmp_path / "fio").mkdir()
    for at in range(30):
        (tmp_path / "dd" / f"{at}.txt").write_bytes((ROOT / DD).read_bytes())
        (tmp_path / "fio" / f"{at}.json").write_bytes((ROOT / LIBAIO).read_bytes())
        (tmp_path / "fio" / f"{at}.txt").write_text("hello\n")
    told = inside("read", tmp_path).stdout
    lines = told[told.index("file   ") :].splitlines()
    assert [" ".join(line.split()) for line in lines[1:3]] == [
        "dd/0.txt and 29 more dd 30 runs, 30 io rows",
        "fio/0.json and 29 more fio_json 30 runs, 60 io rows",
    ]
    assert sum("not read: unknown format" in line for line in lines) == 20
    assert "and 10 more not read: fiotools read" in told
    for at in range(30):
        (tmp_path / str(at)).mkdir()
        (tmp_path / str(at) / "dd.txt").write_bytes((ROOT / DD).read_bytes())
    told = inside("read", tmp_path).stdout
    assert "0/dd.txt and 59 more" in told


@pytest.mark.parametrize(
    ("options", "first"),
    [
        (["--sort", "iops"], "128_2"),
        (["--sort", "-iops"], "128_2"),
        (["--sort", "+iops"], "1_3"),
        (["--sort", "lat"], "128_3"),
        (["--sort", "source"], "128_1"),
        (["--sort", "-source"], "8_3"),
        (["--top", "1"], "128_2"),
        (["--table", "io", "--sort", "+bw", "--top", "1"], "1_3"),
    ],
)
def test_rows_are_sorted(inside, options, first):
    table = [] if "--table" in options else ["--table", "overview"]
    done = inside("read", "data/how-many-runs/depth", "-f", "csv", *table, *options)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert rows[0]["source"] == f"data/how-many-runs/depth/{first}.json"
    assert len(rows) == (1 if "--top" in options else 24)


def test_a_column_to_sort_by_is_suggested(inside):
    done = inside("read", VOLUMES, "--sort", "iop")
    assert (done.returncode, done.stdout) == (1, "")
    assert "--sort iop: there is no column 'iop'; did you mean 'iops'" in done.stderr


def test_read_shows_the_overview(inside):
    lines = inside("read", VOLUMES).stdout.splitlines()
    assert lines[2].split() == ["volume", "direction", "GB", "s", "/s", "MB/s", "ms"]
    assert [line.split()[:2] for line in lines[3:6]] == [
        ["mirror", "read"],
        ["mirror", "write"],
        ["mirror", "total"],
    ]
    assert "overview is shown; other tables (--table): runs 3" in " ".join(lines)
    some = inside("read", VOLUMES, "--where", "volume=nvme", "--where", "direction=read").stdout
    assert len(some.splitlines()) == len(lines) - 8
    told = json.loads(inside("read", VOLUMES, "-t", "overview", "-f", "json").stdout)
    assert [row["iops"] for row in told] == ft.overview(ft.read(str(ROOT / VOLUMES)))[
        "iops"
    ].tolist()


def test_notes_about_all_rows_hold_for_hidden_rows(inside):
    done = inside("read", LIBAIO, "-t", "percentiles", "--rows", "3")
    assert "\ndirection  percentile  " in done.stdout
    assert "latency clat" in done.stdout
    assert "the first 3 of 34 rows" in done.stdout
    every = inside("read", LIBAIO, "-t", "percentiles", "--rows", "0").stdout
    assert re.search(r"^read +99\.95 ", every, re.MULTILINE)


def test_read_for_machines(inside):
    truth = ft.read(str(ROOT / VOLUMES)).io
    listed = json.loads(inside("read", VOLUMES, "--format", "json").stdout)
    assert [row["iops"] for row in listed] == truth["iops"].tolist()
    assert list(listed[0]) == list(truth)
    assert listed[0]["job"] is None
    rows = list(csv.DictReader(io.StringIO(inside("read", VOLUMES, "--format", "csv").stdout)))
    assert [float(row["bw_bytes_per_s"]) for row in rows] == truth["bw_bytes_per_s"].tolist()
    assert rows[0]["job"] == ""


def test_machines_get_utf_8(cli, tmp_path):
    file = tmp_path / "µ日.json"
    file.write_bytes((ROOT / LIBAIO).read_bytes())
    poor = environment(PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    done = cli("read", file, "-f", "json", env=poor)
    assert json.loads(done.stdout)[0]["source"] == file.as_posix()


def test_read_shows_the_label_of_each_file(inside):
    """As `compare` does: from the path, or the name that was given."""
    runs = [f"data/how-many-runs/depth/16_{number}.json" for number in (1, 2)]
    for sources, labels in (
        (runs, ["16_1", "16_2"]),
        ([f"old={runs[0]}", f"new={runs[1]}"], ["old", "new"]),
    ):
        lines = inside("read", *sources).stdout.splitlines()
        at = next(n for n, line in enumerate(lines) if line.startswith("label"))
        assert [line.split()[0] for line in lines[at + 1 : at + 3]] == labels
    assert "label" not in inside("read", runs[0]).stdout.split()


def test_read_standard_input(cli):
    with (ROOT / DD).open() as log:
        done = cli("read", "-", "--format", "csv", stdin=log)
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert (row["source"], row["total_ios"]) == ("<stdin>", "4")


def test_summarize(cli):
    done = cli("summarize", VOLUMES, "-m", "iops", "--by", "volume", "-w", "direction=read")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:3] == [
        "iops of the runs of each volume",
        "volume  n  geometric mean     median",
        "mirror  1       37,594 /s  37,594 /s",
    ]


def test_summarize_by_file(inside):
    sides = [f"data/page-cache/{side}.txt" for side in ("before", "after")]
    answer = json.loads(
        inside("summarize", *sides, "-m", "real", "--by", "label", "-f", "json").stdout
    )
    assert [(row["label"], row["mean"]) for row in answer] == [("before", 4.364), ("after", 0.466)]


def test_compare_two_files(inside):
    sides = [f"data/dda-vhdx/xml/{side}.xml" for side in ("vhdx", "mirror")]
    done = inside("compare", *sides, "--metric", "iops", "--by", "direction")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "iops, against vhdx"
    assert lines[1].split() == ["direction", "label", "iops", "of", "vhdx", "ratio", "n", "verdict"]
    assert lines[2].split()[:7] == ["read", "mirror", "37,594", "/s", "52,992", "/s", "0.709"]
    assert "  1  ? one run each" in lines[2]
    assert "one run each, so the error is unknown" in lines[2]


def test_compare_is_the_library_s(inside):
    files = "data/wsl-filesystems/{fs}_{op}_{bs_bytes}_{round:d}.txt"
    done = inside(
        *("compare", files, "-m", "bw", "--between", "fs", "--baseline", "ext4"),
        *("--by", "direction", "--where", "bs=4k", "--format", "json", "--pair", "round"),
    )
    frame = ft.read(str(ROOT / files)).io.query("bs_bytes == 4096")
    truth = ft.compare(
        *(frame, "bw_bytes_per_s"), between="fs", baseline="ext4", by="direction", pair="round"
    )
    listed = json.loads(done.stdout)
    assert len(listed) == 4
    for name in ("ratio", "ratio_lo", "p_equal", "verdict", "n"):
        assert [row[name] for row in listed] == truth[name].tolist()


def test_speedup(inside):
    cache = "data/page-cache/{cache}.txt"
    done = inside("speedup", cache, "--baseline", "before", "--metric", "real")
    figures = ["0.466", "s", "4.36", "s", "9.36"]
    assert done.stdout.splitlines()[2].split()[:6] == ["after", *figures]
    # the first side is the baseline: after, in the order of the paths
    assert json.loads(inside("speedup", cache, "-m", "real", "-f", "json").stdout)[0][
        "speedup"
    ] == pytest.approx(0.466 / 4.364)


def test_several_runs_a_side_by_name(inside):
    folder = "data/wsl-filesystems"
    sides = [f"{name}={folder}/{name}_read_4k_*.txt" for name in ("ext4", "tmpfs")]
    answer = json.loads(inside("compare", *sides, "-m", "bw", "-f", "json").stdout)
    assert [(row["label"], row["baseline"], row["n"]) for row in answer] == [("tmpfs", "ext4", 3)]


def test_the_first_named_side_is_the_baseline(cli, inside):
    before, after = (f"data/page-cache/{side}.txt" for side in ("before", "after"))
    with (ROOT / before).open() as log:
        done = cli("compare", "-", after, "-m", "real", "-f", "csv", "--where", "real>0", stdin=log)
    assert done.stdout.splitlines()[1].split(",")[:2] == ["after", "stdin"]
    # it is not replaced by another where it cannot be read, or where a filter leaves none of it
    done = inside("compare", "README.md", before, after, "-m", "real")
    assert "baseline 'README' is not a value of 'label'" in done.stderr
    done = inside("compare", before, after, "-m", "real", "--where", "real<1")
    assert "there is only one side" in done.stderr
    assert (done.returncode, done.stdout) == (1, "")


def test_settings(inside):
    sides = [f"data/dda-vhdx/xml/{side}.xml" for side in ("vhdx", "nvme")]
    # the path of a target is what is compared, and no setting of its own
    assert "no option in the files differs" in inside("settings-diff", *sides).stdout
    loads = "data/how-many-runs/rounds/{workload}_ext4_1.json"
    answer = json.loads(inside("settings-diff", loads, "--format", "json").stdout)
    given = {"workload": "randread", "baseline": "fsync", "option": "iodepth"}
    assert {**given, "text": "16", "text_baseline": "1"} in answer
    shown = inside("settings-diff", loads).stdout.splitlines()
    assert shown[0] == "options that differ between workload"
    assert shown[1].split() == ["option", "workload", "set", "to", "of", "fsync"]
    assert ["fsync", "randread", "not", "given", "1"] in [line.split() for line in shown]


def test_a_percentile_is_a_metric_like_any_other(inside):
    runs = "data/how-many-runs/rounds/randread_{filesystem}_{round:d}.json"
    asked = ("compare", runs, "-m", "p99.9", "--between", "filesystem")
    lines = inside(*asked, "--where", "p99.9<3ms").stdout.splitlines()
    assert lines[0] == "p99.9 of each filesystem, against ext4 (geometric means)"
    assert lines[1].split()[:2] == ["filesystem", "p99.9"]
    assert "  23 vs 19  " in lines[2]


def test_options_of_other_files_say_nothing_about_the_runs(inside):
    """Of these three files only the report of dd has options, and it is not timed."""
    timed = [f"data/page-cache/{cache}.txt" for cache in ("before", "after")]
    done = inside("compare", *timed, MADE, "-m", "real")
    assert "need >= 3 runs a side" in done.stdout
    assert "settings" not in done.stdout


def test_settings_tell_the_tool_and_the_machine(inside, tmp_path):
    text = (ROOT / LIBAIO).read_text()
    (tmp_path / "old.json").write_text(text.replace('"fio-3.33"', '"fio-3.4"'))
    (tmp_path / "new.json").write_text(text.replace('"fio-3.33"', '"fio-3.40"'))
    sides = [tmp_path / "old.json", tmp_path / "new.json"]
    told = json.loads(inside("settings-diff", *sides, "-f", "json").stdout)
    # as amounts, 3.4 and 3.40 would be one
    assert [(row["option"], row["text"], row["text_baseline"]) for row in told] == [
        ("tool", "fio 3.40", "fio 3.4")
    ]
    told = json.loads(inside("settings-diff", LIBAIO, MADE, "-f", "json").stdout)
    assert [row["text"] for row in told if row["option"] == "tool"] == ["dd"]
    xml = (ROOT / "tests/fixtures/diskspd/diskspd-2.2--seq64k_t4_D_only.xml").read_text()
    for name in ("vm", "metal"):
        text = xml.replace("<ComputerName>vm<", f"<ComputerName>{name}<")
        (tmp_path / f"{name}.xml").write_text(text)
    done = inside("settings-diff", tmp_path / "vm.xml", tmp_path / "metal.xml")
    assert ["host", "metal", "metal", "vm"] in [line.split() for line in done.stdout.splitlines()]


def test_other_settings_are_a_warning(inside):
    sides = [f"{n}=data/how-many-runs/depth/{n}_*.json" for n in (1, 2)]
    done = inside("compare", *sides, "-m", "iops", "-w", "direction=read")
    assert "options that differ: iodepth is 2 against 1" in done.stdout


def test_files_without_settings(inside):
    before, after = (f"data/page-cache/{side}.txt" for side in ("before", "after"))
    done = inside("settings-diff", before, after)
    assert (done.returncode, done.stdout) == (1, "")
    assert "about settings, and these files have none" in done.stderr


def test_check(inside):
    run = "data/wsl-vhdx/f_ext4-vhdx_write.txt"
    given = ("--ram", "7926928KiB", "--link", "usb3-5g")
    done = inside("check", run, *given)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("this run is impossible\n")
    assert "1.98 GB/s is 3.95 times the 500 MB/s" in " ".join(done.stdout.split())
    assert "prefilled=" not in done.stdout


def test_a_finding_of_many_runs_is_printed_once(inside):
    shown = inside("check", "data/wsl-vhdx", "--verbose").stdout
    text = " ".join(shown.split())
    assert "not checked: " in text
    assert text.count("--link") == 1
    # two accusations have their own numbers
    assert {"1.98", "2.10"} == {*re.findall(r"([\d.]+) [MG]B/s is the rate of", text)}
    assert "no fdatasync, fsync, direct or sync: 86.1 to 235 MB/s may include" in text


def test_findings_of_the_runs_of_one_file(inside):
    text = " ".join(inside("check", "tests/fixtures/fio/fio-3.33--appended.json").stdout.split())
    assert text.startswith("nothing contradicts these 2 runs ")
    # the file is not named for each, and neither is what is "run 1" called "run 1 run"
    assert text.count("runtime") == 1


def test_explain_answers_in_its_first_line(inside):
    mounts = [f"data/lima-mounts/fio/{mount}_randread.txt" for mount in ("sshfs", "9p")]
    first = inside("explain", *mounts).stdout.splitlines()[0]
    said = "iops of 9p_randread: 5.96 times sshfs_randread; these reports do not show why"
    assert first.startswith(f"{said}: completion, 98 %")
    alone = inside("explain", mounts[1]).stdout.splitlines()[0]
    assert alone.startswith("the call that submits an I/O sleeps 81.1 % of the time")


def test_strict(inside):
    run = "data/wsl-vhdx/f_ext4-vhdx_write.txt"
    assert inside("check", run, "--link", "usb3-5g", "--strict").returncode == 3
    assert inside("check", run, "--link", "usb3-5g").returncode == 0


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("repeats", [VOLUMES, "-m", "bw", "-w", "direction=total", "--ceiling", "USB=500MB/s"]),
        ("repeats", [VOLUMES, "-m", "lat_mean", "-w", "direction=total", "--ceiling", "a=1ms"]),
        ("timings", ["data/page-cache/{cache}.txt", "--order", "before,after"]),
        ("parts", ["data/page-cache/{cache}.txt", "-m", "real", "--baseline", "before"]),
        (
            "repeats",
            [
                *("data/wsl-filesystems/{fs}_{op}_4k_{round:d}.txt", "--y", "fs"),
                *("--metric", "bw", "--title", "Each run"),
            ],
        ),
        ("fairness", [VOLUMES, "-w", "direction=total", "--order", "nvme,mirror"]),
        ("series", ["data/how-many-runs/long/long_iops.1.log"]),
    ],
)
def test_plot(inside, tmp_path, kind, options):
    figure = tmp_path / "figure.svg"
    done = inside("plot", kind, *options, "--output", figure)
    assert (done.returncode, done.stdout) == (0, "")
    assert figure.read_text().startswith("<?xml")
    assert [file.name for file in tmp_path.iterdir()] == ["figure.svg"]


FOLDERS = [f"data/sweep/{place}/randread_qd1_jobs1_*.json" for place in ("disk", "image")]
DRAWN = {
    "repeats": (
        [f"{name}={path}" for name, path in zip(("disk", "image"), FOLDERS, strict=True)],
        lambda res: ft.plot.repeats(res),
    ),
    "sweep": (
        ["data/sweep/{place}/randread_*_jobs1_*.json", "-m", "iops", "--title", "Each depth"],
        lambda res: ft.plot.sweep(res, "iops", title="Each depth"),
    ),
    "ratios": (
        [VOLUMES, "--baseline", "vhdx", "--by", "direction"],
        lambda res: ft.plot.ratios(ft.compare(res, baseline="vhdx", by="direction")),
    ),
    "credibility": (
        ["data/wsl-vhdx/f_ext4-vhdx_write.txt", "--link", "usb3-5g", "--compression", "1.5"],
        lambda res: ft.plot.credibility(ft.check(res, link="usb3-5g", compression=1.5)),
    ),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_a_plot_is_the_library_s(inside, tmp_path, kind):
    """To the byte; a kind that draws an answer asks for it."""
    words, draw = DRAWN[kind]
    done = inside("plot", kind, *words, "-o", tmp_path / "typed.svg")
    assert (done.returncode, done.stdout) == (0, "")
    named = [word.partition("=") for word in words if "data/" in word]
    files = {name: path for name, sign, path in named if sign} or words[0]
    results = ft.read(files, frames="polars")
    ft.plot.style()
    ft.plot.save(draw(results), tmp_path / "called.svg", data=results)
    assert (tmp_path / "typed.svg").read_text() == (tmp_path / "called.svg").read_text()


def test_markdown(inside):
    done = inside("summarize", DD, "-m", "bw", "--format", "markdown")
    assert [line for line in done.stdout.splitlines() if line.startswith("| ")] == [
        "| n | geometric mean | median |",
        "| ---: | ---: | ---: |",
        "| 1 | 3.49 GB/s | 3.49 GB/s |",
    ]


def test_colours_are_for_terminals(inside, monkeypatch):
    check = ("check", "data/page-cache/create.log")
    assert "\x1b[" not in inside(*check).stdout
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[33m" in inside(*check).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[33m" not in inside(*check).stdout


@pytest.mark.parametrize("columns", [80, 120])
def test_lines_fit(inside, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in (
        ["read", "tests/fixtures/fio"],
        ["read", "tests/fixtures/time", "--table", "notes"],
        ["check", "data/wsl-vhdx"],
        ["compare", VOLUMES, "-m", "lat_mean", "--by", "direction"],
        ["describe"],
    ):
        assert max(map(len, inside(*command).stdout.splitlines())) <= columns


def test_parquet_needs_no_pyarrow(inside, tmp_path):
    file = tmp_path / "io.parquet"
    assert inside("read", VOLUMES, "-o", file).returncode == 0
    truth = ft.read(str(ROOT / VOLUMES)).to_polars()["io"]
    assert pl.read_parquet(file)["iops"].to_list() == truth["iops"].to_list()
    assert pl.read_parquet(file).schema == truth.schema
