"""DISKSPD's XML in any form: as the tool writes it, edited, broken, and many files side by side."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import ParseError
from tests.fuzz import TOKENS

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "diskspd"
SAMPLED = FIXTURES / "diskspd-2.0.12--mix_2targets_D_L.xml"  # -D and -L: I/Os per second only
MEASURED = FIXTURES / "diskspd-2.2--two_sockets.xml"  # and latencies
UNMEASURED = FIXTURES / "diskspd-2.0.21a--seq64k_t4_D_only.xml"  # its latencies are made up
FILES = (SAMPLED, MEASURED, UNMEASURED)
BUCKET = '<Bucket SampleMillisecond="1000" '


def text_of(path):
    return path.read_bytes().decode()


def same(one, other, *, lines=True):
    """Hold two results equal: every value, type, row and note."""
    assert list(one.tables) == list(other.tables)
    for name, table in one.tables.items():
        columns = ["source"] if lines or name != "notes" else ["source", "line"]
        expected = other.tables[name].drop(columns=columns)
        pd.testing.assert_frame_equal(table.drop(columns=columns), expected, check_exact=True)


def written(folder, texts):
    """Write files whose lines end as DISKSPD ends them."""
    folder.mkdir()
    for number, text in enumerate(texts):
        data = text if isinstance(text, bytes) else text.encode()
        (folder / f"{number:04}.xml").write_bytes(data)
    return folder


def cdata(text):
    return re.sub(r"<(Path|IOCount)>([^<]+)<", r"<\1><![CDATA[\2]]><", text)


FORMS = {
    "a comment": lambda text: text.replace("<Profile>", "<!-- one --><Profile>"),
    "a comment in every value": lambda text: re.sub(r"(\d)(\d</)", r"\1<!-- 5 -->\2", text),
    "an instruction": lambda text: text.replace("<TimeSpan>", "<TimeSpan><?odd 5?>"),
    "CDATA": cdata,
    "one line": lambda text: re.sub(r">\s+<", "><", text),
    "every tag on a line": lambda text: re.sub(r">\s*<", ">\n\n<", text),
    "tabs": lambda text: re.sub(r"\n *", "\n\t\t", text),
    "blanks around values": lambda text: re.sub(r">([^<>\s]+)</", r"> \1\n</", text),
    "single quotes": lambda text: re.sub(r'="([^"]*)"', r"='\1'", text),
    "references": lambda text: re.sub(r'([">])1', r"\1&#49;", text),
    "tags with blanks": lambda text: re.sub(r"<(/?(?!Results)\w+)>", r"<\1 >", text),
    "buckets closed apart": lambda text: re.sub(r"(<Bucket [^>]*)/>", r"\1></Bucket>", text),
    "another order": lambda text: re.sub(
        r' (Read="\d+") (Write="\d+") (Total="\d+")', r" \3 \1 \2", text
    ),
    "an attribute of a bucket": lambda text: text.replace("<Bucket>", '<Bucket n="1">'),
    "the path beyond ASCII": lambda text: text.replace("C:\\", "C:\\\N{GREEK SMALL LETTER ALPHA}"),
    "a declaration": lambda text: f'<?xml version="1.0"?>\r\n{text}',
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_a_document_changes_no_number(path, form):
    text = text_of(path)
    changed = FORMS[form](text)
    if changed == text:
        pytest.skip("nothing in it has another form")
    res = ft.reads(changed)
    if form == "the path beyond ASCII":
        text = text.replace("C:\\", "C:\\&#945;")
    same(res, ft.reads(text), lines=False)


def test_bytes_are_read_as_files_are():
    for path in FILES:
        same(ft.reads(path.read_bytes(), name=path.as_posix()), ft.read(path))


@pytest.mark.parametrize("odd", ["", "<!-- -->"])
def test_lines_are_those_of_the_file(odd):
    text = text_of(SAMPLED)
    assert "\r\n" in text
    at = text.rindex("<ReadCount>")
    broken = text[:at] + re.sub(r"\d+", "7", text[at:], count=1) + odd
    broken = broken.replace("</TimeSpan>\r\n</Results>", f"</TimeSpan>{odd}\r\n</Results>")
    (note,) = [
        n for n in ft.reads(broken).notes.to_dict("records") if "read + write" in n["message"]
    ]
    assert note["line"] == text[: text.rindex("<Target>")].count("\n") + 1


REFUSED = {
    "no value": (
        'SampleMillisecond="1000"',
        'SampleMillisecond=""',
        "SampleMillisecond is '', not a number",
    ),
    "exponent": (' Write="', ' Write="1e', r"Write is '1e\d+', not a number"),
    "digits": (' Read="', ' Read="123456789012345678901', r"Read is '1234\d+', not a number"),
    "points": (
        "<ReadMilliseconds>0.",
        "<ReadMilliseconds>0..1",
        r"ReadMilliseconds is '0\.\.1\d*', not a number",
    ),
    "reference": (' Read="', ' Read="&amp;', r"Read is '&\d+', not a number"),
    "twice": (BUCKET, BUCKET + 'SampleMillisecond="2000" ', "not well-formed XML"),
    "open": ("</Iops>", "", "not well-formed XML"),
    "percentiles open": ("</Latency>", "", "not well-formed XML"),
    "a tag": (BUCKET, '<Bucket5 SampleMillisecond="1000" ' * 2, "not well-formed XML"),
    "DOCTYPE": (BUCKET, "<!DOCTYPE Results []>" + BUCKET, "DOCTYPE"),
    "amount": ("<IOCount>", "<IOCount>1.", "IOCount is '1.*', not a whole number"),
    "amounts": ("<IOCount>", "<IOCount>1</IOCount><IOCount>", "IOCount occurs twice"),
    "seconds": ("<TestTimeSeconds>", "<TestTimeSeconds>-", "TestTimeSeconds is below 0"),
}


@pytest.mark.parametrize("edit", REFUSED)
def test_what_is_not_a_number_is_refused(edit):
    old, new, message = REFUSED[edit]
    text = text_of(MEASURED)
    assert old in text
    line = text[: text.index(old)].count("\n") + 1
    with pytest.raises(ParseError, match=message) as refused:
        ft.reads(text.replace(old, new, 1))
    if "not a" in message:
        assert refused.value.line == line


def test_a_bucket_without_a_number_has_no_sample():
    whole = ft.read(MEASURED)
    for old, new in (
        ('SampleMillisecond="1000"', 'SampleMillisecond="nan"'),
        (' Read="', ' Red="'),
    ):
        res = ft.reads(text_of(MEASURED).replace(old, new, 1))
        lost = [
            len(whole.tables[table]) - len(res.tables[table])
            for table in ("samples", "thread_samples")
        ]
        assert 0 < sum(lost) < 20
        for table in ("io", "threads"):
            one, other = (part.tables[table].drop(columns="source") for part in (res, whole))
            pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_two_documents_of_which_nobody_wants_the_samples(path):
    text = text_of(path)
    io = ft.reads(f"{text}\n{text}", tables=("io",)).io
    one = ft.reads(text, tables=("io",)).io
    pd.testing.assert_frame_equal(io[io["run"] == 1], one, check_exact=True)
    assert len(io) == 2 * len(one)


def test_latencies_that_were_not_measured_are_not_asked_for_their_form():
    text = text_of(UNMEASURED)
    at = text.rindex("WriteLatencyStdDev=")
    res = ft.reads(text[:at] + re.sub(r'"[^"]*"', '"none"', text[at:], count=1))
    pd.testing.assert_frame_equal(
        res.samples.drop(columns="source"), ft.read(UNMEASURED).samples.drop(columns="source")
    )
    assert "only with -L" in res.notes["message"].item()


def test_buckets_elsewhere_are_not_samples():
    whole = ft.read(MEASURED)
    inside = f'<Odd><Iops>{BUCKET}Read="1"/></Iops></Odd><ThreadCount>'
    res = ft.reads(text_of(MEASURED).replace("<ThreadCount>", inside))
    pd.testing.assert_frame_equal(
        res.samples.drop(columns="source"), whole.samples.drop(columns="source")
    )
    found = res.extras.set_index("path")["text"]
    assert found["Odd/Iops/Bucket/@Read"] == "1"
    for hidden in ("<!--{}-->", "<![CDATA[{}]]>"):
        text = "</Iops>" + hidden.format(BUCKET + 'Read="1"/></Iops>')
        res = ft.reads(text_of(MEASURED).replace("</Iops>", text, 1))
        assert len(res.samples) == len(whole.samples)


def test_a_percentile_that_misses_or_falls():
    text = text_of(MEASURED)
    whole = ft.reads(text).percentiles
    res = ft.reads(text.replace("<Percentile>0<", "<Percentile><", 1))
    assert len(res.percentiles) == len(whole) - 3
    falls = re.sub(r"(<Percentile>98<.*?<ReadMilliseconds>)[\d.]+", r"\g<1>0.001", text, flags=re.S)
    assert ft.reads(falls).notes["message"].tolist() == [
        "read: percentile 98 is below percentile 97"
    ]


def broken(seed):
    """Break a file at random where its buckets are: a digit, a line, or whatever."""
    draw = random.Random(seed)
    data = draw.choice(FILES).read_bytes()
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
    return data


def parsed(data):
    """Make a parser read a document: a comment in front of its end changes nothing else."""
    head, end, tail = data.rpartition(b"</Results>")
    return head + b'<!-- <a b="c">d</a> <Bucket --></Results>' + tail if end else data


def outcome(data):
    try:
        return ft.reads(data)
    except ft.errors.FiotoolsError as error:
        return str(error)


def test_a_broken_file_reads_the_same():
    good = 0
    for seed in range(40):
        data = broken(seed)
        one, other = outcome(data), outcome(parsed(data))
        if isinstance(one, str) or isinstance(other, str):
            assert one == other
        else:
            same(one, other)
            good += 1
    assert 10 < good < 35


def other_figures(seed):
    """Change digits of what was measured, asked for and said of the machine; not its layout."""
    draw = random.Random(seed)
    changed = re.sub(
        r"(?<=[>\".\d])[1-9](?=[\d.]*[<\"])",
        lambda found: draw.choice([found[0]] * 9 + list("123456789")),
        text_of(draw.choice(FILES)),
    )
    if draw.random() < 0.1:  # as 0/0 was printed
        return re.sub(r"(Average\w*Milliseconds>)[\d.]+", r"\1-1.#J", changed, count=2)
    return changed


def test_files_side_by_side_are_read_as_alone(tmp_path):
    """Many of one layout, some odd ones between them."""
    texts = [other_figures(seed).encode() for seed in range(40)]
    texts[::7] = map(parsed, texts[::7])
    folder = written(tmp_path / "campaign", texts)
    together = ft.read(folder, errors="note")
    alone = [ft.read(path, errors="note") for path in sorted(folder.iterdir())]
    for name, table in together.tables.items():
        parts = pd.concat([part.tables[name] for part in alone], ignore_index=True)
        pd.testing.assert_frame_equal(table, parts.astype(table.dtypes), check_exact=True)
    messages = " ".join(together.notes["message"])
    assert all(part in messages for part in ("read + write", "mean", "percentile", "threads are"))
    for tables in (("runs", "settings"), ("samples",), ("io", "extras"), ("threads",)):
        part = ft.read(folder, tables=tables, errors="note")
        for name, table in part.tables.items():
            pd.testing.assert_frame_equal(table, together.tables[name], check_exact=True)


def test_more_layouts_than_are_kept(tmp_path):
    text = text_of(SAMPLED)
    texts = [text.replace("<ThreadCount>", "<Odd>1</Odd>" * n + "<ThreadCount>") for n in range(70)]
    res = ft.read(written(tmp_path / "layouts", [*texts, texts[0]]))
    odd = res.extras[res.extras["path"].str.startswith("Odd")]
    counts = odd.groupby("source").size().tolist()
    assert counts == [*range(1, 70)]
    for table, count in ((res.io, 2), (res.threads, 4)):
        assert table.groupby("source").size().unique().tolist() == [count]


def test_many_profiles(tmp_path):
    text = text_of(SAMPLED)
    texts = [re.sub(r"<WriteRatio>\d+", f"<WriteRatio>{n}", text) for n in range(1, 71)]
    res = ft.read(written(tmp_path / "profiles", texts))
    assert res.io["rwmixread_pct"].unique().tolist() == [100.0 - n for n in range(1, 71)]


def test_an_attribute_of_blanks():
    text = text_of(MEASURED)
    (name,) = re.findall(r'<PowerScheme Name="([^"]+)"', text)
    for other in (name, "  ", ""):
        extras = ft.reads(text.replace(name, other)).extras.set_index("path")["text"]
        assert extras["System/PowerScheme/@Name"] == other


def test_sums_beyond_64_bits():
    text = text_of(SAMPLED)
    start, end = text.index("<Thread>"), text.rindex("</Thread>") + len("</Thread>")
    thread = re.sub(r"((?:Bytes|Count)>)\d+", r"\g<1>9999999999999999", text[start:end])
    with pytest.raises(ParseError, match="more than 64 bits can count"):
        ft.reads(text[:start] + thread * 90 + text[end:])


def test_a_dead_thread_stands_with_zeros():
    """It is listed, and has its share of what its run did; no latency, and none is lost."""
    text = text_of(ROOT / "data" / "dda-vhdx" / "xml" / "vhdx.xml")
    start, end = text.index("<Thread>"), text.index("</Thread>")
    amounts = re.compile(r"<((?:Bytes|IO|Read|Write)(?:Count|Bytes))>\d+<")
    dead = text[:start] + amounts.sub(r"<\1>0<", text[start:end]) + text[end:]
    res = ft.reads(dead.replace("<BytesCount>18685411328<", "<BytesCount>0<"))
    rows = res.threads.query("thread == 0")
    assert rows["direction"].tolist() == ["read", "write"]
    assert rows[["total_ios", "io_bytes", "iops"]].eq(0).all(axis=None)
    assert rows[["lat_mean_ns", "lat_stddev_ns"]].isna().all(axis=None)
    assert set(ft.fairness(res.threads)["stragglers"]) == {"thread 0"}
    whole = ft.combine(res.threads, to="run")
    assert whole["lat_mean_ns"].tolist() == [539000, 780000]
    assert ft.totals(whole)["lat_mean_ns"].item() == pytest.approx(635000, abs=1000)


def test_a_long_run():
    text = text_of(MEASURED)
    lines = text.splitlines(keepends=True)
    long = [line * 9000 if "SampleMilli" in line else line for line in lines]
    res = ft.reads("".join(long), tables=("samples", "thread_samples"))
    assert len(res.samples) + len(res.thread_samples) == 60 * 9000
    for samples in (res.samples, res.thread_samples):
        assert set(samples["direction"]) == {"read", "write"}
        assert "lat_mean_ns" in set(samples["quantity"])
    # one bucket that is not like the others
    at = next(n for n, line in enumerate(long) if "SampleMilli" in line)
    odd = lines[text[: text.index("<Bucket S")].count("\n")].replace('Total="', 'Total="00')
    same(
        ft.reads("".join([*long[:at], odd, *long[at:]]), tables=("io",)),
        ft.reads(text, tables=("io",)),
    )


def test_numbers_are_read_as_python_reads_them():
    draw = np.random.default_rng(7)
    whole = 10 ** draw.uniform(0, 17, 3000)
    rates = [f"{int(value)}"[:17] for value in whole]
    latencies = [f"{value / 10**6:.3f}"[-17:].lstrip(".") for value in whole]
    lines = text_of(MEASURED).splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if "SampleMilli" in line)
    lines[at : at + 1] = [
        re.sub(
            'MaxLatencyMilliseconds="[^"]*"',
            f'MaxLatencyMilliseconds="{latency}"',
            re.sub(' Read="[^"]*"', f' Read="{rate}"', lines[at]),
        )
        for rate, latency in zip(rates, latencies, strict=True)
    ]
    read = ft.reads("".join(lines)).samples.query("direction == 'read'")
    for quantity, texts, scale in (("iops", rates, 1), ("lat_max_ns", latencies, 1e6)):
        expected = [float(np.rint(float(text) * scale)) for text in texts]
        expected = [value for value in expected if value or scale == 1]  # 0.000 is none
        found = read.loc[read["quantity"] == quantity, "value"]
        assert len(expected) > 2000
        assert found.tolist()[: len(expected)] == expected


@pytest.mark.parametrize(
    "odd",
    [
        *('Read="1"5 ', 'Read5="1" ', '5 Read="1" ', 'Read="" ', 'Read="1.." '),
        *(f'Read="1{"0" * 17}" ', f'Read="{"1" * 30}" '),
    ],
)
def test_what_is_not_a_bucket_is_told_by_the_parser(odd):
    text = text_of(MEASURED)
    changed = re.sub('(?<= )Read="[^"]*" ', odd, text, count=1)
    one, other = outcome(changed.encode()), outcome(parsed(changed.encode()))
    if odd.startswith("Read5"):
        same(one, other)
    else:
        assert isinstance(one, str)
        assert one == other


@pytest.mark.parametrize("number", ["0.25", "1", "00.250", "1.2500"])
def test_a_number_in_another_form_is_the_same_number(number):
    changed = re.sub(
        r'(ReadAvgLatencyMilliseconds=")[^"]*', rf"\g<1>{number}", text_of(MEASURED), count=1
    )
    same(ft.reads(changed), ft.reads(parsed(changed.encode())))
