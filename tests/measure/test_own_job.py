"""A person's own job of fio, in turns on each place, and jobs that are refused."""

import json
import signal

import pytest

import fiotools as ft
from fiotools.errors import MeasureError
from fiotools.measure.own_job import in_folder, job_of, room
from tests.measure.campaigns import begun, log, measure, names, needs, ran, stop, unix

pytestmark = unix
JOB = """\
; two jobs, one after the other
[global]
directory=/mnt/elsewhere
size=4m  # of each
ioengine=psync
runtime=300ms
time_based

[rand]
rw=randread
bs=4k
filename=shared

[seq]
stonewall
rw=write
numjobs=2
group_reporting
"""


@pytest.fixture
def places(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "my.fio").write_text(JOB)
    return tmp_path


def asked(places, *more):
    dirs = ("--dir", f"one={places / 'a'}", "--dir", f"two={places / 'b'}")
    return ("--job", places / "my.fio", *dirs, "--output", places / "out", *more)


@needs("fio")
def test_it_runs_in_turns_and_leaves_nothing(places):
    done = measure(*asked(places, "--rounds", 2))
    assert done.returncode == 0, done.stderr
    assert names(places / "a") == names(places / "b") == []
    out = places / "out"
    assert [(line["place"], line["round"]) for line in ran(out)] == [
        *(("one", 1), ("two", 1), ("two", 2), ("one", 2)),
    ]
    assert (out / "job.fio").read_text() == JOB
    assert log(out)[0]["plan"]["job"] == JOB
    campaign = ft.measure.campaign(out)
    assert campaign.status == "complete"
    io = campaign.results.io
    assert io.groupby(["place", "job", "direction"])["round"].count().tolist() == [2, 2, 2, 2]
    # nothing of the job's own folder is left
    assert campaign.results.settings.query("option == 'directory'").empty
    answer = ft.compare(ft.read(out), "iops", by=["job", "direction"])
    assert set(answer["place"]) == {"two"}


@needs("fio")
def test_interrupted_it_resumes_with_the_job_of_the_folder(places):
    out = places / "out"
    with begun(*asked(places, "--rounds", 50), until=lambda: len(ran(out)) > 1) as process:
        assert stop(process, signal.SIGINT)[0] == 128 + signal.SIGINT
    assert names(places / "a") == names(places / "b") == []
    kept = len(ran(out))
    (places / "my.fio").write_text(JOB.replace("4k", "8k"))
    other = measure(*asked(places, "--rounds", 50))
    assert other.returncode != 0
    assert "holds another campaign" in other.stderr
    (places / "my.fio").unlink()
    plan = json.loads((out / "manifest.jsonl").read_text().split("\n")[0])
    plan["plan"]["rounds"] = 2  # so that it ends
    rest = (out / "manifest.jsonl").read_text().split("\n")[1:]
    (out / "manifest.jsonl").write_text("\n".join([json.dumps(plan), *rest]))
    (out / "one_job_02.json").unlink(missing_ok=True)
    assert kept >= 2
    campaign = ft.measure.resume(out, progress=False)
    assert campaign.status == "complete"
    assert not campaign.missing
    assert names(places / "a") == names(places / "b") == []


@needs("fio")
def test_a_job_that_fails_leaves_no_folder(places):
    (places / "my.fio").write_text(JOB.replace("rw=randread", "rw=sideways"))
    done = measure(*asked(places))
    assert done.returncode != 0
    assert "job failed on one, round 1 (exit status 1" in done.stderr
    assert names(places) == ["a", "b", "my.fio"]
    assert names(places / "a") == names(places / "b") == []


@needs("fio")
def test_a_dry_run_tells_the_room(places):
    told = measure(*asked(places, "--dry-run")).stdout
    assert "up to 12 MiB in each place" in told  # a shared file, and one for each of two clones
    assert "it lays its files out in the first round" in told
    assert names(places) == ["a", "b", "my.fio"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("filename=/dev/sda", "a device is refused"),
        ("filename = /dev/nvme0n1", "a device is refused"),
        ("filename=data:/dev/sda", "a device is refused"),
        (r"filename=\\.\PhysicalDrive1", "a device is refused"),
        ("filename=/srv/data", "leads out of the folder"),
        ("filename=data:/srv/data", "leads out of the folder"),
        ("filename=../data", "leads out of the folder"),
        ("filename=~/data", "leads out of the folder"),
        (r"filename=C\:\data", "leads out of the folder"),
        ("filename_format=/srv/$jobnum", "leads out of the folder"),
        ("write_lat_log=/srv/log", "leads out of the folder"),
        ("filename=${DISK}", "takes its value from the environment"),
        ("ioengine=sg", "its I/O goes elsewhere"),
        ("ioengine=rbd", "its I/O goes elsewhere"),
        ("ioengine=external:/tmp/mine.o", "its I/O goes elsewhere"),
        ("exec_prerun=dd of=/dev/sda", "changes more than its files"),
        ("fill_device=1", "fills all that is free"),
        ("read_iolog=trace", "takes its files from elsewhere"),
        ("[/dev/sda]", "leads out of the folder"),
        ("include other.fio", "takes in another file"),
    ],
)
def test_jobs_that_reach_beyond_their_folder(places, line, why):
    file = places / "my.fio"
    file.write_text(JOB + line + "\n")
    with pytest.raises(MeasureError) as caught:
        job_of(file)
    assert f"my.fio:{len(JOB.splitlines()) + 1}: {line}: " in str(caught.value)
    assert why in str(caught.value)
    with pytest.raises(MeasureError):
        ft.measure.run("own-job", [places / "a"], job=file, dry=True)


def test_other_files_are_refused(places):
    (places / "my.fio").write_text("[a]\ncolour=red\n")
    with pytest.raises(MeasureError, match="is not a job file of fio"):
        job_of(places / "my.fio")
    with pytest.raises(MeasureError, match="No such file"):
        job_of(places / "none.fio")
    with pytest.raises(MeasureError, match="own-job needs job="):
        ft.measure.run("own-job", [places / "a"])
    with pytest.raises(MeasureError, match="own-job needs job="):
        ft.measure.run("random-io", [places / "a"], job=places / "my.fio")


def test_only_the_folder_is_taken_out():
    kept, given = in_folder(JOB).split("\n"), JOB.split("\n")
    assert [one for one, other in zip(given, kept, strict=True) if one != other] == [
        "directory=/mnt/elsewhere"
    ]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("[a]\nrw=read\nsize=1g\nnumjobs=4\n", 4 << 30),
        (
            "[a]\nrw=read\nsize=1g\nnumjobs=4\nfilename=x\n[b]\nrw=read\nfilename=x\nsize=2g\n",
            2 << 30,
        ),
        ("[global]\nsize=1m\n[a]\nrw=read\n[b]\nrw=read\nsize=2m\n", 3 << 20),
        ("[a]\nrw=read\nsize=20%\n", 0),
    ],
)
def test_room(text, size):
    assert room(text) == size
