"""Bins that are read by their layout equal those that are parsed."""

import json
import math
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from msgspec import Raw

import fiotools as ft
from fiotools.readers.fio import bins, schema
from tests.corpus import CORPUS
from tests.fuzz import mutated

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "fio"
PLUS = sorted(path for path in FIXTURES.iterdir() if b'"bins" : {' in path.read_bytes())
LIBAIO = (FIXTURES / "fio-3.33--jsonplus-libaio.json").read_text()
FEW = ("runs", "io", "percentiles", "extras", "notes")


def outcome(name, data, **asked):
    """Read; return the frames, or the error."""
    try:
        return ft.reads(data, name=name, **asked).tables
    except ft.FileError as error:
        return str(error)


def same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    for table, frame in one.items():
        pd.testing.assert_frame_equal(frame, other[table], obj=table)
    return one.keys() == other.keys()


class Both:
    """Reads every text in both ways, and counts how often bins are read by their layout."""

    def __init__(self):
        self.cut = 0

    def fast(self, name, data, **asked):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(schema, "_LONG", 0)
            patch.setattr(bins, "_AT_ONCE", 1000)
            together = bins._together

            def counting(group, scale):
                read = together(group, scale)
                self.cut += read is not None
                return read

            patch.setattr(bins, "_together", counting)
            return outcome(name, data, **asked)

    def exact(self, name, data, **asked):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(schema, "_LONG", 0)
            patch.setattr(bins, "_together", lambda group, scale: None)
            return outcome(name, data, **asked)

    def agree(self, name, data, tables=None):
        fast, exact = (read(name, data, tables=tables) for read in (self.fast, self.exact))
        assert same(fast, exact), (fast, exact)
        return fast


@pytest.mark.parametrize("path", PLUS, ids=lambda path: path.stem)
@pytest.mark.parametrize("tables", [None, FEW], ids=["all", "few"])
def test_fixtures(path, tables):
    both = Both()
    both.agree(path.name, path.read_bytes(), tables)
    assert (both.cut > 0) == (tables is None)


def test_the_corpus():
    if not CORPUS.is_dir():
        pytest.skip("the corpus (../shared/corpus) does not lie beside the project")
    both, read = Both(), 0
    for path in sorted((CORPUS / "fio").rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if b'"bins"' in data:
            read += 1
            both.agree(path.name, data)
            both.agree(path.name, data, FEW)
    assert read >= 10
    assert both.cut > read


def text(*bins):
    """A document of fio 3 whose entries have these bodies of bins."""
    entry = json.loads(LIBAIO)["jobs"][0]
    entries = []
    for number, _ in enumerate(bins):
        entry["jobname"], entry["read"]["clat_ns"]["bins"] = f"j{number}", f"@{number}"
        entry["write"] = {}
        entries.append(json.dumps(entry, indent=2))
    document = '{"fio version" : "fio-3.33", "jobs" : [\n' + ",\n".join(entries) + "\n]}\n"
    for number, body in enumerate(bins):
        document = document.replace(f'"bins": "@{number}"', '"bins" : {' + body + "}")
    return document


def lines(*pairs, indent=12):
    rows = ",".join(f'\n{" " * indent}"{name}" : {count}' for name, count in pairs)
    return rows + "\n" + " " * (indent - 2)


def test_values_by_hand():
    slow, most = 17112760320, 10**14
    found = Both()
    frames = found.fast(
        "x.json", text(lines((0, 1), (127, 2), (129, 3), (slow, most)), lines((5, 7)))
    )
    read = frames["bins"]
    assert found.cut == 1
    assert read["bin_lo_ns"].tolist() == [0, 127, 128, 17045651456, 5]
    assert read["bin_hi_ns"].tolist() == [1, 128, 130, math.inf, 6]
    assert read["count"].tolist() == [1, 2, 3, most, 7]
    assert read["job"].tolist() == ["j0"] * 4 + ["j1"]
    assert set(read["direction"]) == {"read"}


GOOD = lines((27, 1382), (28, 5), (129, 60))
ODD = {
    "empty": "",
    "blank": "\n          ",
    "nested": '\n            "27" : {"28" : 5}, "29" : 6\n          ',
    "a brace in a name": '\n            "2}7" : 5\n          ',
    "negative": lines((27, 5), (28, -5)),
    "nan": lines((27, 5), (28, "nan")),
    "a fraction": lines((27, 5), (28, "1.5")),
    "an exponent": lines((27, 5), (28, "1e3")),
    "a great count": lines((27, 5), (28, 10**18)),
    "a greater count": lines((27, 5), (28, 10**25)),
    "a great name": lines((27, 5), (10**14, 5)),
    "a greater name": lines((27, 5), (10**18, 5)),
    "no count": lines((27, 5), (28, "")),
    "a count of zero": lines((27, 0), (28, 5)),
    "only zeros": lines((27, 0)),
    "a leading zero": lines((27, "012"), (28, 5)),
    "a name with zeros": lines(("007", 12), (28, 5)),
    "no name": lines(("", 12), (28, 5)),
    "a blank in a name": lines(("2 7", 12), (28, 5)),
    "a blank in a count": lines((27, "1 2"), (28, 5)),
    "the same twice": lines((27, 12), (27, 5)),
    "twice, as zeros stand before": lines((27, 12), ("027", 5)),
    "falling": lines((28, 12), (27, 5)),
    "other digits": lines(("٢٧", 12), (28, 5)),
    "numbered": lines(("FIO_IO_U_PLAT_BITS", 6), (27, 12)),
    "a comma too many": GOOD.replace("60", "60,"),
    "a comma too few": GOOD.replace("1382,", "1382"),
    "a colon for a comma": GOOD.replace("1382,", "1382:"),
    "changed places": GOOD.replace('27" :', '27: "'),
    "tabs": GOOD.replace("            ", "\t\t\t"),
    "another indent": lines((27, 5), (28, 7), indent=10),
    "one line deeper": GOOD.replace('  "28"', '   "28"'),
    "digits between blanks": GOOD.replace('     "28"', '  9  "2 "'),
    "all on one line": '"27" : 5, "28" : 7',
    "a hole": GOOD.replace("1382", "\0\0\0\0"),
    "text": GOOD.replace("5,", "5, fio: terminating on signal 2"),
    "never closed": "\n" + '            "27" : 5,\n' * 3,
}


LAID_OUT = ("empty", "blank", "a name with zeros")


@pytest.mark.parametrize("name", ODD)
def test_odd_bins(name):
    both, body = Both(), ODD[name]
    both.agree("x.json", text(body, GOOD))
    both.agree("x.json", text(GOOD, body))
    assert both.cut == (2 if name in LAID_OUT else 0)
    both.agree("x.json", text(GOOD, body), FEW)


OTHERS = {
    "in a string": text(GOOD).replace('"j0"', r'"j0 \"bins\" : {\n \"27\" : 5\n}"'),
    "behind a string": text(GOOD).replace('"j0"', '"j0"bins" : {\n "27" : 5\n}'),
    "a key that ends so": text(GOOD).replace('"eta"', r'"a \"bins" : {' + GOOD + '}, "eta"'),
    "elsewhere in an entry": text(GOOD).replace('"eta"', '"bins" : {' + GOOD + '}, "eta"'),
    "elsewhere, and a substitute": text(GOOD)
    .replace('"eta"', '"bins" : {' + GOOD + '}, "eta"', 1)
    .replace('"bins" : {' + GOOD + "}\n", '"bins": {"": 0}\n', 1),
    "a key spelled otherwise": text(GOOD, GOOD)
    .replace('"bins" : {' + GOOD + "}", r'"b\u0069ns": {"": 1}', 1)
    .replace('"eta"', '"bins" : {' + GOOD + '}, "eta"', 1),
    "both, the latter counts": text(GOOD).replace(
        '"bins" : {', '"bins" : {' + lines((5, 6)) + '}, "bins" : {'
    ),
    "in usec too": text(GOOD).replace('"clat_ns"', '"clat"'),
    "a list of documents": "[" + text(GOOD) + "," + text(GOOD) + "]",
    "two documents": text(GOOD) + text(GOOD, GOOD),
    "text around": "fio: a warning\n" + text(GOOD) + "fio: terminating on signal 2\n",
    "text behind": text(GOOD) + "something else\n",
    "CRLF": text(GOOD).replace("\n", "\r\n"),
    "a mark": "\ufeff" + text(GOOD),
    "not ASCII": text(GOOD).replace('"j0"', '"読み"'),
    "not UTF-8": text(GOOD).encode().replace(b'"j0"', b'"j\xff0"'),
    "control characters": text(GOOD).replace('"j0"', r'"j\u001b0"'),
    "UTF-16": text(GOOD).encode("utf-16"),
    "cut within bins": text(GOOD)[: text(GOOD).index("1382") + 2],
    "from one entry's bins into another's": text(GOOD, GOOD)[: text(GOOD, GOOD).index("1382") + 2]
    + text(GOOD, GOOD)[text(GOOD, GOOD).rindex('8" : 5') :],
    "no report": '{"a": {"bins" : {' + GOOD + "}}}",
}


@pytest.mark.parametrize("document", OTHERS.values(), ids=OTHERS)
def test_odd_documents(document):
    both = Both()
    both.agree("x.json", document)
    both.agree("x.json", document, FEW)


def test_reports_of_an_interval():
    document = json.loads(LIBAIO)
    reports = []
    for second in (1, 2, 3):
        document["timestamp_ms"] += 1000
        entry = document["jobs"][0]
        entry["elapsed"] += 1
        entry["read"]["runtime"] += 1000
        entry["read"]["total_ios"] += 10
        entry["read"]["clat_ns"]["bins"] = "@"
        body = lines(*((name, second) for name in range(100)))
        reports.append(
            json.dumps(document, indent=2).replace('"bins": "@"', '"bins" : {' + body + "}")
        )
    both = Both()
    frames = both.agree("x.json", "\n".join(reports))
    assert both.cut == 1  # the last report is the result
    assert len(frames["runs"]) == 1
    assert frames["bins"]["count"].tolist() == [3] * 100


@settings(max_examples=20, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    mutated(
        [(path.name, path.read_bytes()) for path in PLUS] + [("x.json", text(GOOD, GOOD).encode())]
    )
)
def test_broken_files(broken):
    Both().agree(*broken)


def test_all_bins_of_fio_are_read_by_their_layout():
    edges = bins.log_edges(1856)[:-1].astype(int).tolist()
    names = [(low + high) // 2 for low, high in pairwise(edges)]
    body = ",".join(f'\n      "{name}" : 5' for name in names)
    laid_out = b"{" + body.encode() + b"\n    }"
    [(low, high, counts)] = bins.histograms([Raw(laid_out)], 1)
    assert low.tolist() == edges[:-1]
    assert high.tolist() == edges[1:]
    assert set(counts) == {5}
    for other in (laid_out.replace(b" ", b""), laid_out.replace(b'"7" : 5', b'"7" :  5')):
        assert bins._together([memoryview(other)], 1) is None
        [parsed] = bins.histograms([Raw(other)], 1)
        assert [one.tolist() for one in parsed] == [edges[:-1], edges[1:], [5] * 1855]
