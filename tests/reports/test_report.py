"""`fiotools report` run for real: the page, what is in it, and what is left behind by trouble."""

import base64
import csv
import io
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from lxml import html

import fiotools as ft
from fiotools.cli import main
from fiotools.reports import method
from fiotools.reports.study import study
from tests.conftest import ROOT

pytest.importorskip("jinja2", reason="needs the extra [report]")

FIO = ROOT / "tests" / "fixtures" / "fio"
CAMPAIGN = ROOT / "data" / "own-disk" / "page-cache"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """Report a committed campaign by the command line, in a folder that holds nothing else."""
    folder = tmp_path_factory.mktemp("campaign")
    command = [sys.executable, "-m", "fiotools", "report", str(CAMPAIGN), "-o", "page.html"]
    more = ["--title", "My disks & more", "--ram", "64GB"]
    done = subprocess.run(
        [*command, *more],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("fiotools: wrote page.html")
    return folder


@pytest.fixture(scope="module")
def page(campaign):
    return html.parse(str(campaign / "page.html")).getroot()


def files_of(page):
    """Give the files that a page holds, by their names."""
    return {
        link.get("download"): base64.b64decode(link.get("href").partition(",")[2])
        for link in page.iterfind(".//main//a[@download]")
    }


def test_writes_the_page_and_leaves_nothing_else(campaign):
    assert sorted(path.name for path in campaign.iterdir()) == ["page.html"]


def test_every_section_is_there_and_every_link_leads_somewhere(page):
    assert page.findtext(".//title") == page.findtext(".//h1") == "My disks & more"
    heads = [head.text_content() for head in page.iterfind(".//main//h2")]
    assert heads == [
        "The verdict",
        "page-cache: what does the page cache gain?",
        "Why do they differ?",
        "Can it be true?",
        "Which options were set, and where do they differ?",
        "The raw tables",
        "How it was measured",
        "What was noticed while reading the files",
    ]
    names = page.xpath("//@id")
    assert len(names) == len(set(names))
    links = [link.get("href") for link in page.iterfind(".//a[@href]")]
    assert {link[1:] for link in links if link.startswith("#")} <= set(names)
    assert not [link for link in links if not link.startswith(("#", "data:"))]


def test_needs_nothing_from_outside(campaign, page):
    assert page.xpath("//figure/*[@role='img']")
    loaded = page.xpath("//@src | //link/@href | //@srcset | //image/@href | //use/@href")
    assert loaded
    assert all(value.startswith(("data:image/png;base64,", "#")) for value in loaded)
    assert not page.xpath("//script")
    text = (campaign / "page.html").read_text(encoding="utf-8")
    assert "@import" not in text
    assert "url(" not in text.replace("url(#", "")


def section(page, name):
    """Give the words below a heading."""
    (head,) = page.xpath(f"//h2[@id='{name}']")
    found = []
    for element in head.itersiblings():
        if element.tag == "h2":
            break
        found.append(element.text_content())
    return " ".join(" ".join(found).split())


def test_says_what_came_out_and_what_to_know_about_it(page):
    said = section(page, "the-verdict")
    assert "tmpfs is memory: no disk is measured there" in said
    assert "A quick campaign" in said
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
    assert "The baselines are cold and root." in said


def test_the_title_is_the_main_finding(tmp_path):
    page = tmp_path / "page.html"
    ft.report(str(ROOT / "data/page-cache/{cache}.txt"), page, baseline="before")
    tree = html.parse(str(page)).getroot()
    title = "after against before: 9.36 times as fast, one run each"
    assert tree.findtext(".//title") == tree.findtext(".//h1") == title
    ft.report(FIO / "fio-3.33--libaio.json", page)
    tree = html.parse(str(page)).getroot()
    assert tree.findtext(".//title") == "The results: 1 run of fio"


def test_what_voids_a_ratio_stands_before_it(tmp_path):
    """The numbers of a disk that are memory's are not a disk's."""
    made = study(ROOT / "data/wsl-vhdx")
    said = str(made.verdict())
    assert said.index("memory may have answered") < said.index("times the bandwidth")
    names = ("nvme", "vhdx")
    runs = {name: (ROOT / f"data/dda-vhdx/xml/{name}.xml") for name in names}
    made = study(runs, link="usb2")
    said = str(made.verdict())
    assert said.index("no device can have done this") < said.index("times as many I/Os")
    assert made.headline.startswith("nvme: no device can have done this; vhdx against nvme: ")


def test_of_results_the_page_is_the_same_but_for_the_raw_files(tmp_path):
    sides = str(ROOT / "data/dda-vhdx/xml/{volume}.xml")
    made = [ft.report(given, tmp_path / "page.html") for given in (sides, ft.read(sides))]
    assert made[0].size > made[1].size
    files = files_of(html.parse(str(tmp_path / "page.html")).getroot())
    assert "io.csv" in files
    assert "raw.zip" not in files


def test_the_plots_of_the_caller_stay_as_they_are(tmp_path):
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    ft.report(FIO / "fio-3.33--libaio.json", tmp_path / "page.html")
    assert dict(mpl.rcParams) == before


def test_holds_the_tables_with_all_their_rows_and_the_raw_outputs(page):
    files = files_of(page)
    results = ft.measure.campaign(CAMPAIGN).results
    for name in ("runs", "timings"):
        rows = list(csv.DictReader(io.StringIO(files[f"page-cache-{name}.csv"].decode())))
        assert len(rows) == len(results.tables[name]) == 30
    taken = {float(row["real_s"]) for row in rows}
    assert taken == set(results.timings["real_s"])
    with zipfile.ZipFile(io.BytesIO(files["page-cache-raw.zip"])) as archive:
        raw = {name: archive.read(name) for name in archive.namelist()}
    assert raw == {file.name: file.read_bytes() for file in CAMPAIGN.iterdir()}


def test_tells_how_it_was_measured(page):
    said = section(page, "how-it-was-measured")
    facts = ft.measure.campaign(CAMPAIGN).session
    for fact in (facts["machine"]["kernel"], facts["tools"]["bash"], "time cat data.tmp"):
        assert fact in said
    assert "x 3 places x 5 rounds, in turns (ABC, CBA, ...)" in said
    assert "LC_ALL=C" in said
    assert all(place["mount_options"] in said for place in facts["places"])


def test_labels_and_names_of_files_are_only_text(tmp_path, monkeypatch):
    """One of two sides has a name that would run, and a file that cannot be read."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bad.json").write_text('{"fio version": "fio-3.33", "jobs": [', "utf-8")
    for name in ("mirror", "vhdx"):
        shutil.copy(ROOT / "data/dda-vhdx/xml" / f"{name}.xml", tmp_path / "runs")
    monkeypatch.chdir(tmp_path)
    sides = {SCRIPT: ["runs/mirror.xml", "runs/bad.json"], "vhdx": "runs/vhdx.xml"}
    made = ft.report(sides, "page.html", baseline="vhdx", question=f"{SCRIPT}?")
    assert made.unread == ["runs/bad.json"]
    page = html.parse("page.html").getroot()
    assert not page.xpath("//script")
    text = page.text_content()
    assert text.count(SCRIPT) > 3
    assert "runs/bad.json" in section(page, "what-was-noticed-while-reading-the-files")
    heads = [head.text_content() for head in page.iterfind(".//main//h3")]
    assert "The threads" in heads
    assert "Mean latency" in heads


def test_a_sweep_of_jobs_is_reported(tmp_path, monkeypatch, capsys):
    """With group_reporting one job stands as a job, and two as a group: one kind of total."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    runs = [str(FIO / f"fio-3.33--sweep-{jobs}.json") for jobs in (1, 2)]
    assert main(["report", *runs, "-o", str(tmp_path / "page.html")]) == 0, capsys.readouterr().err
    said = html.parse(str(tmp_path / "page.html")).getroot().text_content()
    assert "fio-3.33--sweep-2 against fio-3.33--sweep-1" in said
    assert "cannot be drawn" not in said


def test_jobs_beside_groups_leave_the_other_figures(tmp_path):
    """What no run can be made of has no cells: each figure says so, and none ends the page."""
    several = [FIO / "fio-3.33--clones.json", FIO / "fio-3.33--sweep-2.json"]
    (part,) = study(several).parts
    assert "rows of several scopes (job, group)" in part.comparisons[0].problem
    shown = [repr(about) for about, *_ in part.figures(tmp_path)]
    assert len(shown) == 3
    assert all("rows of several scopes (job, group)" in said for said in shown[::2])


# Trouble


def trouble(capsys, *arguments):
    """Run a command that fails, and give its one line."""
    assert main(["report", *map(str, arguments)]) in (1, 2)
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_nothing_readable_is_one_line_and_no_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("no benchmark\n", encoding="utf-8")
    assert "no file that was found there can be read" in trouble(capsys, ".", "-o", "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "page.pdf"], "the page ends in .html"),
        (["-o", "none/page.html"], "none: there is no such folder"),
        (["-"], "and not of -"),
        (["x=a.txt"], "a.txt has no name"),
    ],
    ids=["ending", "folder", "stdin", "half-named"],
)
def test_what_cannot_be_is_said_before_anything_is_done(
    tmp_path, monkeypatch, capsys, arguments, said
):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("no benchmark\n", encoding="utf-8")
    assert said in trouble(capsys, "a.txt", *arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    line = trouble(capsys, CAMPAIGN, "-o", tmp_path / "page.html")
    assert line == "fiotools: report needs jinja2: python -m pip install 'fiotools[report]'"
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        ft.report(FIO / "fio-3.33--libaio.json", "/dev/full")
    assert caught.value.filename == "/dev/full"
    full = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr(os, "fsync", lambda handle: os.write(full, b"x"))
    with pytest.raises(OSError, match="No space left"):
        ft.report(FIO / "fio-3.33--libaio.json", tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_no_text_of_a_table_becomes_a_formula():
    frame = pd.DataFrame({"job": ["=1+1", "a"], "offset": [-1, 2]})
    assert method._table("jobs", frame).content == b"job,offset\n'=1+1,-1\na,2\n"
