"""Run the tools that are installed, in each form of their output, and read every output strictly.

A weekly job runs it with the newest versions (``.github/workflows/formats.yml``), so that a new
form is seen before people bring it. ``python -m tools.variants`` runs it here; a tool that is
absent is skipped, and the reason is printed. ``--need fio --need hyperfine`` counts an absent tool
as an error, and ``--keep FOLDER`` keeps the outputs.

Strictly: exactly one reader claims the output, and it is the expected one; no file is refused; the
run is ok; the reader has no doubt; and the numbers that the form has are there.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import fiotools as ft
from fiotools.readers import opened, readers

_PATIENCE_S = 120
_FIO = (
    "{tool} --name=job --filename=data --size=4m --bs=4k --ioengine=psync --rw=randrw --eta=never"
)
_LOGS = "x_[!s]*.log"  # an engine that waits for each I/O has no slat
_DATA = "if=/dev/zero of=data bs=64k count=64"


@dataclass(frozen=True)
class Variant:
    """A form of the output of a tool.

    Attributes
    ----------
    tool : str
    name : str
    command : str
        A line for the shell; ``{tool}`` is the tool as it is called here.
    output : str
        The file in which the output is, as a pattern: ``out`` holds stdout and ``err`` stderr.
    format : str
        The reader that claims it.
    table, column : str
        What the form has, at least.
    noted : str
        The code of a doubt that the form always raises.
    """

    tool: str
    name: str
    command: str
    output: str
    format: str
    table: str
    column: str
    noted: str = ""


def _fio() -> Iterator[Variant]:
    for form in ("json", "json+"):
        yield Variant(
            *("fio", form, f"{_FIO} --output-format={form}", "out"),
            *("fio_json", "io", "iops"),
        )
    yield Variant("fio", "words", _FIO, "out", "fio_normal", "io", "iops")
    both = f"{_FIO} --output-format=normal,json"
    yield Variant("fio", "words and json", both, "out", "fio_json", "io", "iops")
    for version in (2, 3, 4, 5):
        terse = f"{_FIO} --output-format=terse --terse-version={version}"
        yield Variant("fio", f"terse {version}", terse, "out", "fio_terse", "io", "iops")
    group = f"{_FIO} --numjobs=3 --group_reporting --output-format=json+"
    yield Variant("fio", "group", group, "out", "fio_json", "jobs", "cpu_per_io_s")
    unified = f"{_FIO} --unified_rw_reporting=both --output-format=json"
    yield Variant("fio", "unified", unified, "out", "fio_json", "io", "iops")
    slow = f"{_FIO} --rate_iops=300 --runtime=3 --time_based"
    interval = f"{slow} --status-interval=1 --output-format=json"
    form = ("fio", "status interval", interval, "out", "fio_json", "samples", "value")
    yield Variant(*form, noted="repeats")
    logs = f"{_FIO} --write_lat_log=x --write_bw_log=x --write_iops_log=x"
    yield Variant("fio", "logs", logs, _LOGS, "fio_log", "samples", "value")
    averaged = f"{slow} --log_avg_msec=500 --write_lat_log=x --write_bw_log=x"
    yield Variant("fio", "averaged logs", averaged, _LOGS, "fio_log", "samples", "value")
    histograms = f"{slow} --write_hist_log=x --log_hist_msec=500"
    yield Variant("fio", "histograms", histograms, "x_*.log", "fio_hist_log", "bins", "count")


def _hyperfine() -> Iterator[Variant]:
    two = "{tool} --runs 3 -N 'sleep 0.02' 'sleep 0.03'"
    for form, suffix, column in (
        ("json", "json", "real_s"),
        ("csv", "csv", "real_mean_s"),
        ("markdown", "md", "real_mean_s"),
    ):
        command = f"{two} --export-{form} x.{suffix} >/dev/null"
        yield Variant("hyperfine", form, command, f"x.{suffix}", "hyperfine", "timings", column)
    shown = f"{two} --style basic 2>/dev/null"
    yield Variant("hyperfine", "terminal", shown, "out", "hyperfine", "timings", "real_mean_s")
    one = "{tool} --runs 1 -N 'sleep 0.02' --export-json x.json >/dev/null"
    yield Variant("hyperfine", "one run", one, "x.json", "hyperfine", "timings", "real_s")
    swept = "{tool} --runs 2 -P n 1 3 'sleep 0.0{{n}}' --export-json x.json >/dev/null"
    yield Variant("hyperfine", "parameters", swept, "x.json", "hyperfine", "settings", "text")


def _dd(tool: str, *options: str, table: str, column: str) -> Iterator[Variant]:
    for option in (_DATA, *(f"{_DATA} {option}" for option in options), *_BLOCKS):
        name = f"dd {option.removeprefix(_DATA).strip()}".strip()
        yield Variant(tool, name, f"{{tool}} dd {option}", "err", "dd", table, column)


# so few bytes that they are printed without a prefix, or with one that differs
_BLOCKS = tuple(f"if=/dev/zero of=data bs={size} count=100" for size in (1, 100, 10000))


def _busybox() -> Iterator[Variant]:
    # as it is built, it may print no more than the records
    yield from _dd("busybox", "conv=fsync", table="extras", column="text")
    for option in ("", "-p", "-v"):
        command = f"{{tool}} time {option} sleep 0.1"
        yield Variant("busybox", f"time {option}".strip(), command, "err", "time", *_REAL)


_REAL = ("timings", "real_s")


VARIANTS = (
    *_fio(),
    *_hyperfine(),
    *_dd("uutils", "status=progress", "conv=fdatasync", table="io", column="io_bytes"),
    *_busybox(),
)
# how each tool is called: the first that is there
_CALLED = {
    "fio": ("fio",),
    "hyperfine": ("hyperfine",),
    "uutils": ("uutils-coreutils", "coreutils"),
    "busybox": ("busybox",),
}


def called(tool: str) -> str | None:
    """Return how a tool is called here; None if it is absent."""
    for name in _CALLED[tool]:
        path = shutil.which(name)
        if path is None:
            continue
        # GNU's has that name, too
        if tool != "uutils" or "(multi-call binary)" in _said(path, "--help"):
            return path
    return None


def version(tool: str, path: str) -> str:
    """Return the line of a tool's output that says its version."""
    for option in ("--version", "--help"):
        for line in _said(path, option).splitlines():
            if any(letter.isdecimal() for letter in line):
                return line.strip()
    return "unknown version"


def _said(*command: str) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def problems(variant: Variant, path: str, folder: Path) -> list[str]:
    """Run a variant in a folder, and say what is wrong with reading its output."""
    line = variant.command.format(tool=shlex.quote(path))
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        status = subprocess.run(
            ["sh", "-c", line],
            cwd=folder,
            stdout=out,
            stderr=err,
            env={**os.environ, "LC_ALL": "C"},
            timeout=_PATIENCE_S,
            check=False,
        ).returncode
    if status:
        said = (folder / "err").read_text(encoding="utf-8", errors="replace").strip()[-200:]
        return [f"exit status {status}: {said}"]
    files = sorted(folder.glob(variant.output))
    if not files:
        return [f"it wrote no {variant.output}"]
    return [f"{file.name}: {one}" for file in files for one in unread(variant, file)]


def unread(variant: Variant, file: Path) -> Iterator[str]:
    """Say what is wrong with reading an output."""
    document = opened(str(file), file.read_bytes())
    claims = [reader.name for reader in readers() if reader.sniff(document)]
    if claims != [variant.format]:
        yield f"claimed by {', '.join(claims) or 'no reader'} instead of {variant.format}"
        return
    try:
        results = ft.read(file)
    except ft.FiotoolsError as error:
        yield str(error)
        return
    for note in results.notes.query("severity != 'info'").itertuples():
        if note.code == variant.noted:
            continue
        yield f"line {note.line}: {note.message}"
    if (bad := set(results.runs["status"]) - {"ok"}) or results.runs.empty:
        yield f"status {', '.join(bad) or 'of no run'}"
    table = results.tables[variant.table]
    if table.empty or not table[variant.column].notna().all():
        yield f"{variant.table}.{variant.column} is missing"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all variants; return 1 if one was not read."""
    parser = argparse.ArgumentParser(prog="python -m tools.variants", description=__doc__)
    parser.add_argument("--need", action="append", default=[], choices=[*_CALLED])
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args(arguments)
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        for tool in _CALLED:
            path = called(tool)
            if path is None:
                is_needed = tool in asked.need
                wrong += is_needed
                print(f"{'MISSING' if is_needed else 'skipped'}  {tool}: it is not installed")
                continue
            print(f"{tool}: {version(tool, path)}")
            for number, variant in enumerate(one for one in VARIANTS if one.tool == tool):
                folder = (asked.keep or Path(temporary)).resolve() / f"{tool}-{number}"
                folder.mkdir(parents=True)
                found = problems(variant, path, folder)
                wrong += bool(found)
                print(f"  {'WRONG' if found else 'ok   '}  {variant.name}")
                for one in found:
                    print(f"         {one}")
                (folder / "data").unlink(missing_ok=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
