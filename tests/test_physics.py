"""The same physical questions, asked of every file that we have, whatever tool wrote it."""

from pathlib import Path

import pytest

import fiotools as ft
from tests.physics import contradictions, unnoted

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"


def test_our_fixtures_and_data_hold(fixture_files):
    logs = [
        path
        for path in sorted((ROOT / "data").rglob("*"))
        if path.suffix in (".txt", ".xml", ".json", ".log")
    ]
    assert len(logs) > 20
    asked = 0
    for path in [*fixture_files, *logs]:
        try:
            results = ft.read(path)
        except ft.FileError:
            continue  # what holds no result is told apart in the readers' own tests
        asked += 1
        assert not unnoted(results), path
    assert asked > 80


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no ../shared/corpus beside the project")
def test_other_peoples_files_hold_or_are_noted():
    wrong = {}
    for path in sorted(CORPUS.rglob("*")):
        if not path.is_file():
            continue
        try:
            results = ft.read(path)
        except ft.FileError:
            continue
        assert not unnoted(results), path
        if contradictions(results):
            wrong[path.name] = len(contradictions(results))
    # edited by hand, both
    assert wrong.keys() == {
        "vc_WriteOnly-v2.2.0-MultiSocketSingleGroup.txt",
        "microsoft_VirtualClient__Results_FIO.json",
    }
