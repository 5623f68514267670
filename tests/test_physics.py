"""The same physical questions, asked of every file that we have, whatever tool wrote it."""

from pathlib import Path

from tests.physics import read_all, unnoted

ROOT = Path(__file__).resolve().parent.parent


def test_our_fixtures_and_data_hold(fixture_files):
    logs = [
        path
        for path in sorted((ROOT / "data").rglob("*"))
        if path.suffix in (".txt", ".xml", ".json", ".log")
    ]
    assert len(logs) > 20
    every, _ = read_all([*fixture_files, *logs])
    # what holds no result is told apart in the readers' own tests
    assert every.runs["source"].nunique() > 80
    assert not unnoted(every)
