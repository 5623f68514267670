"""Break real files in every way a disk, a mail program or a person breaks them, and read them.

    make fuzz                    every reader, a minute each, and every mutation of every fixture
    make fuzz ARGS="dd --seconds 600"

What must hold: nothing but the library's own errors leaves a reader, each names the file; what is
read has no contradiction that a warning does not speak of; and no input takes more than a bounded
time for its size. Prints the inputs tried, the failures and the slowest input of each reader, then
what became of the numbers under changes that keep them (`tests.mutations`).
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import fiotools as ft
from fiotools.readers import built_in
from tests import mutations
from tests.physics import read_texts, unnoted

FIXTURES = Path(__file__).parent / "fixtures"
LARGEST = 60_000  # bytes of a seed; larger ones are slow and teach nothing new
# what means something to one grammar or another
TOKENS = [
    *(b"\n", b"\r", b"\r\n", b"\0", b"\t", b" ", b",", b";", b":", b"%", b"|", b"/", b"-", b"+"),
    *(b"0", b"9" * 25, b"-1", b"1e999", b"nan", b"inf", b"1.5", b"1,5", b"0x", b"\xff", b"\xa0"),
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b"<", b">", b"&", b"<!DOCTYPE", b"]]>", b"&amp;"),
    *(b"KiB/s", b"MB/s", b"usec", b"msec", b"s, ", b"real\t", b"```", b"$ dd ", b"fio-3.33"),
    *("µ".encode(), "秒".encode(), "，".encode(), b"\x1b[31m", b"\xef\xbb\xbf", b"=3D", b"<br>"),
]


@cache
def seeds() -> dict[str, list[tuple[str, bytes]]]:
    """Give each reader's fixtures: (name, bytes)."""
    found: dict[str, list[tuple[str, bytes]]] = {reader.name: [] for reader in built_in()}
    files = [
        path
        for path in sorted(FIXTURES.rglob("*"))
        if path.is_file() and path.stat().st_size <= LARGEST and path.name != "README.md"
    ]
    runs = ft.read(files, errors="note").runs
    formats = runs.groupby("source")["format"].unique()
    for path in files:
        for name in formats.get(path.as_posix(), ()):
            found[name].append((path.name, path.read_bytes()))
    # its runs are of the tools in it
    found["transcript"] = [
        (path.name, path.read_bytes()) for path in sorted((FIXTURES / "transcript").glob("*.txt"))
    ]
    return found


@st.composite
def mutated(draw: st.DrawFn, files: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """Draw a file, and what happened to it."""
    name, data = draw(st.sampled_from(files))
    for _ in range(draw(st.integers(1, 4))):
        data = draw(st.sampled_from(HOW))(draw, data)
    return name, data


def _span(draw: st.DrawFn, data: bytes, most: int = 400) -> tuple[int, int]:
    start = draw(st.integers(0, len(data)))
    return start, min(len(data), start + draw(st.integers(0, most)))


def _cut(draw: st.DrawFn, data: bytes) -> bytes:
    return data[: draw(st.integers(0, len(data)))]


def _behead(draw: st.DrawFn, data: bytes) -> bytes:
    return data[draw(st.integers(0, len(data))) :]


def _delete(draw: st.DrawFn, data: bytes) -> bytes:
    start, end = _span(draw, data)
    return data[:start] + data[end:]


def _repeat(draw: st.DrawFn, data: bytes) -> bytes:
    start, end = _span(draw, data)
    return data[:end] + data[start:end] * draw(st.integers(1, 3)) + data[end:]


def _swap(draw: st.DrawFn, data: bytes) -> bytes:
    a, b, c, d = sorted((*_span(draw, data), *_span(draw, data)))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _swap_lines(draw: st.DrawFn, data: bytes) -> bytes:
    lines = data.split(b"\n")
    a, b = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _noise(draw: st.DrawFn, data: bytes) -> bytes:
    start, end = _span(draw, data, 8)
    return data[:start] + draw(st.binary(max_size=8)) + data[end:]


def _token(draw: st.DrawFn, data: bytes) -> bytes:
    start, end = _span(draw, data, 6)
    return data[:start] + draw(st.sampled_from(TOKENS)) + data[end:]


def _digit(draw: st.DrawFn, data: bytes) -> bytes:
    """Change one number: what a slip of the pen does, and the hardest to notice."""
    numbers = [match.start() for match in re.finditer(rb"\d", data)]
    if not numbers:
        return data
    at = draw(st.sampled_from(numbers))
    return data[:at] + draw(st.sampled_from([b"0", b"5", b"9", b"", b"12"])) + data[at + 1 :]


def _encode(draw: st.DrawFn, data: bytes) -> bytes:
    text = data.decode("utf-8", errors="replace")
    return text.encode(draw(st.sampled_from(["utf-16", "utf-8-sig", "utf-16-le"])))


HOW = [_cut, _behead, _delete, _repeat, _swap, _swap_lines, _noise, _token, _digit, _digit, _encode]


@dataclass
class Tally:
    """What came of one reader's inputs."""

    tried: int = 0
    read: int = 0
    refused: int = 0
    slowest: tuple[float, int, str] = (0.0, 0, "")
    failures: list[str] = field(default_factory=list)


def examine(name: str, data: bytes, tally: Tally) -> None:
    """Read one input and hold it to what must hold."""
    tally.tried += 1
    results, refusal = None, None
    begun = time.perf_counter()
    try:
        results = ft.reads(data, name=name)
    except ft.FileError as error:
        refusal = error
    tally.slowest = max(tally.slowest, (time.perf_counter() - begun, len(data), name))
    if results is None:
        tally.refused += 1
        assert refusal.path == name, f"the error names {refusal.path!r}"
    else:
        tally.read += 1
        assert not unnoted(results), unnoted(results)
        assert len(results.runs) or len(results.notes), "nothing, and nothing said"


def examine_together(inputs: Sequence[tuple[str, bytes]], folder: Path, tally: Tally) -> ft.Results:
    """Do with many inputs as `examine` does with one, in far less time; give what they hold."""
    files = {f"{number}-{name}": data for number, (name, data) in enumerate(inputs)}
    results, failures = read_texts(folder, files)
    said = {*results.runs["source"], *results.notes["source"]}
    assert not unnoted(results), unnoted(results)
    assert said | failures.keys() == files.keys(), "nothing, and nothing said"
    tally.tried += len(files)
    tally.refused += len(failures)
    tally.read += len(files) - len(failures)
    return results


def rounds(
    files: list[tuple[str, bytes]],
    examples: int,
    start: int,
    function: Callable[[str, bytes], object],
) -> None:
    """Try a number of inputs; the first that fails is made as small as can be, and raised."""

    @seed(start)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(mutated(files))
    def one(broken: tuple[str, bytes]) -> None:
        function(*broken)

    one()


def fuzz(names: list[str], seconds: float) -> Iterator[tuple[str, Tally]]:
    """Fuzz readers one after another, each for a time."""
    every = seeds()
    for name in names or every:
        tally, begun, start = Tally(), time.perf_counter(), 0
        while every[name] and time.perf_counter() - begun < seconds:
            try:
                rounds(every[name], 100, start, partial(examine, tally=tally))
            except Exception as error:  # noqa: BLE001 - whatever leaves a reader is what is sought
                example = " ".join(getattr(error, "__notes__", ()))
                tally.failures.append(f"seed {start}: {error!r} {example}")
            start += 1
        yield name, tally


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("reader", nargs="*", help="all by default")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each reader")
    options = parser.parse_args()
    warnings.simplefilter("error")
    print(f"{'reader':16}{'inputs':>8}{'read':>8}{'refused':>9}{'failures':>10}   slowest input")
    failed = 0
    for name, tally in fuzz(options.reader, options.seconds):
        took, size, file = tally.slowest
        print(
            f"{name:16}{tally.tried:8,}{tally.read:8,}{tally.refused:9,}{len(tally.failures):10}"
            f"   {took:.3f} s for {size:,} bytes, {file}",
            flush=True,
        )
        for failure in tally.failures[:5]:
            print("  ", failure[:2000])
        failed += len(tally.failures)
    chosen = [one for one in mutations.fixtures() if one[0] in (options.reader or seeds())]
    found = mutations.walk(chosen, workers=2)
    print("\n" + mutations.table(found))
    changed = [one for one in found if one.verdict == "changed"]
    for one in changed[:5]:
        print("  ", *one)
    failed += len(changed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
