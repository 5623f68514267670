"""fio's job files: what was to be done. They hold settings and no result.

An INI of fio's own making, written by hand: ``[section]`` names a job, ``key=value`` or a bare flag
gives an option. Read to complete reports that do not list their options, see `jobfile_beside`.

Traps: ``;`` and ``#`` begin a comment anywhere in a line; a section whose name begins with
``global`` adds to the options of all jobs below it, not above; a name ends with the last character
but one of its line; of an option given twice the last counts; ``name=`` overrides the section's
name; ``${VAR}`` and ``$ncpus`` are fio's to fill in, and stay as they are.

Specified in fio's ``init.c`` (``__parse_jobs_ini``), ``parse.c`` (``strip_blank_end``) and
``HOWTO``, "Job file format"; held against ``fio --showcmd`` of 3.33.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fiotools.readers.fio import options as fio_options

_COMMENT = re.compile(r"[;#].*")
_OPTION = re.compile(r"([A-Za-z_][\w-]*)\s*(?:=\s*(.*))?")
_INCLUDE = re.compile(r"include\s+\S")
# options that a job file has one of, and that are no words of other programs' files
_TELLING = {
    *("rw", "readwrite", "ioengine", "bs", "blocksize", "iodepth", "numjobs", "bsrange", "bssplit"),
    *("rwmixread", "rwmixwrite", "time_based", "group_reporting", "stonewall", "iodepth_batch"),
}
_LOOK_AT = 2000  # lines


@dataclass(frozen=True)
class Section:
    """A job: its own options, and those of the ``[global]`` sections above it."""

    name: str
    group: int
    own: Mapping[str, str]
    shared: Mapping[str, str]

    @property
    def options(self) -> dict[str, str]:
        """All options that hold for the job."""
        return {**self.shared, **self.own}

    @property
    def job(self) -> str:
        """The name in reports: fio keeps 127 bytes of it."""
        name = self.options.get("name", self.name)
        return name.encode()[:127].decode(errors="ignore")

    @property
    def grouped(self) -> bool:
        """Whether its jobs are reported together with those of its group."""
        return is_set(self.options, "group_reporting")


@dataclass
class JobFile:
    """The jobs of a file, and whether it takes in others, which are not read."""

    sections: list[Section] = field(default_factory=list)
    includes: bool = False


def is_job_file(text: str) -> bool:
    """Say whether a text is a job file: sections of options, of which some are fio's alone."""
    told, section = False, False
    for line in text.split("\n", _LOOK_AT)[:_LOOK_AT]:
        bare = _COMMENT.sub("", line).strip()
        if not bare:
            continue
        if bare.startswith("["):
            if not bare.endswith("]"):
                return False
            section = True
            continue
        option = _OPTION.fullmatch(bare)
        if not section or not (option or _INCLUDE.match(bare)):
            return False
        told = told or (option is not None and option[1] in _TELLING)
    return told


def parse(text: str) -> JobFile:
    r"""Read a job file.

    Examples
    --------
    >>> [job] = parse("[global]\nbs=4k ; blocks\n[a b]\nrw=read\ntime_based").sections
    >>> job.name, job.shared, job.own
    ('a b', {'bs': '4k'}, {'rw': 'read', 'time_based': ''})
    """
    found = JobFile()
    parts: list[tuple[str, dict[str, str]]] = []
    for line in text.split("\n"):
        bare = _COMMENT.sub("", line).strip()
        if bare.startswith("["):
            parts.append((bare[1:-1], {}))
        elif _INCLUDE.match(bare):
            found.includes = True
        elif parts and (option := _OPTION.fullmatch(bare)):
            parts[-1][1][option[1]] = option[2] or ""
    shared: dict[str, str] = {}
    group = 0
    for name, options in parts:
        own = fio_options.normalise(options)
        if name.startswith("global"):
            shared = {**shared, **own}
            continue
        known = {**shared, **own}
        if found.sections and (is_set(known, "stonewall") or is_set(known, "new_group")):
            group += 1
        found.sections.append(Section(name, group, own, shared))
    return found


def is_set(options: Mapping[str, str], flag: str) -> bool:
    """Say whether a flag is set: it needs no value."""
    return options.get(flag, "0") != "0"
