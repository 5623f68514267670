"""JSON of fio as people have it: many layouts in turn, or in each file its own."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.inputs.fio_json import Text, copy, templates
from benchmarks.process import ROOT

_FIXTURES = ROOT / "tests" / "fixtures"
DATA = ROOT / "data"
_CORPUS = ROOT.parent / "shared" / "corpus" / "fio"
_BESIDE = _CORPUS if _CORPUS.is_dir() else DATA
_MOST = 60  # layouts
_LONGEST = 40_000  # letters of a document
_PERCENTILES = re.compile(r'("percentile"\s*:\s*)\{([^{}]*)\}')
_PERCENTILE = re.compile(r'"([\d.]+)"\s*:\s*(\d+)')
_OPTIONS = re.compile(r'"job options"\s*:\s*\{(?=\s*")')
# parts that no reader takes numbers from
_MORE = {
    "ramp_time": "5", "thinktime": "10", "norandommap": "1", "refill_buffers": "1", "nice": "1",
    "end_fsync": "1", "prio": "3", "cpus_allowed": "0-3", "log_avg_msec": "500", "exitall": "1",
    "fadvise_hint": "0", "overwrite": "1", "randseed": "42", "allow_file_create": "1",
    "scramble_buffers": "0", "buffer_pattern": "0xdead", "percentage_random": "90",
}  # fmt: skip


def mixed(folder: Path, files: int) -> None:
    """Copy a document of each layout in turn, so many in all."""
    copy([*islice(layouts(), _MOST)], folder, files)


def own(folder: Path, files: int) -> None:
    """Give each copy options and a list of percentiles of its own."""
    copy(templates(), folder, files, with_its_own)


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


def with_its_own(text: str, rng: Random) -> str:
    """Give a report more options, and other percentiles."""
    options = rng.sample(sorted(_MORE), rng.randrange(3, 10))
    more = "".join(f'\n        "{name}" : "{_MORE[name]}",' for name in options)
    steps = sorted(rng.sample(range(1, 1000), rng.randrange(10, 20)))
    text = _OPTIONS.sub(lambda found: found[0] + more, text)
    return _PERCENTILES.sub(lambda found: found[1] + _listed(found[2], steps), text)


def _listed(percentiles: str, steps: list[int]) -> str:
    """Write other percentiles, of tenths: each as the one below it that was there, or the first."""
    known = [(float(name), value) for name, value in _PERCENTILE.findall(percentiles)]
    places = [max(0, bisect_right(known, (step / 10, "~")) - 1) for step in steps]
    lines = [
        f'\n            "{step / 10:.6f}" : {known[place][1]}'
        for step, place in zip(steps, places, strict=True)
    ]
    return "{" + ",".join(lines) + "\n          }"
