"""A table of limits: a line for each workload and metric, as a project keeps it beside its code."""

from __future__ import annotations

import csv
import os

from fiotools.errors import FileError

# the columns of limits, and the rule that each is
_RULES = {"max": "{} > {}", "min": "{} < {}", "slower": "{} slower:{}%"}


def lines_of(path: str | os.PathLike[str]) -> dict[int, tuple[dict[str, str], list[str]]]:
    """Read the workload and the rules of each line, by its number; # begins a comment."""
    name, found = os.fspath(path), {}
    with open(path, encoding="utf-8-sig", newline="") as file:
        every = [[cell.strip() for cell in cells] for cells in csv.reader(file)]
    rows = {at: row for at, row in enumerate(every, 1) if any(row) and row[0][:1] != "#"}
    first = next(iter(rows), 1)
    head = rows.pop(first, [])
    if "metric" not in head or not {*_RULES} & {*head} or not rows:
        remedy = f"its columns: those of the workload, metric, and some of {', '.join(_RULES)}"
        raise FileError(name, "is not a table of limits", line=first, remedy=remedy)
    for line, row in rows.items():
        workload = {column: text for column, text in zip(head, row, strict=False) if text}
        metric, limits = workload.pop("metric", ""), {one: workload.pop(one, "") for one in _RULES}
        rules = [
            _RULES[one].format(metric, text.rstrip("% ")) for one, text in limits.items() if text
        ]
        if len(row) != len(head) or not (metric and rules):
            reason = f"a line has {len(head)} cells, of which metric and a limit are filled"
            raise FileError(name, reason, line=line)
        found[line] = workload, rules
    return found
