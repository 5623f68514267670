"""DISKSPD's XML: as the tool writes it, in other forms, edited, broken, and many files together."""

import re

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import ParseError
from tests.readers import outputs
from tests.readers.outputs import FIXTURES, same_rows, says, texts, values

SEQ = "2.0.14--seqread_noLD"
SAMPLED = "2.0.12--mix_2targets_D_L"  # -D and -L: I/Os per second only
MEASURED = "2.2--two_sockets"  # and latencies
POOL = "2.2--F2O8_weights"
BUCKET = '<Bucket SampleMillisecond="1000" '


def load(name):
    return ft.read(FIXTURES / "diskspd" / f"diskspd-{name}.xml")


def edited(name, *changes):
    return outputs.edited(f"diskspd/diskspd-{name}.xml", *changes)


def without_last(text, tag):
    """Cut the last element of this name out."""
    return text[: text.rindex(f"<{tag}>")] + text[text.rindex(f"</{tag}>") + len(tag) + 3 :]


def test_threads_stand_apart_and_the_run_is_their_sum():
    res = load(SAMPLED)
    assert values(res.io, "entry", "clones", "direction", "target") == [
        (1, 2, "read", None),
        (1, 2, "write", None),
    ]
    assert values(res.threads, "entry", "thread", "clones", "direction") == [
        (1, 0, 1, "read"),
        (1, 0, 1, "write"),
        (2, 1, 1, "read"),
        (2, 1, 1, "write"),
    ]
    (row,) = ft.totals(res.io).to_dict("records")
    assert row["total_ios"] == res.io["total_ios"].sum() == 63857
    assert row["iops"] == row["total_ios"] / 2.0
    assert row["bw_bytes_per_s"] == row["io_bytes"] / 2.0
    assert row["lat_mean_ns"] == pytest.approx(62000.0, abs=500)
    assert (row["lat_min_ns"], row["lat_max_ns"]) == (7000.0, 31699000.0)
    assert pd.isna(row["iops_stddev"])
    # amounts of the run are not in the XML, and what is was kept
    printed = texts(res).filter(like="total.")
    assert printed.to_dict() == {
        "total.lat_mean_ns": "62000",
        "total.lat_stddev_ns": "507000",
        "total.iops_stddev": "1815",
    }
    # the run has a target if all threads have one
    assert {*load("2.0.21a--seq64k_t4_D_only").io["target"]} == {r"C:\dsk\test.dat"}


def test_conditions_and_settings():
    res = load(SAMPLED)
    names = ("rw", "bs_bytes", "rwmixread_pct", "direct", "ioengine")  # direct: DisableAllCache, -h
    names = (*names, "iodepth", "numjobs", "size_bytes")
    same = ("randrw", 4096, 70.0, True, None)
    assert values(res.threads, *names)[0] == (*same, 2, 1, 33554432)
    # two threads with two I/Os each; two files have no one size
    assert values(res.io, *names)[0] == (*same, 2, 2, None)
    settings = texts(res, "settings", "option")
    assert settings["Duration"] == "2"
    assert settings["Target[2]/Path"] == r"C:\dsk\b2.dat"
    assert settings["Target[1]/WriteBufferContent/Pattern"] == "sequential"
    assert settings.index.is_unique
    run = load("2.0.21a--seq64k_t4_D_only").runs.iloc[0]
    assert (run["tool"], run["tool_version"], run["host"]) == ("diskspd", "2.0.21a", "vm")
    assert run["reported_at"] == pd.Timestamp("2026-11-21 00:32:43", tz="UTC")
    assert pd.isna(run["started_at"])


def test_what_was_not_measured_is_missing():
    res = load(SEQ)
    for table in (res.io, res.threads):
        assert values(table, "direction", "rw", "iops_stddev") == [("read", "read", None)]
        assert table.filter(like="lat_").isna().all(axis=None)
    assert res.percentiles.empty
    assert res.samples.empty
    assert res.runs["reported_at"].isna().all()


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("<StrideSize>65536</StrideSize>", "", ["rw"]),  # neither random nor sequential
        ("<WriteRatio>0<", "<WriteRatio>-1.#J<", ["rw", "rwmixread_pct"]),
        (
            "<TestTimeSeconds>2.00</TestTimeSeconds>",
            "",
            ["iops", "bw_bytes_per_s", "runtime_s"],
        ),
    ],
)
def test_what_is_not_certain_is_missing(old, new, missing):
    res = ft.reads(edited(SEQ, (old, new)))
    for table in (res.io, res.threads):
        assert table["total_ios"].tolist() == [54145]
        assert table[missing].isna().all(axis=None)
    if "iops" in missing:
        assert says(res, "no TestTimeSeconds: rates are missing")


def test_without_the_profile_the_conditions_are_missing():
    text = edited(SEQ)
    res = ft.reads(re.sub("(?s)<Profile>.*</Profile>", "", text))
    assert values(res.io, "total_ios", "rw", "bs_bytes") == [(54145, None, None)]


def test_percentiles_of_the_whole_run():
    res = load(SAMPLED)
    assert set(res.percentiles["entry"]) == {1}
    assert res.percentiles["target"].isna().all()
    assert set(res.percentiles["direction"]) == {"read", "write", "total"}
    read = res.percentiles.query("direction == 'read'").set_index("percentile")["value_ns"]
    assert len(read) == 107
    assert (read[0], read[99], read[99.9], read[100]) == (7e3, 1.704e6, 8.038e6, 16.789e6)
    assert read.is_monotonic_increasing


@pytest.mark.parametrize("version", ["2.0.21a", "2.2"])
def test_bucket_latencies_only_where_latency_was_measured(version):
    res = load(f"{version}--seq64k_t4_D_only")
    note = says(res, "latencies of the buckets are left out: they are sure only with -L")
    assert note["severity"] == "info"
    for samples in (res.samples, res.thread_samples):
        assert set(samples["quantity"]) == {"iops"}
    assert (len(res.samples), len(res.thread_samples)) == (6, 24)
    assert {*values(res.thread_samples, "entry", "thread")} == {(n + 1, n) for n in range(4)}
    assert {*res.samples["time_s"]} == {1.0, 2.0, 3.0}
    keys = ["time_s", "direction"]
    of_run = res.samples.set_index(keys)["value"].sort_index()
    assert res.thread_samples.groupby(keys)["value"].sum().equals(of_run)


def test_a_pool_of_threads():
    res = load(POOL)
    assert res.io["numjobs"].tolist() == [2] * 2
    assert res.threads["numjobs"].tolist() == [2] * 8
    # eight I/Os in each thread, spread over the targets by their weights
    assert res.threads["iodepth"].isna().all()
    assert res.io["iodepth"].tolist() == [8, 8]


def test_the_format_asked_for_is_not_there():
    with pytest.raises(ParseError, match="<text>:1: holds no results of DISKSPD in XML"):
        ft.reads("thread | bytes\n", format="diskspd_xml")


REPAIRS = [  # what stands where, and what is shown of it
    (SEQ, r"C:\dsk\test.dat", r"C:\a<b>&c&amp;d <IOCount>1.dat", r"C:\a<b>&c&d <IOCount>1.dat"),
    (SEQ, r"C:\dsk\test.dat", "R&D<" * 500_000, "R&D<" * 500_000),
    ("2.2--seq64k_t4_D_only", 'Name="Balanced"', 'Name="R&D "fast" <1>"', 'R&D "fast" <1>'),
]


@pytest.mark.parametrize(("name", "old", "new", "shown"), REPAIRS, ids=range(len(REPAIRS)))
def test_what_diskspd_does_not_escape_is_repaired_and_no_number(name, old, new, shown):
    res, good = ft.reads(edited(name, (old, new))), load(name)
    assert shown in {*res.io["target"], *res.extras["text"]}
    figures = ("io_bytes", "total_ios", "iops", "bs_bytes", "size_bytes", "rw")
    assert values(res.io, *figures) == values(good.io, *figures)
    assert says(res, "repaired the XML")


def test_a_repair_is_told_with_its_line_and_what_is_escaped_needs_none():
    res = load("2.0.21a--ampersand_in_path")
    assert set(res.io["target"]) == {r"C:\dsk\R&D (a) it's test.dat"}
    assert res.notes["line"].item() == 38
    res = ft.reads(edited(SEQ, (r"C:\dsk\test.dat", "R&amp;D.dat")))
    assert set(res.io["target"]) == {"R&D.dat"}
    assert res.notes.empty


@pytest.mark.parametrize(("codec", "name"), [("cp1252", "müll"), ("cp932", "ポート表")])
def test_code_pages_keep_every_number(codec, name):
    res = ft.reads(edited(SEQ, ("test.dat", f"{name}.dat")).encode(codec))
    for table in (res.io, res.threads):
        assert values(table, "total_ios", "bs_bytes") == [(54145, 65536)]
    if codec == "cp1252":
        assert res.io["target"].item() == "C:\\dsk\\müll.dat"
        assert "not UTF-8 were read as Windows' CP1252" in res.notes["message"].item()


REFUSED = [
    ('SampleMillisecond="1000"', 'SampleMillisecond=""', "SampleMillisecond is '', not a number"),
    (' Read="', ' Read="1e', r"Read is '1e\d+', not a number"),  # more than 64 bits can count
    (
        "<ReadMilliseconds>0.",
        "<ReadMilliseconds>0..1",
        r"Milliseconds is '0\.\.1\d*', not a number",
    ),
    (BUCKET, BUCKET + 'SampleMillisecond="2000" ', "not well-formed XML"),
    ("<Id>1</Id>", "<Id>1</Ix>", "not well-formed XML: .*Ix.*; DISKSPD"),
    (BUCKET, "<!DOCTYPE Results []>" + BUCKET, "DOCTYPE"),
    ("<IOCount>", "<IOCount>5<4", "not well-formed XML"),  # a number is never repaired
    ("<IOCount>", "<IOCount>1.", "IOCount is '1.*', not a whole number"),
    ("<IOCount>", "<IOCount><b/>", "IOCount holds elements, not a value"),
    ("<IOCount>", "<IOCount>1</IOCount><IOCount>", "IOCount occurs twice with different values"),
    ("<BytesCount>259989504</BytesCount>", "", "a Target of the results has no BytesCount or no"),
    ("<TestTimeSeconds>", "<TestTimeSeconds>-", "TestTimeSeconds is below 0"),
    ("<TestTimeSeconds>", "<TestTimeSeconds>x", "TestTimeSeconds is 'x.*', not a number"),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED)
def test_what_is_not_a_number_is_refused(old, new, message):
    text = edited(MEASURED)
    assert old in text
    with pytest.raises(ParseError, match=message) as refused:
        ft.reads(text.replace(old, new, 1))
    if "not a" in message:
        assert refused.value.line == text[: text.index(old)].count("\n") + 1


def test_a_number_that_is_there_twice_alike_counts_once():
    once = "<IOCount>54145</IOCount>"
    res = ft.reads(edited(SEQ, (once, once * 2)))
    assert res.io["total_ios"].tolist() == res.threads["total_ios"].tolist() == [54145]


def test_a_doctype_is_refused():
    entity = '<!ENTITY a "54145">'
    xml = edited(SEQ, (r"C:\dsk\test.dat", "&a;" * 1000))
    declared = f'<?xml version="1.0"?>\n<!DOCTYPE Results [{entity}]>\n{xml}'
    with pytest.raises(ParseError, match=r"<text>:2: the XML declares a DOCTYPE"):
        ft.reads(declared)
    # behind a line of standard error, the document begins at its first tag: nothing is declared
    res = ft.reads(f"Error opening file: x [3]\n{declared}", format="diskspd_xml")
    assert set(res.io["target"]) == {"&a;" * 1000}


CUT_OUT = [
    (
        "1 of 2 threads are in the file: their sum is not a total, and is left out",
        edited(SEQ, ("<ThreadCount>1<", "<ThreadCount>2<")),
        1,
    ),
    ("not every thread has rows for its 2 targets", without_last(edited(POOL), "Target"), 6),
    (
        "a thread is in the file twice",
        edited(SAMPLED, ("<Id>1</Id>\r\n<Target>", "<Id>0</Id>\r\n<Target>")),
        4,
    ),
]


@pytest.mark.parametrize(("message", "text", "threads"), CUT_OUT, ids=[row[0] for row in CUT_OUT])
def test_what_is_cut_out_of_a_run_leaves_no_total(message, text, threads):
    res = ft.reads(text)
    assert (len(res.io), len(res.threads)) == (0, threads)
    assert says(res, message)


def test_text_behind_the_xml_is_noted():
    note = says(ft.reads(edited(SEQ) + "\nDone.\nreally\n"), "text beside")
    assert note["message"] == "text beside the XML: 'Done.' and 1 more lines"
    assert (note["line"], note["severity"]) == (95, "info")


def test_cut_off_before_any_run_is_whole():
    text = edited(SEQ)[:1500]
    line = text.rstrip().count("\n") + 1
    with pytest.raises(ParseError, match=rf"<text>:{line}: the XML ends before </Results>; "):
        ft.reads(text)


def test_time_spans_that_are_whole_are_read_from_a_file_that_was_cut():
    text = edited("2.1--three_timespans")
    whole = ft.reads(text)
    assert len(whole.runs) == 3
    third = text.rindex("<TestTimeSeconds>")
    res = ft.reads(text[:third])
    assert res.runs["status"].tolist() == ["ok", "ok"]
    note = says(res, "the XML ends before </Results>: 2 of 3 time spans are whole")
    assert (note["line"], note["severity"]) == (text[:third].rstrip().count("\n") + 1, "warning")
    pd.testing.assert_frame_equal(res.io, whole.io.query("run < 3"))
    # only the last tag is gone
    last = ft.reads(edited(SEQ, ("</Results>", "")))
    assert (len(last.io), len(last.threads)) == (1, 1)
    assert says(last, "the XML ends before </Results>: 1 of 1")


def test_lines_are_counted_beyond_65535():
    many = '<Bucket SampleMillisecond="1" Read="1" Write="0" Total="1"/>\n' * 70_000
    xml = edited(SEQ, ("<Thread>", f"<Iops>\n{many}</Iops>\n<Thread>"))
    res = ft.reads(xml.replace("<ReadCount>54145<", "<ReadCount>54144<"), tables=("io",))
    line = xml[: xml.rindex("<Target>")].count("\n") + 1
    # the parser counts beyond 16 bits by what is inside an element
    assert says(res, "total_ios: read + write = 54144")["line"] in (line, line + 1)


def test_distributions_and_wait_statistics():
    wait = "<WaitStatistics><CompletionWait>41</CompletionWait><Lookaside>7</Lookaside>"
    wait += "<LookasideCompletion>1 2 3 4 5 6 7 8</LookasideCompletion></WaitStatistics></Thread>"
    res = ft.reads(edited(POOL, ("</Thread>", wait)))
    extras = texts(res)
    assert extras["Thread[1]/WaitStatistics/CompletionWait"] == "41"
    assert extras["Thread[0]/WaitStatistics/LookasideCompletion"] == "1 2 3 4 5 6 7 8"
    # -rdabs90/10M:10/10M, as 2.1 and later print what became of it
    spread = '<Distribution><Absolute><Range IO="90">10485760</Range>'
    spread += '<Range IO="10">10485760</Range></Absolute></Distribution><IOCount>'
    res = ft.reads(edited("2.2--seq64k_t4_D_only", ("<IOCount>", spread)))
    first = values(res.extras.query("entry == 1"), "path", "text")
    assert dict(first) == {
        "Distribution/Absolute/Range[1]/@IO": "90",
        "Distribution/Absolute/Range[1]": "10485760",
        "Distribution/Absolute/Range[2]/@IO": "10",
        "Distribution/Absolute/Range[2]": "10485760",
    }


def test_later_numbers_of_the_samples_are_noted():
    res = ft.reads(edited(SAMPLED, (' Total="', ' Retries="2" Total="')))
    assert says(res, "values of a later version in the buckets are left out: Retries")
    whole = load(SAMPLED)
    for table in ("samples", "thread_samples"):
        assert len(res.tables[table]) == len(whole.tables[table]) > 0


def test_threads_of_a_pool_with_targets_of_their_own():
    own = "<ThreadTargets><ThreadTarget><Thread>0</Thread></ThreadTarget></ThreadTargets><Weight>"
    res = ft.reads(without_last(edited(POOL), "Target").replace("<Weight>", own))
    assert (len(res.io), len(res.threads)) == (2, 6)


def test_text_and_xml_of_one_run_in_one_file_are_both_read():
    xml = edited(SEQ)
    text = outputs.edited(f"diskspd/diskspd-{SEQ}.txt").lstrip()
    for joined, formats in (
        (f"{xml}\nWARNING: something\n{text}", ["diskspd_xml", "diskspd_text"]),
        (f"{text}\r\n{xml}", ["diskspd_text", "diskspd_xml"]),
        (f"{xml}{xml}\n{text}", ["diskspd_xml", "diskspd_xml", "diskspd_text"]),
    ):
        res = ft.reads(joined)
        assert res.runs["format"].tolist() == formats
        assert res.io["total_ios"].tolist() == [54145] * len(formats)
        said = res.notes["message"]
        assert said.str.endswith("count it once").sum() == len(formats) - 1
        # a message between them hides no command
        assert (said.str.contains("WARNING: something").sum() == 1) == ("WARNING" in joined)
        assert not said.str.contains("text beside").any()
        assert text.startswith(f"Command Line: {res.runs['command'].dropna().item()}")


def test_a_session_with_xml_in_it():
    command = r".\diskspd.exe -b64k -o8 -Rxml C:\dsk\test.dat"
    res = ft.reads(f"PS C:\\> {command}\n{edited(SEQ)}\nPS C:\\> exit")
    assert values(res.runs, "format", "command") == [("diskspd_xml", command)]
    assert res.io["total_ios"].tolist() == [54145]


def test_an_excerpt_of_xml_does_not_hide_the_text_below_it():
    excerpt = "It begins so:\n<Results>\n<System>\n...\nand as text:\n"
    res = ft.reads(excerpt + outputs.edited(f"diskspd/diskspd-{SEQ}.txt"))
    assert res.runs["format"].tolist() == ["diskspd_text"]
    assert len(res.io) == 1
    assert says(res, "left out: the XML ends before </Results>")["line"] == 3


def test_several_documents_in_one_file():
    one = edited(SEQ)
    res = ft.reads(f"{one}\n{one}\n{one[:900]}")
    assert res.io["run"].tolist() == res.threads["run"].tolist() == [1, 2]
    assert says(res, "the XML ends before </Results>")["severity"] == "error"
    assert says(res, "the same run as run 1")["run"] == 2


FORMS = {
    "a comment in every value": lambda text: re.sub(r"(\d)(\d</)", r"\1<!-- 5 -->\2", text),
    "an instruction": lambda text: text.replace("<TimeSpan>", "<TimeSpan><?odd 5?>"),
    "CDATA": lambda text: re.sub(r"<(Path|IOCount)>([^<]+)<", r"<\1><![CDATA[\2]]><", text),
    "one line": lambda text: re.sub(r">\s+<", "><", text),
    "every tag on a line": lambda text: re.sub(r">\s*<", ">\n\n<", text),
    "blanks around values": lambda text: re.sub(r">([^<>\s]+)</", r"> \1\n</", text),
    "tags with blanks": lambda text: re.sub(r"<(/?(?!Results)\w+)>", r"<\1 >", text),
    "another order": lambda text: re.sub(
        r' (Read="\d+") (Write="\d+") (Total="\d+")', r" \3 \1 \2", text
    ),
    "an attribute of a bucket": lambda text: text.replace("<Bucket>", '<Bucket n="1">'),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_a_document_changes_no_number(form):
    whole, text = load(MEASURED), edited(MEASURED)
    changed = FORMS[form](text)
    assert changed != text
    res = ft.reads(changed)
    assert res.notes["message"].tolist() == whole.notes["message"].tolist()
    same_rows(res, whole, *(name for name in whole.tables if name != "notes"))


@pytest.mark.parametrize(
    ("old", "new"),
    [('SampleMillisecond="1000"', 'SampleMillisecond="nan"'), (' Read="', ' Red="')],
)
def test_a_bucket_without_a_number_has_no_sample(old, new):
    whole, res = load(MEASURED), ft.reads(edited(MEASURED).replace(old, new, 1))
    lost = [len(whole.tables[one]) - len(res.tables[one]) for one in ("samples", "thread_samples")]
    assert 0 < sum(lost) < 20
    same_rows(res, whole, "io", "threads")


def test_a_percentile_that_misses_or_falls():
    text = edited(MEASURED)
    whole = ft.reads(text).percentiles
    res = ft.reads(text.replace("<Percentile>0<", "<Percentile><", 1))
    assert len(res.percentiles) == len(whole) - 3
    falls = re.sub(r"(<Percentile>98<.*?<ReadMilliseconds>)[\d.]+", r"\g<1>0.001", text, flags=re.S)
    assert ft.reads(falls).notes["message"].tolist() == [
        "read: percentile 98 is below percentile 97"
    ]


def test_sums_beyond_64_bits():
    text = edited(SAMPLED)
    start, end = text.index("<Thread>"), text.rindex("</Thread>") + len("</Thread>")
    thread = re.sub(r"((?:Bytes|Count)>)\d+", r"\g<1>9999999999999999", text[start:end])
    with pytest.raises(ParseError, match="more than 64 bits can count"):
        ft.reads(text[:start] + thread * 90 + text[end:])


def test_a_dead_thread_stands_with_zeros():
    """It is listed, and has its share of what its run did; no latency, and none is lost."""
    article = FIXTURES.parents[1] / "data" / "dda-vhdx" / "xml" / "vhdx.xml"
    text = article.read_bytes().decode()
    start, end = text.index("<Thread>"), text.index("</Thread>")
    amounts = re.compile(r"<((?:Bytes|IO|Read|Write)(?:Count|Bytes))>\d+<")
    dead = text[:start] + amounts.sub(r"<\1>0<", text[start:end]) + text[end:]
    res = ft.reads(dead.replace("<BytesCount>18685411328<", "<BytesCount>0<"))
    rows = res.threads.query("thread == 0")
    names = ("direction", "total_ios", "io_bytes", "iops", "lat_mean_ns", "lat_stddev_ns")
    assert values(rows, *names) == [
        (direction, 0, 0, 0, None, None) for direction in ("read", "write")
    ]
    assert set(ft.fairness(res.threads)["stragglers"]) == {"thread 0"}
    whole = ft.combine(res.threads, to="run")
    assert whole["lat_mean_ns"].tolist() == [539000, 780000]
    assert ft.totals(whole)["lat_mean_ns"].item() == pytest.approx(635000, abs=1000)
