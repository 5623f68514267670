"""Small results for the tests of datasets, and what lies in a folder."""

import hashlib

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


def data_files(folder):
    """Give the hash of every file of a dataset that counts, manifest and all."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "_lock"
    }


def stamps(folder):
    """Give the identity of each file, which another file of the same bytes would not have."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*.parquet"))
    }
