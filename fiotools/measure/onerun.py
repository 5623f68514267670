"""One run: its command, its raw output, which can be read, and its line in the manifest."""

from __future__ import annotations

import hashlib
import os
import shlex
import signal
import time
from pathlib import Path
from typing import Any

from fiotools.errors import FileError, FiotoolsError, MeasureError
from fiotools.measure import process, resident, words
from fiotools.measure.experiments.base import WRITTEN
from fiotools.measure.manifest import now
from fiotools.measure.output import Raw
from fiotools.measure.plan import Run
from fiotools.measure.scratch import Scratch
from fiotools.measure.work import Work


def do(work: Work, run: Run) -> None:
    """Do one run, and keep what it printed.

    Raises
    ------
    MeasureError, OSError, Interrupted, OutOfTimeError
    """
    scratch = work.stage.scratch[run.place]
    scratch.check()
    try:
        _do(work, run, scratch)
    except (OSError, MeasureError):
        scratch.check()  # where the place is gone, that is the reason
        raise


def _do(work: Work, run: Run, scratch: Scratch) -> None:
    command = work.experiment.command(run.workload, run.round, work.plan, work.stage)
    head = "" if command.shown is None else f"$ {command.shown}\n"
    if hasattr(os, "sync"):
        os.sync()  # so that no run pays for the writing of another
    read = work.experiment.before(run.workload, run.round, scratch)
    share = None if read is None else resident.share_pct(read)
    told: dict[str, Any] = {
        **{name: getattr(run, name) for name in ("order", "place", "workload", "round")},
        "file": run.file,
        "command": command.shown or shlex.join(command.argv),
        "argv": command.argv,
        "session": work.number,
        "resident_pct": share,
        "load_1min": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }
    raw = Raw(work.folder, run.file, head)
    random = [] if work.stage.random is None else [work.stage.random]
    try:
        told["started_at"], began = now(), time.perf_counter()
        status = process.run(
            command.argv,
            folder=scratch.path / command.folder,
            stdout=raw.handle,
            stderr=raw.errors,
            watch=work.watch,
            inherit=[*work.locks, *random],
        )
        told["seconds"] = round(time.perf_counter() - began, 6)
        said = raw.said()
        wrong = _exit(status) if status else _unreadable(raw.part, *work.experiment.metric)
        if wrong is not None:
            raise MeasureError(
                f"{_tool(command.argv)} failed on {run.place} ({wrong}), workload {run.workload}, "
                f"round {run.round}:\n{said}"
            )
        scratch.check()
        (scratch.path / WRITTEN).unlink(missing_ok=True)
        told["stderr"] = "" if head else said
        told["sha256"] = hashlib.sha256(raw.part.read_bytes()).hexdigest()
        told["bytes"] = raw.keep()
        try:
            work.manifest.write("run", told)
        except MeasureError:
            raw.path.unlink()  # no output is there that the manifest does not have
            raise
    finally:
        raw.drop()
    expected = work.experiment.expected_pct(run.workload)
    # that nothing in memory is ever cold was said before
    if share is not None and abs(share - expected) > 5 and not scratch.place.is_memory:
        remark = words.unlike(run.place, run.workload, share, expected)
        work.unlike.setdefault((run.place, run.workload), remark)


def _exit(status: int) -> str:
    """Say how a command ended that did not end well."""
    if status > 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def _unreadable(part: Path, table: str, metric: str) -> str | None:
    """Say why a raw output is none that can be read: a tool may end well and print something else.

    Read at once, and not when the campaign is over: all other runs would be in vain.
    """
    from fiotools.reading import read

    try:
        frame = getattr(read(part, tables=(table,)), table)
    except FileError as error:
        return error.reason
    except FiotoolsError as error:
        return str(error)
    return None if frame[metric].notna().any() else f"its output has no {metric}"


def _tool(argv: tuple[str, ...]) -> str:
    """Name what was run: of a script, the tool in it."""
    return argv[-1].removeprefix("time ") if argv[0] == "bash" else argv[0]
