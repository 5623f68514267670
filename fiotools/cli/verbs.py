"""The verbs: a table of the functions that they ask, and of the options that these do not have."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from fiotools.cli.signatures import Argument, line
from fiotools.vocabulary import TABLES

FORMS = ("table", "json", "csv", "markdown")
_FORM = Argument("form", choices=FORMS, default="table", help="Csv and json have all columns.")
_OUTPUT = Argument("output", help="Write it to FILE.csv, .json, .jsonl, .parquet, .xlsx or .html.")
_WHERE = Argument("where", "Sequence[str]", help="Keep these rows: direction=read, 'bs>=4k'.")
_ADDED = Argument("combine", choices=("run", "group"), help="First add up jobs, by run or group.")
_VERBOSE = Argument("verbose", "bool", help="Say all cautions below the table, not one.")
_SHOWN = (_FORM, _OUTPUT, _VERBOSE)
_ROWS = (_WHERE, _ADDED)
_ASKED = (*_ROWS, *_SHOWN)


class Verb(NamedTuple):
    """A verb: the function whose arguments are its options, and what it takes besides."""

    asks: str  # module and name of a function, as Python imports it into fiotools
    more: tuple[Argument, ...] = _ASKED
    files: str = "FILES..."
    are_sides: bool = False  # each of several paths is a side
    line: str = ""  # in the list of verbs, if not the function's own


def _of_sides(asks: str, *more: Argument) -> Verb:
    return Verb(asks, (*more, *_ASKED), are_sides=True)


# by what they are for, in the order of `fiotools --help`
SECTIONS: Mapping[str, Mapping[str, Verb]] = {
    "What is in the files": {
        "read": _of_sides(
            ".input.read:read",
            Argument("table", choices=("overview", *TABLES), help="One table of them."),
            Argument("rows", "int", help="Rows that a table shows; 0: all.", default=40),
            Argument("sort", help="The largest numbers of a column first; +iops: the smallest."),
            Argument("top", "int", help="So many rows, by IOPS, bandwidth or time if not --sort."),
        ),
        "convert": Verb(
            ".dataset:convert",
            (
                Argument(
                    "tables",
                    "Sequence[str]",
                    tuple(TABLES),
                    "The tables to build; by default those of the dataset, all of a new one.",
                ),
                replace(_OUTPUT, help="The folder of the dataset, or its URL.", is_required=True),
                Argument("workers", help="So many processes, or the address of Dask's scheduler."),
            ),
        ),
        "formats": Verb(".input.read:formats", _SHOWN, ""),
        "describe": Verb(".vocabulary:describe", _SHOWN, "[COLUMN|TABLE]..."),
    },
    "One side": {
        "summarize": Verb(".stats.summary:summarize"),
        "per-thread": _of_sides(".stats.combine:per_thread"),
        "fairness": _of_sides(".stats.combine:fairness"),
        "best-under": Verb(".stats.best_under:best_under"),
        "percentiles": _of_sides(".stats.percentiles:percentiles"),
        "window": Verb(".stats.windows:window"),
    },
    "Several sides": {
        "compare": _of_sides(
            ".stats.compare:compare",
            Argument("wide", "bool", help="Tests down, sides across, in per cent of the first."),
        ),
        "speedup": _of_sides(".stats.compare:speedup"),
        "gate": Verb(
            ".stats.gate:gate",
            (*_ROWS, replace(_FORM, choices=(*FORMS, "github")), _OUTPUT, _VERBOSE),
            "[HISTORY...] NEW",
            are_sides=True,
        ),
        "overall": _of_sides(".stats.overall:overall"),
        "tails": _of_sides(".stats.tails:tails"),
        "explain": _of_sides(".stats.explain:explain"),
        "settings-diff": _of_sides(".stats.settings:settings_diff"),
        "plan": Verb(
            ".stats.plan:plan",
            (Argument("cv", "float", help="Without files: the variation, 0.03 for 3 %."), *_ASKED),
            "[FILES]...",
        ),
    },
    "How far to trust it": {
        "check": _of_sides(
            ".stats.check:check",
            Argument("all", "bool", help="Show the ok rows too."),
            Argument("strict", "bool", help="Exit with 3 if anything is impossible or suspect."),
        ),
        "steady": Verb(".stats.steady:steady"),
        "shifts": Verb(".stats.shifts:shifts"),
        "reconcile": Verb(".stats.reconcile:reconcile"),
    },
    "To show others": {
        "plot": Verb(
            "",
            (
                *_ROWS,
                replace(_OUTPUT, help="The plot: FILE.svg, .png or .pdf."),
                Argument("by", "Sequence[str]", help="A panel for each value of these."),
                Argument("title", help="A line above the plot."),
                Argument(
                    "palette",
                    "str | Sequence[str]",
                    help="A palette of seaborn, or colours in order.",
                ),
                Argument("style", choices=("column", "page"), help="A size for print."),
            ),
            are_sides=True,
            line="Draw a plot",
        ),
        "notebook": Verb(".notebooks.template:write", ()),
        "report": Verb(".reports.page:report", (), are_sides=True),
        "measure": Verb(".measure.session:run"),
    },
}
VERBS: Mapping[str, Verb] = {name: one for own in SECTIONS.values() for name, one in own.items()}


@cache
def plugged() -> Mapping[str, Verb]:
    """Return the verbs of other packages; one that does not fit must not stop the others."""
    from importlib.metadata import entry_points

    found: dict[str, Verb] = {}
    for entry in entry_points(group="fiotools.verbs"):
        if entry.name in (*VERBS, *found):
            warnings.warn(f"there is a verb {entry.name!r} already: {entry.value}", stacklevel=2)
            continue
        try:
            line(entry.value)
        except (ImportError, OSError, ValueError, IndexError):
            told = "must be a function at the top of a module, with a docstring"
            warnings.warn(f"the verb {entry.name!r}, {entry.value}: {told}", stacklevel=2)
        else:
            found[entry.name] = _of_sides(entry.value)
    return found


# a plot or a page that shows the answer to a question takes the options of the question too
DRAWN: Mapping[str, str] = {
    "ratios": ".stats.compare:compare",
    "tails": ".stats.tails:tails",
    "parts": ".stats.explain:explain",
    "credibility": ".stats.check:check",
    "report": ".stats.check:check",
}

# what people type for a verb, and the command that does it
MEANT: Mapping[str, str] = {
    word: command
    for command, words in {
        "read FILES --table overview": "overview tabulate",
        "read FILES --combine run": "combine merge aggregate sum",
        "read FILES": "ls show cat info open print parse load read-file",
        "read FILES -o FILE": "csv json parquet xlsx write export",
        "summarize FILES": "stats summary mean median average",
        "compare FILES": "cmp vs ab ratio delta benchstat",
        "compare FILES --wide": "crosstab pivot wide",
        "gate HISTORY NEW --fail-if slower": "regress ci assert",
        "explain FILES": "why bottleneck limits",
        "settings-diff FILES": "diff settings options",
        "percentiles FILES": "hist histogram bins",
        "tails FILES": "tail p99",
        "overall FILES": "geomean",
        "check FILES": "verify validate sanity doctor",
        "plan FILES": "power sample-size",
        "shifts FILES": "changepoints steps regression",
        "measure EXPERIMENT": "run bench benchmark fio",
        "report FILES": "html page publish",
        "notebook QUESTION FILES": "ipynb jupyter lab template",
        "convert FILES -o FOLDER": "dataset import",
        "describe": "columns vocabulary units",
        "plot KIND FILES": "draw graph chart figure",
        "--version": "version",
    }.items()
    for word in words.split()
}
# what people type as an option of a verb, and the command that does it
OPTIONS_MEANT: Mapping[tuple[str, str], str] = {
    (verb, f"--{word}"): command
    for (verb, command), words in {
        ("read", "read FILES --table io --format csv"): "columns",
        ("best-under", "best-under FILES -m p99 --limit 1ms"): "p99",
        ("compare", "compare FILES --wide"): "pivot crosstab cross table",
        ("compare", "settings-diff FILES"): "settings",
        ("compare", "gate OLD NEW --fail-if slower:5%"): "fail-if",
        ("speedup", "compare FILES --wide"): "wide",
        ("gate", "gate OLD NEW --fail-if slower:5%"): "max-slowdown band threshold",
    }.items()
    for word in words.split()
}
