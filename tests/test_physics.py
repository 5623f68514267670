"""The same physical questions, asked of every file that we have, whatever tool wrote it."""

from pathlib import Path

import fiotools as ft
from tests.physics import together, unnoted

ROOT = Path(__file__).resolve().parent.parent


def test_our_fixtures_and_data_hold(fixture_files):
    logs = [
        path
        for path in sorted((ROOT / "data").rglob("*"))
        if path.suffix in (".txt", ".xml", ".json", ".log")
    ]
    assert len(logs) > 20
    every = []
    for path in [*fixture_files, *logs]:
        try:
            every.append(ft.read(path))
        except ft.FileError:
            continue  # what holds no result is told apart in the readers' own tests
    assert len(every) > 80
    assert not unnoted(together(every))
