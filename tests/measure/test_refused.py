"""Bad places, folders of results and campaigns are refused before anything is written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.measure.places import Place, places_of
from fiotools.measure.scratch import Scratch, remove_left_over
from tests.measure.campaigns import (
    PATIENCE,
    SMALL,
    command,
    linux,
    measure,
    names,
    needs,
    ran,
    unix,
)

pytestmark = unix
ONE = {"rounds": 1, "size": "16M", "only": ["read"]}


@linux
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/dev", "no"),
        ("/dev/null", "is a device"),
        ("/proc/self/fd", "belongs to the kernel (proc)"),
        ("/sys/block", "belongs to the kernel (sysfs)"),
        ("/etc/passwd", "is not a folder"),
        ("/nowhere/at/all", "No such file or directory"),
    ],
)
def test_paths_that_cannot_be_measured(tmp_path, path, why):
    if why.endswith("(sysfs)") and not Path(path).exists():
        pytest.skip("no /sys is mounted here")
    link = tmp_path / "innocent"
    link.symlink_to(path)
    for given in (path, str(link)):
        with pytest.raises(ft.MeasureError) as caught:
            places_of([given])
        assert why in str(caught.value)


@linux
@pytest.mark.parametrize("kind", ["block", "char"])
def test_a_block_device_is_refused(tmp_path, kind):
    """Also if the tool is missing: installing it would not help."""
    paths = [path for path in sorted(Path("/dev").iterdir()) if not path.is_symlink()]
    devices = [path for path in paths if getattr(path, f"is_{kind}_device")()]
    if not devices:
        pytest.skip(f"no {kind} device is in /dev")
    (tmp_path / "disk").symlink_to(devices[0])
    done = measure("random-io", "--dir", tmp_path / "disk", "--dry-run", path="")
    assert done.returncode == 1
    assert f"(that is {devices[0]}) is a device: measuring it would destroy" in done.stderr


def test_links_are_followed_to_their_folder(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert places_of([f"fast={tmp_path / 'link'}"]) == [Place("fast", tmp_path / "real")]
    with pytest.raises(ft.MeasureError, match="fast and real are one folder"):
        places_of({"fast": tmp_path / "link", "real": tmp_path / "real"})
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(ft.MeasureError):
        places_of([tmp_path / "a"])


def test_names_of_places(tmp_path):
    for name in ("my disk", "a=b"):
        (tmp_path / name).mkdir()
    found = places_of([tmp_path / "my disk", tmp_path / "a=b"])
    assert [place.name for place in found] == ["my-disk", "a-b"]
    with pytest.raises(ft.MeasureError, match="is not a label"):
        places_of({"../x": tmp_path})
    for other in ("x", "X"):  # on some systems one
        with pytest.raises(ft.MeasureError, match=f"two places are called '{other}'"):
            places_of([f"x={tmp_path}", f"{other}={tmp_path / 'a=b'}"])


@linux
def test_a_tool_that_is_missing(tmp_path):
    done = measure("page-cache", "--dir", tmp_path, path="", cwd=tmp_path)
    assert done.returncode == 1
    assert "not installed: bash, cat; apt install bash coreutils" in done.stderr
    assert names(tmp_path) == []


@linux
@needs("sh")
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo I am not fio", "place, round 1 (unknown format; it begins 'I am not fio'"),
        ("true", "random-read failed on place, round 1 ("),
        ("""echo '{"fio version": "fio-3.33", "jobs": []}'""", "failed on place, round 1 ("),
        ("echo no --bs >&2; exit 1", "exit status 1; only= takes other workloads"),
        ("kill -9 $$", "random-read failed on place, round 1 (killed by SIGKILL"),
        (None, "fio: Exec format error"),
    ],
)
def test_a_tool_that_prints_something_else(tmp_path, monkeypatch, script, why):
    place, fio = tmp_path / "place", tmp_path / "bin" / "fio"
    for folder in (place, fio.parent):
        folder.mkdir()
    fio.write_bytes(b"\x7fELF" if script is None else f"#!/bin/sh\n{script}\n".encode())
    fio.chmod(0o755)
    monkeypatch.setenv("PATH", str(fio.parent))
    asked = {"output": tmp_path / "out", "size": "16M", "seconds": 1}
    with pytest.raises(ft.MeasureError) as caught:
        ft.measure.run("random-io", place, **asked)
    assert why in str(caught.value)
    assert names(place) == []
    assert not asked["output"].exists()


@linux
@needs("dd")
@pytest.mark.parametrize(
    ("folder", "mode"), [("place", 0o555), ("place", 0o333), ("results", 0o555)]
)
def test_a_folder_without_permission(tmp_path, folder, mode):
    for name in ("place", "results"):
        (tmp_path / name).mkdir()
    (tmp_path / folder).chmod(mode)
    args = command(*SMALL, "--dir", tmp_path / "place", "--output", tmp_path / "results" / "out")
    if os.geteuid() == 0:  # whom no mode keeps out
        bound = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
        if subprocess.run([*bound, "true"], capture_output=True, check=False).returncode:
            pytest.skip("needs setpriv, or not to be root")
        args = [*bound, *args]
    done = subprocess.run(args, capture_output=True, encoding="utf-8", check=False)
    (tmp_path / folder).chmod(0o755)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert f"{tmp_path / folder}" in done.stderr
    assert "Permission denied" in done.stderr
    assert names(tmp_path / "place") == names(tmp_path / "results") == []


@linux
@needs("dd")
def test_paths_of_every_kind(tmp_path):
    odd = ["new\nline", "-dash", "a b'\"q", "\N{HIRAGANA LETTER A}\x1b[2J"]
    dirs = []
    for name, given in zip(odd, ("nl=new\nline", "-dash", odd[2], f"jp={odd[3]}"), strict=True):
        (tmp_path / name).mkdir()
        dirs += ["--dir", given]
    asked = ("throughput", "--size", "16M", "--rounds", 1, "--only", "read")
    done = measure(*asked, *dirs, "--output", "my 'out'", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert all(names(tmp_path / name) == [] for name in odd)
    campaign = ft.measure.campaign(tmp_path / "my 'out'")
    assert sorted(campaign.results.io["place"]) == ["a-b-q", "dash", "jp", "nl"]
    paths = [place["path"] for place in campaign.session["places"]]
    assert paths == [str(tmp_path / name) for name in odd]


@linux
@needs("dd")
def test_messages_that_nobody_reads(tmp_path, place):
    """Its messages go nowhere; the campaign continues to its end."""
    args = command(*SMALL, "--rounds", 1, "--dir", place, "--output", tmp_path / "out")
    process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.wait(timeout=PATIENCE) == 0
    assert process.stderr.read() == b""
    process.stderr.close()
    assert ft.measure.campaign(tmp_path / "out").status == "complete"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"name": "iozone"}, "there is no experiment 'iozone'"),
        ({"rounds": 0}, "rounds 0 is not a whole number from 1"),
        ({"size": "much"}, "size 'much' is not a size"),
        ({"size": "1M"}, "size '1M' is too small"),
        ({"size": "900T"}, "no room for test files of 900 TiB"),
        ({"seconds": 5}, "leave out seconds="),
        ({"only": ["nothing"]}, "throughput has no workload 'nothing'; there are: write-zeros, "),
        ({"places": []}, "name at least one folder, places={'name': 'folder'}"),
    ],
)
@needs("dd")
def test_arguments(tmp_path, given, why):
    arguments = {"name": "throughput", "places": [tmp_path], "output": tmp_path / "out"}
    with pytest.raises(ft.MeasureError) as caught:
        ft.measure.run(**{**arguments, **given})
    assert why in str(caught.value)
    assert "--" not in str(caught.value)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("args", "status", "why"),
    [
        (("throughput",), 1, "name at least one folder, --dir NAME=FOLDER"),
        (("throughput", "x"), 2, "each place is an option: --dir x"),
        (("--resume", ".", "--rounds", "3"), 2, "no other option goes with it"),
        (("throughput", "--dir", ".", "--quick"), 2, "measure does not take --quick"),
        (("throughput", "--dir", ".", "--seconds", 5), 1, "leave out --seconds"),
    ],
)
def test_a_command_that_is_wrong(tmp_path, args, status, why):
    done = measure(*args, cwd=tmp_path)
    assert done.returncode == status
    assert len(done.stderr.splitlines()) == 1
    assert why in done.stderr
    assert names(tmp_path) == []


@needs("dd")
def test_outputs(tmp_path, place, monkeypatch):
    (tmp_path / "[x]").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "letter.txt").write_text("dear")
    bad = {
        "file": "Not a directory",
        "none/out": "No such file or directory",
        "others": "holds other files: results go to a new or an empty folder, output=",
    }
    for output, why in bad.items():
        with pytest.raises(ft.MeasureError, match=why):
            ft.measure.run("throughput", place, output=tmp_path / output, **ONE)
    odd = ft.measure.run("throughput", place, output=tmp_path / "[x]" / "{y}", **ONE)
    assert len(odd.results.io) == 1
    monkeypatch.chdir(place)
    campaign = ft.measure.run("throughput", place, **ONE)
    assert campaign.folder.parent == place
    assert re.fullmatch(r"throughput-\d{8}-\d{6}", campaign.folder.name)
    assert names(place) == [campaign.folder.name]
    assert len(campaign.results.io) == 1


@linux
@needs("dd")
def test_links_in_the_output_are_not_followed(tmp_path, place):
    out, victim = tmp_path / "out", tmp_path / "victim"
    args = (*SMALL, "--dir", place, "--rounds", 1, "--output", out)
    assert measure(*args).returncode == 0
    victim.write_text("precious")
    raw = out / "place_read_1.txt"
    for link in (raw, out / f".{raw.name}.part"):
        link.unlink(missing_ok=True)
        link.symlink_to(victim)
    done = measure(*args)  # the same again: what is missing is done
    assert done.returncode == 0, done.stderr
    assert victim.read_text() == "precious"
    assert raw.is_file()
    assert not raw.is_symlink()
    assert names(out) == ["manifest.jsonl", "place_read_1.txt", "place_write-zeros_1.txt"]

    (out / "manifest.jsonl").rename(tmp_path / "elsewhere.jsonl")
    (out / "manifest.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    raw.unlink()
    before = (tmp_path / "elsewhere.jsonl").read_bytes()
    done = measure("--resume", out)
    assert done.returncode == 1
    assert "manifest.jsonl: Too many levels of symbolic links" in done.stderr
    assert (tmp_path / "elsewhere.jsonl").read_bytes() == before


@linux
@needs("dd")
def test_another_campaign_is_in_the_folder(tmp_path, place):
    out = tmp_path / "out"
    args = (*SMALL, "--dir", place, "--output", out)
    assert measure(*args, "--rounds", 1).returncode == 0
    kept = ran(out)
    resized = ["32M" if word == "16M" else word for word in SMALL]
    for other in (
        ("block-size", "--dir", place, "--output", out),
        (*resized, "--dir", place, "--rounds", 1, "--output", out),
    ):
        done = measure(*other)
        assert done.returncode == 1
        assert "holds another campaign" in done.stderr
        assert "give a new --output" in done.stderr
    with pytest.raises(ft.MeasureError, match=r"is complete; for more, output=$"):
        ft.measure.resume(out, progress=False)
    assert ran(out) == kept


@linux
@needs("dd")
def test_the_next_commands_work(tmp_path, places):
    """In Python the command is Python, and runs as it is."""
    other = tmp_path / "a" / f".fiotools-{'a' * 16}"
    other.mkdir()
    said = []
    given = {"output": tmp_path / "o", "say": said.append, "progress": False}
    ft.measure.run("throughput", [places / "a", places / "b"], **given, **ONE)
    told = f"{other} was left by another campaign that was killed: resume that one, or delete"
    assert sum(told in text for text in said) == 1
    assert names(tmp_path / "a") == [other.name]
    assert "--" not in said[-1]
    told = {line[2:12].strip(): line[14:] for line in said[-1].splitlines()[1:]}
    assert [*told] == ["open", "report", "compare", "is it real"]
    known = {"ft": ft}
    exec(told["open"], known)
    assert eval(told["compare"], known)["verdict"].tolist() == ["one run"]
    assert len(eval(told["is it real"], known))
    exec(told["report"], known)
    assert (tmp_path / "o.html").is_file()


def test_only_our_own_remains_are_removed(tmp_path):
    place, victim = tmp_path / "place", tmp_path / "victim"
    own, link = place / f".fiotools-{'0' * 16}", place / f".fiotools-{'1' * 16}"
    for folder in (victim, own):
        folder.mkdir(parents=True)
    (victim / "letter.txt").write_text("dear")
    link.symlink_to(victim)
    (own / "inside").symlink_to(victim)
    here = Place("place", place)
    assert "not a folder any more" in remove_left_over(str(link), here)
    for path in (victim, place, place / "..", place / own.name / ".." / ".." / "victim"):
        assert "is not a folder of a campaign" in remove_left_over(str(path), here)
    for _ in range(2):  # gone is gone
        assert remove_left_over(str(own), here) is None
    assert names(place) == [link.name]
    assert names(victim) == ["letter.txt"]


@linux
@needs("dd")
def test_a_place_that_has_become_a_link(tmp_path, place):
    victim, out = tmp_path / "victim", tmp_path / "out"
    victim.mkdir()
    ft.measure.run("throughput", place, output=out, **ONE)
    (out / "place_read_1.txt").unlink()
    place.rmdir()
    place.symlink_to(victim)
    with pytest.raises(ft.MeasureError, match=f"is a link to {victim} now"):
        ft.measure.resume(out)
    assert names(victim) == []


def test_a_folder_that_is_replaced_meanwhile(tmp_path):
    recorded = []
    scratch = Scratch(Place("place", tmp_path), recorded.append)
    assert recorded == [{"place": "place", "path": str(scratch.path)}]
    assert scratch.path.stat().st_mode & 0o777 == 0o700 or sys.platform == "win32"
    scratch.check()
    scratch.path.rename(tmp_path / "moved")
    for _ in range(2):
        with pytest.raises(ft.MeasureError, match="removed or replaced"):
            scratch.check()
        if not scratch.path.is_symlink():
            scratch.path.symlink_to(tmp_path / "moved")
    assert "not a folder any more" in scratch.remove()


BEGINS = '{"kind": "campaign", "format": 1'
ELSEWHERE = (
    '"places": {"../x": "/"}, "workloads": ["read"], "fields": ["workload"], "suffix": ".txt", '
    '"rounds": 1, "size_bytes": 1, "seconds": 0, "jobs": 0, "buffered": false, "limit_s": null'
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        '{"kind": "run"}',
        '{"kind": "campaign", "format": 9}',
        f'{BEGINS}, "plan": []}}',
        f'{BEGINS}, "plan": {{"experiment": "throughput", "effort": "quick", {ELSEWHERE}}}}}',
    ],
)
def test_a_damaged_manifest(tmp_path, text):
    (tmp_path / "manifest.jsonl").write_text(f"{text}\n")
    for ask in (ft.measure.campaign, ft.measure.resume):
        with pytest.raises(ft.MeasureError, match=r"manifest\.jsonl"):
            ask(tmp_path)
    with pytest.raises(ft.MeasureError, match=r"manifest\.jsonl: No such file"):
        ft.measure.campaign(tmp_path / "none")
