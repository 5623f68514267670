"""What fiotools does with the same bytes, as a user types it."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def everything(path: str) -> Any:
    """Read all tables."""
    import fiotools as ft

    return ft.read(path)


def io(path: str) -> Any:
    """Read what most ask for."""
    import fiotools as ft

    return ft.read(path, tables=("runs", "io", "notes"))


def percentiles(path: str) -> Any:
    """Read the same with percentiles."""
    import fiotools as ft

    return ft.read(path, tables=("runs", "io", "percentiles", "notes"))


def io_by_two(path: str) -> Any:
    """Read the same in two processes."""
    import fiotools as ft

    return ft.read(path, tables=("runs", "io", "notes"), workers=2)


def scan_log(path: str) -> Any:
    """Read a log whole, into polars."""
    import fiotools as ft

    return ft.scan_log(path).collect()


def windows(path: str) -> Any:
    """Make windows of a second: how many, how fast, how long in the mean."""
    import fiotools as ft

    return ft.window(ft.scan_log(path), "1s").collect(engine="streaming")


def window_percentiles(path: str) -> Any:
    """Make windows of a second with percentiles."""
    import fiotools as ft

    lazy = ft.window(ft.scan_log(path), "1s", percentiles=(50, 99, 99.9))
    return lazy.collect(engine="streaming")


def convert(path: str) -> None:
    """Convert to a dataset, in this process."""
    _convert(path, workers=None)


def convert_by_two(path: str) -> None:
    """Convert to a dataset, in two processes."""
    _convert(path, workers=2)


def _convert(path: str, workers: int | None) -> None:
    from tempfile import TemporaryDirectory

    import fiotools as ft

    with TemporaryDirectory(dir=Path(path).parent) as folder:
        ft.convert(path, f"{folder}/dataset", workers=workers)


def import_fiotools(path: str) -> None:
    """Import the library."""
    import fiotools  # noqa: F401


def help_(path: str) -> None:
    """Show the help of the command."""
    from fiotools.cli import main

    main(["--help"])
