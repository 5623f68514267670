"""How often `check` misses, and how often it accuses the innocent.

The cases are outputs of which it is known how they were made, and so whether their numbers are the
device's (``tests/fixtures/check_matrix``). A dishonest case is caught if `check` finds anything
suspect or impossible in it, else missed; an honest one is a false alarm then, else quiet.
``python -m benchmarks.check_matrix`` writes CHECK.md.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fiotools as ft

OUTPUTS = Path(__file__).parents[1] / "tests" / "fixtures" / "check_matrix"
CASES = OUTPUTS / "cases.toml"
PAGE = Path(__file__).parent / "CHECK.md"

Case = dict[str, Any]  # a table of cases.toml; its README says what stands in it


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Attributes
    ----------
    name, kind : str
    is_honest, is_decided : bool
        Whether the number is the device's; whether the evidence in the files decides that.
    accused : list of str
        The checks that found something suspect or impossible, each with its reason.
    """

    name: str
    kind: str
    is_honest: bool
    is_decided: bool
    accused: dict[str, str]

    @property
    def word(self) -> str:
        """Name it: quiet, false, caught or missed."""
        if self.is_honest:
            return "false" if self.accused else "quiet"
        return "caught" if self.accused else "missed"


def table(path: Path = CASES) -> dict[str, Any]:
    """Read the table of cases."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def cases() -> list[Case]:
    """Give the cases, in their order."""
    return list(table()["case"])


def name(case: Case) -> str:
    """Name a case: by its name, or else by its file."""
    return str(case.get("name") or Path(case["file"]).stem.partition("--")[2])


def text(case: Case) -> str:
    """Give the output of a case, with its edits."""
    raw = (OUTPUTS / case["file"]).read_bytes().decode()
    edits = case.get("edits", {})
    if isinstance(edits, dict) and edits:
        report = json.loads(raw)
        for path, value in edits.items():
            _set(report, path.split("."), value)
        return json.dumps(report, indent=2)
    for old, new in edits or ():
        if old not in raw:
            raise ValueError(f"{name(case)}: there is no {old!r} in {case['file']}")
        raw = raw.replace(old, new)
    return raw


def _set(report: Any, path: list[str], value: Any) -> None:
    """Put a value in the place of another; "* 3" multiplies what is there."""
    for key in path[:-1]:
        report = report[int(key) if isinstance(report, list) else key]
    if isinstance(value, str) and value.startswith("* "):
        value = type(report[path[-1]])(report[path[-1]] * float(value[2:]))
    report[path[-1]] = value


def read(case: Case, folder: Path) -> ft.Results:
    """Read the output of a case; of two sides, with the label ``side``."""
    sides = case.get("sides", {"": case.get("file")})
    for side, file in sides.items():
        at = folder / f"{side or 'only'}{Path(file).suffix}"
        at.write_bytes(text({**case, "file": file}).encode())
    template = "{side}" if "sides" in case else "only"
    return ft.read(f"{folder.as_posix()}/{template}{at.suffix}")


def outcome(case: Case) -> Outcome:
    """Ask `check` of a case."""
    with TemporaryDirectory() as folder:
        seen = ft.check(read(case, Path(folder)), **case.get("check", {}))
    accused = seen[seen["verdict"].isin(["suspect", "impossible"])]
    reasons = dict(zip(accused["check"], accused["why"], strict=True))
    decided = "decided_by" in case
    return Outcome(name(case), case["kind"], case["honest"], decided, reasons)


def rates(found: Iterable[Outcome]) -> dict[str, tuple[int, int]]:
    """Count what should not be: (how many, of how many)."""
    found = list(found)
    told = [one for one in found if not one.is_honest]
    decided = [one for one in told if one.is_decided]
    honest = [one for one in found if one.is_honest]
    return {
        "honest cases accused": (_count(honest, "false"), len(honest)),
        "dishonest cases missed": (_count(told, "missed"), len(told)),
        "missed of those that the files decide": (_count(decided, "missed"), len(decided)),
    }


def _count(found: Iterable[Outcome], word: str) -> int:
    return sum(one.word == word for one in found)


def report(found: list[Outcome]) -> Iterator[str]:
    """Write the page, line by line."""
    yield from (
        "# How often `check` is wrong",
        "",
        "Written by `python -m benchmarks.check_matrix`; do not edit. The cases, and how each was",
        "made: `tests/fixtures/check_matrix/cases.toml`.",
        "",
        "| | cases | of | share |",
        "|---|---|---|---|",
    )
    for what, (wrong, every) in rates(found).items():
        yield f"| {what} | {wrong} | {every} | {100 * wrong / max(every, 1):.1f} % |"
    for is_honest, good, bad in ((True, "quiet", "false"), (False, "caught", "missed")):
        own = [one for one in found if one.is_honest is is_honest]
        yield f"\n## {'Honest' if is_honest else 'Dishonest'}\n"
        yield f"| how made | {good} | {bad} |"
        yield "|---|---|---|"
        counts = Counter((one.kind, one.word) for one in own)
        for kind in dict.fromkeys(one.kind for one in own):
            yield f"| {kind} | {counts[kind, good]} | {counts[kind, bad]} |"
        wrong = [one for one in own if one.word == bad]
        if wrong:
            yield f"\n{bad.capitalize()}:\n"
        for one in wrong:
            said = "; ".join(f"`{check}`: {why}" for check, why in one.accused.items())
            decided = "the files decide it" if one.is_decided else "the files do not decide it"
            yield f"* {one.name} ({one.kind}): {said or decided}"


def main() -> None:
    """Judge all cases, print the page and write it."""
    page = "\n".join(report([outcome(case) for case in cases()]))
    PAGE.write_text(page + "\n", encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
