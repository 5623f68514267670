"""JSON of fio as people have it: many layouts in turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.inputs.fio_json import Text, copy
from benchmarks.process import ROOT

_FIXTURES = ROOT / "tests" / "fixtures"
DATA = ROOT / "data"
_CORPUS = ROOT.parent / "shared" / "corpus" / "fio"
_BESIDE = _CORPUS if _CORPUS.is_dir() else DATA
_MOST = 60  # layouts
_LONGEST = 40_000  # letters of a document


def mixed(folder: Path, files: int) -> None:
    """Copy a document of each layout in turn, so many in all."""
    copy([*islice(layouts(), _MOST)], folder, files)


def layouts(beside: Path = _BESIDE) -> Iterator[Text]:
    """Give a document of each layout, of those that are in a folder, and then of the fixtures."""
    known = set()
    for path in [*sorted(beside.rglob("*.json")), *sorted(_FIXTURES.rglob("*.json"))]:
        try:
            text = path.read_text(encoding="utf-8")
            layout = _layout(json.loads(text))
        except ValueError:  # it has to be repaired first
            continue
        if '"fio version"' in text and len(text) <= _LONGEST and layout not in known:
            known.add(layout)
            yield path.stem, text


def _layout(value: Any) -> object:
    """Give the keys of a document; how many bins a histogram has does not matter."""
    if isinstance(value, dict):
        return tuple((key, key == "bins" or _layout(one)) for key, one in value.items())
    return frozenset(map(_layout, value)) if isinstance(value, list) else None
