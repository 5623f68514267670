"""What fiotools does with the same bytes, as a user types it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_IO = ("runs", "io", "notes")


def everything(path: str) -> Any:
    """Read all tables."""
    import fiotools as ft

    return ft.read(path)


def everything_in_pandas(path: str) -> Any:
    """Read all tables, and have every one as a frame of pandas."""
    import fiotools as ft

    return dict(ft.read(path).tables)


def io(path: str) -> Any:
    """Read what most ask for, and take it."""
    return _read(path, *_IO)


def percentiles(path: str) -> Any:
    """Read the same with percentiles."""
    return _read(path, *_IO, "percentiles")


def _read(path: str, *tables: str) -> Any:
    import fiotools as ft

    found = ft.read(path, tables=tables)
    return {name: getattr(found, name) for name in tables}


def scan_log(path: str) -> Any:
    """Read a log whole, into polars."""
    import fiotools as ft

    return ft.scan(path).collect()


def windows(path: str) -> Any:
    """Make windows of a second: how many, how fast, how long in the mean."""
    import fiotools as ft

    return ft.window(ft.scan(path), "1s").collect(engine="streaming")


def window_percentiles(path: str) -> Any:
    """Make windows of a second with percentiles."""
    import fiotools as ft

    lazy = ft.window(ft.scan(path), "1s", percentiles=(50, 99, 99.9))
    return lazy.collect(engine="streaming")


def convert(path: str) -> None:
    """Convert to a dataset, in this process."""
    _convert(path, None)


def convert_by_two(path: str) -> None:
    """Convert to a dataset, in two processes."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        _convert(path, executor)


def _convert(path: str, executor: Any) -> None:
    from tempfile import TemporaryDirectory

    import fiotools as ft

    with TemporaryDirectory(dir=Path(path).parent) as folder:
        ft.convert(path, f"{folder}/dataset", executor=executor)
