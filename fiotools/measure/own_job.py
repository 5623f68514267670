"""A person's own fio job, run in turns in each place.

fio runs in the private folder of the place, and ``directory=`` is taken out of the job, so that all
of its files lie there and are removed with it. A job that would write elsewhere is refused: one
that names a device, another path or a program, and one that needs no file. fio itself lays its
files out, in the first round.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from fiotools import units
from fiotools.errors import MeasureError, argument
from fiotools.files import digest
from fiotools.files.atomic_write import write_bytes
from fiotools.measure.places import refused
from fiotools.readers.fio.jobfile import Line, is_job_file, lines

JOB = "job.fio"  # in the folder of the results, as it was given
HERE = ".fiotools-job.fio"  # in a place, without directory=
# options that start other programs, read other files, or fill all that is free
_REFUSED = {
    **dict.fromkeys(("exec_prerun", "exec_postrun", "ioscheduler"), "changes more than its files"),
    **dict.fromkeys(("fill_device", "fill_fs"), "fills all that is free"),
    **dict.fromkeys(("read_iolog", "replay_redirect", "client"), "takes its files from elsewhere"),
    **dict.fromkeys(("opendir", "chroot", "aux-path"), "leads elsewhere"),
    **dict.fromkeys(("daemonize", "server"), "goes on when the campaign has ended"),
}
# engines whose I/O goes to files of the folder that fio runs in
_ENGINES = {
    *("sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap"),
    *("windowsaio", "solarisaio", "splice", "falloc", "ftruncate"),
    *("filecreate", "filestat", "filedelete"),
}
_PATHS = ("/", "~", "\\")
_UP = re.compile(r"(?:^|[:/\\])\.\.(?:$|[:/\\])")
_DRIVE = re.compile(r"[A-Za-z]\\?:[\\/]")
_LEFT_OUT = "directory"


def job_of(path: str | Path) -> str:
    """Read a job file; refuse one that would reach beyond its folder."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MeasureError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    text = text.replace("\r\n", "\n")
    if not is_job_file(text):
        raise MeasureError(f"{file} is not a job file of fio: [sections] of options")
    for line in lines(text):
        if why := _refusal(line):
            raise MeasureError(
                f"{file}:{line.number}: {line.text}: {why}; all files of the job lie in the "
                f"folders that {argument('dir')} names"
            )
    return text


def _refusal(line: Line) -> str | None:
    """Tell why a line reaches beyond the folder of the job."""
    if line.option is None:
        if "/" in (line.section or ""):  # a job's files have its name
            return "a path that leads out of the folder is refused"
        return "takes in another file" if line.text.startswith("include") else None
    value = line.value.strip("\"'")
    if line.option in _REFUSED:
        return _REFUSED[line.option]
    if "${" in value:
        return "takes its value from the environment: write it out"
    if line.option == "ioengine" and value not in _ENGINES:
        return f"ioengine={value} is refused: its I/O goes elsewhere"
    if line.option == _LEFT_OUT:
        return None
    if "/dev/" in value or "\\\\.\\" in value:
        return "a device is refused"
    parts = value.replace("\\:", "\0").split(":") if line.option == "filename" else [value]
    if any(part.startswith(_PATHS) for part in parts) or _UP.search(value) or _DRIVE.match(value):
        return "a path that leads out of the folder is refused"
    return None


def in_folder(text: str) -> str:
    """Take ``directory=`` out of a job: its files lie where fio runs."""
    kept = text.split("\n")
    for line in lines(text):
        if line.option == _LEFT_OUT:
            kept[line.number - 1] = ""
    return "\n".join(kept)


def keep(folder: Path, text: str) -> str:
    """Write a job beside the results; return the digest of the file."""
    with refused(folder / JOB):
        write_bytes(folder / JOB, text.encode())
    return digest(folder / JOB)


def room(text: str) -> int:
    """Bound the bytes of the job's files; what is not told counts as nothing."""
    sections: dict[str, dict[str, str]] = defaultdict(dict)
    for line in lines(text):
        if line.option is not None:
            sections[line.section or "global"][line.option] = line.value
        elif line.section is not None:
            sections[line.section] = dict(sections.get("global", {}))
    found: dict[str, int] = {}
    for name, options in sections.items():
        if name != "global":
            # jobs with a filename share that file
            file, count = options.get("filename"), 1 if "filename" in options else _jobs(options)
            place = file or f"[{name}]"
            found[place] = max(found.get(place, 0), count * _bytes(options))
    return sum(found.values())


def _jobs(options: dict[str, str]) -> int:
    count = options.get("numjobs", "1")
    return int(count) if count.isdecimal() else 1


def _bytes(options: dict[str, str]) -> int:
    try:
        return int(units.size(options.get("size", options.get("filesize", "0")), kilo=1024))
    except (TypeError, ValueError):
        return 0


def has_logs(text: str) -> bool:
    """Whether fio writes logs beside its report."""
    return any((line.option or "").startswith("write_") for line in lines(text))
