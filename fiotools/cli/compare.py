"""`fiotools compare` and `gate` with their rules, `settings-diff`, and `plan` without files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from fiotools.cli import sides
from fiotools.cli.output import Shown, Trouble, give, give_gate, say, wrong_command
from fiotools.cli.questions import RowFilter, answers, asked_about, sheet, wants_labels
from fiotools.cli.sources import Reading, read_all

if TYPE_CHECKING:
    import polars as pl

    from fiotools.stats.gate import Limit, Rule


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
        Exit with 4 if a rule is broken: slower:5%, 'p99 slower:10%', not-same, 'p99 > 10ms'.
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
    read, asked = sides.named(read, files, asked)
    note = ""
    if not asked.get("metric") and not rows.table and None in (rules or {None}):
        taken, note = sides.metric(read.results)
        asked |= {"metric": [taken]} if taken else {}
    if rules:
        if note:
            say(note)
        return _held(read, asked, rows, rules, form)
    given: Any = form
    first = output is None and form in ("table", "markdown")
    found = [*(_over_cells_first if first else answers)(read, compare, asked, rows)]
    if note:
        say(note)
    give(Shown(given, output), found, sheet, read.results)
    return read.code


def _over_cells_first(
    read: Reading, function: Any, asked: dict[str, Any], rows: RowFilter
) -> Iterator[pl.DataFrame]:
    """Compare once for each metric; above the cells of a sweep stands the answer over all."""
    import polars as pl

    from fiotools.stats.overall import over_cells

    for metric in asked.get("metric") or [None]:
        frame, found = asked_about(read, function, asked | {"metric": metric}, rows)
        with read.working("computing"):
            answer: pl.DataFrame = function.door.function(frame, **found)
            over = None
            if found.get("by") and found.get("looks") != "any":
                others = ("settings", "looks")
                over = over_cells(frame, **{k: v for k, v in found.items() if k not in others})
        if over is not None:
            each = answer.with_columns(workloads=1)
            answer = pl.concat([over, each], how="diagonal_relaxed").select(over.columns)
        yield answer


def gate(
    builds: Sequence[str],
    *,
    asked: dict[str, Any],
    rows: RowFilter,
    fail_if: Sequence[str] = ("slower",),
    form: Literal["table", "json", "csv", "markdown", "junit", "github"] = "table",
    reading: dict[str, Any],
) -> int:
    """Hold NEW to rules: against HISTORY, or by itself to limits such as 'p99 > 10ms'.

    HISTORY and NEW are a folder, a dataset, a quoted glob or NAME=FILES each. Runs with an hour
    between them are of several sessions, and each counts once. One new session needs a history of
    8 and is slower if it lies below what 99 % of such sessions show. Exit code: 0 no rule is
    broken, 4 one is, 3 one cannot be judged, 1 a file was not read, 2 the command is wrong.

    Parameters
    ----------
    fail_if : sequence of str
        The rule: slower, slower:5%, 'p99 slower:10%', shown-not-slower:5%, 'iops < 5000'.
    form : {"table", "json", "csv", "markdown", "junit", "github"}
        The form: json and csv have every column; junit and github are for pipelines.
    """
    from fiotools.stats.gate import Limit

    rules = _rules(fail_if)
    is_alone = len(builds) == 1
    if len(builds) > 2:
        raise Trouble("give HISTORY and NEW, and quote globs: fiotools gate 'old/*' 'new/*'", 2)
    if is_alone and not all(
        isinstance(one, Limit) for several in rules.values() for one in several
    ):
        raise Trouble("one side alone takes limits, --fail-if 'p99 > 10ms'; or add its history", 2)
    if not is_alone:
        asked = {**asked, "between": "label"}
    read = read_all(builds, reading, label=not is_alone)
    return _held(read, asked, rows, rules, form, by_session=True, is_alone=is_alone)


def _rules(given: Sequence[str]) -> dict[str | None, list[Rule | Limit]]:
    """Sort the rules by the metrics that they name."""
    if not given:
        return {}
    from fiotools.stats.gate import rule_of

    found: dict[str | None, list[Rule | Limit]] = {}
    for text in given:
        with wrong_command():
            rule = rule_of(text)
        found.setdefault(rule.metric, []).append(rule)
    return found


def _held(
    read: Reading,
    asked: dict[str, Any],
    rows: RowFilter,
    rules: dict[str | None, list[Rule | Limit]],
    form: str,
    *,
    by_session: bool = False,
    is_alone: bool = False,
) -> int:
    """Answer, check the answers against the rules, and report the broken ones."""
    import polars as pl

    from fiotools.stats.gate import Limit, gate

    held = []
    for metric, several in rules.items():
        for one in [metric] if metric else asked.get("metric") or [None]:
            named = {**asked, **({"metric": one} if one else {})}
            for limits in (False, True):
                texts = [rule.text for rule in several if isinstance(rule, Limit) is limits]
                if not texts:
                    continue
                answer = _answer(read, named, rows, by_session, limits=limits, is_alone=is_alone)
                held.append(gate(answer, texts))
                if form in ("table", "markdown"):
                    shown: Any = form
                    give(Shown(shown), [answer], sheet, read.results)
    lost = _lost(read)
    for one in lost:
        say(f"not read: {one}")
    unread = [*read.unread, *lost]
    found = give_gate(pl.concat(held, how="diagonal_relaxed"), form, unread)
    return found or (1 if unread else read.code)


def _lost(read: Reading) -> list[str]:
    """List the files of folders that gave nothing: a gate that leaves them out tests less."""
    notes = read.results.tables.polars("notes")
    lost = notes.filter((notes["code"] == "refused") & (notes["severity"] != "info"))
    return [f"{source}: {message}" for source, message in lost["source", "message"].rows()]


def _answer(
    read: Reading,
    asked: dict[str, Any],
    rows: RowFilter,
    by_session: bool,
    *,
    limits: bool,
    is_alone: bool,
) -> pl.DataFrame:
    """Compare the sides; for limits summarize each but the baseline."""
    import polars as pl

    from fiotools.stats.compare import compare
    from fiotools.stats.sessions import several_sessions
    from fiotools.stats.summary import summarize

    asking = summarize if is_alone else compare
    taken = {name: value for name, value in asked.items() if name in asking.door.takes}
    frame, found = asked_about(read, asking, taken, rows)
    if limits and not is_alone:
        between, baseline = found["between"], found["baseline"]
        by = [one for one in (found.get("by") or []) if one != between]
        frame = frame.filter(pl.col(between) != baseline)
        found = {"metric": found["metric"], "by": [*by, between], "scope": found.get("scope")}
        asking = summarize
    elif by_session and not (limits or found.get("unit") or found.get("pair")):
        found["unit"] = several_sessions(frame)
    with read.working("computing"):
        answer: pl.DataFrame = asking.door.function(frame, **found)
    return answer


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
