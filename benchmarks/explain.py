"""How often `explain` names the true cause, of causes that were injected one at a time.

    python -m benchmarks.explain [--rounds 3] [--trials 3] [--seconds 2] [NAME ...]

Each trial runs both sides in turn with the fio that is installed, and asks why they differ. It
writes into CLAIMS.md; ``--keep FOLDER`` keeps the first round of each cause, as the fixtures in
tests/fixtures/explain were kept. Some causes need root: they are left out, and named.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import fiotools as ft
from benchmarks import about, claims
from benchmarks.causes import CAUSES, NONE, Cause, NotHereError, beside, placed
from fiotools import words
from fiotools.display import explained

_SILENT = ("nothing", "unknown")
_ALIKE = (
    "--size=64m",
    "--verify_state_save=0",
    "--time_based",
    "--group_reporting",
    "--percentile_list=50:90:99:99.9",
)


class Trial(NamedTuple):
    """What was found of one cause."""

    cause: Cause
    first: str  # the part that ranks first, or the verdict that nothing does
    ratio: float
    share: float
    off: float  # of the sum of the parts from the log ratio


def main() -> None:
    """Run from the command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "benchmarks.explain", description=__doc__, formatter_class=form
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="words of the causes to inject")
    parser.add_argument("--rounds", type=int, default=3, help="runs a side in a trial")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="of each run")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the first round")
    parser.add_argument("--folder", type=Path, help="where files are made; by default /var/tmp")
    options = parser.parse_args()
    found, missing = list[Trial](), dict[str, str]()
    with tempfile.TemporaryDirectory(dir=options.folder or "/var/tmp") as folder:
        for cause in (*CAUSES, *NONE):
            if options.names and not any(word in cause.name for word in options.names):
                continue
            kept = options.keep and options.keep / slug(cause)
            for number in range(options.trials):
                try:
                    trial = tried(cause, Path(folder), options, None if number else kept)
                except NotHereError as error:
                    missing[cause.name] = str(error)
                    break
                print(cause.name, *trial[1:], flush=True)
                found.append(trial)
    if not options.names:
        claims.write(
            "The true cause", "python -m benchmarks.explain", page(found, missing, options)
        )


def slug(cause: Cause) -> str:
    """Name the folder of a cause."""
    return ("" if cause.part else "none-") + words.slug(cause.name)


def tried(cause: Cause, work: Path, options: Any, kept: Path | None = None) -> Trial:
    """Run both sides of a cause in turn, and ask why they differ."""
    folder = Path(tempfile.mkdtemp(dir=work))
    with ExitStack() as stack:
        kinds = dict.fromkeys([cause.base_place, cause.place])
        places = {kind: stack.enter_context(placed(kind, work)) for kind in kinds}
        for number in range(options.rounds):
            sides = [
                ("base", cause.base, places[cause.base_place], ""),
                ("level", {**cause.base, **cause.change}, places[cause.place], cause.beside),
            ]
            for side, asked, place, load in sides[:: -1 if number % 2 else 1]:
                with beside(load, work) as first:
                    output = folder / f"{side}_{number}.json"
                    measured({**asked, **place}, output, first, options.seconds)
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        for side in ("base", "level"):
            text = (folder / f"{side}_0.json").read_text(encoding="utf-8")
            text = json.dumps(json.loads(text.replace(str(work), "/work")), indent=1)
            (kept / f"{side}.json").write_text(f"{text}\n", encoding="utf-8")
    results = ft.read(str(folder / "{side}_{round:d}.json"))
    return judged(cause, results)


def judged(cause: Cause, results: Any) -> Trial:
    """Ask why the sides differ, and say what ranks first."""
    where = f"direction={cause.direction}" if cause.direction else None
    answer = ft.explain(results, cause.metric, between="side", baseline="base", where=where)
    total = answer["log_ratio"].sum()
    io = results.io[results.io["direction"] != "sync"]
    if cause.direction:
        io = io[io["direction"] == cause.direction]
    told = ft.compare(io, cause.metric, between="side", baseline="base")["ratio"].item()
    first = explained.largest(answer.to_dict("records"))
    name = {"cause": first["part"], "nothing": "nothing"}.get(first["verdict"], "unknown")
    return Trial(cause, name, told, float(first["share_pct"]), float(abs(total - log(told))))


def measured(asked: dict[str, str], output: Path, before: list[str], seconds: float) -> None:
    """Run fio once."""
    own = [f"--{name}={value}" for name, value in asked.items()]
    command = ["fio", "--name=j", *_ALIKE, f"--runtime={round(1000 * seconds)}ms", *own]
    command += ["--output-format=json", f"--output={output}"]
    subprocess.run([*before, *command], check=True, capture_output=True)


def page(found: list[Trial], missing: dict[str, str], options: Any) -> Iterator[str]:
    """Write the section, line by line."""
    injected = [one for one in found if one.cause.part]
    alike = [one for one in found if not one.cause.part]
    here = about.about()
    yield "Causes that are injected into runs of fio (`benchmarks/causes.py`). The rules were made"
    yield f"with these at hand, so this is not out of sample. Trials of each: {options.trials};"
    yield f"{options.rounds} runs a side in turn, of {options.seconds:g} s each."
    yield f"{here['system']}, {here['processor']}, {here['memory']}."
    yield ""
    yield "| | trials | of | share |"
    yield "|---|---|---|---|"
    for what, holds in (
        ("the true cause ranks first", [one.first in one.cause.part for one in injected]),
        ("without a cause: nothing, or unknown", [one.first in _SILENT for one in alike]),
        ("the parts add up to the log ratio within .01", [one.off < 0.01 for one in found]),
    ):
        yield f"| {what} | {sum(holds)} | {len(holds)} | {sum(holds) / max(1, len(holds)):.2f} |"
    yield ""
    yield "| cause | true part | ranks first | share | ratio |"
    yield "|---|---|---|---|---|"
    for one in injected:
        share = "" if one.first == "nothing" else f"{one.share:.0f} %"
        true = " or ".join(one.cause.part)
        yield f"| {one.cause.name} | {true} | {one.first} | {share} | {one.ratio:.3f} |"
    for name, why in missing.items():
        yield f"\nLeft out on this machine: {name}: {why}"


if __name__ == "__main__":
    if shutil.which("fio") is None:
        raise SystemExit("fio is not installed: this runs it")
    main()
