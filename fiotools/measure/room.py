"""How large a test file may be: what free space and memory allow, with a margin."""

from __future__ import annotations

from collections.abc import Sequence

from fiotools import units
from fiotools.errors import MeasureError
from fiotools.measure.experiments import Experiment
from fiotools.measure.experiments.base import MIB
from fiotools.measure.facts import binary, memory
from fiotools.measure.places import Place
from fiotools.spelling import argument

_STEP = 16 * MIB  # the largest block size: every block size divides a file
_SHARE = 4  # of the free space, and of the free memory, at most one part in four by default
_MARGIN = 32 * MIB  # and a tenth: what the file system needs itself


def size_for(
    experiment: Experiment,
    places: Sequence[Place],
    wanted: int,
    given: str | float | None,
    runs: int = 1,
) -> int:
    """Choose the size of the test file.

    Parameters
    ----------
    experiment : Experiment
    places : sequence of Place
    wanted : int
        The size that the experiment would like.
    given : str or number, optional
        The size that the caller insists on.
    runs : int
        How many there are on each place.

    Raises
    ------
    MeasureError
        If there is no room for what was given, or for the least that makes sense.
    """
    ceilings = _ceilings(experiment, places, experiment.held(runs))
    if given is not None or experiment.is_fixed:
        size = wanted if given is None else _step(_read(given))
        for most, why in ceilings:
            if size > most:
                raise MeasureError(f"no room for test files of {binary(size)}: {why}")
        return size
    size = min([wanted, *(_step(most // _SHARE) for most, _ in ceilings)])
    if size < _STEP:
        most, why = min(ceilings)
        raise MeasureError(
            f"no room: {why}; a test file has {binary(_STEP)} at least, and takes a quarter at "
            f"most unless you give {argument('size')}"
        )
    return size


def _ceilings(experiment: Experiment, places: Sequence[Place], held: int) -> list[tuple[int, str]]:
    """Give the largest size that each file system, and memory, has room for; and why."""
    found = []
    together: dict[str, list[Place]] = {}
    for place in places:
        together.setdefault(place.file_system(), []).append(place)
    for group in together.values():
        free, files = group[0].free(), held * len(group)
        names = " and ".join(place.name for place in group)
        most = max(0, int((free - _MARGIN) / 1.1) // files)
        word = "file" if files == 1 else "files"
        why = f"{names} ({group[0].path}) has {binary(free)} free for {files} {word} and a margin"
        found.append((most, why))
    _, available = memory()
    in_memory = sum(place.is_memory for place in places)
    files = experiment.in_memory + held * in_memory
    if files and available is not None:
        why = f"memory has {binary(available)} free, of which half may hold {files} of them"
        found.append((available // 2 // files, why))
    return found


def _step(size: int) -> int:
    return size - size % _STEP


def _read(given: str | float) -> int:
    try:
        size = units.size(given, kilo=1024) if isinstance(given, str) else float(given)
    except (TypeError, ValueError):
        size = 0.0
    if isinstance(given, bool) or not _STEP <= size < 2**60:
        raise MeasureError(f"size {given!r} is none: write 1G or 256M, {binary(_STEP)} at least")
    return int(size)
