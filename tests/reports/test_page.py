"""A page holds everything, runs nothing and loads nothing, whatever the files say."""

import base64
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import matplotlib as mpl
import pytest
from lxml import html

import fiotools as ft
from fiotools.cli import main
from fiotools.reports.page import name_of
from tests.conftest import ROOT

FIO = ROOT / "tests" / "fixtures" / "fio"
ONE = FIO / "fio-3.33--libaio.json"
CDM = ROOT / "tests/fixtures/crystaldiskmark/crystaldiskmark-8.0.4--mix_nvme.txt"
CAMPAIGN = ROOT / "data" / "own-disk" / "page-cache"
SIDES = "dda-vhdx/xml/{volume}.xml"
BAD = "<script>alert(1)</script><img src=http://example.org/x onerror=alert(1)>"


def reported(sources, folder, **named):
    """Write a page, and give its tree."""
    page = ft.report(sources, folder / "page.html", overwrite=True, **named)
    return html.parse(str(page)).getroot()


def heads(page):
    return [head.text_content() for head in page.iterfind(".//h2")]


def section(page, heading):
    """Give the words below a heading."""
    (head,) = (one for one in page.iterfind(".//h2") if one.text_content() == heading)
    found = []
    for element in head.itersiblings():
        if element.tag == "h2":
            break
        found.append(element.text_content())
    return " ".join(" ".join(found).split())


def carried(page):
    """Give the files of the archive that a page carries."""
    (link,) = page.xpath("//a[@download='data.zip']/@href")
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(link.partition(",")[2]))) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """Report a committed campaign by the command line, in a folder that holds nothing else."""
    folder = tmp_path_factory.mktemp("campaign")
    command = [sys.executable, "-m", "fiotools", "report", str(CAMPAIGN)]
    done = subprocess.run(
        [*command, "--title", "My disks & more", "--ram", "64GB"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("fiotools: wrote page-cache-report.html")
    return folder


@pytest.fixture(scope="module")
def page(campaign):
    return html.parse(str(campaign / "page-cache-report.html")).getroot()


@pytest.mark.parametrize(
    ("files", "named", "heads"),
    [
        ("wsl-filesystems/{fs}_{op}_{size}_{round:d}.txt", {"between": "fs"}, ["ext4", "tmpfs"]),
        ("dda-vhdx/xml/{volume}.xml", {}, []),  # six ratios
    ],
)
def test_many_ratios_have_a_cross_table(tmp_path, files, named, heads):
    page = reported(str(ROOT / "data" / files), tmp_path, **named)
    tables = page.xpath("//table[contains(@class, 't x')]")
    there = [one.text_content().split()[0] for table in tables for one in table.iterfind(".//th")]
    assert there[-2:] == heads


def test_writes_the_page_and_leaves_nothing_else(campaign):
    assert [path.name for path in campaign.iterdir()] == ["page-cache-report.html"]


def test_every_section_is_there_and_every_link_leads_somewhere(page):
    assert page.findtext(".//title") == page.findtext(".//h1") == "My disks & more"
    assert heads(page) == [
        "Can it be true?",
        "The verdict",
        "The runs in numbers",
        "The runs",
        "Where the time went",
        "What explains it?",
        "How it was measured",
        "The raw tables",
    ]
    names = page.xpath("//@id")
    assert len(names) == len(set(names))
    links = page.xpath("//a/@href")
    assert {link[1:] for link in links if link.startswith("#")} <= set(names)
    assert not [link for link in links if not link.startswith(("#", "data:"))]


def test_needs_nothing_from_outside_and_runs_nothing(campaign, page):
    text = (campaign / "page-cache-report.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", text)
    assert text.count("<style>") == 1
    assert all(one.startswith("data:image/svg+xml;base64,") for one in page.xpath("//@src"))
    assert not page.xpath("//script | //iframe | //link | //form | //base | //object")
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_each_plot_has_a_caption_and_words_for_those_who_cannot_see_it(page):
    figures = page.xpath("//figure")
    assert len(figures) == 3
    for figure in figures:
        (shows,) = figure.xpath("img/@alt")
        (caption,) = figure.xpath("figcaption")
        assert shows
        assert caption.text_content().endswith(".")
        assert caption.text_content() != shows


def test_says_what_came_out_and_what_to_know_about_it(page):
    doubts = section(page, "Can it be true?")
    assert "tmpfs is memory: no disk is measured there" in doubts
    assert "This is a virtual machine" in doubts
    said = section(page, "The verdict")
    answer = ft.speedup(
        ft.measure.campaign(CAMPAIGN).results.timings,
        "real_s",
        between="cache",
        baseline="cold",
        by="place",
    )
    root = answer.set_index("place").loc["root"]
    assert f"root: warm is faster than cold: {root['speedup']:.2f} times as fast" in said
    assert said.index("warm is faster than cold over all cells") < said.index("root: warm")


def test_tells_how_it_was_measured(page):
    said = section(page, "How it was measured")
    facts = ft.measure.campaign(CAMPAIGN).session
    for fact in (facts["machine"]["kernel"], facts["tools"]["bash"], "cat data.tmp"):
        assert fact in said
    assert "x 3 places x 5 rounds, places in turns" in said
    assert "LC_ALL=C" in said
    assert all(place["file_system"] in said for place in facts["places"])


def test_carries_the_tables_with_all_their_rows_and_the_raw_outputs(page):
    files = carried(page)
    results = ft.measure.campaign(CAMPAIGN).results
    for name in ("runs", "timings"):
        rows = list(csv.DictReader(io.StringIO(files[f"tables/{name}.csv"].decode())))
        assert len(rows) == len(results.tables[name]) == 30
    assert {float(row["real_s"]) for row in rows} == set(results.timings["real_s"])
    raw = {name[4:]: own for name, own in files.items() if name.startswith("raw/")}
    assert raw == {file.name: file.read_bytes() for file in CAMPAIGN.iterdir()}


@pytest.mark.parametrize(
    ("sources", "named", "title"),
    [
        (ONE, {}, r"randrw 4 KiB: read 999 IOPS, 4\.09 MB/s, p99 3\.95 ms; write 999 IOPS, .*"),
        ("dda-vhdx/xml/nvme.xml", {}, r"randrw 4 KiB: read 96,430 IOPS.*latency 429 µs.*"),
        ("page-cache/{cache}.txt", {}, "before takes 9.36 times as long as after .*"),
        (
            "page-cache/{cache}.txt",
            {"baseline": "before"},
            r"after is 9.36 times as fast as before \(one run each\)",
        ),
        (
            SIDES,
            {},
            "nvme does 2.56 times the I/Os per second of mirror; vhdx: 1.41 times .*each.*",
        ),
        ("how-many-runs/depth", {}, "Most I/Os per second at iodepth 128: 66,987 /s; .*"),
        ([ONE, FIO / "fio-3.33--sweep-1.json"], {}, "3 runs of fio: read 500 to 999 IOPS, .*"),
        (CDM, {}, "read 7,084 to 999,670 IOPS, .*"),
    ],
    ids=range(8),
)
def test_the_title_answers(sources, named, title, tmp_path):
    files = f"{ROOT}/data/{sources}" if isinstance(sources, str) else sources
    tree = reported(files, tmp_path, **named)
    assert re.fullmatch(title, tree.findtext(".//title"))
    assert tree.findtext(".//h1") == tree.findtext(".//title")


def test_one_run_has_its_percentiles_and_what_would_tell_more(tmp_path):
    """Coarse buckets without counts are no histogram; the percentiles stand beside them."""
    tree = reported(ONE, tmp_path)
    assert heads(tree)[:3] == ["Can it be true?", "The runs in numbers", "Latency"]
    (shows,) = tree.xpath("//figure/img/@alt")
    assert shows == "Percentiles of clat"
    assert "3.95" in section(tree, "The runs in numbers")
    missing = section(tree, "What is missing, and what would fill it")
    assert "Over time: fio --write_bw_log=NAME" in missing
    assert "give two files or folders" in missing
    assert "hyperfine" not in missing
    without = reported(ROOT / "data/dda-vhdx/xml", tmp_path)
    assert "diskspd -L prints them" in section(without, "Latency")


def test_tests_one_after_another_have_a_row_each(tmp_path):
    tree = reported(CDM, tmp_path)
    rows = tree.xpath("//h2[.='The runs in numbers']/following-sibling::div[1]//tbody/tr")
    assert len(rows) == len(ft.read(CDM).io)
    assert "The threads" not in heads(tree)


def test_a_difference_is_said_once(tmp_path):
    """An option and a version that differ stand in one table, and not behind each ratio."""
    for side, depth, version in (("old", "4", "3.33"), ("new", "32", "3.36")):
        told = json.loads(ONE.read_text(encoding="utf-8"))
        told["fio version"] = f"fio-{version}"
        told["jobs"][0]["job options"]["iodepth"] = depth
        (tmp_path / f"{side}.json").write_text(json.dumps(told), encoding="utf-8")
    tree = reported({side: tmp_path / f"{side}.json" for side in ("old", "new")}, tmp_path)
    assert "iodepth" not in section(tree, "The verdict")
    options = section(tree, "Options and tools")
    assert re.search(r"iodepth ?new ?32 ?4 ", options)
    assert re.search(r"tool ?new ?fio 3\.36 ?fio 3\.33", options)


def test_what_voids_a_ratio_stands_before_it(tmp_path):
    runs = {name: ROOT / f"data/dda-vhdx/xml/{name}.xml" for name in ("nvme", "vhdx")}
    tree = reported(runs, tmp_path, link="usb2")
    assert heads(tree)[:2] == ["Can it be true?", "The verdict"]
    assert "impossible (link" in section(tree, "Can it be true?")
    assert "; but " in tree.findtext(".//title")


def test_a_side_without_numbers_is_left_out_by_name(tmp_path):
    for side, source in (("a", ONE), ("b", ONE), ("c", ROOT / "data/page-cache/after.txt")):
        shutil.copy(source, tmp_path / f"{side}{Path(source).suffix}")
    sides = {side: next(tmp_path.glob(f"{side}.*")) for side in "abc"}
    told = json.loads(sides["b"].read_text())
    told["jobs"][0]["read"]["iops"] *= 2
    sides["b"].write_text(json.dumps(told))
    with pytest.warns(UserWarning, match="no iops: left out"):
        said = section(reported(sides, tmp_path), "The verdict")
    assert "b against a" in said
    assert "c: left out, without iops" in said


@pytest.mark.parametrize("tool", ["credibility", "diskspd", "hyperfine", "crystaldiskmark", "time"])
def test_a_folder_of_unlike_files_is_reported(tool, tmp_path, recwarn):
    """Some have no totals, some no options, some are on no side."""
    tree = reported(ROOT / "tests/fixtures" / tool, tmp_path)
    assert "The raw tables" in heads(tree)
    assert "Traceback" not in tree.text_content()


def test_files_that_were_not_read_are_all_named(tmp_path):
    """A copy of dd has no direction: nothing stands in its place."""
    told = (
        "1+0 records in\n1+0 records out\n1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n"
    )
    (tmp_path / "dd.txt").write_text(told)
    shutil.copy(ONE, tmp_path / "one.json")
    (tmp_path / "cut.json").write_bytes(ONE.read_bytes()[:500])
    (tmp_path / "empty.json").touch()
    with pytest.warns(UserWarning, match="2 of 4 files"):
        text = " ".join(reported(tmp_path, tmp_path).text_content().split())
    folder = tmp_path.as_posix()
    assert f"Not read: {folder}/cut.json, {folder}/empty.json." in text
    assert f"{folder}/dd.txt: " in text
    assert not re.findall(r"direction nan|, None", text)


def test_labels_and_names_of_files_are_only_text(tmp_path, monkeypatch):
    """One of two sides has a name that would run, and a file that cannot be read."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bad.json").write_text('{"fio version": "fio-3.33", "jobs": [', "utf-8")
    for name in ("mirror", "vhdx"):
        shutil.copy(ROOT / "data/dda-vhdx/xml" / f"{name}.xml", tmp_path / "runs")
    monkeypatch.chdir(tmp_path)
    sides = {BAD: ["runs/mirror.xml", "runs/bad.json"], "vhdx": "runs/vhdx.xml"}
    results = ft.read(sides, errors="note")
    tree = reported(results, tmp_path, baseline=BAD)
    assert not tree.xpath("//script")
    assert not [name for one in tree.iter() for name in one.attrib if name.startswith("on")]
    assert tree.text_content().count(BAD) > 3
    assert BAD in "".join(tree.xpath("//img/@alt"))
    assert "runs/bad.json" in section(tree, "What was noticed while reading the files")


def test_a_page_is_the_same_every_time_and_the_plots_of_the_caller_stay(tmp_path):
    before = dict(mpl.rcParams)
    pages = [ft.report(f"{ROOT}/data/{SIDES}", tmp_path / f"{n}.html").read_bytes() for n in (1, 2)]
    assert pages[0] == pages[1]
    assert dict(mpl.rcParams) == before


# --- the name of a page, and trouble --------------------------------------------------------------


@pytest.mark.parametrize(
    ("sources", "name"),
    [
        (ONE, "fio-3-33-libaio-report.html"),
        (ROOT / "data/dda-vhdx/xml", "xml-report.html"),
        ({"old": ONE, "new": FIO / "fio-3.33--sweep-1.json"}, "old-new-report.html"),
        (
            [str(ROOT / f"data/page-cache/{one}.txt") for one in ("after", "before")],
            "page-cache-report.html",
        ),
    ],
    ids=["file", "folder", "sides", "files of one folder"],
)
def test_a_page_is_named_after_what_was_read(sources, name):
    assert name_of(ft.read(sources)) == name


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "page.pdf"], "the name of a page ends in .html"),
        (["-o", "none/page.html"], "there is no such folder"),
        (["--rma", "8GB"], "report does not take --rma"),
        (["-o", "page.html"], "page.html exists: --overwrite replaces it, --output names another"),
        ([], "a.txt"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("no benchmark\n", encoding="utf-8")
    (tmp_path / "page.html").write_text("mine", encoding="utf-8")
    assert main(["report", "a.txt", *arguments]) in (1, 2)
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "page.html"]
    assert (tmp_path / "page.html").read_text() == "mine"


def test_a_page_is_replaced_if_that_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.html"
    page.write_text("mine")
    assert main(["report", str(ONE), "-o", "page.html", "--overwrite"]) == 0
    assert "<h1>" in page.read_text()
    assert ft.report(ONE).name == "fio-3-33-libaio-report.html"
    with pytest.raises(ft.SchemaError, match="exists: overwrite=True replaces it"):
        ft.report(ONE)


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    full = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr(os, "fsync", lambda handle: os.write(full, b"x"))
    with pytest.raises(OSError, match="No space left"):
        ft.report(ONE, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())
