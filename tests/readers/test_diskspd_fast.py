"""DISKSPD's XML read fast gives what it gives element by element: every value, type, row and note."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from fiotools.readers.diskspd import buckets as diskspd_buckets
from fiotools.readers.diskspd import bulk as diskspd_bulk
from fiotools.readers.diskspd import outline as diskspd_outline
from fiotools.readers.diskspd import runs as diskspd_runs
from fiotools.readers.diskspd.numbers import DIGITS, quoted, rows, values
from tests.fuzz import TOKENS

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "diskspd"
CORPUS = ROOT.parent / "shared" / "corpus" / "diskspd"
FILES = {
    "fixtures": sorted(FIXTURES.glob("*.xml")),
    "data": sorted((ROOT / "data").rglob("*.xml")),
    "corpus": sorted(CORPUS.rglob("*.xml")),
}
SAMPLED = FIXTURES / "diskspd-2.0.12--mix_2targets_D_L.xml"  # -D and -L: I/Os per second only
MEASURED = FIXTURES / "diskspd-2.2--two_sockets.xml"  # and latencies
UNMEASURED = FIXTURES / "diskspd-2.0.21a--seq64k_t4_D_only.xml"  # its latencies are made up
BUCKET = '<Bucket SampleMillisecond="1000" '


@pytest.fixture
def exactly(monkeypatch):
    """Read element by element."""

    def read(files, **options):
        with monkeypatch.context() as patch:
            for module in (diskspd_bulk, diskspd_runs):
                patch.setattr(module, "cut", lambda data: None)
            return ft.read(files, errors="note", **options)

    return read


def same(fast, exact):
    assert list(fast.tables) == list(exact.tables)
    for name, table in fast.tables.items():
        pd.testing.assert_frame_equal(table, exact.tables[name], check_exact=True)


def written(folder, texts):
    """Write files whose lines end as DISKSPD ends them."""
    folder.mkdir()
    for number, text in enumerate(texts):
        data = text if isinstance(text, bytes) else text.encode()
        (folder / f"{number:04}.xml").write_bytes(data)
    return folder


@pytest.mark.parametrize("tables", [None, ("io",), ("samples", "extras")], ids=str)
@pytest.mark.parametrize("where", FILES)
def test_files(where, tables, exactly):
    files = FILES[where]
    if not files:
        pytest.skip(f"there are no files: {CORPUS}")
    fast = ft.read(files, tables=tables, errors="note")
    same(fast, exactly(files, tables=tables))


def test_bytes_are_read_as_files_are(exactly):
    for file in (SAMPLED, MEASURED, UNMEASURED):
        one = ft.reads(file.read_bytes(), name=file.as_posix())
        same(one, exactly(file))


def test_nothing_is_read_element_by_element(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a bucket was read by itself")

    monkeypatch.setattr(diskspd_buckets, "_attribute", refuse)
    res = ft.read([SAMPLED, UNMEASURED])
    assert (len(res.samples), len(res.percentiles)) == (63, 321)
    with pytest.raises(AssertionError, match="by itself"):
        ft.reads(SAMPLED.read_bytes().replace(b' Total="', b' Sum="', 1))


def test_buckets_that_nobody_asked_for_are_not_parsed(monkeypatch):
    whole = ft.read(SAMPLED)
    monkeypatch.delattr(diskspd_buckets, "values")
    pd.testing.assert_frame_equal(ft.read(SAMPLED, tables=("io",)).io, whole.io)
    with pytest.raises(NameError):
        ft.read(SAMPLED, tables=("samples",))


def test_lines_are_those_of_the_file():
    text = SAMPLED.read_bytes().decode()
    assert "\r\n" in text
    at = text.rindex("<ReadCount>")
    broken = text[:at] + re.sub(r"\d+", "7", text[at:], count=1)
    (note,) = [
        n for n in ft.reads(broken).notes.to_dict("records") if "read + write" in n["message"]
    ]
    assert note["line"] == text[: text.rindex("<Target>")].count("\n") + 1


EDITS = {
    "as it is": ("", ""),
    "other order": (' Read="', ' SampleMillisecond2="1" Read="'),
    "twice": (BUCKET, BUCKET + 'SampleMillisecond="2000" '),
    "unknown": (BUCKET, BUCKET + 'Retries="1" '),
    "missing": (' Total="', ' total="'),
    "digit in a name": ("<Bucket Sample", "<Bucket Sam5ple"),
    "digit in a tag": (BUCKET, '<Bucket5 SampleMillisecond="1000" '),
    "digit between": (BUCKET, "5 " + BUCKET),
    "quoted otherwise": ('SampleMillisecond="1000"', "SampleMillisecond='1000'"),
    "nan": ('SampleMillisecond="1000"', 'SampleMillisecond="nan"'),
    "inf": ('Read="', 'Read="inf" Old="'),
    "minus": ('Read="', 'Read="-'),
    "exponent": ('Write="', 'Write="1e'),
    "point": ('Read="', 'Read="1.'),
    "empty": ('SampleMillisecond="1000"', 'SampleMillisecond=""'),
    "long": ('Read="', 'Read="12345678901'),
    "too long": ('Read="', 'Read="123456789012345678901'),
    "zeros in front": ('Read="', 'Read="000'),
    "entity": ('SampleMillisecond="1000"', 'SampleMillisecond="&#49;000"'),
    "ampersand": ('Read="', 'Read="&amp;'),
    "tab": (BUCKET, BUCKET.replace(" ", "\t")),
    "vertical tab": (BUCKET, "\x0b" + BUCKET),
    "blank lines": (BUCKET, "\r\n\r\n" + BUCKET),
    "comment": (BUCKET, "<!-- one -->" + BUCKET),
    "comment around": (BUCKET, "<!-- " + BUCKET.replace("<", "-->< ")),
    "run in a comment": ("</Iops>", "</Iops><!--" + BUCKET + 'Read="1"/></Iops>-->'),
    "run in CDATA": ("</Iops>", f"</Iops><![CDATA[{BUCKET}/></Iops>]]>"),
    "run elsewhere": ("<TestTimeSeconds>", f"<Iops>{BUCKET}/></Iops><TestTimeSeconds>"),
    "run of its own": ("<ThreadCount>", f'<Odd><Iops>{BUCKET}Read="1"/></Iops></Odd><ThreadCount>'),
    "two Iops": ("</Iops>", "</Iops><Iops></Iops>"),
    "mark": ("</Iops>", '</Iops><Iops><Bucket Cut="0"/></Iops>'),
    "mark in place": (BUCKET, '<Bucket Cut="0"/>' + BUCKET),
    "child": (BUCKET, "<Bucket><Odd/></Bucket>" + BUCKET),
    "text": (BUCKET, "odd" + BUCKET),
    "instruction": (BUCKET, "<?odd?>" + BUCKET),
    "DOCTYPE": (BUCKET, "<!DOCTYPE Results []>" + BUCKET),
    "not closed": ("</Iops>", ""),
    "nothing closed": ("</Latency>", ""),
    "percentile without value": ("<Percentile>0<", "<Percentile><"),
    "percentile twice": ("<Percentile>1<", "<Percentile>2<"),
    "percentile that falls": (
        "<Percentile>98</Percentile>\r\n<Read",
        "<Percentile>98</Percentile>\r\n<Odd>1</Odd><Read",
    ),
    "percentile in a tag": ("<Percentile>0</", "<Percentile5></"),
    "two points": ("<ReadMilliseconds>0.", "<ReadMilliseconds>0..1"),
    "no millisecond": ("<ReadMilliseconds>0", "<ReadMilliseconds>-nan(ind)0"),
    "text behind": ("</Results>", "</Results>\r\nDone."),
    "two documents": ("</Results>", "</Results>\r\n<Results>\r\n<System>"),
    "command": ("<Version>", "<Version>\r\nCommand Line: "),
    "version with blanks": ("<Version>", "<Version>  "),
    "version with a line": ("<Version>", "<Version>\r\n"),
    "host beyond ASCII": ("<ComputerName>", "<ComputerName>\N{GREEK SMALL LETTER ALPHA}"),
    "host that is quoted": ("<ComputerName>", '<ComputerName>"a'),
    "host to be repaired": ("<ComputerName>", "<ComputerName>R&D"),
    "no host": ("<ComputerName>vm<", "<ComputerName><"),
    "later element": (
        "<TestTimeSeconds>",
        '<QueueDepth a="1" b="">9</QueueDepth><TestTimeSeconds>',
    ),
    "amount that is none": ("<IOCount>", "<IOCount>1."),
    "amount twice": ("<IOCount>", "<IOCount>1</IOCount><IOCount>"),
    "share that is none": ("<UsagePercent>", "<UsagePercent>1.#J</UsagePercent><UsagePercent>"),
    "share below 0": ("<UsagePercent>", "<UsagePercent>-"),
    "no time": ("<TestTimeSeconds>", "<TestTimeSeconds>-"),
}


def test_edits(tmp_path, exactly):
    one, other = (file.read_bytes().decode() for file in (MEASURED, UNMEASURED))
    texts = []
    for old, new in EDITS.values():
        texts += [one.replace(old, new, 1), one.replace(old, new), other.replace(old, new, 1)]
    folder = written(tmp_path / "edits", texts)
    fast = ft.read(folder, errors="note")
    same(fast, exactly(folder))
    assert len(fast.runs) > len(texts) / 2
    assert (fast.notes["severity"] == "error").sum() > len(EDITS) / 4


def broken(seed):
    """Break a file at random where its buckets are: a digit, a line, or whatever."""
    draw = random.Random(seed)
    data = draw.choice([SAMPLED, MEASURED, UNMEASURED]).read_bytes()
    for _ in range(draw.randint(1, 2)):
        lines = data.split(b"\r\n")
        at = draw.choice([n for n, line in enumerate(lines) if re.search(rb"illi|Perc|\d</", line)])
        how = draw.random()
        if how < 0.7:
            place = draw.choice([found.start() for found in re.finditer(rb"\d", lines[at])])
            digit = draw.choice([b"0", b"9", b"12", b"", b"3.", b'5"', b" 4", b"4 ", b"&#52;"])
            lines[at] = lines[at][:place] + digit + lines[at][place + 1 :]
        elif how < 0.85:
            line = lines.pop(at)
            for _ in range(draw.randint(0, 2)):
                lines.insert(draw.randint(max(at - 3, 0), at + 3), line)
        else:
            place = draw.randint(0, len(lines[at]))
            piece = draw.choice([b"", b"\n", b"7", b"<a/>", *TOKENS])
            lines[at] = lines[at][:place] + piece + lines[at][place + draw.choice([0, 1, 9]) :]
        data = b"\r\n".join(lines)
    return data if draw.random() < 0.95 else data[: draw.randrange(len(data))]


def test_broken_files(tmp_path, exactly):
    folder = written(tmp_path / "broken", map(broken, range(120)))
    fast = ft.read(folder, errors="note")
    same(fast, exactly(folder))
    assert 30 < len(fast.runs) < 100


def test_a_long_run(tmp_path, exactly):
    text = MEASURED.read_bytes().decode()
    lines = text.splitlines(keepends=True)
    long = [line * 600 if "SampleMilli" in line else line for line in lines]
    # a single direction without I/O, a bucket without any, and one that is not like the others
    zeros = re.sub(
        r'Read(\w+)="[\d.]+"', r'Read\1="0.000"', lines[text[: text.index("<Bucket S")].count("\n")]
    )
    at = next(n for n, line in enumerate(long) if "SampleMilli" in line)
    odd = zeros.replace('Total="', 'Total="00')
    cases = [long, [*long[:at], zeros * 700, *long[at:]], [*long[:at], odd, *long[at:]]]
    folder = written(tmp_path / "long", map("".join, cases))
    fast = ft.read(folder)
    same(fast, exactly(folder))
    assert len(fast.samples[fast.samples["source"].str.endswith("0000.xml")]) == 66 * 600


def test_more_outlines_than_are_kept(tmp_path, exactly, monkeypatch):
    monkeypatch.setattr(diskspd_outline, "_MOST", 2)
    text = SAMPLED.read_bytes().decode()
    texts = [text.replace("<ThreadCount>", "<Odd>1</Odd>" * n + "<ThreadCount>") for n in range(5)]
    folder = written(tmp_path / "outlines", texts * 2)
    same(ft.read(folder), exactly(folder))


def other_figures(seed):
    """Change digits of what was measured, asked for and said of the machine; not its layout."""
    draw = random.Random(seed)
    text = draw.choice([SAMPLED, MEASURED, UNMEASURED]).read_bytes().decode()
    changed = re.sub(
        r"(?<=[>\".\d])[1-9](?=[\d.]*[<\"])",
        lambda found: draw.choice([found[0]] * 9 + list("123456789")),
        text,
    )
    if draw.random() < 0.1:  # as 0/0 was printed
        return re.sub(r"(Average\w*Milliseconds>)[\d.]+", r"\1-1.#J", changed, count=2)
    return changed


def test_files_of_one_outline_side_by_side(tmp_path, exactly, monkeypatch):
    folder = written(tmp_path / "campaign", map(other_figures, range(60)))
    alone = []
    add_cut = diskspd_runs.add_cut
    monkeypatch.setattr(diskspd_runs, "add_cut", lambda *a: alone.append(a) or add_cut(*a))
    fast = ft.read(folder, errors="note")
    assert 3 < len(alone) < 15
    same(fast, exactly(folder))
    assert len(fast.runs) > 50
    messages = " ".join(fast.notes["message"])
    assert all(part in messages for part in ("read + write", "mean", "percentile", "threads are"))
    for tables in (("runs", "settings"), ("samples",), ("io", "extras")):
        part = ft.read(folder, tables=tables, errors="note")
        for name, table in part.tables.items():
            pd.testing.assert_frame_equal(table, fast.tables[name], check_exact=True)


def test_many_profiles(tmp_path, exactly, monkeypatch):
    monkeypatch.setattr(diskspd_outline, "_MOST", 2)
    text = SAMPLED.read_bytes().decode()
    texts = [re.sub(r"<WriteRatio>\d+", f"<WriteRatio>{n}", text) for n in range(1, 6)]
    folder = written(tmp_path / "profiles", texts * 2)
    fast = ft.read(folder)
    same(fast, exactly(folder))
    assert sorted(fast.io["rwmixread_pct"].unique()) == [95, 96, 97, 98, 99]


def test_an_attribute_of_blanks(tmp_path, exactly):
    text = MEASURED.read_bytes().decode()
    (name,) = re.findall(r'<PowerScheme Name="([^"]+)"', text)
    texts = [text.replace(name, other) for other in (name, "  ", "")]
    folder = written(tmp_path / "blanks", texts * 2)
    fast = ft.read(folder)
    same(fast, exactly(folder))
    scheme = fast.extras[fast.extras["path"] == "System/PowerScheme/@Name"]
    assert scheme["text"].tolist() == [name, "  ", ""] * 2


def test_sums_beyond_64_bits(tmp_path, exactly):
    text = SAMPLED.read_bytes().decode()
    start, end = text.index("<Thread>"), text.rindex("</Thread>") + len("</Thread>")
    thread = re.sub(r"((?:Bytes|Count)>)\d+", r"\g<1>9999999999999999", text[start:end])
    folder = written(tmp_path / "large", [text[:start] + thread * 90 + text[end:]] * 2)
    fast = ft.read(folder, errors="note")
    same(fast, exactly(folder))
    assert not len(fast.runs)
    assert "more than 64 bits can count" in fast.notes["message"].iloc[0]


def test_numbers_are_read_as_python_reads_them():
    draw = np.random.default_rng(7)
    whole = 10 ** draw.uniform(0, 17, 3000)
    wholes = [f"{int(value)}"[:17] for value in whole]
    decimals = [f"{value / 10**6:.3f}"[-17:].lstrip(".") for value in whole]
    text = "".join(
        f'<a b="{a}" c="{b}"/>\n' for a, b in zip(wholes, decimals, strict=True)
    ).encode()
    assert rows(text.translate(None, DIGITS), b'<a b="" c="."/>') == 3000
    found = quoted(text, 3000, 2)
    assert values(found, 1).tolist() == [
        [float(a), float(b)] for a, b in zip(wholes, decimals, strict=True)
    ]


@pytest.mark.parametrize("text", ['<a b="1"/>5', '5<a b="1"/>', '<a5 b="1"/>', '<a b="1" 5/>'])
def test_a_digit_outside_of_quotes(text):
    assert quoted(text.encode(), 1, 1) is None


@pytest.mark.parametrize("number", ["", ".250", "1.25", "1.2500", "1" * 18 + ".000"])
def test_a_number_without_three_decimals(number):
    assert values(quoted(f'<a b="{number}"/>'.encode(), 1, 1), 0) is None


def test_a_dead_thread_stands_with_zeros_on_both_paths(tmp_path, exactly):
    """It is listed, and has its share of what its run did; no latency, and none is lost."""
    text = (ROOT / "data" / "dda-vhdx" / "xml" / "vhdx.xml").read_bytes().decode()
    start, end = text.index("<Thread>"), text.index("</Thread>")
    amounts = re.compile(r"<((?:Bytes|IO|Read|Write)(?:Count|Bytes))>\d+<")
    dead = text[:start] + amounts.sub(r"<\1>0<", text[start:end]) + text[end:]
    dead = dead.replace("<BytesCount>18685411328<", "<BytesCount>0<")
    folder = written(tmp_path / "dead", [dead, dead.replace("vhdx", "other")])
    fast = ft.read(folder, errors="note")
    same(fast, exactly(folder))
    rows = fast.io.query("thread == 0")
    assert rows["direction"].tolist() == ["read", "write", "total"] * 2
    assert rows[["total_ios", "io_bytes", "iops"]].eq(0).all(axis=None)
    assert rows[["lat_mean_ns", "lat_stddev_ns"]].isna().all(axis=None)
    assert set(ft.fairness(fast.io)["stragglers"]) == {"thread 0"}
    whole = ft.combine(fast.io.query("scope == 'thread'"), to="run")
    assert whole["lat_mean_ns"].tolist() == [539000, 780000, 635000] * 2
