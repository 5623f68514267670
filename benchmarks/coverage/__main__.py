"""Run the studies: ``python -m benchmarks.coverage [NAME ...] [--trials N]``."""

from __future__ import annotations

import argparse
import pkgutil
from importlib import import_module
from time import perf_counter

from benchmarks import claims, coverage
from benchmarks.coverage.study import Study

SEED = 20_240_229


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


def main() -> None:
    """Run what is asked for, and write it into the page."""
    known = studies()
    parser = argparse.ArgumentParser(description=coverage.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--trials", type=int, help="instead of each study's own number")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(known):
        parser.error(
            f"there is no study {', '.join(sorted(unknown))}; there are {', '.join(known)}"
        )
    for name in asked.names or known:
        study, start = known[name], perf_counter()
        lines = study.lines(asked.trials or study.trials, SEED)
        print("\n".join([study.title, *lines]), f"{perf_counter() - start:.0f} s\n", flush=True)
        if asked.trials is None:
            claims.write(study.title, f"python -m benchmarks.coverage {name}", lines)


if __name__ == "__main__":
    main()
