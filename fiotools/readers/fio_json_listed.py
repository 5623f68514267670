"""The texts of fio documents: names, and the options that fio lists, looked at once.

A thousand runs of one job file list the same options, but for a few that the runs differ in.
"""

from __future__ import annotations

from functools import lru_cache

import orjson

from fiotools.readers import fio_options

DIRECTIONS = ("read", "write", "trim", "sync")

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
    shared, given, defaults : dict
        The settings of all jobs, the job's own, and those that hold where nothing else is said.
    """

    def __init__(self, shared: dict[str, str], own: dict[str, str]) -> None:
        self.shared = shared
        options = {**shared, **own}
        self.name = own.get("name")
        self.numjobs = fio_options.whole(options.get("numjobs")) or 1
        self.is_group = options.get("group_reporting", "0") != "0"
        self.target = fio_options.target(options)
        self.conditions = [fio_options.conditions(options, direction) for direction in DIRECTIONS]
        self.given = {name: text for name, text in own.items() if name != "name"}
        self.defaults = fio_options.defaults(options)


class Jobs:
    """The jobs that were met, by their texts in the documents.

    Attributes
    ----------
    names : dict of str to int
        Numbered.
    listed : list of Listed
    name, options, numjobs, is_group : list
        Of each job the number of its name and of its options, and what these say. The first is
        none.
    """

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.listed: list[Listed] = []
        self.name, self.options, self.numjobs, self.is_group = [0], [0], [1], [False]
        self._shared: dict[bytes, dict[str, str]] = {}
        self._listed: dict[tuple[bytes, bytes], int] = {}
        self._jobs: dict[tuple[bytes, bytes, bytes], int] = {}

    def number(self, shared: bytes, name: bytes, own: bytes) -> int:
        """Return the number of a job; 0 if its options are another's, or are none."""
        key = shared, name, own
        found = self._jobs.get(key)
        if found is None:
            try:
                found = self._add(*key)
            except (TypeError, ValueError):
                found = 0
            self._jobs[key] = found
        return found

    def _add(self, shared: bytes, name: bytes, own: bytes) -> int:
        job = plain(name)
        at = self._listed.get((shared, own))
        if at is None:
            if shared not in self._shared:
                self._shared[shared] = _options(shared)
            options = _options(own)
            if not options:
                return 0
            at = self._listed[shared, own] = len(self.listed)
            self.listed.append(Listed(self._shared[shared], options))
        listed = self.listed[at]
        if listed.name is not None and not listed.name.startswith(job):
            return 0
        self.name.append(self.names.setdefault(job, len(self.names)))
        self.options.append(at)
        self.numjobs.append(listed.numjobs)
        self.is_group.append(listed.is_group)
        return len(self.name) - 1


def _options(inside: bytes) -> dict[str, str]:
    found = orjson.loads(b"{%b}" % inside)
    if not _STR.issuperset(map(type, found.values())):
        raise TypeError("an option is no text")
    return fio_options.normalise(found)


@lru_cache(maxsize=4096)
def plain(inside: bytes) -> str:
    """Read a text as JSON has it between quotation marks.

    Raises
    ------
    ValueError
        If it is none.
    """
    return str(orjson.loads(b'"%b"' % inside))
