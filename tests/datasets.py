"""Small results for the tests of datasets, and what lies in a folder."""

import pytest
from polars.testing import assert_frame_equal

import fiotools as ft
from fiotools import dataset

DD = "{n}+0 records in\n{n}+0 records out\n{size} bytes copied, {seconds} s\n"


def write_results(folder, count, start=0):
    """Write reports of dd, each of another run; they are as old as any file that nobody touches."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(start, start + count):
        write_result(folder / f"run-{number:04}.txt", number)
    return folder


def write_result(path, number):
    n = 1000 + number
    # seven digits of a time each, or else two of them might be taken for one run
    seconds = f"{n / 1000 + number**2 / 1e6:.6f}"
    path.write_text(DD.format(n=n, size=n * 1_000_000, seconds=seconds), encoding="utf-8")


def stamps(folder):
    """Give the identity of each file, which another file of the same bytes would not have."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*.parquet"))
    }


def same_rows(path, sources):
    """Compare a dataset with what `read` gives; files that came later stand behind the others."""
    expected = ft.read(sources, errors="note").to_polars()
    for table, rows in ft.open_dataset(path).read().to_polars().items():
        keys = [name for name in ("source", "run", "entry", "message") if name in rows.columns]
        both = (one.sort(keys, maintain_order=True) for one in (rows, expected[table]))
        assert_frame_equal(*both)


@pytest.fixture
def small_batches(monkeypatch):
    """Have batches of ten files at most."""
    monkeypatch.setattr(dataset, "_FILES", 10)
