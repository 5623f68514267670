"""The machine behind a session: its memory (``free``), and the device of a run (``lsblk``).

Runs at the same prompt get it as `extras`: ``memory/total_bytes``, ``device/name`` and, as far as
they were printed, ``device/tran``, ``rota``, ``size`` and ``model``. ``findmnt`` and ``df`` give
``filesystem/type`` and ``options`` if they were asked about the run's own file, or about ``.`` and
the file is named without a folder.

The device of a run must be certain: fio's own ``disks`` name it, or the target is the device, or
lies below its mount point. Nothing is said about a target with a relative path or below ``/`` alone
(it may be on a tmpfs or a network mount, which lsblk does not list), a run on several devices,
layers (LVM, LUKS, RAID, loop), a device that two lists describe differently, or mount points if
``mount`` or ``umount`` stands between the list and the run.

Any value in the table of ``lsblk`` may be missing, so columns are told apart by position: some are
right-aligned and may begin left of their heading; all others begin below it. A device with several
mount points has a line for each. Nothing is read if a line does not fit its heading (copied from a
page, passed through ``column``, ``lsblk -r``), nor from pairs (``-P``) and JSON. Specified by
util-linux, misc-utils/lsblk.c (2.38).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fiotools import units
from fiotools.readers import shell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fiotools.readers.transcript.commands import Command
    from fiotools.tables import Tables

_TREE = str.maketrans(dict.fromkeys("│├└─", " "))
_BRANCHES = " |`-"
_HEADING = re.compile(r"[A-Z][A-Z:%-]*")
_WIDEST = 1000
# right-aligned columns
_RIGHT = {
    *("ROTA", "SIZE", "RM", "RO", "HOTPLUG", "RA", "RAND", "START", "REV", "ALIGNMENT", "RQ-SIZE"),
    *("MIN-IO", "OPT-IO", "PHY-SEC", "LOG-SEC", "DISC-ALN", "DISC-GRAN", "DISC-MAX", "DISC-ZERO"),
    *("WSAME", "FSAVAIL", "FSSIZE", "FSUSED", "FSUSE%", "DAX", "MQ", "PARTN", "DISK-SEQ"),
}
_LEGAL = {
    "NAME": re.compile(r"\S*"),
    "TYPE": re.compile(r"[a-z][a-z\d_+-]*|"),
    "TRAN": re.compile(r"ata|fc|fcoe|iscsi|mmc|nvme|sas|sata|sbp|spi|usb|virtio|"),
    "ROTA": re.compile(r"[01]?"),
    "SIZE": re.compile(r"(?:\d+(?:[.,]\d+)?[BKMGTPE]?)?"),
    "MOUNTPOINT": re.compile(r"/.*|\[SWAP\]|"),
    "MOUNTPOINTS": re.compile(r"/.*|\[SWAP\]|"),
}
_MOUNTS = ("MOUNTPOINT", "MOUNTPOINTS")
_PLAIN = ("type", "tran", "rota", "size", "model")
_SEVERAL = {*_MOUNTS, "FSROOTS"}  # columns with a line for each value
# names that the kernel gives: a partition is called after its disk
_DISK = re.compile(r"(?:[shv]|xv)d[a-z]+|nvme\d+n\d+|mmcblk\d+")
_PART = re.compile(r"(?P<numbered>.*\d)p\d+|(?P<lettered>.*\D)\d+")
# programs behind a pipe that leave the columns in place
_FILTERS = {"grep", "egrep", "head", "tail", "cat", "less", "more", "tee", "sort"}
_SAID = ("type", "tran", "rota", "size", "model")
_KEPT = ("name", "tran", "rota", "size", "model")
_LONGEST = 1000
_ODD = re.compile(r"\.\.|[$`*?:]")  # a path that is another, or several
# what runs the rest of its line in another place
_ELSEWHERE = {
    *("ssh", "docker", "podman", "nerdctl", "kubectl", "lxc", "chroot", "nsenter", "unshare"),
    *("wsl", "wsl.exe", "limactl", "vagrant", "adb"),
}


@dataclass(frozen=True, slots=True)
class Device:
    """A block device; None for a missing column or value."""

    name: str  # without ``/dev/``
    # as printed
    type: str | None = None
    tran: str | None = None
    rota: str | None = None
    size: str | None = None
    model: str | None = None
    mounts: tuple[str, ...] | None = None  # where it is mounted; None without a column for that

    @property
    def is_disk(self) -> bool:
        """Whether it is a whole disk, and no layer over others."""
        return self.type == "disk" or (self.type is None and is_disk(self.name))


def is_disk(name: str) -> bool:
    """Return whether the kernel calls a disk so.

    Examples
    --------
    >>> [is_disk(name) for name in ("sda", "nvme0n1", "sda1", "dm-0", "zram0")]
    [True, True, False, False, False]
    """
    return _DISK.fullmatch(name) is not None


def parent(name: str) -> str | None:
    """Name the disk that a partition is called after; it need not exist.

    Examples
    --------
    >>> [parent(name) for name in ("sda1", "nvme0n1p2", "sda")]
    ['sda', 'nvme0n1', None]
    """
    part = _PART.fullmatch(name) if len(name) <= _WIDEST else None
    return part and (part["numbered"] or part["lettered"])


def devices(text: str) -> list[Device]:
    r"""List the devices of a table; none if it is uncertain which value belongs to which.

    Examples
    --------
    >>> sda = "sda    disk    1\n`-sda1 part    1 /mnt/a\n                   /mnt/b\n"
    >>> told = devices("NAME   TYPE ROTA MOUNTPOINTS\n" + sda)
    >>> [(one.name, one.type, one.rota, one.mounts) for one in told]
    [('sda', 'disk', '1', ()), ('sda1', 'part', '1', ('/mnt/a', '/mnt/b'))]
    """
    lines = text.translate(_TREE).split("\n")
    heads = [at for at, line in enumerate(lines) if _is_heading(line)]
    if len(heads) != 1:
        return []
    columns = list(re.finditer(r"\S+", lines[heads[0]]))
    found: list[Device] = []
    for line in lines[heads[0] + 1 :]:
        if not line.strip():
            break
        cells = _cells(line, columns)
        if cells is None:
            return []
        mounts = [cells[name] for name in _MOUNTS if name in cells]
        paths = tuple(path for path in mounts if path.startswith("/")) if mounts else None
        if cells["NAME"]:
            told = {key: cells.get(key.upper()) or None for key in _PLAIN}
            found.append(Device(cells["NAME"], **told, mounts=paths))
        elif found and not any(cell for name, cell in cells.items() if name not in _SEVERAL):
            found[-1] = replace(found[-1], mounts=(*(found[-1].mounts or ()), *(paths or ())))
        else:
            return []
    return found


def _is_heading(line: str) -> bool:
    words = line.split() if len(line) <= _WIDEST else []
    is_whole = len(words) == len({*words}) > 1 and "NAME" in words
    return is_whole and all(_HEADING.fullmatch(word) for word in words)


def _cells(line: str, columns: list[re.Match[str]]) -> dict[str, str] | None:
    """Cut a line into its cells, from the right to the left."""
    if len(line) > _WIDEST or not line.isascii():  # wide letters move what follows
        return None
    cells = {}
    end = len(line)
    for column in reversed(columns):
        name, start, stop = column[0], column.start(), end
        if name in _RIGHT:
            stop = column.end()
            if line[stop - 1 : stop].strip():
                start = line.rfind(" ", 0, stop) + 1
        cell = line[start:stop].strip()
        if line[stop:end].strip() or line[max(start - 1, 0) : start].strip():
            return None
        if name == "NAME":
            cell = cell.lstrip(_BRANCHES).removeprefix("/dev/")
        if name in _LEGAL and not _LEGAL[name].fullmatch(cell):
            return None
        cells[name], end = cell, min(start, len(line))
    return None if line[:end].strip() else cells


@dataclass
class _Machine:
    """The facts told at one prompt; None for a fact with two values."""

    memory: set[int] = field(default_factory=set)  # bytes
    devices: dict[str, Device | None] = field(default_factory=dict)  # by name
    # between one ``mount`` or ``umount`` and the next: for each path the name of the device
    mounts: dict[int, dict[str, str | None] | None] = field(default_factory=dict)

    def add(self, told: list[Device], stage: int) -> None:
        """Put a list beside the others."""
        paths: dict[str, str | None] = {}
        for device in told:
            before = self.devices.get(device.name, device)
            self.devices[device.name] = before and _merged(before, device)
            for path in device.mounts or ():
                same = paths.get(path, device.name) == device.name
                paths[path] = device.name if same else None
        if any(device.mounts is not None for device in told):
            is_same = self.mounts.get(stage, paths) == paths
            self.mounts[stage] = paths if is_same else None

    def below(self, target: str, stage: int) -> Device | None:
        """Find the disk below a target's path, where it is certain."""
        if target.startswith("/dev/"):
            return self.disk(target.removeprefix("/dev/"))
        if not target.startswith("/") or len(target) > _LONGEST or _ODD.search(target):
            return None
        mounts, path = self.mounts.get(stage) or {}, target
        while path := path.rpartition("/")[0]:
            if path in mounts:
                return self.disk(mounts[path] or "")
        return None

    def disk(self, name: str) -> Device | None:
        """Return a disk by its own name, or by that of a partition."""
        device = self.devices.get(name)
        if device is not None and device.is_disk:
            return device
        if name in self.devices and (device is None or device.type not in ("part", None)):
            return None
        disk = self.devices.get(parent(name) or "")
        return disk if disk is not None and disk.is_disk else None


def _merged(one: Device, other: Device) -> Device | None:
    """Merge two descriptions of a device; None if they contradict each other."""
    said: dict[str, Any] = {}
    for name in _SAID:
        values = {getattr(one, name), getattr(other, name)} - {None}
        if len(values) > 1:
            return None
        said[name] = next(iter(values), None)
    return replace(one, **said)


def add(tables: Tables, found: list[Command], owners: Mapping[int, int], text: str) -> None:
    """Keep facts from other commands for the runs at the same prompt.

    Parameters
    ----------
    tables : Tables
    found : list of Command
    owners : mapping of int to int
        For each run the place of its command in `found`, or -1.
    text : str
    """
    if not any(word in text for word in ("free", "/proc/meminfo", "lsblk", "findmnt", "df ")):
        return
    prompts = [_prompt(command, text) for command in found]
    stages = _stages(found, prompts)
    machines: defaultdict[str | None, _Machine] = defaultdict(_Machine)
    for place, command in enumerate(found):
        asked = command.text or ""
        end = found[place + 1].position if place + 1 < len(found) else len(text)
        if _runs(asked, "free") or "/proc/meminfo" in asked:
            size = units.memory(text[command.end_of_line : end], asked)
            if size is not None:
                machines[prompts[place]].memory.add(size)
        if _shows_devices(asked):
            told = devices(text[command.end_of_line : end])
            machines[prompts[place]].add(told, stages[place])
    systems = _file_systems(found, text)
    wanted = systems or any(one.devices for one in machines.values())
    targets = _targets(tables) if wanted else {}
    for run, at in owners.items():
        for path, said in _below(systems, targets.get(run, set()), prompts, at):
            tables.add("extras", run=run, path=path, text=said)
        if at < 0 or prompts[at] not in machines:
            continue
        here = machines[prompts[at]]
        if len(here.memory) == 1:
            tables.add("extras", run=run, path="memory/total_bytes", text=str(*here.memory))
        if run in targets and not _runs(found[at].text or "", *_ELSEWHERE):
            _add_device(tables, run, [here.below(one, stages[at]) for one in targets[run]])


def _add_device(tables: Tables, run: int, disks: list[Device | None]) -> None:
    """Keep the facts about the only device of a run."""
    device = disks[0] if disks else None
    if device is not None and all(one == device for one in disks):
        for name in _KEPT:
            said = getattr(device, name)
            if said is not None:
                tables.add("extras", run=run, path=f"device/{name}", text=said)


def _file_systems(found: list[Command], text: str) -> dict[int, dict[str, str]]:
    """Read the output of `findmnt` and `df` about one path; by the place of the command.

    A command that changes the folder or the mounts has an empty entry.
    """
    told: dict[int, dict[str, str]] = {}
    for place, command in enumerate(found):
        asked = command.text or ""
        if _runs(asked, "cd", "pushd", "popd", "mount", "umount"):
            told[place] = {}
        path = _asked_of(asked.split()) if _runs(asked, "findmnt", "df") else None
        if path is None:
            continue
        end = found[place + 1].position if place + 1 < len(found) else len(text)
        lines = text[command.end_of_line : end].replace("Mounted on", "Mounted").splitlines()
        rows = [line.split() for line in lines if line.strip()][:2]
        if len(rows) == 2 and len(rows[0]) == len(rows[1]):
            said = dict(zip(map(str.lower, rows[0]), rows[1], strict=True))
            kinds = {"type": said.get("fstype") or said.get("type"), "options": said.get("options")}
            if any(kinds.values()):
                known = {name: value for name, value in kinds.items() if value}
                told[place] = {**known, "path": path}
    return told


def _asked_of(words: list[str]) -> str | None:
    """Return the only path that `findmnt -T` or `df` was asked about."""
    if "findmnt" in words:
        return words[words.index("-T") + 1] if "-T" in words[:-1] else None
    paths = (
        [word for word in words[words.index("df") + 1 :] if word[0] != "-"] if "df" in words else []
    )
    return paths[0] if len(paths) == 1 else None


def _below(
    systems: dict[int, dict[str, str]], targets: set[str], prompts: list[str | None], at: int
) -> Iterator[tuple[str, str]]:
    """Yield the certain facts about the file system of a run's only target."""
    before = [place for place in systems if place < at and prompts[place] == prompts[at]]
    if not before or len(targets) != 1:
        return
    said, (target,) = systems[max(before)], targets
    if target and (said.get("path") == target or (said.get("path") == "." and "/" not in target)):
        yield from (
            (f"filesystem/{name}", said[name]) for name in ("type", "options") if name in said
        )


def _prompt(command: Command, text: str) -> str | None:
    """Name the machine of a command: its host, else the first word of its prompt."""
    words = text[command.position : command.start].split()
    return command.host or (words[0] if words else None)


def _stages(found: list[Command], prompts: list[str | None]) -> list[int]:
    """Count the changes of mount points before each command; a change is a stage of its own."""
    counted: Counter[str | None] = Counter()
    stages = []
    for command, prompt in zip(found, prompts, strict=True):
        changes = _runs(command.text or "", "mount", "umount")
        counted[prompt] += changes
        stages.append(counted[prompt])
        counted[prompt] += changes
    return stages


def _shows_devices(command: str) -> bool:
    if not _runs(command, "lsblk"):
        return False
    behind = [part for operator, part in shell.simple(command) if operator in ("|", "|&")]
    return all(_FILTERS.issuperset(shell.programs(part)) for part in behind)


def _runs(command: str, *programs: str) -> bool:
    """Whether a command line runs one of these; it is split only where one is named."""
    named = [program for program in programs if program in command]
    return bool(named) and not set(named).isdisjoint(shell.programs(command))


def _targets(tables: Tables) -> dict[int, set[str]]:
    """Return the paths of each run; an empty path stands for an unknown one."""
    if not (tables.wants("io") and tables.wants("disks")):
        return {}
    named: defaultdict[int, set[str]] = defaultdict(set)
    for run, host, device in tables.rows("disks", "run", "host", "device"):
        named[run].add("" if host else f"/dev/{device}")
    files = {
        (run, entry): value
        for run, entry, option, value in tables.rows("settings", "run", "entry", "option", "text")
        if option == "filename"
    }
    found: defaultdict[int, set[str]] = defaultdict(set)
    names = ("run", "entry", "host", "target", "direction")
    for run, entry, host, target, direction in tables.rows("io", *names):
        path = target or files.get((run, entry)) or files.get((run, None))
        # a copy is on two devices, and a client on another machine
        found[run].add(path if path and not host and direction != "copy" else "")
    return {**found, **named}
