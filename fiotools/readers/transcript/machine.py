"""What a session tells of its machine: the memory (``free``), and the device of a run (``lsblk``).

It is kept for the runs at the same prompt, as `extras`: ``memory/total_bytes``, and ``device/name``
with ``device/tran``, ``rota``, ``size`` and ``model`` as far as they were printed; of the file
system (``findmnt``, ``df``) ``filesystem/type`` and ``options``, where it was asked of the run's
own file, or of ``.`` and the file is named without a folder.

Which device a run was on has to be certain: fio's own ``disks`` name it, or the target is it, or
lies below its mount point. Nothing is said of a target with a relative path or below ``/`` alone (a
tmpfs or a network mount, which lsblk does not list, may lie between), of a run on several devices,
of layers (LVM, LUKS, RAID, loop), of a device of which two lists say different things, nor of mount
points where ``mount`` or ``umount`` stands between the list and the run.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fiotools import memory_report
from fiotools.readers import shell
from fiotools.readers.transcript import lsblk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fiotools.readers.transcript.commands import Command
    from fiotools.readers.transcript.lsblk import Device
    from fiotools.tables import Tables

# what may stand behind a pipe, and leaves the columns where they are
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


@dataclass
class _Machine:
    """What is told at one prompt; None for what is told in two ways.

    Attributes
    ----------
    memory : set of int
        Bytes.
    devices : dict
        By name.
    mounts : dict
        Between one ``mount`` or ``umount`` and the next: for each path the name of the device.
    """

    memory: set[int] = field(default_factory=set)
    devices: dict[str, Device | None] = field(default_factory=dict)
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
        """Give a disk by its own name, or by that of a partition."""
        device = self.devices.get(name)
        if device is not None and device.is_disk:
            return device
        if name in self.devices and (device is None or device.type not in ("part", None)):
            return None
        disk = self.devices.get(lsblk.parent(name) or "")
        return disk if disk is not None and disk.is_disk else None


def _merged(one: Device, other: Device) -> Device | None:
    """Put together what two lists say of a device; None if they contradict each other."""
    said: dict[str, Any] = {}
    for name in _SAID:
        values = {getattr(one, name), getattr(other, name)} - {None}
        if len(values) > 1:
            return None
        said[name] = next(iter(values), None)
    return replace(one, **said)


def add(tables: Tables, found: list[Command], owners: Mapping[int, int], text: str) -> None:
    """Keep what other commands told, for the runs at the same prompt.

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
            size = memory_report.memory(text[command.end_of_line : end], asked)
            if size is not None:
                machines[prompts[place]].memory.add(size)
        if _shows_devices(asked):
            told = lsblk.devices(text[command.end_of_line : end])
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
    """Keep what is known of the one device of a run."""
    device = disks[0] if disks else None
    if device is not None and all(one == device for one in disks):
        for name in _KEPT:
            said = getattr(device, name)
            if said is not None:
                tables.add("extras", run=run, path=f"device/{name}", text=said)


def _file_systems(found: list[Command], text: str) -> dict[int, dict[str, str]]:
    """Read what `findmnt` and `df` print of one path; by the place of the command.

    What changes the folder or what is mounted has an entry too, which tells nothing.
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
    """Give the one path that `findmnt -T` or `df` was asked of."""
    if "findmnt" in words:
        return words[words.index("-T") + 1] if "-T" in words[:-1] else None
    paths = (
        [word for word in words[words.index("df") + 1 :] if word[0] != "-"] if "df" in words else []
    )
    return paths[0] if len(paths) == 1 else None


def _below(
    systems: dict[int, dict[str, str]], targets: set[str], prompts: list[str | None], at: int
) -> Iterator[tuple[str, str]]:
    """Give what is certain of the file system of a run's one target."""
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
    """Count what changes the mount points before each command; what does stands for itself."""
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
    """Give the paths that each run was on; of a run that does not tell all of them, none."""
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
