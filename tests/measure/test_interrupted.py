"""Whatever ends a campaign: nothing is left in the places, and finished runs are kept."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.measure import lock, process
from fiotools.measure.process import Watch
from tests.measure.campaigns import (
    PATIENCE,
    SMALL,
    begun,
    hidden,
    in_namespace,
    linux,
    log,
    measure,
    names,
    needs,
    ran,
    stop,
    wait,
)

pytestmark = [linux, needs("dd")]


def dirs(places):
    return ("--dir", places / "a", "--dir", f"two={places / 'b'}")


def empty(places):
    return names(places / "a") == names(places / "b") == []


@contextmanager
def running(places, runs, rounds=999):
    """Start a campaign, and wait until so many runs are done."""
    out = places / "out"
    asked = (*SMALL, *dirs(places), "--rounds", rounds, "--output", out)
    with begun(*asked, until=lambda: len(ran(out)) >= runs) as process:
        yield process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle(places, number):
    out = places / "out"
    with running(places, 3) as process:
        status, said, complained = stop(process, number)
    assert status == 128 + number
    assert complained == f"fiotools: stopped by {number.name}\n"
    assert empty(places)
    kept = ran(out)
    assert {*names(out)} == {"manifest.jsonl", *(line["file"] for line in kept)}
    assert f"{len(kept)} of 3996 runs are in {out}" in said
    assert f"fiotools measure --resume {out}" in said
    assert log(out)[-1]["status"] == ft.measure.campaign(out).status == "interrupted"


def test_a_signal_while_files_are_filled(places):
    def filling():
        return any((places / "a" / name / "data.tmp").exists() for name in hidden(places / "a"))

    args = ("throughput", "--size", "512M", "--only", "read", *dirs(places))
    with begun(*args, "--output", places / "out", until=filling) as process:
        assert stop(process)[0] == 128 + signal.SIGINT
    # no folder of results without results; a machine that stalls may have some by now
    assert names(places) == ["a", "b", *(["out"] if ran(places / "out") else [])]
    assert empty(places)


def children_of(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()


@contextmanager
def at_work(places, out):
    """Start a campaign, and wait until its tool runs."""

    def writing():
        return out.exists() and any(name.endswith(".part") for name in hidden(out))

    args = ("random-io", "--size", "16M", "--seconds", 600, *dirs(places))
    with begun(*args, "--output", out, until=writing) as process:
        wait(lambda: children_of(process.pid), process)
        yield process


@needs("fio")
def test_the_tool_is_killed_with_all_its_jobs(places):
    out = places / "out"
    with at_work(places, out) as process:
        children = children_of(process.pid)
        assert stop(process)[0] == 128 + signal.SIGINT
    assert not [child for child in children if Path("/proc", child).exists()]
    assert names(places) == ["a", "b"]
    assert empty(places)


@needs("fio")
def test_a_command_outlives_its_campaign(places, monkeypatch):
    monkeypatch.setattr(lock, "_PATIENCE_S", 0.2)
    out = places / "out"
    with at_work(places, out) as process:
        (child,) = children_of(process.pid)
        process.kill()
        process.wait()
        try:
            refused = measure("--resume", out)
        finally:
            os.kill(int(child), signal.SIGKILL)
    assert refused.returncode == 1
    assert "or a command of one that was killed" in refused.stderr
    monkeypatch.setattr(lock, "_PATIENCE_S", 10)  # the system takes a moment to end the command
    with ExitStack() as stack:
        for folder in (out, places / "a", places / "b"):
            lock.hold(folder, stack)


def test_resume_after_a_kill(places):
    out = places / "out"
    with running(places, 5, rounds=5) as process:
        process.kill()
        process.communicate()
    left = [places / folder / name for folder in "ab" for name in hidden(places / folder)]
    assert len(left) == 2
    assert ft.measure.campaign(out).status == "killed"
    before = {line["order"]: line for line in ran(out)}
    raw = {line["file"]: (out / line["file"]).read_bytes() for line in before.values()}

    done = measure("--resume", out)
    assert done.returncode == 0, done.stderr
    assert f"{len(before)} of 20 runs were done before" in done.stdout
    assert empty(places)
    assert {file: (out / file).read_bytes() for file in raw} == raw
    orders = [line["order"] for line in ran(out)]
    assert sorted(orders) == list(range(1, 21))  # 2 workloads, 2 places, 5 rounds; none twice
    assert {line["session"] for line in ran(out)} == {1, 2}
    campaign = ft.measure.campaign(out)
    assert campaign.status == "complete"
    assert len(campaign.results.io) == 20


def test_a_manifest_that_was_cut(places):
    out = places / "out"
    assert measure(*SMALL, *dirs(places), "--rounds", 1, "--output", out).returncode == 0
    manifest = out / "manifest.jsonl"
    whole = manifest.read_bytes().splitlines(keepends=True)
    # killed while the last run's line was written
    manifest.write_bytes(b"".join(whole[:-2]) + whole[-2][:40])
    assert len(ft.measure.campaign(out).plan.query("done")) == 3
    assert measure("--resume", out).returncode == 0
    assert [line["order"] for line in ran(out)] == [1, 2, 3, 4]
    # killed after the last run
    manifest.write_bytes(b"".join(manifest.read_bytes().splitlines(keepends=True)[:-1]))
    left = Path(next(line["path"] for line in log(out) if line["kind"] == "scratch"))
    (left / "deep").mkdir(parents=True)
    assert ft.measure.campaign(out).status == "killed"
    done = measure("--resume", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 of 4 runs were done before" in done.stdout
    assert empty(places)
    assert ft.measure.campaign(out).status == "complete"
    assert len(ran(out)) == 4


def test_two_at_once_in_one_folder(places, monkeypatch):
    monkeypatch.setattr(lock, "_PATIENCE_S", 0.2)
    out = places / "out"
    with running(places, 1) as process:
        process.send_signal(signal.SIGSTOP)  # it holds its folders all the same
        for other in (
            (*SMALL, "--dir", places / "b", "--output", places / "other"),
            ("--resume", out),
        ):
            refused = measure(*other)
            assert refused.returncode == 1
            assert "another campaign is at work in this folder" in refused.stderr
        assert not (places / "other").exists()
        assert process.poll() is None
        process.send_signal(signal.SIGCONT)
        assert stop(process)[0] == 128 + signal.SIGINT
    wait(lambda: names(places / "b") == [])
    alone = (*SMALL, "--dir", places / "b", "--rounds", 1, "--output", places / "other")
    assert measure(*alone).returncode == 0


def in_tmpfs(size, body, cwd):
    python = f"'{sys.executable}' -m fiotools measure"
    return in_namespace(
        f"set -e; mkdir place; mount -t tmpfs -o size={size} none place; set +e\n"
        f'measure() {{ {python} "$@"; echo "status $?"; }}\n{body}',
        cwd,
    )


def test_no_room_for_results(tmp_path):
    (tmp_path / "disk").mkdir()
    done = in_tmpfs(
        "4k", f"measure {' '.join(SMALL)} --dir disk --output place/out; ls -A place disk", tmp_path
    )
    assert done.stdout.endswith("status 1\ndisk:\n\nplace:\n")
    assert re.search("place/out.*(no room is left|No space left)", done.stderr)


def test_the_disk_is_full_in_the_middle(tmp_path):
    small = " ".join(SMALL)
    fill = """
        until grep -qs '"kind": "run"' out/manifest.jsonl; do sleep 0.02; done
        # again and again: what a run gives back before it writes is room for it
        until grep -qs '"status": "failed"' out/manifest.jsonl; do
            dd if=/dev/zero of=place/full bs=64k oflag=append conv=notrunc 2>/dev/null
        done
    """
    body = f"measure {small} --rounds 9999 --dir place --output out; wait; ls -A place"
    done = in_tmpfs("96m", f"({fill}) &\n{body}", tmp_path)
    assert done.stdout.endswith("status 1\nfull\n")
    assert "failed on place, round " in done.stderr
    assert "No space left on device" in done.stderr
    assert "--resume" in done.stdout
    assert log(tmp_path / "out")[-1]["status"] == "failed"
    kept = ran(tmp_path / "out")
    assert len(ft.read(tmp_path / "out").io) == len(kept) >= 1


def test_ctrl_c_in_a_terminal_and_again_and_again(places):
    """A terminal sends it to all its processes; impatient people press it repeatedly."""
    out = places / "out"
    with begun(
        *("small-files", *dirs(places), "--rounds", 99, "--output", out),
        until=lambda: any((places / "a").glob(".fiotools-*/unpack-*.tmp/tree")),
        apart=True,
    ) as process:
        while process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.01)
        said, complained = process.communicate()
    # one that comes when all is removed may end it first
    assert process.returncode in (128 + signal.SIGINT, -signal.SIGINT)
    assert "Traceback" not in said + complained
    assert empty(places)
    assert not out.exists() or ft.measure.campaign(out).status == "interrupted"


@pytest.mark.parametrize("late", ["", "(sleep 0.1; {}) & "])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_the_signal_of_a_campaign_kills_its_command(tmp_path, monkeypatch, number, late):
    """A command gets the signals of the terminal until it has a session of its own.

    The campaign itself may learn of one later, as one of its threads gets it.
    """

    class Looking(Watch):
        def check(self):
            super().check()
            (tmp_path / "looked").touch()

    monkeypatch.setattr(process, "_POLL_S", PATIENCE)
    ours = f"kill -{number:d} {os.getpid()}"
    kills = (late.format(ours) or f"{ours}; ") + f"kill -{number:d} $$"
    command = ["sh", "-c", f"until [ -e looked ]; do :; done; {kills}"]
    nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with Looking() as watch, pytest.raises(ft.measure.Interrupted, match=number.name):
        process.run(command, folder=tmp_path, watch=watch, **nowhere)


WAIT = 'until grep -qs \'"kind": "run"\' out/manifest.jsonl; do sleep 0.02; done'


def test_another_file_system_hides_the_place_in_the_middle(tmp_path):
    small = " ".join(SMALL)
    body = f"""
        ({WAIT}; mount -t tmpfs none place) &
        measure {small} --rounds 8 --dir place --output out; wait
        umount place; echo "$(ls -A place | wc -l) left"
        umount place; measure --resume out
        mount -t tmpfs -o size=96m none place; measure --resume out; ls -A place
    """
    done = in_tmpfs("96m", body, tmp_path)
    assert "was removed or replaced while place ran" in done.stderr
    assert "in a file system that is no longer mounted at" in done.stdout
    assert "1 left" in done.stdout.splitlines()
    assert "mount it as it was, or begin a new campaign" in done.stderr
    assert re.findall(r"^status (\d)$", done.stdout, re.M) == ["1", "1", "0"]
    assert done.stdout.endswith("status 0\n")
    assert ft.measure.campaign(tmp_path / "out").status == "complete"


def test_the_output_is_full_in_the_middle(tmp_path):
    """The campaign can be read, and resumed when there is room, whatever the last line was."""
    (tmp_path / "disk").mkdir()
    body = f"""
        ({WAIT.replace("out/", "place/out/")}
         while ! dd if=/dev/zero of=place/full bs=1k count=99999 2>&1 | grep -q full; do :; done) &
        measure {" ".join(SMALL)} --rounds 8 --dir disk --output place/out; wait; ls -A disk
        rm place/full; echo again; measure --resume place/out; ls -A disk
        cp -r place/out kept
    """
    done = in_tmpfs("12m", body, tmp_path)
    first, _, again = done.stdout.partition("again\n")
    assert first.endswith("status 1\n")
    assert "no room is left" in done.stderr or "No space left" in done.stderr
    assert again.endswith("status 0\n")
    kept = ft.measure.campaign(tmp_path / "kept")
    assert kept.status == "complete"
    assert len(kept.results.io) == 16
