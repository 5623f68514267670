"""What `--fail-if` prints, for people and for the machines of a pipeline, and its exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fiotools.cli.export import content
from fiotools.cli.output import say, write, write_bytes
from fiotools.stats.gate import FAIL, UNDECIDED

if TYPE_CHECKING:
    import polars as pl

FAILED = 4  # the exit code: apart from files that were not read, and from commands not understood
_GITHUB = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})


def give(held: pl.DataFrame, form: str) -> int:
    """Print what a gate found in the form that was asked for; give the exit code."""
    rows = held.rows(named=True)
    if form == "junit":
        write_bytes(_junit(rows))
    elif form == "github":
        write("".join(f"{_annotation(row)}\n" for row in rows if row["outcome"] != "pass"))
    elif form in ("json", "csv"):
        write_bytes(content(held, form))
    for row in rows:
        if row["outcome"] == FAIL:
            say(f"fails {row['rule']}: {row['why']}")
        elif row["outcome"] == UNDECIDED:
            say(f"undecided, {row['rule']}: {row['why']}")
    return FAILED if (held["outcome"] == FAIL).any() else 0


def _annotation(row: dict[str, Any]) -> str:
    """Write an annotation of GitHub Actions."""
    kind = "error" if row["outcome"] == FAIL else "warning"
    return f"::{kind} title=fiotools {row['rule']}::{row['why']}".translate(_GITHUB)


def _junit(rows: Sequence[dict[str, Any]]) -> bytes:
    """Write JUnit's XML: a test for each rule and row; what is undecided was skipped."""
    from lxml import etree

    counts = {kind: sum(row["outcome"] == kind for row in rows) for kind in (FAIL, UNDECIDED)}
    suite = etree.Element(
        "testsuite",
        name="fiotools",
        tests=str(len(rows)),
        failures=str(counts[FAIL]),
        skipped=str(counts[UNDECIDED]),
        errors="0",
    )
    for row in rows:
        name = row["why"].partition(": ")[0]
        test = etree.SubElement(suite, "testcase", classname=row["rule"], name=name)
        if row["outcome"] == FAIL:
            etree.SubElement(test, "failure", message=row["why"])
        elif row["outcome"] == UNDECIDED:
            etree.SubElement(test, "skipped", message=row["why"])
    found: bytes = etree.tostring(suite, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return found
