"""The lines of a text and who takes them: places, bounds, and the order of takers."""

from __future__ import annotations

import re
import time

import pytest

from fiotools.readers.document import line_end, line_start, lines_above
from fiotools.readers.text import Cursor, taken

TEXT = "one\n  two  \n\nthree\nfour"


def test_cursor_walks_over_every_line() -> None:
    cursor, seen = Cursor(TEXT), []
    while not cursor.done:
        assert TEXT[cursor.start : cursor.stop] == cursor.line
        seen.append((cursor.number, cursor.bare, cursor.is_open))
        cursor.take()
    assert seen == [
        *((0, "one", False), (1, "two", False), (2, "", False), (3, "three", False)),
        (4, "four", True),
    ]
    assert (cursor.line, cursor.bare, cursor.end) == ("", "", len(TEXT))


def test_a_last_end_of_line_begins_no_line() -> None:
    cursor = Cursor("one\n")
    assert not cursor.is_open
    assert cursor.take() == "one"
    assert cursor.done
    assert cursor.end == 3


def test_end_is_where_the_last_line_stopped_that_was_not_blank() -> None:
    cursor = Cursor(TEXT, 4)
    assert cursor.end == 4
    cursor.take()
    cursor.take()
    assert TEXT[: cursor.end] == "one\n  two  "
    assert cursor.line == "three"


def test_ahead_looks_and_does_not_go() -> None:
    cursor = Cursor(TEXT)
    assert list(cursor.ahead(2)) == ["two", "three"]
    assert list(cursor.ahead(9)) == ["two", "three", "four"]
    assert cursor.line == "one"


def test_take_to_counts_the_lines_that_it_takes() -> None:
    cursor = Cursor(TEXT)
    cursor.take_to(TEXT.index("\nfour"))
    assert (cursor.number, cursor.line) == (4, "four")
    assert TEXT[: cursor.end].endswith("three")


def test_strip_makes_bare() -> None:
    cursor = Cursor("> a ", strip=lambda line: line.strip("> "))
    assert (cursor.line, cursor.bare) == ("> a ", "a")


def test_line_start_and_end() -> None:
    at = TEXT.index("ree")
    assert line_start(TEXT, at, 400) == TEXT.index("three")
    assert line_end(TEXT, at) == TEXT.index("\nfour")
    assert line_start(TEXT, 2, 400) == 0
    assert line_end(TEXT, len(TEXT)) == len(TEXT)
    assert line_start("x" * 50, 45, 40) is None
    assert line_start("x" * 50, 40, 40) == 0
    assert line_start("a\rb", 3, 9) == 0
    assert line_start("a\rb", 3, 9, ends="\n\r") == 2


def test_lines_above_go_up() -> None:
    at = TEXT.index("three")
    assert list(lines_above(TEXT, at)) == [(12, ""), (4, "  two  "), (0, "one")]
    assert list(lines_above(TEXT, 0)) == []
    assert list(lines_above("\nx", 1)) == [(0, "")]


def _pairs(log: list[str]):
    def refuse(cursor: Cursor, into: list[str], found: re.Match[str]) -> bool:
        log.append(f"refused {found[0]}")
        return False

    def one(cursor: Cursor, into: list[str], found: re.Match[str]) -> None:
        into.append(found[1])

    def two(cursor: Cursor, into: list[str], found: re.Match[str]) -> bool:
        into.append(cursor.take() + "+" + cursor.take())
        return True

    patterns = ((r"t(.*)", refuse), (r"t(w.*)", one), (r"three", two), (r"(.*)", one))
    return tuple((re.compile(pattern), take) for pattern, take in patterns)


def test_the_first_taker_that_does_not_refuse_has_the_line() -> None:
    log: list[str] = []
    cursor, into = Cursor(TEXT), list[str]()
    while not cursor.done:
        assert taken(cursor, into, _pairs(log))
    assert into == ["one", "wo", "", "three+four"]
    assert log == ["refused two", "refused three"]


@pytest.mark.parametrize("text", ["one", "done so"])
def test_a_line_must_be_the_pattern_as_a_whole(text: str) -> None:
    cursor = Cursor(text)
    pairs = ((re.compile("one"), lambda cursor, into, found: None),)
    assert taken(cursor, None, pairs) is (text == "one")
    assert cursor.done is (text == "one")


def test_a_walk_takes_linear_time() -> None:
    def walk(count: int) -> float:
        began = time.process_time()
        cursor = Cursor("a b\n" * count)
        while not cursor.done:
            cursor.take()
        return time.process_time() - began

    walk(1000)
    assert min(walk(100_000) for _ in range(3)) < 40 * min(walk(10_000) for _ in range(3))
