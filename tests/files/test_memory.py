"""What does not fit into the memory is refused before it is read, and the rest is read."""

import gzip
import subprocess
import sys

import pytest

import fiotools as ft
from fiotools.files import memory

REPORT = "1+0 records in\n1+0 records out\n512 bytes copied, {} s, 512 B/s\n"
GIB = 1 << 30
linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say what is free")
LIMITED = """
import resource, sys
import fiotools as ft
import fiotools.input.read
ft.reads(sys.argv[2]).io  # the threads of polars have their addresses, and pandas is there
with open("/proc/self/statm") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
limit = taken + int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    print(len(ft.read(sys.argv[1], errors="raise").io))
except ft.ReadErrors as error:
    print(len(error.results.io), error.failures)
"""


@pytest.fixture
def folder(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(REPORT.format(1.5 + number))
    return tmp_path


def machine(monkeypatch, tmp_path, available, group=None, swap=0):
    proc, cgroup = tmp_path / "proc", tmp_path / "cgroup"
    (proc / "self").mkdir(parents=True)
    (cgroup / "a" / "b").mkdir(parents=True)
    (proc / "meminfo").write_text(
        f"MemTotal: {64 << 20} kB\nMemAvailable: {available >> 10} kB\nSwapFree: {swap >> 10} kB\n"
    )
    (proc / "self" / "statm").write_text("100000 1000 1 1 0 1 0\n")
    (proc / "self" / "cgroup").write_text("0::/a/b\n")
    (cgroup / "a" / "b" / "memory.max").write_text("max\n")
    if group is not None:
        (cgroup / "a" / "memory.max").write_text(f"{group}\n")
    monkeypatch.setattr(memory, "_PROC", proc)
    monkeypatch.setattr(memory, "_CGROUP", cgroup)


@linux
def test_what_is_free(monkeypatch, tmp_path):
    machine(monkeypatch, tmp_path / "plain", 8 * GIB)
    assert memory.free() == 8 * GIB
    machine(monkeypatch, tmp_path / "swap", 8 * GIB, swap=GIB)
    assert memory.free() == 9 * GIB
    machine(monkeypatch, tmp_path / "group", 8 * GIB, group=GIB)
    assert memory.free() == GIB - 1000 * 4096
    assert memory.memory() == (GIB, GIB)
    memory.refuse_too_large(GIB // 4)
    with pytest.raises(MemoryError):
        memory.refuse_too_large(GIB // 2)
    monkeypatch.setattr(memory, "_PROC", tmp_path / "nowhere")
    assert memory.free() is None
    memory.refuse_too_large(1 << 60)


@linux
@pytest.mark.parametrize("name", ["big_lat.1.log", "big.json.gz"])
def test_a_large_file_among_others(monkeypatch, folder, tmp_path_factory, name):
    """Its size tells, or that of what was unpacked so far."""
    text = b"1, 2, 0, 4096, 0\n" * 4_000_000
    data = gzip.compress(text, 1) if name.endswith(".gz") else text
    (folder / name).write_bytes(data)
    machine(monkeypatch, tmp_path_factory.mktemp("machine"), 100 << 20)
    with pytest.raises(ft.ReadErrors) as caught:
        ft.read(folder, errors="raise")
    (failure,) = caught.value.failures
    assert failure.path == (folder / name).as_posix()
    assert failure.reason.startswith("is too large for the memory here: it has ")
    assert failure.reason.endswith(", and 105 MB are free")
    assert "ft.scan" in failure.remedy
    assert len(caught.value.results.io) == 3
    with pytest.raises(ft.FileError, match="too large for the memory here"):
        ft.read(folder / name)


def test_a_file_that_is_larger_than_any_memory(folder):
    """What fio wrote to is not a failure of the folder that it lies in, however large it is."""
    for name, content in (("big_lat.1.log", b"1, 2, 0, 4096, 0\n" * 4000), ("testfile", b"")):
        with (folder / name).open("wb") as file:
            file.write(content)
            try:
                file.truncate(1 << 43)
            except OSError:
                pytest.skip("no file may have 8 TiB here")
    with pytest.raises(ft.ReadErrors) as caught:
        ft.read(folder, errors="raise")
    (failure,) = caught.value.failures
    assert failure.path == (folder / "big_lat.1.log").as_posix()
    results = caught.value.results
    assert len(results.io) == 3
    assert results.notes["message"].str.contains("this is a binary file").sum() == 1
    (refusal,) = ft.convert(folder, folder / "ds").refusals
    assert "ft.scan" in refusal.remedy


@linux
@pytest.mark.parametrize(("room", "is_read"), [(2 * GIB, True), (200 << 20, False)])
def test_a_limit_of_addresses(folder, room, is_read):
    """Where a system gives no more, allocators of Rust end the program, and tell nobody the file."""
    (folder / "big_lat.1.log").write_bytes(b"1, 2, 0, 4096, 0\n" * 1_500_000)
    command = [sys.executable, "-c", LIMITED, folder, REPORT.format(1), room]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3")
    assert ("big_lat.1.log: is too large for the memory here" not in done.stdout) == is_read
