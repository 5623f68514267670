"""A campaign that was run: its plan, its labelled results, and its evidence for `check`."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiotools.errors import MeasureError
from fiotools.measure.experiments import experiment_named
from fiotools.measure.machine import MEMORY
from fiotools.measure.output import NAME, Line, lines
from fiotools.measure.plan import Plan, Run, plan_from

if TYPE_CHECKING:
    import pandas as pd

    from fiotools.tables.results import Results

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
    asked : Plan
        What it was asked to do.
    log : list of dict
        The manifest, line by line.
    """

    folder: Path
    asked: Plan
    log: list[Line]

    def __repr__(self) -> str:
        done, total = len(finished(self.folder, self.log)), len(wanted(self.asked, self.log))
        return f"<Campaign {self.asked.experiment}: {done} of {total} runs, {self.status}>"

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
    def session(self) -> Line:
        """The last start: when, on what machine, with which tools, on which places."""
        found = [line for line in self.log if line["kind"] == "session"]
        if not found:
            raise MeasureError(f"{self.folder / NAME}: the campaign never began")
        return found[-1]

    @cached_property
    def plan(self) -> pd.DataFrame:
        """A row per run, in order, with whether it is done, and when and how."""
        import pandas as pd

        ended = finished(self.folder, self.log)
        rows = []
        for run in self.asked.runs():
            line = ended.get(run.order)
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
        prefix = self.folder.as_posix()
        heads = results.runs
        for name in ("started_at", "command"):
            told = dict(zip(prefix + "/" + own["file"], own[name], strict=True))
            values = heads["source"].map(told).astype(heads[name].dtype)
            heads[name] = heads[name].where(heads[name].notna(), values)
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
    >>> c = ft.campaign("random-io-20261121-093000")  # doctest: +SKIP
    >>> ft.compare(c.results.io, "iops", between="place", baseline="ssd", by="workload")
    ... # doctest: +SKIP
    """
    path = Path(folder)
    log = lines(path)
    return Campaign(path, asked(path, log), log)


def asked(folder: Path, log: list[Line]) -> Plan:
    """Return the plan at the beginning of a manifest."""
    try:
        plan = plan_from(log[0]["plan"])
        experiment_named(plan.experiment)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MeasureError(f"{folder / NAME}:1: not a plan ({error})") from None
    return plan


def wanted(plan: Plan, log: list[Line]) -> list[Run]:
    """Return the runs of a plan without those that the places refused."""
    sessions = [line for line in log if line["kind"] == "session"]
    left_out = {tuple(pair) for pair in sessions[-1]["left_out"]} if sessions else set()
    return [run for run in plan.runs() if (run.place, run.workload) not in left_out]


def finished(folder: Path, log: list[Line]) -> dict[int, Line]:
    """Return the runs that ended well and whose raw output is unchanged, by their order."""
    planned = {line["order"]: line for line in log if line["kind"] == "run"}
    return {
        order: line
        for order, line in planned.items()
        if _digest(folder / line["file"]) == line["sha256"]
    }


def _digest(file: Path) -> str | None:
    """Return the digest of a file; None for a link or a file that cannot be read."""
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            return None
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
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
    >>> c = ft.campaign("random-io-20261121-093000")  # doctest: +SKIP
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
    if experiment_named(plan.experiment).reads_data:
        found["prefilled"] = True
    return found


def _of_place(facts: Mapping[str, Any], *, guest: bool) -> dict[str, Any]:
    if _is_memory(facts):
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


def _is_memory(facts: Mapping[str, Any]) -> bool:
    """Whether files there stay in memory, also on a disk made of memory."""
    device = facts["device"] or {}
    below = device.get("backing")
    if below is not None:
        return _is_memory(below)
    return facts["file_system"] in MEMORY or device.get("transport") in ("zram", "ram")


def _is_bare(facts: Mapping[str, Any]) -> bool:
    """Whether it is certain that no memory but the disk's own lies below.

    A server has a cache, and a loop device's file is in this machine's, unless it bypasses that.
    """
    if _is_memory(facts):
        return True
    device = facts["device"] or {}
    below = device.get("backing")
    if below is not None:
        return bool(below["is_direct"]) and _is_bare(below)
    return device.get("transport") in _CABLES
