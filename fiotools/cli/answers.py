"""What a verb does: `question` asks a function of the library; a function here is a verb's own."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from multiprocessing import parent_process
from operator import attrgetter
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from fiotools.cli import output
from fiotools.cli.output import Trouble, give, say, wrong_command
from fiotools.cli.reading import Reading, command, named, old_and_new, read_all
from fiotools.cli.signatures import signature
from fiotools.cli.verbs import DRAWN, Verb
from fiotools.display.columns import Sheet, SheetColumn
from fiotools.files import common_folder, needed
from fiotools.units import many
from fiotools.vocabulary import GRAVEST, TABLES
from fiotools.words import more

if TYPE_CHECKING:
    import polars as pl

_PERCENTILE = re.compile(r"\s*p\d")
_LISTED = 20  # files that have a line each
_GIVES = {"runs": "run", "io": "io row", "timings": "timing", "samples": "sample"}
_FEW = 3  # columns that are described in full
_TYPED = "a name may be typed without its unit: bw for bw_bytes_per_s, lat_mean for lat_mean_ns"
_ZIPPED = "gzip, xz, zstd and bzip2 are unpacked; a zip archive is read as a folder"
_OF_COLUMN: Mapping[str, Callable[[Any], str]] = {
    **{one: attrgetter(one) for one in ("name", "dtype", "unit", "meaning", "better", "derived")},
    "places": lambda one: ", ".join(one.places),
    "in_tools": lambda one: "; ".join(f"{tool}: {key}" for tool, key in one.keys.items()),
}


class Asked:
    """What was typed: files, options, and how an answer is shown."""

    def __init__(
        self, name: str, verb: Verb, files: Sequence[str], typed: Mapping[str, Any]
    ) -> None:
        self.name, self.verb, self.files = name, verb, files
        given = {one: value for one, value in typed.items() if value not in (None, (), False)}
        reading = [one for one in given if one.startswith("reading__")]
        self.how = {one.removeprefix("reading__"): given.pop(one) for one in reading}
        self.form: str = given.pop("form", "table")
        self.output: str | None = given.pop("output", None)
        self.verbose: bool = given.pop("verbose", False)
        self.given = given  # the arguments of the function
        self.first: dict[str, str] = {}  # the baseline, if a path names it
        self.late: Sequence[str] = ()  # conditions of the rows that a question takes

    @property
    def function(self) -> Any:
        """The function that the verb asks."""
        return function_of(self.verb.asks)

    def read(self) -> Reading:
        """Read the files, keep the rows that count, and add them up."""
        from fiotools.tables.conditions import NoConditionError

        if "format" in self.how:
            from fiotools.readers import reader_named

            with wrong_command(ValueError):
                reader_named(self.how["format"])
        if self.output and any(one.name == "form" for one in self.verb.more):
            output.target(self.output, self.form)
        given = self.given
        names = [
            one
            for value in given.values()
            for one in (value if isinstance(value, list) else [value])
        ]
        read = read_all(self.files, self.how, sides=self.verb.are_sides or "label" in names)
        results = read.results
        if not self.takes("where", DRAWN.get(self.name, self.verb.asks)):
            where = given.pop("where", ())
            # a percentile is a column only once a question asks for it
            self.late = [one for one in where if _PERCENTILE.match(one)]
            with wrong_command(NoConditionError):
                results = results.where(*(one for one in where if one not in self.late))
        if together := given.pop("combine", None):
            from fiotools.stats.combine import combine

            tables = {one: results.tables.polars(one) for one in results.tables}
            tables["io"] = combine(tables["io"], to=together)
            results = results.with_tables(tables)
        if read.first and results.labels == ["label"] and given.get("between", "label") == "label":
            self.first = {"baseline": read.first}  # also if nothing of it was read or kept
        return replace(read, results=results)

    def takes(self, name: str, place: str) -> bool:
        """Whether a function has an argument."""
        return any(one.name == name for one in signature(place).arguments)

    def arguments(self, place: str) -> dict[str, Any]:
        """Return what was typed for a function."""
        typed = {**self.first, **self.given}
        return {one: value for one, value in typed.items() if self.takes(one, place)}

    def show(self, answer: Any, results: Any = None, **more: Any) -> None:
        """Print an answer, or write it."""
        give(answer, self.form, self.output, results, verbose=self.verbose, **more)


def function_of(place: str) -> Callable[..., Any]:
    """Return the function of a place: ``.stats.compare:compare``."""
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module, "fiotools"), name)
    return found


def question(asked: Asked) -> int:
    """Ask a question about files, and give its answer."""
    if "wide" in asked.given:
        asked.verb = asked.verb._replace(asks=".stats.crosstab:crosstab")
    read = asked.read()
    if not asked.verb.asks.startswith("."):  # another package's, which expects what read returns
        read.results.kind = "pandas"
    arguments = asked.arguments(asked.verb.asks)
    if asked.late:
        door = asked.function.door
        frame, found = door.ask(read.results, arguments, where=asked.late)
        answer = door.function(frame, **found)
    else:
        answer = asked.function(read.results, **arguments)
    if {"label", "baseline"} <= {*answer.columns} and "label" not in read.results.labels:
        sides = dict.fromkeys([*answer["baseline"], *answer["label"]])
        say(f"The sides were found in the files: {', '.join(sides)}; --between names others")
    asked.show(answer, read.results)
    return read.code


def check(asked: Asked) -> int:
    """Check the numbers; findings that are ok are counted, unless they are wanted."""
    from fiotools.stats.check.evidence import Evidence, evidence

    known = {one: value for one, value in asked.given.items() if one in Evidence.__annotations__}
    with wrong_command(ValueError):  # before many files are read
        evidence(**{"between": "any", "baseline": "any", **known})
    read = asked.read()
    answer = asked.function(read.results, **asked.arguments(asked.verb.asks))
    asked.show(answer, read.results, sheet=partial(_findings, ok="all" in asked.given))
    if "strict" in asked.given and not read.code and answer["verdict"].is_in(GRAVEST[:2]).any():
        return output.STRICT
    return read.code


def _findings(answer: pl.DataFrame, *, ok: bool) -> Sheet:
    from fiotools.display import layout

    made = layout.findings(layout.Frame(answer), ok=ok)
    count = int((answer["verdict"] == "ok").sum())
    if count and not ok:
        made.cautions.append(f"{many(count, 'ok finding')} hidden: --all shows them")
    return made


def read(asked: Asked) -> int:
    """Show what is in the files, or one table of them."""
    from fiotools.display import layout
    from fiotools.tables.metrics import main_table

    table, rows, *order = (asked.given.pop(one, None) for one in ("table", "rows", "sort", "top"))
    reading = asked.read()
    results, below = reading.results, list[Sheet]()
    if table is None and asked.output is None and asked.form in ("table", "markdown"):
        table, frame = layout.first_look(results)
        below = _each_file(reading, asked.files)
    else:
        table = table or main_table(results)
        if table == "overview":
            frame = function_of(".stats.overview:overview")(results)
        elif table in results.tables:
            frame = results.tables.polars(table)
        else:
            there = ", ".join(results.tables)
            raise Trouble(f"the dataset has no table {table!r}, only {there}", 2)

    if any(order):
        frame = function_of(".stats.overview:ranked")(frame, *order)

    def sheet(frame: pl.DataFrame) -> Sheet:
        made = layout.preview(results, frame, table, rows or 0)
        if made.whole:
            made.whole = f"{command('read', asked.files)} --table overview --format csv"
        return made

    asked.show(frame, results, sheet=sheet, more=below)
    return reading.code


def _each_file(reading: Reading, files: Sequence[str]) -> list[Sheet]:
    """Say of each file what it is and what it gave, where they are not all alike.

    Many files of one format have a line for each folder, or one; those not read have one each.
    """
    from fiotools.input.sources import left_out

    tables, refused = reading.results.tables, reading.results.refused()
    runs = tables.polars("runs")
    found = dict(runs.select("source", "format").unique(maintain_order=True).iter_rows())
    if len({*found.values()}) < 2 and not (refused and found):
        return []
    folder = common_folder([*found, *refused])
    lines: dict[Any, list[str]] = {}
    for depth in (None, -1, 0):  # by file, folder, or format alone
        lines.clear()
        for file, form in found.items():
            lines.setdefault((*file.split("/")[:depth], form), []).append(file)
        if len(lines) <= _LISTED:
            break
    told = []
    for (*_, form), own in lines.items():
        rows = []
        for name, word in _GIVES.items():
            if name in tables:
                count = int(tables.polars(name)["source"].is_in(own).sum())
                rows += [many(count, word)] if count else []
        name = own[0].removeprefix(folder)
        told.append((" ".join([name, *more(len(own) - 1)]), form, ", ".join(rows)))
    for file, why in [*refused.items()][:_LISTED]:
        told.append((file.removeprefix(folder), "", f"not read: {why}"))
    names, forms, gave = map(list, zip(*told, strict=True))
    made = [SheetColumn("file", names), SheetColumn("format", forms)]
    made.append(SheetColumn("what was read", gave, wraps=40))
    instead = f"not read: {command('read', files)} --table notes"
    notes = [f"{one} {instead}" for one in more(len(refused) - _LISTED)]
    beside = [one for place in files if Path(place).is_dir() for one in left_out(place)]
    if beside:
        notes.append(f"left out: {', '.join([*beside[:_FEW], *more(len(beside) - _FEW)])}")
    return [Sheet(made, notes=notes)]


def plan(asked: Asked) -> int:
    """Plan from the spread of earlier runs, or from a variation that is known."""
    cv = asked.given.pop("cv", None)
    if (cv is not None) == bool(asked.files):
        raise Trouble("give either earlier runs or --cv", 2)
    if asked.files:
        return question(asked)
    asked.show(asked.function(cv, **asked.given))
    return 0


def gate(asked: Asked) -> int:
    """Hold what is new to rules: the exit code is 4 if one is broken, 3 if one cannot be judged."""
    from fiotools.stats.gate import Limit, rule_of
    from fiotools.stats.limits import lines_of

    given = asked.given
    with wrong_command(ValueError):
        lines = lines_of(given["limits"]).values() if "limits" in given else ()
        texts = [one for _, own in lines for one in own] or given.get("fail_if", ["slower"])
        rules = [rule_of(one) for one in texts]
    if not given.get("between"):
        asked.files = old_and_new(asked.files)
    reading = asked.read()
    is_alone = len(asked.files) == 1 and not (reading.results.labels or given.get("between"))
    if is_alone and "limits" not in given and not all(isinstance(one, Limit) for one in rules):
        raise Trouble("one side alone takes limits, --fail-if 'p99 > 10ms'; or add its history", 2)
    held = asked.function(reading.results, **asked.arguments(asked.verb.asks))
    if asked.output or asked.form != "github":
        asked.show(held, reading.results)
    return output.judge(output.as_polars(held), asked.form, reading.lost)


def formats(asked: Asked) -> int:
    """List the formats, each with the command that makes it."""
    from fiotools.readers import readers

    rows = [{"format": r.name, "reads": r.title, "made by": r.produced_by} for r in readers()]
    return _list(asked, asked.function, rows, _ZIPPED)


def describe(asked: Asked) -> int:
    """Describe columns, those of a table, or all."""
    from fiotools.tables.naming import of_metric
    from fiotools.vocabulary import COLUMNS

    names = [column for one in asked.files or TABLES for column in TABLES.get(one, (one,))]
    found = [asked.function(of_metric(one, COLUMNS)) for one in dict.fromkeys(names)]
    if asked.files and len(found) <= _FEW and asked.form == "table" and not asked.output:
        output.write("".join(f"{one}\n" for one in found))
        return 0
    rows = [{name: told(one) or "" for name, told in _OF_COLUMN.items()} for one in found]
    shown = [{one: row[one] for one in ("name", "unit", "meaning", "better")} for row in rows]

    def frame() -> Any:
        import pandas as pd

        return pd.DataFrame(rows).replace("", None)

    return _list(asked, frame, shown, _TYPED)


def _list(
    asked: Asked, frame: Callable[[], Any], rows: Sequence[Mapping[str, str]], note: str
) -> int:
    """Print rows that people read, or a whole frame for machines."""
    if asked.output or asked.form in ("json", "csv"):
        asked.show(frame())
    else:
        columns = [
            SheetColumn(name, [row[name] for row in rows], keep=-at, wraps=24 * (at in (1, 2)))
            for at, name in enumerate(rows[0])
        ]
        output.show([Sheet(columns, notes=[note])], asked.form)
    return 0


def plot(asked: Asked) -> int:
    """Draw a plot into a file."""
    from fiotools.errors import argument
    from fiotools.files import atomic_write
    from fiotools.plot import save, style

    target = Path(asked.output or f"{asked.name}.svg")
    if target.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise Trouble(f"{target}: a plot ends in .svg, .png, .pdf", 2)
    if given := asked.given.get("palette"):
        from matplotlib.colors import is_color_like

        rest = [one for one in asked.files if is_color_like(one) and not Path(one).exists()]
        if rest:
            every = [*([given] if isinstance(given, str) else given), *rest]
            raise Trouble(f"commas part the colours: {argument('palette', every)}", 2)
    target = target.with_suffix(target.suffix.lower())
    atomic_write.refuse_missing_folder(target)
    reading = asked.read()
    output.refuse_overwriting(reading.results, target)
    data, own = reading.results, asked.given
    style(own.pop("style", None) or "")
    if question := DRAWN.get(asked.name):  # what the question takes is not the plot's
        about = asked.arguments(question)
        data = function_of(question)(data, **about)
        own = {one: value for one, value in own.items() if one not in about or one == "band"}
    for file in save(asked.function(data, **own), target, data=reading.results):
        say(f"wrote {file}")
    return reading.code


def convert(asked: Asked) -> int:
    """Convert files to a dataset; what it holds is not read again."""
    sources = named(asked.files, "convert reads files that can be read again, and not -")
    with _executor(asked.given.pop("workers", None)) as executor:
        more = {**asked.given, **asked.how}
        done = asked.function(sources, asked.output, executor=executor, **more)
    for refusal in done.refusals:
        say(str(refusal))
    say(f"converted to {done}")
    return 1 if done.refusals else 0


@contextmanager
def _executor(workers: str | None) -> Iterator[Any]:
    """Start processes, or connect to the scheduler of Dask, while they are needed."""
    if workers is None:
        yield None
        return
    wanted = f"--workers {workers}: give a number of processes, or the address of Dask's scheduler"
    if workers == "0" or not (workers.isdecimal() or ":" in workers):
        raise Trouble(wanted, 2)
    if workers.isdecimal():
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # polars must not be forked
        with ProcessPoolExecutor(int(workers), get_context("spawn"), _follow) as pool:
            yield pool
        return
    distributed = needed("distributed", f"--workers {workers}")
    try:
        client = distributed.Client(workers, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise Trouble(f"{wanted} ({str(error) or 'no answer'})") from None
    with client:
        yield client


def _follow() -> None:
    """Have a worker end with the program, by a kill too, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_after, args=(parent_process(),), daemon=True).start()


def _end_after(parent: Any) -> None:
    parent.join()
    os._exit(1)


def notebook(asked: Asked) -> int:
    """Write the notebook of a question about files."""
    files = named(asked.files, "a notebook reads its files again, and not -")
    path = asked.function(asked.name, files, asked.output, **asked.given)
    say(f"wrote {path}: jupyter lab {path} opens it")
    return 0


def report(asked: Asked) -> int:
    """Write a page, by default named after what was read."""
    from fiotools.reports.asked import is_campaign
    from fiotools.reports.page import refuse

    refuse(asked.output, overwrite="overwrite" in asked.given)
    if len(asked.files) == 1 and is_campaign(asked.files[0]):
        page, code = asked.function(asked.files[0], asked.output, **asked.given), 0
    else:
        reading = asked.read()
        reading.results.kind = "pandas"
        page, code = asked.function(reading.results, asked.output, **asked.given), reading.code
    say(f"wrote {page}: {page.stat().st_size / 1e6:.1f} MB")
    return code
