"""Run the studies: ``python -m benchmarks.coverage [NAME ...] [--trials N]``."""

from __future__ import annotations

import argparse
import pkgutil
from importlib import import_module
from pathlib import Path
from time import perf_counter

from benchmarks import coverage
from benchmarks.coverage.study import Study

PAGE = Path(__file__).parents[1] / "COVERAGE.md"
SEED = 20_240_229
HEAD = """# How often the answers are right

Written by `python -m benchmarks.coverage`; do not edit. Each number is a share of simulated trials
in which the truth is known. A share in bold misses its goal by more than two standard errors.
"""


def studies() -> dict[str, Study]:
    """Find the studies of all modules of this package, by name."""
    modules = sorted(found.name for found in pkgutil.iter_modules(coverage.__path__))
    found = [
        study
        for name in modules
        if name != "__main__"
        for study in getattr(import_module(f"benchmarks.coverage.{name}"), "STUDIES", [])
    ]
    return {study.name: study for study in found}


def sections(page: str) -> dict[str, str]:
    """Split a page into its sections, by heading."""
    parts = page.split("\n## ")[1:]
    return {part.partition("\n")[0]: "## " + part.strip("\n") + "\n" for part in parts}


def main() -> None:
    """Run what is asked for, and put the page together."""
    known = studies()
    parser = argparse.ArgumentParser(description=coverage.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--trials", type=int, help="instead of each study's own number")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(known):
        parser.error(
            f"there is no study {', '.join(sorted(unknown))}; there are {', '.join(known)}"
        )
    there = sections(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    for name in asked.names or known:
        study, start = known[name], perf_counter()
        there[study.title] = study.section(asked.trials or study.trials, SEED)
        print(f"{there[study.title]}\n{name}: {perf_counter() - start:.0f} s\n", flush=True)
    if asked.trials is None:
        page = [HEAD, *(there[study.title] for study in known.values() if study.title in there)]
        PAGE.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
