"""Measure fiotools against floors.

    make bench                          everything, half an hour; writes benchmarks/RESULTS.md
    make bench QUICK=1                  smaller inputs, below three minutes; a table only
    make bench ARGS="B E"               only these groups; the rest of RESULTS.md is kept
    make bench ARGS="A --before PATH"   another checkout of fiotools does the same, in turn
    make bench ARGS="C --large"         100 M rows too

Groups: A, B, C, D, E, H, one (small files in one process), start (fresh processes), growth (cost
against size). Inputs are made in build/bench, and kept there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from benchmarks import about, growth, report, rounds
from benchmarks.cases import CASES, GROUPS, ratio
from benchmarks.process import WORK

_WORDS = [*GROUPS, "growth"]
# rounds at least and at most, and the seconds of a case after which there are no more
_FULL, _QUICK = (3, 7, 15.0), (5, 9, 4.0)


def main() -> int:
    """Run from the command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("tasks.py bench", description=__doc__, formatter_class=form)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(_WORDS))
    asked = bool(os.environ.get("QUICK"))
    parser.add_argument("--quick", action="store_true", default=asked, help="smaller inputs")
    parser.add_argument("--large", action="store_true", help="what takes very long, too")
    parser.add_argument("--before", type=Path, metavar="PATH", help="a checkout to compare with")
    parser.add_argument("--write", action="store_true", help="RESULTS.md with --quick, too")
    options = parser.parse_args()
    if not hasattr(os, "wait4"):
        sys.exit("what a process takes is counted by wait4, which this system has not")
    if unknown := {*options.groups} - {*_WORDS}:
        sys.exit(f"there is no group {', '.join(sorted(unknown))}; there are {', '.join(_WORDS)}")
    before = options.before and options.before.resolve()
    if before and not (before / "fiotools" / "__init__.py").exists():
        sys.exit(f"{before} is not a checkout of fiotools")
    wanted = options.groups or _WORDS
    store = _Store(WORK / ("measured-quick.json" if options.quick else "measured.json"))
    times = {"always"} if options.quick else {"always", "full"}
    times |= {"large"} if options.large and not options.quick else set()
    how = _QUICK if options.quick else _FULL
    cases = [case for case in CASES if case.group in wanted and case.when in times]
    plan = rounds.Plan(options.quick, *how, before=before)
    for case in cases:
        print(f"{case.name} ...", flush=True)
        found = rounds.measure(case, plan)
        if beside := ratio(found, "ours", "before"):
            print(f"{case.name}: {beside:.2f}x the checkout before")
        store.keep("cases", case.name, found)
    if "growth" in wanted:
        for name, curve in growth.measure(quick=options.quick):
            store.keep("growth", name, curve)
    print(report.table(store.kept, wanted))
    if options.write or not options.quick:
        report.write(store.kept, quick=options.quick)
    return 0


class _Store:
    """What was measured, kept in a file; what another machine measured is dropped."""

    def __init__(self, path: Path) -> None:
        self._path, self._about = path, about.about()
        self.kept = self._read()

    def _read(self) -> dict[str, Any]:
        kept: dict[str, Any] = json.loads(self._path.read_text()) if self._path.exists() else {}
        return kept if kept.get("about") == self._about else {"about": self._about}

    def keep(self, part: str, name: str, value: Any) -> None:
        self.kept = self._read()  # another run may have measured other groups meanwhile
        self.kept.setdefault(part, {})[name] = value
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(self.kept))


if __name__ == "__main__":
    sys.exit(main())
