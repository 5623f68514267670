"""The options that fio lists in its documents, looked at once for all documents that list the same.

A thousand runs of one job file list the same options, but for a few that the runs differ in.
"""

from __future__ import annotations

from typing import Any

from fiotools.readers import fio_options

DIRECTIONS = ("read", "write", "trim", "sync")

_MOST = 4096  # kept: where every run has options of its own, nothing is gained by keeping them
_STR = frozenset({str})


class Listed:
    """What follows from the options of a job.

    Attributes
    ----------
    name : str or None
        The job's.
    numjobs : int
    is_group : bool
        Whether entries are of groups.
    target : str or None
    conditions : list of dict
        For each of `DIRECTIONS`.
    given, defaults : dict
        The job's own settings, and those that hold where nothing else is said.
    """

    def __init__(self, shared: dict[str, str], own: dict[str, str]) -> None:
        options = {**shared, **own}
        self.name = own.get("name")
        self.numjobs = fio_options.whole(options.get("numjobs")) or 1
        self.is_group = options.get("group_reporting", "0") != "0"
        self.target = fio_options.target(options)
        self.conditions = [fio_options.conditions(options, direction) for direction in DIRECTIONS]
        self.given = {name: text for name, text in own.items() if name != "name"}
        self.defaults = fio_options.defaults(options)
        self.shared = shared


class Options:
    """The options that were met."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Listed] = {}

    def listed(self, shared: dict[str, Any], own: dict[str, Any]) -> Listed:
        """Give what follows from the options of a file and of a job in it.

        Raises
        ------
        TypeError
            If a value is no text.
        """
        key = (*shared.items(), None, *own.items())
        found = self._known.get(key)
        if found is None:
            if not _STR.issuperset(map(type, (*shared.values(), *own.values()))):
                raise TypeError("an option is no text")
            if len(self._known) > _MOST:
                self._known.clear()
            found = Listed(fio_options.normalise(shared), fio_options.normalise(own))
            self._known[key] = found
        return found
