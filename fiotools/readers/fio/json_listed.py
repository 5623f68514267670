"""The texts of fio documents: names, and the options that fio lists, looked at once.

A thousand runs of one job file list the same options, but for a few that the runs differ in.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson

from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.json_keys import each_once

DIRECTIONS = ("read", "write", "trim", "sync")

_STR = frozenset({str})


class Listed:
    """What follows from the options of a job, without its name.

    Attributes
    ----------
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
        self.numjobs = fio_options.whole(options.get("numjobs")) or 1
        self.is_group = options.get("group_reporting", "0") != "0"
        self.target = fio_options.target(options)
        self.conditions = [fio_options.conditions(options, direction) for direction in DIRECTIONS]
        self.given = own
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
        self._named: dict[tuple[bytes, bytes], tuple[str | None, int]] = {}
        self._listed: dict[tuple[Any, ...], int] = {}
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
        if (shared, own) not in self._named:
            if shared not in self._shared:
                self._shared[shared] = _options(shared)
            options = _options(own)
            if not options:
                return 0
            given = options.pop("name", None)
            self._named[shared, own] = given, self._list(shared, options)
        given, at = self._named[shared, own]
        if given is not None and not given.startswith(job):
            return 0
        listed = self.listed[at]
        self.name.append(self.names.setdefault(job, len(self.names)))
        self.options.append(at)
        self.numjobs.append(listed.numjobs)
        self.is_group.append(listed.is_group)
        return len(self.name) - 1

    def _list(self, shared: bytes, options: dict[str, str]) -> int:
        """Return the number of options; those of many jobs differ in the name alone."""
        key = shared, *options.items()
        if key not in self._listed:
            self.listed.append(Listed(self._shared[shared], options))
            self._listed[key] = len(self.listed) - 1
        return self._listed[key]


def _options(inside: bytes) -> dict[str, str]:
    text = b"{%b}" % inside
    found = orjson.loads(text)
    if not each_once(text, found):
        raise ValueError("an option is given twice")
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
