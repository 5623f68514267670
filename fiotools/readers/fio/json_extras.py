"""What a fio document says beside its entries' figures: disks, steady states, and the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import orjson

from fiotools.readers.fio.bins import whole_direction
from fiotools.readers.fio.json_values import Values

if TYPE_CHECKING:
    from fiotools.tables import Tables

DISK = {
    "read_ios": ("read_ios", 1),
    "write_ios": ("write_ios", 1),
    "read_merges": ("read_merges", 1),
    "write_merges": ("write_merges", 1),
    "read_sectors": ("read_sectors_bytes", 512),
    "write_sectors": ("write_sectors_bytes", 512),
    "read_ticks": ("read_ticks_s", 0.001),
    "write_ticks": ("write_ticks_s", 0.001),
    "in_queue": ("in_queue_s", 0.001),
    "util": ("util_pct", 1),
}
_STEADY = {"iops": "iops", "bw": "bw_bytes_per_s", "lat_ns": "lat_ns"}


def add(
    tables: Tables, run: int, entry: int | None, items: Mapping[str, Any], known: Collection[str]
) -> None:
    """Keep what has no column, objects as JSON."""
    if not tables.wants("extras"):
        return
    for path, value in items.items():
        if path not in known:
            for place, text in _texts(path, value):
                tables.add("extras", run=run, entry=entry, path=place, text=text)


def _texts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Give objects of plain values one by one, and what is deeper as JSON."""
    if isinstance(value, dict) and path.rpartition(".")[2] in ("steadystate", "data"):
        for key, inner in value.items():
            yield from _texts(f"{path}.{key}", inner)
    elif isinstance(value, str):
        yield path, value
    else:
        try:
            yield path, orjson.dumps(value).decode()
        except orjson.JSONEncodeError:  # deeper, or a greater number, than fio writes
            yield path, "(left out)"


def add_disks(tables: Tables, run: int, listed: Any, values: Values) -> None:
    """Add the block devices; in client mode each names its host."""
    for disk in listed if isinstance(listed, list) else ():
        if not isinstance(disk, dict):
            continue
        name = disk.get("name")
        known = values.numbers(disk, DISK, f"disk {name!r:.40}: ")
        row = {column: known[key] * scale for key, (column, scale) in DISK.items() if key in known}
        row |= {"device": name, "host": disk.get("hostname")}
        tables.add("disks", run=run, **values.fitting(row))
        rest = {f"disk_util.{name}.{key}": value for key, value in disk.items() if key not in DISK}
        known_too = {f"disk_util.{name}.{key}" for key in ("name", "hostname", "port")}
        add(tables, run, None, rest, known_too)


def add_steadystate(
    tables: Tables, keys: Mapping[str, Any], entry: Mapping[str, Any], moved: list[str]
) -> None:
    """Add the seconds in which fio looked for a steady state, over all directions together.

    When they were is not said. A second that fio did not come to has zeros, as one in which nothing
    was done: then they stay in `extras`, where the verdict is too.
    """
    state = entry.get("steadystate")
    data = state.get("data") if isinstance(state, dict) else None
    if not isinstance(data, dict) or not moved:
        return
    named = {name: keys[name] for name in ("run", "entry", "host", "group", "job")}
    named["direction"] = whole_direction(moved)
    for key, quantity in _STEADY.items():
        seconds = data.get(key)
        if isinstance(seconds, list) and all(type(value) is int and value > 0 for value in seconds):
            columns = {"value": [float(value) for value in seconds]}
            tables.extend("samples", columns, **named, quantity=quantity)
