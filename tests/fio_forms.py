"""Reports of fio: where they lie, their parts, and one run that was reported in two forms.

What is printed has four figures or more, and small numbers are cut off to their unit.
"""

import json
from pathlib import Path

import pandas as pd

import fiotools as ft
from fiotools.readers.fio.documents import pieces

# the JSON has these from the job's options, or at all; or names the run by other means
JSON_ONLY = {
    *("source", "target", "numjobs", "direct", "rwmixread_pct", "size_bytes", "iodepth"),
    *("job_start", "job_runtime_s", "cpu_per_io_s"),
}
AT = ["entry", "direction"]
FIXTURES = Path(__file__).parent / "fixtures" / "fio"


def fixture(case):
    return FIXTURES / f"fio-3.33--{case}"


def text_of(case):
    return fixture(case).read_text(encoding="utf-8")


def human(case):
    """Return the human report of a file that also has the JSON of the run."""
    return without_json(text_of(case))


def warnings(results):
    """List the messages that are warnings."""
    return results.notes.loc[results.notes["severity"] == "warning", "message"].tolist()


def telling(results, words):
    """List the messages that have these words."""
    return [message for message in results.notes["message"] if words in message]


def extras(results):
    """Give the texts of extras by their paths."""
    return results.extras.set_index("path")["text"]


def cells(frame):
    """List the rows of a table, with None where nothing is known."""
    frame = frame.astype(object)
    return frame.where(frame.notna(), None).to_numpy().tolist()


def documents(text):
    """Return the documents of fio in a text, as a JSON parser reads them."""
    return [json.loads(text[piece.start : piece.end]) for piece in pieces(text)]


def without_json(text):
    """Return the human report of a text that also has the JSON of the same run."""
    found = pieces(text)
    assert len(found) == 1
    return text[: found[0].start] + text[found[0].end :].lstrip("\n")


def assert_same(text):
    """Read both reports of a text, and compare each column of each table."""
    exact, words = ft.reads(text), ft.reads(without_json(text))
    assert exact.runs["format"].tolist() == ["fio_json"]
    assert words.runs["format"].tolist() == ["fio_normal"]
    for name in ("tool_version", "status"):
        assert exact.runs[name].tolist() == words.runs[name].tolist()
    assert not (words.notes["severity"] == "warning").any()
    columns(exact.jobs, words.jobs, ["entry"])
    columns(exact.io, words.io, AT)
    columns(exact.disks, words.disks, ["device"])
    columns(exact.percentiles, words.percentiles, [*AT, "latency", "percentile"])
    # json+ has the same distribution in fine bins
    if exact.bins["pct"].notna().all():
        columns(exact.bins, words.bins, [*AT, "latency", "bin_lo_ns"])


def columns(json, words, at):
    """Compare two tables, row by row."""
    one, other = (frame.set_index(at).sort_index() for frame in (json, words))
    assert one.index.tolist() == other.index.tolist()
    for column in one.columns.difference(JSON_ONLY):
        for place, exact in one[column].items():
            printed = other.loc[place, column]
            what = f"{column} {place}: {exact} {printed}"
            if "mixed" in str(place) and pd.isna(printed):
                continue  # fio 3.33 prints IOPS=0 with unified_rw_reporting=both, and no samples
            if column == "bs_bytes" and pd.isna(exact):
                continue  # the report names the default of an option that is not given
            if column == "total_ios" and "sync" in str(place) and pd.isna(printed):
                continue  # the text does not count fdatasync
            if column in ("rw", "ioengine", "clones") and pd.isna(exact):
                continue  # the JSON does not count a group of unlike jobs
            assert pd.isna(exact) == pd.isna(printed), what
            if pd.notna(exact) and isinstance(exact, str):
                assert exact == printed, what
            elif pd.notna(exact):
                assert abs(exact - printed) <= slack(column, exact), what


def slack(column, exact):
    """How far a printed number may be from the exact one."""
    if column in ("total_ios", "short_ios", "drop_ios", "runtime_s", "group", "error", "ctx"):
        return 0
    least = 1000.0 if column.endswith("_ns") else 1.0
    if column == "value_ns":  # rounded up to its unit
        least = min(1e6, 0.5 * exact + 1000)
    elif column.startswith("bw_") and column.endswith("per_s"):
        least = 1024.0 if column == "bw_bytes_per_s" else 1024.0 * 1024 * 1.01
    elif column.endswith("_pct"):
        least = 0.0051
    return max(abs(exact) * 1e-3, least)
