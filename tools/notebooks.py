"""Execute notebooks and write them back in one canonical form.

``python -m tools.notebooks [NOTEBOOK ...]`` runs the named notebooks, or all of ``notebooks/`` and
all templates of ``fiotools/notebooks/``, from the project's root. It writes a notebook only if it
ran to its end and its content changed. With the same packages, a second run changes no file. After
a run of all notebooks, ``figures/SHA256SUMS`` lists the plots. A plot that no notebook wrote is an
error, because nothing would draw it again.

With ``--lang ja``, or ``LANG_FIGURES=ja`` in the environment, the plots are drawn in Japanese and
go to ``figures/ja/`` with their own ``SHA256SUMS``; notebooks and other plots do not change.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import CellControlSignal

from fiotools.errors import SchemaError
from fiotools.files import atomic_write, digest
from tools.kernel import execute_cells, explain, run

NOTEBOOKS = (Path("notebooks"), Path("fiotools", "notebooks"))  # articles, templates
FIGURES = Path("figures")
SUMS = FIGURES / "SHA256SUMS"
FIGURES_LOG = "FIOTOOLS_FIGURES_LOG"  # fiotools.plot.save appends to the file of this name
FIGURES_LANG = "FIOTOOLS_FIGURES_LANG"  # the language of fiotools.plot.style, and save's folder

ENGLISH = "en"
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
ADDRESS = re.compile(r"\b0x[0-9A-Fa-f]{6,}\b")


@dataclass
class Outcome:
    """The result of running one notebook."""

    path: Path
    seconds: float
    changed: bool = False
    error: str = ""
    figures: list[Path] = field(default_factory=list)


def canonical(notebook: Any) -> str:
    """Return an executed notebook as text, without differences between machines and editors.

    Outputs stay. Cells are numbered from 1: nbval skips a cell without a number, and a hole in the
    numbers would hide a cell that ran out of order.
    """
    notebook = copy.deepcopy(notebook)
    notebook.metadata = {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}}
    count = 0
    for cell in notebook.cells:
        cell.metadata = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
        if cell.cell_type != "code":
            continue
        count += 1
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
            if output.output_type in ("display_data", "execute_result"):
                output.metadata = {}
                if "text/plain" in output.data:
                    output.data["text/plain"] = ADDRESS.sub("0x0", output.data["text/plain"])
    text: str = nbformat.writes(notebook)
    return text + "\n"


async def execute(path: Path, lang: str = ENGLISH) -> Outcome:
    """Run one notebook in its own folder, and write it back if it succeeded and changed.

    The notebook is only written in English. A faulty notebook raises nothing: others are waiting.
    """
    start = time.perf_counter()
    before = path.read_bytes()
    current = -1

    def started(cell: Any, cell_index: int) -> None:
        nonlocal current
        current = cell_index

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "figures")
        try:
            notebook = nbformat.reads(before.decode("utf-8"), as_version=4)
        except (UnicodeDecodeError, nbformat.reader.NotJSONError) as error:
            return Outcome(path, 0.0, error=f"not a notebook: {type(error).__name__}")
        try:
            told = {FIGURES_LOG: str(log), FIGURES_LANG: lang}
            await execute_cells(notebook, path.parent, told, on_cell_start=started)
        except (CellControlSignal, RuntimeError) as error:  # RuntimeError: the kernel died
            seconds = time.perf_counter() - start
            return Outcome(path, seconds, error=explain(notebook, current, error))
        figures = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    text = canonical(notebook).encode("utf-8")
    changed = text != before and lang == ENGLISH
    if changed:
        atomic_write.write_bytes(path, text)
    written = [path.parent / name for name in figures]  # absolute names stay as they are
    return Outcome(path, time.perf_counter() - start, changed, figures=written)


async def _execute_all(paths: list[Path], lang: str, jobs: int) -> list[Outcome]:
    """Run notebooks, some at a time, and print the result of each."""
    room = asyncio.Semaphore(jobs)

    async def one(path: Path) -> Outcome:
        async with room:
            outcome = await execute(path, lang)
        state = "FAILED" if outcome.error else "rewritten" if outcome.changed else "unchanged"
        print(f"{outcome.path.as_posix()}: {state}, {outcome.seconds:.1f} s", flush=True)
        if outcome.error:
            print("    " + outcome.error.replace("\n", "\n    "), flush=True)
        return outcome

    return await asyncio.gather(*map(one, paths))


def checksums(folder: Path = FIGURES) -> str:
    """Return the SHA-256 sums of a folder's SVG and PNG files, as ``sha256sum -c`` reads them."""
    return "".join(f"{digest(path)}  {path.name}\n" for path in _drawn(folder))


def _drawn(folder: Path) -> list[Path]:
    """Return the SVG and PNG files of a folder, sorted by name."""
    return sorted(path for path in folder.glob("*") if path.suffix in (".svg", ".png"))


def _audit(outcomes: list[Outcome], folder: Path = FIGURES) -> list[str]:
    """Return the plots that no notebook wrote, or more than one, after a run of all."""
    origin: dict[Path, str] = {}
    problems = []
    for outcome in sorted(outcomes, key=lambda outcome: outcome.path):
        for figure in {path.resolve() for path in outcome.figures}:
            first = origin.setdefault(figure, outcome.path.name)
            if first != outcome.path.name:
                problems.append(f"{figure.name}: written by {first} and by {outcome.path.name}")
    orphans = [path.as_posix() for path in _drawn(folder) if path.resolve() not in origin]
    problems += [f"{name}: no notebook writes this; remove it" for name in orphans]
    return sorted(problems)


def main(argv: list[str] | None = None) -> int:
    """Run notebooks from the command line.

    Returns 0 if all notebooks ran and every plot belongs to one of them, 1 if not, and 2 if nothing
    ran.
    """
    parser = argparse.ArgumentParser(prog="tools.notebooks", description="Execute notebooks.")
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all, and all templates")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: 2)")
    asked = os.environ.get("LANG_FIGURES") or ENGLISH
    parser.add_argument("--lang", default=asked, help="of the plots (default: LANG_FIGURES, en)")
    args = parser.parse_args(argv)
    paths = args.notebooks or [
        file for folder in NOTEBOOKS for file in sorted(folder.glob("*.ipynb"))
    ]
    missing = [str(path) for path in paths if not path.is_file()]
    if missing or not paths:
        parser.error("no such notebook: " + ", ".join(missing or ["notebooks/*.ipynb"]))

    # matplotlib's first import on a machine builds a font cache and may print a warning, which
    # would become part of a notebook: so import it here first
    import matplotlib.font_manager  # noqa: F401

    if args.lang != ENGLISH:
        from fiotools.plot import letters

        try:
            letters.load_font(args.lang)
        except SchemaError as error:
            print(error, file=sys.stderr)
            return 2

    drawn_in = FIGURES if args.lang == ENGLISH else FIGURES / args.lang
    try:
        outcomes = run(_execute_all(paths, args.lang, args.jobs))
    except KeyboardInterrupt:
        return 130
    if any(outcome.error for outcome in outcomes):
        return 1
    problems = [] if args.notebooks else _audit(outcomes, drawn_in)
    for problem in problems:
        print(problem)
    if drawn_in.is_dir():
        listed, sums = drawn_in / SUMS.name, checksums(drawn_in).encode()
        if not listed.exists() or listed.read_bytes() != sums:
            atomic_write.write_bytes(listed, sums)
            print(f"{listed.as_posix()}: rewritten")
    print(f"{len(outcomes)} notebooks ran; {len(_drawn(drawn_in))} plots in {drawn_in}/")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
