"""What tests of readers share: short outputs, fixtures with something replaced, rows and notes."""

from pathlib import Path

import pandas as pd

FIXTURES = Path(__file__).parents[1] / "fixtures"
DD = "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s\n"
TIME = "\nreal\t0m0.600s\nuser\t0m0.100s\nsys\t0m0.200s\n"


def replaced(text, *changes):
    """Give a text with some of it replaced."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def edited(file, *changes):
    """Give a fixture's text, with the line ends that it has and some of it replaced."""
    return replaced((FIXTURES / file).read_bytes().decode(), *changes)


def values(frame, *columns):
    """Give rows as tuples; None is what is missing."""
    rows = frame[[*columns]].astype(object).to_numpy(na_value=None)
    return [tuple(row) for row in rows.tolist()]


def texts(results, table="extras", key="path"):
    """Give the texts of extras by their paths, or of settings by their options."""
    return results.tables[table].set_index(key)["text"]


def says(results, start):
    """Give the one note that begins so."""
    notes = results.notes.to_dict("records")
    (found,) = [note for note in notes if note["message"].startswith(start)]
    return found


def same_rows(one, other, *tables):
    """Hold tables of two results equal, whatever their files are called."""
    for table in tables:
        frames = [results.tables[table].drop(columns="source") for results in (one, other)]
        pd.testing.assert_frame_equal(*frames, check_exact=True, obj=table)
