"""Measure fiotools against floors and peers.

    make bench                     everything, nearly two hours; writes benchmarks/RESULTS.md
    make bench QUICK=1             smaller inputs, three rounds, below three minutes; a table only
    make bench ARGS="B E"          only what serves these goals; the rest of RESULTS.md is kept
    make bench ARGS="C --large"    100 M rows too

Goals: A, B, C, D, E, H, start, all. Inputs are made in build/bench, and kept there; peers are
installed there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from benchmarks import report, scaling, start, venv
from benchmarks.about import about
from benchmarks.cases import CASES
from benchmarks.process import WORK
from benchmarks.rounds import measure

LETTERS = [*dict.fromkeys(case.letter for case in CASES), "start", "all"]


def main() -> int:
    """Run from the command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("tasks.py bench", description=__doc__, formatter_class=form)
    parser.add_argument("goals", nargs="*", metavar="GOAL", help=", ".join(LETTERS))
    asked = bool(os.environ.get("QUICK"))
    parser.add_argument("--quick", action="store_true", default=asked, help="smaller inputs")
    parser.add_argument("--large", action="store_true", help="what takes very long, too")
    parser.add_argument("--rounds", type=int, help="5, or 3 with --quick")
    parser.add_argument("--write", action="store_true", help="RESULTS.md with --quick, too")
    options = parser.parse_args()
    if not hasattr(os, "wait4"):
        sys.exit("what a process takes is counted by wait4, which this system has not")
    if unknown := {*options.goals} - {*LETTERS}:
        sys.exit(f"there is no goal {', '.join(sorted(unknown))}; there are {', '.join(LETTERS)}")
    wanted = options.goals or LETTERS
    rounds = options.rounds or (3 if options.quick else 5)
    store = _Store(WORK / ("quick.json" if options.quick else "results.json"))
    times = {"always"} if options.quick else {"always", "full"}
    times |= {"large"} if options.large and not options.quick else set()
    missing = venv.set_up()
    for case in CASES:
        count = case.input.quick if options.quick else case.input.full
        if case.letter in wanted and case.when in times:
            print(f"{case.name} ...", flush=True)
            found = measure(case, count, rounds, missing, quick=options.quick)
            store.keep("cases", case.name, found)
    if "start" in wanted:
        print("start ...", flush=True)
        store.keep("start", "cpu_s", start.measure(rounds))
    if "all" in wanted:
        for name, curve in scaling.measure(quick=options.quick):
            store.keep("scaling", name, curve)
    print(report.table(store.kept, wanted))
    if options.write or not options.quick:
        report.write(store.kept, quick=options.quick)
    return 0


class _Store:
    """What was measured, kept in a file; what another machine measured is dropped."""

    def __init__(self, path: Path) -> None:
        self._path, self._about = path, about()
        self.kept = self._read()

    def _read(self) -> dict[str, Any]:
        kept: dict[str, Any] = json.loads(self._path.read_text()) if self._path.exists() else {}
        return kept if kept.get("about") == self._about else {"about": self._about}

    def keep(self, part: str, name: str, value: Any) -> None:
        self.kept = self._read()  # another run may have measured other goals meanwhile
        self.kept.setdefault(part, {})[name] = value
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(self.kept))


if __name__ == "__main__":
    sys.exit(main())
