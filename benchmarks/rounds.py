"""Rounds: the sides of a case in turn, each a process, after a run of each that is not counted."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import venv
from benchmarks.cases import Case, Store
from benchmarks.made import size
from benchmarks.process import WORK, FailedError, Usage, run

_OWN_ENVIRONMENT = {"peers.fio_plot", "peers.fio_plot_log", "peers.jc"}


def measure(
    case: Case, count: int, rounds: int, missing: str | None, *, quick: bool = False
) -> Store:
    """Measure a case.

    The first run of a side warms the caches, and writes down which modules it imported: a process
    that imports these alone then runs beside it in each round.

    Parameters
    ----------
    case : Case
    count : int
        The size of its input.
    rounds : int
    missing : str or None
        Why the peers that need an environment of their own are not there.
    quick : bool
        Run peers, and processes that only import, in the first round alone.

    Returns
    -------
    dict
        Of the case: its ``size``, the ``date``, and of each side ``cpu_s``, ``wall_s`` and ``rss``
        by round, the same of its ``imports``, and ``bytes`` of its frames; or why it ``failed``.
    """
    path = case.input.path(count)
    sides: dict[str, dict[str, Any]] = {}
    for side in case.sides:
        sides[side] = _first(side, path, missing if side in _OWN_ENVIRONMENT else None)
    for number in range(rounds):
        for side, told in sides.items():
            fewer = quick and number > 0
            if "failed" in told or (fewer and side.startswith("peers")):
                continue
            if not fewer:
                _add(told["imports"], run(_command(side, "--import", str(_told(side)))))
            _add(told, run(_command(side, side, str(path))))
    return {
        "ours": case.ours,
        "floor": case.floor,
        "count": count,
        "rounds": rounds,
        "size": size(path),
        "date": datetime.now(UTC).date().isoformat(),
        "sides": sides,
    }


def _first(side: str, path: Path, missing: str | None) -> dict[str, Any]:
    if missing:
        return {"failed": missing}
    told = _told(side)
    told.parent.mkdir(parents=True, exist_ok=True)
    try:
        run(_command(side, side, str(path), "--tell", str(told)))
    except FailedError as error:
        return {"failed": str(error)}
    frames = json.loads(told.read_text())["bytes"]
    return {**_lists(), "bytes": frames, "imports": _lists()}


def _lists() -> dict[str, Any]:
    return {name: [] for name in Usage._fields}


def _told(side: str) -> Path:
    return WORK / "imports" / f"{side}.json"


def _command(side: str, *arguments: str) -> list[str]:
    python = str(venv.PYTHON) if side in _OWN_ENVIRONMENT else sys.executable
    return [python, "-m", "benchmarks.sides", *arguments]


def _add(lists: dict[str, Any], usage: Usage) -> None:
    for name, value in usage._asdict().items():
        lists[name].append(value)
