"""A person's own job of fio, in turns on each place, and jobs that are refused."""

import pytest

import fiotools as ft
from fiotools.errors import MeasureError
from fiotools.measure.own_job import job_of, room
from tests.measure.campaigns import log, measure, names, needs, ran, unix

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


@pytest.fixture(autouse=True)
def job(places):
    (places / "my.fio").write_text(JOB)


def asked(places, *more):
    dirs = ("--dir", f"one={places / 'a'}", "--dir", f"two={places / 'b'}")
    return ("--job", places / "my.fio", *dirs, "--output", places / "out", *more)


@needs("fio")
def test_it_runs_in_turns_and_is_resumed_with_the_job_of_its_folder(places):
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
    (places / "my.fio").write_text(JOB.replace("4k", "8k"))
    other = measure(*asked(places, "--rounds", 2))
    assert other.returncode != 0
    assert "holds another campaign" in other.stderr
    (places / "my.fio").unlink()
    (out / "one_job_1.json").unlink()
    assert ft.measure.resume(out, progress=False).status == "complete"
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
        (r"filename=\\.\PhysicalDrive1", "a device is refused"),
        ("filename=/srv/data", "leads out of the folder"),
        ("filename=data:/srv/data", "leads out of the folder"),
        ("filename=../data", "leads out of the folder"),
        ("filename=~/data", "leads out of the folder"),
        (r"filename=C\:\data", "leads out of the folder"),
        ("filename_format=/srv/$jobnum", "leads out of the folder"),
        ("filename=${DISK}", "takes its value from the environment"),
        ("ioengine=sg", "its I/O goes elsewhere"),
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
        ft.measure.run("own-job", [places / "a"], job=file, dry=True)
    assert f"my.fio:{len(JOB.splitlines()) + 1}: {line}: " in str(caught.value)
    assert why in str(caught.value)


def test_other_files_are_refused(places):
    (places / "my.fio").write_text("[a]\ncolour=red\n")
    with pytest.raises(MeasureError, match="is not a job file of fio"):
        job_of(places / "my.fio")
    with pytest.raises(MeasureError, match="No such file"):
        job_of(places / "none.fio")
    for name, job in (("own-job", None), ("random-io", places / "my.fio")):
        with pytest.raises(MeasureError, match="own-job needs job="):
            ft.measure.run(name, [places / "a"], job=job)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("[a]\nrw=read\nsize=1g\nnumjobs=4\n", 4 << 30),
        ("[a]\nrw=read\nsize=1g\nfilename=x\n[b]\nrw=read\nfilename=x\nsize=2g\n", 2 << 30),
        ("[global]\nsize=1m\n[a]\nrw=read\n[b]\nrw=read\nsize=2m\n", 3 << 20),
        ("[a]\nrw=read\nsize=20%\n", 0),
    ],
)
def test_room(text, size):
    assert room(text) == size
