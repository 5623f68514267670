"""Bins of json+: those that are read by their layout equal those that are parsed."""

import json
import math
import re

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

import fiotools as ft
from fiotools.readers.fio import bins, schema
from tests.corpus import CORPUS, needs_corpus
from tests.fio_forms import FIXTURES, fixture, telling, text_of
from tests.fuzz import mutated

PLUS = sorted(path for path in FIXTURES.iterdir() if b'"bins" : {' in path.read_bytes())
LIBAIO = text_of("jsonplus-libaio.json")
FEW = ("runs", "io", "percentiles", "extras", "notes")


def outcome(name, data, tables, together):
    """Read bins of any length by their layout; return the frames, or the error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "_LONG", 0)
        patch.setattr(bins, "_AT_ONCE", 1000)
        patch.setattr(bins, "_together", together)
        try:
            return ft.reads(data, name=name, tables=tables).tables
        except ft.FileError as error:
            return str(error)


def agree(data, tables=None, name="x.json"):
    """Read in both ways; return the frames, and how often bins were read by their layout."""
    really, cut = bins._together, []

    def counting(group, scale):
        read = really(group, scale)
        cut.extend([1] * (read is not None))
        return read

    fast = outcome(name, data, tables, counting)
    exact = outcome(name, data, tables, lambda group, scale: None)
    if isinstance(fast, str) or isinstance(exact, str):
        assert fast == exact
        return fast, len(cut)
    assert fast.keys() == exact.keys()
    for table, frame in fast.items():
        pd.testing.assert_frame_equal(frame, exact[table], obj=table)
    return fast, len(cut)


@pytest.mark.parametrize("path", PLUS, ids=lambda path: path.stem)
@pytest.mark.parametrize("tables", [None, FEW], ids=["all", "few"])
def test_fixtures(path, tables):
    _, cut = agree(path.read_bytes(), tables, path.name)
    assert (cut > 0) == (tables is None)


@needs_corpus
def test_the_corpus():
    counts = []
    for path in sorted((CORPUS / "fio").rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if b'"bins"' in data:
            counts.append(agree(data, name=path.name)[1])
            agree(data, FEW, path.name)
    assert len(counts) >= 10
    assert sum(counts) > len(counts)


def test_bins_of_each_latency_that_the_report_has():
    for case, latencies in (
        ("jsonplus-libaio.json", {"clat"}),
        ("normal-jsonplus.txt", {"clat", "lat"}),
    ):
        res = ft.read(fixture(case))
        assert set(res.bins["latency"]) == set(res.percentiles["latency"]) == latencies
        assert res.bins["pct"].isna().all()  # the coarse distribution would repeat these


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


@pytest.mark.parametrize("deeper", ["", " "], ids=["by their layout", "parsed"])
def test_every_bin_joins_the_next(deeper):
    # fio's numbers of bins (plat_idx_to_val): 128 single ones, then 64 per octave
    middles = list(range(128))
    for octave in range(1, 28):
        middles += [(1 << octave + 6) + (2 * k + 1) * (1 << octave) // 2 for k in range(64)]
    assert len(middles) == 1856
    body = lines(*((name, 5) for name in middles)).replace('"7" :', f'{deeper}"7" :')
    frames, cut = agree(text(body))
    read = frames["bins"]
    assert cut == (not deeper)
    assert read["bin_lo_ns"].iloc[0] == 0
    assert read["bin_hi_ns"].tolist() == [*read["bin_lo_ns"][1:], math.inf]
    assert read["bin_lo_ns"].iloc[[127, 128, 129]].tolist() == [127, 128, 130]
    assert read["bin_lo_ns"].iloc[-1] == 17045651456
    assert read["count"].tolist() == [5] * 1856


def test_a_histogram_with_a_damaged_name_of_a_bin_is_left_out_with_a_note():
    name = re.search(r'"bins" : \{\s+"(\d{4,})" : ', LIBAIO)[1]
    res = ft.reads(LIBAIO.replace(f'"{name}" : ', f'"{int(name) + 1}" : '))
    assert len(res.bins) < len(ft.reads(LIBAIO).bins)
    assert len(telling(res, "bins has a bin, which is not what fio writes: left out")) == 1


GOOD = lines((27, 1382), (28, 5), (129, 60))
ODD = {
    "empty": "",
    "nested": '\n            "27" : {"28" : 5}, "29" : 6\n          ',
    "negative": lines((27, 5), (28, -5)),
    "a fraction": lines((27, 5), (28, "1.5")),
    "a great count": lines((27, 5), (28, 10**18)),
    "a greater count": lines((27, 5), (28, 10**25)),
    "a greater name": lines((27, 5), (10**18, 5)),
    "a count of zero": lines((27, 0), (28, 5)),
    "only zeros": lines((27, 0)),
    "a leading zero": lines((27, "012"), (28, 5)),
    "a name with zeros": lines(("007", 12), (28, 5)),
    "no name": lines(("", 12), (28, 5)),
    "a blank in a name": lines(("2 7", 12), (28, 5)),
    "the same twice": lines((27, 12), (27, 5)),
    "falling": lines((28, 12), (27, 5)),
    "other digits": lines(("٢٧", 12), (28, 5)),
    "numbered": lines(("FIO_IO_U_PLAT_BITS", 6), (27, 12)),
    "a comma too many": GOOD.replace("60", "60,"),
    "a comma too few": GOOD.replace("1382,", "1382"),
    "changed places": GOOD.replace('27" :', '27: "'),
    "another indent": lines((27, 5), (28, 7), indent=10),
    "one line deeper": GOOD.replace('  "28"', '   "28"'),
    "all on one line": '"27" : 5, "28" : 7',
    "a hole": GOOD.replace("1382", "\0\0\0\0"),
    "never closed": "\n" + '            "27" : 5,\n' * 3,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_bins(name):
    body = ODD[name]
    for bodies in ((body, GOOD), (GOOD, body)):
        assert agree(text(*bodies))[1] == (name in ("empty", "a name with zeros"))
    agree(text(GOOD, body), FEW)


OTHERS = {
    "in a string": text(GOOD).replace('"j0"', r'"j0 \"bins\" : {\n \"27\" : 5\n}"'),
    "behind a string": text(GOOD).replace('"j0"', '"j0"bins" : {\n "27" : 5\n}'),
    "a key that ends so": text(GOOD).replace('"eta"', r'"a \"bins" : {' + GOOD + '}, "eta"'),
    "elsewhere in an entry": text(GOOD).replace('"eta"', '"bins" : {' + GOOD + '}, "eta"'),
    "both, the latter counts": text(GOOD).replace(
        '"bins" : {', '"bins" : {' + lines((5, 6)) + '}, "bins" : {'
    ),
    "in usec too": text(GOOD).replace('"clat_ns"', '"clat"'),
    "a list of documents": "[" + text(GOOD) + "," + text(GOOD) + "]",
    "text around": "fio: a warning\n" + text(GOOD) + "fio: terminating on signal 2\n",
    "CRLF": text(GOOD).replace("\n", "\r\n"),
    "not UTF-8": text(GOOD).encode().replace(b'"j0"', b'"j\xff0"'),
    "cut within bins": text(GOOD)[: text(GOOD).index("1382") + 2],
    "from one entry's bins into another's": text(GOOD, GOOD)[: text(GOOD, GOOD).index("1382") + 2]
    + text(GOOD, GOOD)[text(GOOD, GOOD).rindex('8" : 5') :],
    "no report": '{"a": {"bins" : {' + GOOD + "}}}",
}


@pytest.mark.parametrize("document", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("tables", [None, FEW], ids=["all", "few"])
def test_odd_documents(document, tables):
    agree(document, tables)


SEEDS = [(path.name, path.read_bytes()) for path in PLUS]
SEEDS += [("x.json", text(GOOD, GOOD).encode())]


@settings(max_examples=20, derandomize=True, suppress_health_check=list(HealthCheck))
@given(mutated(SEEDS))
def test_broken_files(broken):
    name, data = broken
    agree(data, name=name)
