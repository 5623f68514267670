"""A campaign's folder: the manifest and the raw outputs, none of which is ever half.

The manifest has one JSON object a line: what was planned, on what, and each run as it ended. A line
is on the disk before anything follows it, so an interruption loses at most the current run. A last
line that was cut off is dropped. Kinds of lines: ``campaign`` (the plan, once), ``session`` (the
machine, the places and the tools, at each start), ``scratch`` (a folder that is about to be made),
``run`` and ``end``.

Nothing outside of the folder is written: links in it are replaced, and never followed. `Campaign`
is such a folder opened: its plan, its labelled results, and its evidence for `check`.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from fiotools.errors import MeasureError, argument
from fiotools.files import digest
from fiotools.files.atomic_write import sync_folder
from fiotools.measure.experiments import Experiment, experiment_named
from fiotools.measure.machine import stays_in_memory
from fiotools.measure.places import refused
from fiotools.measure.plan import CampaignPlan, PlannedRun, plan_from

if TYPE_CHECKING:
    import pandas as pd

    from fiotools.tables.results import Results

NAME = "manifest.jsonl"
FORMAT = 1
_LEAST = 4 * 2**20  # bytes free, for one raw output

Line = dict[str, Any]


def now() -> str:
    """Return the time as in the manifest: ``2026-11-21T09:30:00.000Z``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Manifest:
    """Appends to the manifest of a folder; links are not followed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        flags = os.O_CREAT | os.O_RDWR | os.O_APPEND
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with refused(self.path):
            self._handle = os.open(self.path, flags, 0o644)
        # cut off a line that a kill or a full disk left unfinished
        with os.fdopen(os.dup(self._handle), "rb") as file:
            file.seek(0)
            os.ftruncate(self._handle, file.read().rfind(b"\n") + 1)
        sync_folder(folder)

    def write(self, kind: str, facts: Mapping[str, Any]) -> Line:
        """Write a line, and wait until it is on the disk."""
        line = {"kind": kind, **facts}
        data = json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"
        whole = os.fstat(self._handle).st_size
        try:
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, whole)  # no line follows half a line
            raise MeasureError(f"{self.path}: {error.strerror}") from None
        return line

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)


def lines(folder: Path) -> list[Line]:
    """Read the manifest of a folder; refuse one that is damaged before its last line."""
    path = folder / NAME
    with refused(path, f"; a campaign's folder holds the {NAME} of its runs"):
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    found = []
    whole = text.split("\n")
    for number, one in enumerate(whole[:-1], 1):  # after the last end of line: nothing, or half
        try:
            line = json.loads(one)
        except ValueError:
            line = None
        if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
            raise MeasureError(f"{path}:{number}: not a line of a manifest")
        found.append(line)
    if not found or found[0]["kind"] != "campaign":
        raise MeasureError(f"{path}: does not begin with a campaign")
    if found[0].get("format") != FORMAT:
        raise MeasureError(
            f"{path}: format {found[0].get('format')!r} of another version of fiotools; "
            f"this one knows {FORMAT}"
        )
    return found


def results_folder(output: str | os.PathLike[str] | None, experiment: str) -> Path:
    """Return the folder of the results: a new one, an empty one, or a campaign's."""
    if output is None:
        stem = f"{experiment}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        names = (stem, *(f"{stem}-{number}" for number in range(2, 100)))
        output = next(name for name in names if not Path(name).exists())
    with refused(output):
        folder = Path(output).resolve()
        fits = not folder.exists() or (folder / NAME).is_file() or not any(folder.iterdir())
    if not fits:
        raise MeasureError(
            f"{folder} holds other files: results go to a new or an empty folder, "
            f"{argument('output')}"
        )
    if {*"*?[]{}"} & {*str(folder)}:
        raise MeasureError(
            f"{folder}: * ? [ ] {{ }} have a meaning for fiotools.read: choose another name"
        )
    return folder


@dataclass(frozen=True)
class Raw:
    """A raw output while it is written."""

    path: Path  # its name when it is whole
    part: Path  # its name before
    stdout: BinaryIO
    stderr: BinaryIO  # the same file for a transcript

    def said(self) -> str:
        """Return the end of stderr, or of the transcript."""
        self.stderr.seek(0)
        return self.stderr.read()[-4000:].decode("utf-8", "replace").strip()

    def keep(self) -> int:
        """Flush and rename it; return its size."""
        size = os.fstat(self.stdout.fileno()).st_size
        try:
            os.fsync(self.stdout.fileno())
        except OSError as error:  # an open file does not tell its name
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self.stdout.close()  # Windows renames no open file
        self.part.replace(self.path)
        sync_folder(self.path.parent)
        return size


@contextmanager
def raw_output(folder: Path, name: str, head: str) -> Iterator[Raw]:
    """Open a raw output; ``head`` is the first line of a transcript.

    It is removed at the end if it was not kept.
    """
    # a tool may end well though its report found no room
    if shutil.disk_usage(folder).free < _LEAST:
        raise MeasureError(f"{folder}: no room is left for the results")
    part = folder / f".{name}.part"
    with ExitStack() as stack:
        stdout = stack.enter_context(_hidden(part))
        stdout.write(head.encode())
        errors = folder / f".{name}.err.part"
        errors.unlink(missing_ok=True)
        stderr = stdout if head else stack.enter_context(_hidden(errors))
        yield Raw(folder / name, part, stdout, stderr)


@contextmanager
def _hidden(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that is removed at the end."""
    with refused(path):
        path.unlink(missing_ok=True)  # of a killed campaign
        file = path.open("x+b", buffering=0)
    try:
        yield file
    finally:
        file.close()
        path.unlink(missing_ok=True)


# columns of the manifest, beside the labels of a run
_RUN = (
    *("started_at", "seconds", "command", "resident_pct", "load_1min"),
    *("session", "bytes", "sha256"),
)


@dataclass(frozen=True)
class Campaign:
    """A folder of results with its manifest.

    Attributes
    ----------
    folder : Path
    asked : CampaignPlan
        What it was asked to do.
    log : list of dict
        The manifest, line by line.
    """

    folder: Path
    asked: CampaignPlan
    log: list[Line]

    def __repr__(self) -> str:
        done = f"{len(self.done)} of {len(self.wanted)} runs"
        return f"<Campaign {self.asked.experiment}: {done}, {self.status}>"

    @property
    def experiment(self) -> Experiment:
        """The procedure of its runs."""
        return experiment_named(self.asked.experiment)

    @property
    def template(self) -> str:
        """The path template that `fiotools.read` takes."""
        return f"{self.folder.as_posix()}/{self.asked.template}"

    @property
    def status(self) -> str:
        """How it ended: complete, settled, interrupted, out of time, failed, or killed."""
        return str(self.log[-1]["status"]) if self.log[-1]["kind"] == "end" else "killed"

    @property
    def places(self) -> pd.DataFrame:
        """A row per place: file system, mount options, device, room."""
        import pandas as pd  # who only measures does not wait for it

        return pd.DataFrame(self.session["places"])

    @property
    def sessions(self) -> list[Line]:
        """Its starts: when, on what machine, with which tools, on which places."""
        return [line for line in self.log if line["kind"] == "session"]

    @property
    def session(self) -> Line:
        """The last start."""
        if not self.sessions:
            raise MeasureError(f"{self.folder / NAME}: the campaign never began")
        return self.sessions[-1]

    @cached_property
    def done(self) -> dict[int, Line]:
        """The runs that ended well and whose raw output is unchanged: their lines by order."""
        ended = {line["order"]: line for line in self.log if line["kind"] == "run"}
        return {
            order: line
            for order, line in ended.items()
            if _digest(self.folder / line["file"]) == line["sha256"]
        }

    @property
    def wanted(self) -> list[PlannedRun]:
        """The planned runs without those that the places refused."""
        left_out = {tuple(pair) for line in self.sessions[-1:] for pair in line["left_out"]}
        return [run for run in self.asked.runs() if (run.place, run.workload) not in left_out]

    @property
    def missing(self) -> list[PlannedRun]:
        """The wanted runs that are not done."""
        return [run for run in self.wanted if run.order not in self.done]

    @cached_property
    def plan(self) -> pd.DataFrame:
        """A row per run, in order, with whether it is done, and when and how."""
        import pandas as pd

        rows = []
        for run in self.asked.runs():
            line = self.done.get(run.order)
            labels = dict(zip(self.asked.fields, run.workload.split("_"), strict=True))
            row = {"order": run.order, "place": run.place, **labels, "round": run.round}
            row |= {"file": run.file, "done": line is not None}
            row |= {name: (line or {}).get(name) for name in _RUN}
            rows.append(row)
        frame = pd.DataFrame(rows)
        frame["started_at"] = pd.to_datetime(frame["started_at"], utc=True)
        return frame

    @cached_property
    def results(self) -> Results:
        """The results of the finished runs, with ``place``, the workload's labels and ``round``.

        Commands and start times are the manifest's if the raw output has none.
        """
        from fiotools.input.read import read

        if not self.plan["done"].any():
            raise MeasureError(f"{self.folder}: no run is done")
        results = read(self.template)
        own = self.plan[self.plan["done"]]
        own = own.set_index(f"{self.folder.as_posix()}/" + own["file"])
        heads = results.runs
        for name in ("started_at", "command"):
            told = heads["source"].map(own[name]).astype(heads[name].dtype)
            heads[name] = heads[name].where(heads[name].notna(), told)
        return results


def campaign(folder: str | os.PathLike[str]) -> Campaign:
    """Open the folder of a campaign.

    Parameters
    ----------
    folder : path

    Returns
    -------
    Campaign
        Its ``results`` are the raw outputs as `fiotools.read` reads them, its ``plan`` is a row per
        run.

    Raises
    ------
    MeasureError
        If the folder has no manifest, or a damaged one.

    Examples
    --------
    >>> import fiotools as ft
    >>> c = ft.measure.campaign("random-io-20261121-093000")  # doctest: +SKIP
    >>> ft.compare(c.results.io, "iops", between="place", baseline="ssd", by="workload")
    ... # doctest: +SKIP
    """
    path = Path(folder)
    log = lines(path)
    try:
        plan = plan_from(log[0]["plan"])
        experiment_named(plan.experiment)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MeasureError(f"{path / NAME}:1: not a plan ({error})") from None
    return Campaign(path, plan, log)


def campaign_at(folder: Path, plan: CampaignPlan) -> Campaign:
    """Open the folder of a campaign whose plan is known, and which may not have begun."""
    return Campaign(folder, plan, lines(folder) if (folder / NAME).exists() else [])


def _digest(file: Path) -> str | None:
    """Return the digest of a file; None for a link or a file that cannot be read."""
    with suppress(OSError):
        if stat.S_ISREG(file.lstat().st_mode):
            return digest(file)
    return None


_CABLES = ("nvme", "sata", "sas", "usb", "mmc")


def known(campaign: Campaign, place: str | None = None) -> dict[str, Any]:
    """Return the arguments of `fiotools.check` that a campaign knows.

    Only what is certain: /sys of a guest shows the host's inventions, so neither medium nor link is
    taken from there.

    Parameters
    ----------
    campaign : Campaign
    place : str, optional
        Without it, only what holds for all places.

    Returns
    -------
    dict
        The known ones of ``ram``, ``host_ram``, ``media``, ``link``, ``moved`` and ``prefilled``.

    Examples
    --------
    >>> import fiotools as ft
    >>> c = ft.measure.campaign("random-io-20261121-093000")  # doctest: +SKIP
    >>> ft.check(c.results, **ft.measure.known(c))  # doctest: +SKIP
    """
    places = campaign.session["places"]
    names = [one["name"] for one in places]
    if place is not None and place not in names:
        raise MeasureError(f"there is no place {place!r}; there are: {', '.join(names)}")
    chosen = [one for one in places if place in (None, one["name"])]
    machine = campaign.session["machine"]
    found: dict[str, Any] = {}
    if machine["ram_bytes"] is not None:
        found["ram"] = machine["ram_bytes"]
    if machine["is_guest"] is False and all(_is_bare(one) for one in chosen):
        found["host_ram"] = 0
    told = [_of_place(one, guest=machine["is_guest"] is not False) for one in chosen]
    found |= {
        name: value
        for name, value in told[0].items()
        if all(one.get(name) == value for one in told)
    }
    plan = campaign.asked
    if plan.experiment == "page-cache":
        found["moved"] = plan.size_bytes
    if campaign.experiment.reads_data:
        found["prefilled"] = True
    return found


def _of_place(facts: Mapping[str, Any], *, guest: bool) -> dict[str, Any]:
    if stays_in_memory(facts):
        return {"media": "ram"}
    device = facts["device"]
    if device is None or guest:
        return {}
    found = {}
    transport, rotational = device["transport"], device["rotational"]
    if transport == "nvme":
        found["media"] = "nvme"
    elif transport == "sata" and rotational is not None:
        # a disk on USB that is said to rotate may be an SSD whose case does not tell
        found["media"] = "hdd" if rotational else "sata-ssd"
    if device["link"]:
        found["link"] = device["link"]
    return found


def _is_bare(facts: Mapping[str, Any]) -> bool:
    """Whether it is certain that no memory but the disk's own lies below.

    A server has a cache, and a loop device's file is in this machine's, unless it bypasses that.
    """
    if stays_in_memory(facts):
        return True
    device = facts["device"] or {}
    below = device.get("backing")
    if below is not None:
        return bool(below["is_direct"]) and _is_bare(below)
    return device.get("transport") in _CABLES
