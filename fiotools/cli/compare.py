"""`fiotools compare` with its rules, `settings-diff`, and `plan` without files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from fiotools.cli.output import Shown, Trouble, give, give_gate, say, wrong_command
from fiotools.cli.questions import RowFilter, answers, asked_about, sheet, wants_labels
from fiotools.cli.sources import Reading, read_all

if TYPE_CHECKING:
    import polars as pl


def compare(
    files: Sequence[str],
    *,
    asked: dict[str, Any],
    rows: RowFilter,
    fail_if: Sequence[str] = (),
    form: Literal["table", "json", "csv", "markdown", "junit", "github"] = "table",
    output: str | None = None,
    reading: dict[str, Any],
) -> int:
    """Compare the sides: the ratio, its interval, and a verdict in words.

    Each file is a side, named after its path. If a side has several runs, give a folder, a quoted
    glob or NAME=FILES for each side; or one path template, whose field names the sides.

    Parameters
    ----------
    fail_if : sequence of str
        Exit with 4 if a rule is broken: slower:5%, 'p99 slower:10%', not-same.
    form : {"table", "json", "csv", "markdown", "junit", "github"}
        The form: json and csv have every column; junit and github are for --fail-if.
    output : str, optional
        Write it to FILE.parquet, .csv, .json, .jsonl, .xlsx or .html.
    """
    from fiotools.stats.compare import compare

    if form in ("junit", "github") and not fail_if:
        raise Trouble(f"--format {form} is for rules: add --fail-if slower:5%", 2)
    rules = _rules(fail_if)
    read = read_all(files, reading, label=True)
    if rules:
        return _held(read, asked, rows, rules, form) or read.code
    given: Any = form
    give(Shown(given, output), [*answers(read, compare, asked, rows)], sheet, read.results)
    return read.code


def _rules(given: Sequence[str]) -> dict[str | None, list[str]]:
    """Sort the rules by the metrics that they name."""
    if not given:
        return {}
    from fiotools.stats.gate import Rule

    found: dict[str | None, list[str]] = {}
    for text in given:
        with wrong_command():
            found.setdefault(Rule.of(text).metric, []).append(text)
    return found


def _held(
    read: Reading,
    asked: dict[str, Any],
    rows: RowFilter,
    rules: dict[str | None, list[str]],
    form: str,
) -> int:
    """Compare, check the answers against the rules, and report the broken ones."""
    import polars as pl

    from fiotools.stats.compare import compare
    from fiotools.stats.gate import gate

    held = []
    for metric, texts in rules.items():
        named = asked if metric is None else {**asked, "metric": [metric]}
        for answer in answers(read, compare, named, rows):
            held.append(gate(answer, texts))
            if form in ("table", "markdown"):
                shown: Any = form
                give(Shown(shown), [answer], sheet, read.results)
    return give_gate(pl.concat(held), form)


def settings_diff(
    files: Sequence[str],
    *,
    asked: dict[str, Any],
    shown: Shown,
    reading: dict[str, Any],
) -> int:
    """List the options in which the sides differ, and the tool and the machine that ran it."""
    read = read_all(files, reading, label=True)
    give(shown, [_differences(read, asked)], sheet, read.results)
    return read.code


def _differences(read: Reading, asked: dict[str, Any]) -> pl.DataFrame:
    import polars as pl

    from fiotools.stats.settings import settings_diff

    if not read.results.tables.height("settings"):
        raise Trouble("these files hold no settings")
    settings, found = asked_about(read, settings_diff, asked, RowFilter())
    runs, between = read.table("runs"), found["between"]
    if between in runs:
        told = {*settings[between]}
        for name in runs[between].drop_nulls().unique(maintain_order=True):
            if name not in told:
                words = f"the files of {between} {name} hold no settings"
                if name == found["baseline"] or len(told) < 2:
                    raise Trouble(words)
                say(words)
    everything = pl.concat([settings, *_of_runs(runs, settings)], how="diagonal")
    differ: pl.DataFrame = settings_diff(everything, **found)
    return differ


def _of_runs(runs: pl.DataFrame, like: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the tool and the machine of each run as if they were options."""
    import polars as pl

    # with its name: versions 3.4 and 3.40 alone would be equal numbers
    tools = (runs["tool"] + " " + runs["tool_version"].fill_null("")).str.strip_chars_end()
    whose = runs.select(name for name in like.columns if name in runs)
    for name, texts in (("tool", tools), ("host", runs["host"])):
        given = whose.with_columns(pl.lit(name).alias("option"), texts.alias("text"))
        yield given.drop_nulls("text")


def plan(
    files: Sequence[str] = (),
    *,
    cv: float | None = None,
    asked: dict[str, Any],
    rows: RowFilter,
    shown: Shown,
    reading: dict[str, Any],
) -> int:
    """Plan a comparison: the number of runs a side, from the spread of earlier runs.

    Parameters
    ----------
    cv : float, optional
        Without files: the variation of runs, 0.03 for 3 %.
    """
    from fiotools.stats.plan import plan

    if (cv is None) == (not files):
        raise Trouble("give either earlier runs or --cv", 2)
    if cv is not None:
        from fiotools.tables.columns import of_pandas

        alone: Any = plan
        give(shown, [of_pandas(alone(cv, **asked))], sheet)
        return 0
    read = read_all(files, reading, label=wants_labels(plan, asked))
    give(shown, [*answers(read, plan, asked, rows)], sheet, read.results)
    return read.code
