"""The answers that hold sides against each other, as sheets: `compare`, `speedup`, settings."""

from __future__ import annotations

from fiotools.display import cells, layout
from fiotools.display.sheet import Sheet, Shown
from fiotools.display.table import Table


def sheet(table: Table) -> Sheet:
    """Lay out a comparison: what of what, how many times, how sure, and in words."""
    at = table.names.index("baseline")
    labels = table.names[:at]
    same = [name for name in labels[:-1] if table.is_alike(name)]
    labels = [name for name in labels if name not in same]
    metric, baseline, method, confidence = (
        _one(table, name) for name in ("metric", "baseline", "method", "confidence")
    )
    what = "speedup" if "speedup" in table.names else "ratio"
    pairs = zip(table.columns["n"], table.columns["n_baseline"], strict=True)
    made = [layout.column(table, name) for name in labels]
    made += [layout.column(table, name) for name in ("metric", "baseline") if not _one(table, name)]
    made += [
        layout.column(table, "center", layout.head(metric or "center")),
        layout.column(table, "center_baseline", f"of {baseline or 'the baseline'}"),
        layout.column(table, what, f"{what} [{confidence}]" if confidence else ""),
        Shown("n", [f"{own} vs {other}" for own, other in pairs], about=layout.about("n")),
        layout.column(table, "verdict"),
    ]
    if any(table.columns["runs_needed"]):
        more = [f"+{count}" if count else "" for count in table.columns["runs_needed"]]
        made.append(Shown("runs needed", more, right=True, about=layout.about("runs_needed")))
    above = [f"{layout.head(name)} {layout.cells_of(table, name)[0]}" for name in same]
    title = f"{layout.head(metric or 'each metric')} of each {table.names[at - 1]}"
    title += f", against {baseline}" if baseline else ", against its baseline"
    by = f"{confidence} intervals by {method}" if confidence and method else ""
    return Sheet(
        made,
        title,
        [*layout.said(table, labels), *([by] if by else []), *layout.cut(table)],
        [f"in all rows: {', '.join(above)}"] if above else [],
    )


def settings(table: Table) -> Sheet:
    """Lay out an answer of `settings_diff`: each option, and what it was set to."""
    if not table.size:
        return Sheet([], "the sides differ in no setting")
    baseline = _one(table, "baseline") or "the baseline"
    texts = {"set to": table.columns["text"], f"of {baseline}": table.columns["text_baseline"]}
    made = [layout.column(table, name) for name in ("option", table.names[0])]
    for head, values in texts.items():
        given = ["not given" if value is None else value for value in values]
        made.append(Shown(head, given, wraps=True))
    return Sheet(made, f"what {table.names[0]} was not set alike in", layout.cut(table))


def _one(table: Table, name: str) -> str:
    """Write what a column says, if it is one thing."""
    texts = {text for text in layout.cells_of(table, name) if text != cells.NONE}
    return texts.pop() if len(texts) == 1 else ""
