from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import ParseError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "diskspd"
DATA = Path(__file__).parents[2] / "data" / "dda-vhdx"


def load(name):
    return ft.read(FIXTURES / f"diskspd-{name}.xml")


def edited(name, *changes):
    """A fixture's text with some of it replaced."""
    text = (FIXTURES / f"diskspd-{name}.xml").read_bytes().decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def says(res, start):
    """The one note that begins so."""
    (found,) = [n for n in res.notes.to_dict("records") if n["message"].startswith(start)]
    return found


def test_published_ratios():
    res = ft.read(DATA / "xml" / "{volume}.xml")
    assert (len(res.io), len(res.threads)) == (6, 12)
    assert repr(res).startswith("<Results: 3 files, DISKSPD 2.0.21a, 3 runs")
    assert res.notes.empty
    iops = res.where(direction=["read", "write", "total"]).io
    iops = iops.set_index(["volume", "direction"])["iops"]
    mirror = (iops["mirror"] / iops["vhdx"]).round(4)
    assert mirror.to_dict() == {"read": 0.7094, "write": 0.7097, "total": 0.7095}
    assert round(iops["nvme", "total"] / iops["vhdx", "total"], 3) == 1.819


def test_threads_stand_apart_and_the_run_is_their_sum():
    res = load("2.0.12--mix_2targets_D_L")
    io, threads = res.io, res.threads
    assert io[["entry", "clones"]].to_numpy().tolist() == [[1, 2]] * 2
    assert io["direction"].tolist() == ["read", "write"]
    assert io["target"].isna().all()
    assert threads[["entry", "thread", "clones"]].to_numpy().tolist() == [
        *[[1, 0, 1]] * 2,
        *[[2, 1, 1]] * 2,
    ]
    assert threads["direction"].tolist() == ["read", "write"] * 2
    of_threads = threads.groupby("direction")[["io_bytes", "total_ios"]].sum()
    of_run = io.set_index("direction")[["io_bytes", "total_ios"]]
    pd.testing.assert_frame_equal(of_threads, of_run.sort_index())
    (row,) = ft.totals(io).to_dict("records")
    assert row["total_ios"] == io["total_ios"].sum() == 63857
    assert row["iops"] == row["total_ios"] / 2.0
    assert row["bw_bytes_per_s"] == row["io_bytes"] / 2.0
    assert row["lat_mean_ns"] == pytest.approx(62000.0, abs=500)
    assert (row["lat_min_ns"], row["lat_max_ns"]) == (7000.0, 31699000.0)
    assert pd.isna(row["iops_stddev"])
    # amounts of the run are not in the XML, and what is was kept
    printed = res.extras[res.extras["path"].str.startswith("total.")]
    assert printed["entry"].isna().all()
    assert dict(zip(printed["path"], printed["text"], strict=True)) == {
        "total.lat_mean_ns": "62000",
        "total.lat_stddev_ns": "507000",
        "total.iops_stddev": "1815",
    }


def test_the_run_has_a_target_if_all_threads_have_one():
    assert load("2.0.21a--seq64k_t4_D_only").io["target"].unique().tolist() == [r"C:\dsk\test.dat"]


def test_conditions_and_settings():
    res = load("2.0.12--mix_2targets_D_L")
    thread, total = res.threads.iloc[0], res.io.iloc[-1]
    for row in (thread, total):
        assert (row["rw"], row["bs_bytes"], row["rwmixread_pct"]) == ("randrw", 4096, 70.0)
        assert row["direct"]  # DisableAllCache: -h
        assert pd.isna(row["ioengine"])
    assert (thread["iodepth"], thread["numjobs"], thread["size_bytes"]) == (2, 1, 33554432)
    # two threads with two I/Os each; two files have no one size
    assert (total["iodepth"], total["numjobs"]) == (2, 2)
    assert pd.isna(total["size_bytes"])
    settings = res.settings.set_index("option")["text"]
    assert settings["Duration"] == "2"
    assert settings["Target[2]/Path"] == r"C:\dsk\b2.dat"
    assert settings["Target[1]/WriteBufferContent/Pattern"] == "sequential"
    assert settings.index.is_unique


def test_the_run():
    run = load("2.0.21a--seq64k_t4_D_only").runs.iloc[0]
    assert (run["tool"], run["tool_version"], run["host"]) == ("diskspd", "2.0.21a", "vm")
    assert run["reported_at"] == pd.Timestamp("2026-11-21 00:32:43", tz="UTC")
    assert pd.isna(run["started_at"])
    assert run["status"] == "ok"


def test_what_was_not_measured_is_missing():
    res = load("2.0.14--seqread_noLD")
    for table in (res.io, res.threads):
        assert table["direction"].tolist() == ["read"]
        assert table["rw"].tolist() == ["read"]
        assert table.filter(like="lat_").isna().all(axis=None)
        assert table["iops_stddev"].isna().all()
    assert res.percentiles.empty
    assert res.samples.empty
    assert res.runs["reported_at"].isna().all()


def test_percentiles_of_the_whole_run():
    res = load("2.0.12--mix_2targets_D_L")
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
    assert set(res.samples["quantity"]) == {"iops"}
    note = says(res, "latencies of the buckets are left out: they are sure only with -L")
    assert note["severity"] == "info"
    assert set(res.thread_samples["quantity"]) == {"iops"}
    assert (len(res.samples), len(res.thread_samples)) == (6, 24)
    assert res.thread_samples.groupby("entry")["thread"].unique().map(list).to_dict() == {
        entry: [entry - 1] for entry in (1, 2, 3, 4)
    }
    total = res.samples.groupby("time_s")["value"].sum()
    assert total.index.tolist() == [1.0, 2.0, 3.0]
    keys = ["time_s", "direction"]
    of_run = res.samples.set_index(keys)["value"].sort_index()
    assert res.thread_samples.groupby(keys)["value"].sum().equals(of_run)
    iops = ft.totals(res.io)["iops"].item()
    assert total.mean() == pytest.approx(iops, rel=0.05)


def test_means_and_deviations_that_2_2_leaves_out():
    xml = load("2.2--F2O8_weights")
    text = ft.read(FIXTURES / "diskspd-2.2--F2O8_weights.txt")
    for table in ("io", "threads"):
        one, other = xml.tables[table], text.tables[table]
        for name in ("lat_mean_ns", "lat_stddev_ns"):
            assert one[name].notna().all()
            assert one[name].tolist() == other[name].tolist()
    printed = text.extras.set_index(["path", "entry"])["text"].astype("str")
    totals = ft.totals(xml.threads).set_index("entry")
    for name in ("lat_mean_ns", "lat_stddev_ns"):
        told = printed[f"thread.total.{name}"].astype("float64")
        assert ((totals[name] - told).abs() <= 1000).all()
        assert len(told) == 4


def test_a_pool_of_threads():
    res = load("2.2--F2O8_weights")
    assert res.io["numjobs"].tolist() == [2] * 2
    assert res.threads["numjobs"].tolist() == [2] * 8
    # eight I/Os in each thread, spread over the targets by their weights
    assert res.threads["iodepth"].isna().all()
    assert res.io["iodepth"].tolist() == [8, 8]


@pytest.mark.parametrize("case", ["2.0.21a--err_nofile", "2.1--interrupted"])
def test_a_failed_run_is_a_run(case):
    res = load(case)
    assert res.runs["status"].tolist() == ["error"]
    assert res.io.empty
    error = res.notes.query("severity == 'error'").iloc[0]
    assert error["message"].startswith("The test was interrupted before")
    assert error["line"] > 60
    assert not res.settings.empty


def test_standard_error_in_the_file():
    notes = load("2.0.21a--err_nofile").notes
    messages = notes.set_index("line")["message"]
    assert messages[1] == r"Error opening file: C:\dsk\nope\missing.dat [3]"
    assert "Error generating I/O requests" in set(messages)
    merged = load("2.0.21a--stderr_merged")
    assert (len(merged.io), len(merged.threads)) == (2, 2)
    note = merged.notes.iloc[0]
    assert note["message"] == "13 lines of progress (-v) were left out"
    assert (note["line"], note["severity"]) == (1, "info")


def test_a_comment_above_the_system_is_not_an_obstacle():
    plain = edited("2.0.12--mix_2targets_D_L")
    noted = plain.replace("<Results>", "<Results><!-- taken on a Monday -->", 1)
    pd.testing.assert_frame_equal(ft.reads(noted).io, ft.reads(plain).io)


def test_repairs_what_diskspd_does_not_escape():
    res = load("2.0.21a--ampersand_in_path")
    assert res.io["target"].iloc[0] == r"C:\dsk\R&D (a) it's test.dat"
    assert res.notes["line"].item() == 38
    assert res.io["bs_bytes"].notna().all()
    res = ft.reads(
        edited(
            "2.2--seq64k_t4_D_only",
            ('<PowerScheme Name="Balanced"', '<PowerScheme Name="<unknown>"'),
        )
    )
    assert says(res, "repaired the XML")["line"] == 9
    assert "<unknown>" in set(res.extras["text"])


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (r"C:\dsk\test.dat", r"C:\a<b>&c&amp;d <IOCount>1.dat", r"C:\a<b>&c&d <IOCount>1.dat"),
        (r"C:\dsk\test.dat", "<unknown>", "<unknown>"),
    ],
    ids=["all", "unknown"],
)
def test_a_repair_touches_no_number(old, new, shown):
    good = load("2.0.14--seqread_noLD")
    res = ft.reads(edited("2.0.14--seqread_noLD", (old, new)))
    assert set(res.io["target"].dropna()) == {shown}
    figures = ["io_bytes", "total_ios", "iops", "bs_bytes", "size_bytes", "rw"]
    pd.testing.assert_frame_equal(res.io[figures], good.io[figures])
    assert says(res, "repaired the XML")


def test_quotes_in_the_name_of_a_power_scheme():
    power = ('<PowerScheme Name="Balanced"', '<PowerScheme Name="R&D "fast" <1>"')
    res = ft.reads(edited("2.2--seq64k_t4_D_only", power))
    assert 'R&D "fast" <1>' in set(res.extras["text"])


def test_numbers_are_never_repaired():
    broken = edited("2.0.14--seqread_noLD", ("<IOCount>54145<", "<IOCount>54<145<"))
    with pytest.raises(ParseError, match="not well-formed XML"):
        ft.reads(broken)


def test_what_is_escaped_is_not_repaired():
    res = ft.reads(edited("2.0.14--seqread_noLD", (r"C:\dsk\test.dat", "R&amp;D.dat")))
    assert res.notes.empty
    assert set(res.io["target"].dropna()) == {"R&D.dat"}


def test_ansi_bytes_are_read_as_cp1252_and_noted():
    data = edited("2.0.14--seqread_noLD", ("test.dat", "müll.dat")).encode("cp1252")
    res = ft.reads(data)
    assert res.io["target"].iloc[0] == "C:\\dsk\\müll.dat"
    assert "not UTF-8 were read as Windows' CP1252" in res.notes["message"].item()


@pytest.mark.parametrize("ending", ["xml", "txt"])
@pytest.mark.parametrize("names", [("é", "è"), ("\x81", "\x8d")])
def test_two_targets_in_a_code_page_stay_two(names, ending):
    path = FIXTURES / f"diskspd-2.0.12--mix_2targets_D_L.{ending}"
    whole = ft.read(path)
    data = path.read_bytes()
    targets = sorted({*whole.threads["target"]})
    for target, name in zip(targets, names, strict=True):
        code = name.encode("latin-1")
        data = data.replace(target.encode(), target[:-4].encode()[:-1] + code + b".dat")
    res = ft.reads(data)
    told = {*res.threads["target"]}
    assert len(told) == 2
    assert {one[-5] for one in told} == {*names}
    for table in ("io", "threads"):
        one, other = res.tables[table], whole.tables[table]
        assert one["total_ios"].tolist() == other["total_ios"].tolist()


@pytest.mark.parametrize("codec", ["cp932", "cp1251"])
def test_other_code_pages_keep_every_number(codec):
    name = {"cp932": "ポート表", "cp1251": "диск"}[codec]
    data = edited("2.0.14--seqread_noLD", (r"C:\dsk\test.dat", f"C:\\{name}.dat")).encode(codec)
    res = ft.reads(data)
    for table in (res.io, res.threads):
        assert table[["total_ios", "bs_bytes"]].to_numpy().tolist() == [[54145, 65536]]


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_what_powershell_makes_of_it(codec):
    data = edited("2.0.14--seqread_noLD").encode(codec)
    pd.testing.assert_frame_equal(
        ft.reads(data, name="x").io, ft.reads(edited("2.0.14--seqread_noLD"), name="x").io
    )


def test_a_profile_is_not_a_result():
    with pytest.raises(
        ParseError, match=r"profile_only.xml:1: holds a profile without results; run"
    ):
        load("2.1--profile_only")


def test_the_format_asked_for_is_not_there():
    with pytest.raises(ParseError, match="<text>:1: holds no results of DISKSPD in XML"):
        ft.reads("thread | bytes\n", format="diskspd_xml")


def test_text_behind_the_xml_is_noted():
    note = says(ft.reads(edited("2.0.14--seqread_noLD") + "\nDone.\nreally\n"), "text beside")
    assert note["message"] == "text beside the XML: 'Done.' and 1 more lines"
    assert (note["line"], note["severity"]) == (95, "info")


def test_cut_off_before_any_run_is_whole():
    text = edited("2.0.14--seqread_noLD")
    lines = text[:1500].rstrip().count("\n") + 1
    with pytest.raises(ParseError, match=rf"<text>:{lines}: the XML ends before </Results>; "):
        ft.reads(text[:1500])


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
    last = ft.reads(edited("2.0.14--seqread_noLD", ("</Results>", "")))
    assert (len(last.io), len(last.threads)) == (1, 1)
    assert says(last, "the XML ends before </Results>: 1 of 1")


def test_not_well_formed():
    broken = edited("2.0.14--seqread_noLD", ("<Id>1</Id>", "<Id>1</Ix>"))
    line = broken[: broken.index("</Ix>")].count("\n") + 1
    with pytest.raises(ParseError, match=rf"<text>:{line}: not well-formed XML: .*Ix.*; DISKSPD"):
        ft.reads(broken)


def test_a_value_that_is_not_a_number():
    broken = edited("2.0.14--seqread_noLD", ("<IOCount>54145<", "<IOCount>54.145<"))
    line = broken[: broken.index("<IOCount>")].count("\n") + 1
    with pytest.raises(ParseError, match=rf":{line}: IOCount is '54.145', not a whole number"):
        ft.reads(broken)


@pytest.mark.parametrize("suffix", ["xml", "txt"])
def test_lines_count_from_the_start_of_the_file(suffix, tmp_path):
    """Also those of a second document, and of text output below."""
    whole = edited("2.0.14--seqread_noLD") + "\n\n"
    text = (FIXTURES / f"diskspd-2.0.14--seqread_noLD.{suffix}").read_text(encoding="utf-8")
    alone, below = tmp_path / "alone", tmp_path / "below"
    alone.write_text(text[: len(text) * 3 // 4])
    below.write_text(whole + alone.read_text())
    lines = [ft.read(file, errors="note").notes["line"].tolist() for file in (alone, below)]
    assert lines[1] == [line + whole.count("\n") for line in lines[0]] != []


BOMBS = {
    "entity": '<!ENTITY a "54145">',
    "laughs": '<!ENTITY a "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)).replace(
        "&a0;", "&a;"
    ),
    "external": '<!ENTITY a SYSTEM "file:///etc/passwd">',
    "network": '<!ENTITY a SYSTEM "http://127.0.0.1:9/">',
    "parameter": '<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;',
    "quadratic": f'<!ENTITY a "{"x" * 100_000}">',
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_doctype_is_refused(bomb):
    xml = edited("2.0.14--seqread_noLD", (r"C:\dsk\test.dat", "&a;" * 1000))
    declared = f'<?xml version="1.0"?>\n<!DOCTYPE Results [{BOMBS[bomb]}]>\n{xml}'
    with pytest.raises(ParseError, match=r"<text>:2: the XML declares a DOCTYPE"):
        ft.reads(declared)
    inside = xml.replace("<System>", f"<!DOCTYPE Results [{BOMBS[bomb]}]>\n<System>", 1)
    with pytest.raises(ft.errors.FiotoolsError):
        ft.reads(inside)
    # behind a line of standard error, the document begins at its first tag: nothing is declared
    res = ft.reads(f"Error opening file: x [3]\n{declared}", format="diskspd_xml")
    assert set(res.io["target"].dropna()) == {"&a;" * 1000}


def test_nothing_else_is_fetched():
    include = '<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>'
    res = ft.reads(
        edited("2.0.14--seqread_noLD", ("<ResultFormat>xml<", f"<ResultFormat>{include}<"))
    )
    assert "root:" not in res.settings["text"].str.cat()
    sheet = '<?xml-stylesheet href="file:///etc/passwd"?>\n<Results>'
    assert len(ft.reads(edited("2.0.14--seqread_noLD", ("<Results>", sheet))).io) == 1


HOSTILE = {
    "deep": "<Results><System>" + "<a>" * 100_000 + "</a>" * 100_000 + "</Results>",
    "text": "<Results><System>" + "x" * 11_000_000 + "</System></Results>",
    "starts": "<Results><System>" * 20_000,
    "lines": "<Results>\n<System>\n" * 20_000,
    "ends": "<Results><System>" + "</TimeSpan>" * 100_000,
    "tags": "<Results><System>" + "<Path>" * 200_000 + "</Results>",
    "commands": "Command Line:\n" * 20_000 + "<Results><System>",
    "comments": "<Results><System>" + "<!--" * 200_000 + "</Results>",
    "errors": "Error \n" * 100_000 + "<Results><System></Results>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_linear_time(name):
    with pytest.raises(ft.errors.FiotoolsError):
        ft.reads(HOSTILE[name], format="diskspd_xml")


def test_a_huge_path_is_read_in_linear_time():
    path = "R&D<" * 500_000
    res = ft.reads(edited("2.0.14--seqread_noLD", (r"C:\dsk\test.dat", path)))
    assert res.io["target"].iloc[0] == path
    attribute = ("<Progress>", f'<Progress why="{"x" * 5_000_000}">')
    res = ft.reads(edited("2.0.14--seqread_noLD", attribute))
    assert res.io["total_ios"].tolist() == [54145]


def test_lines_are_counted_beyond_65535():
    many = '<Bucket SampleMillisecond="1" Read="1" Write="0" Total="1"/>\n' * 70_000
    xml = edited("2.0.14--seqread_noLD", ("<Thread>", f"<Iops>\n{many}</Iops>\n<Thread>"))
    res = ft.reads(xml.replace("<ReadCount>54145<", "<ReadCount>54144<"), tables=("io",))
    line = xml[: xml.rindex("<Target>")].count("\n") + 1
    # the parser counts beyond 16 bits by what is inside an element
    assert says(res, "total_ios: read + write = 54144")["line"] in (line, line + 1)


@pytest.mark.parametrize("name", ["2.0.14--seqread_noLD", "2.0.21a--err_nofile"])
def test_no_cut_gives_a_wrong_number(name):
    data = (FIXTURES / f"diskspd-{name}.xml").read_bytes()
    whole = ft.reads(data).io.drop(columns="source")
    for end in range(len(data)):
        try:
            res = ft.reads(data[:end])
        except ft.errors.FiotoolsError:
            continue
        # only when the last time span is whole
        assert (
            data[:end].rstrip().endswith((b"</TimeSpan>", b"</Results>")) or b"<" in data[end - 9 :]
        )
        pd.testing.assert_frame_equal(res.io.drop(columns="source"), whole)


def test_parts_that_do_not_make_the_total_are_noted():
    res = ft.reads(edited("2.0.14--seqread_noLD", ("<ReadCount>54145<", "<ReadCount>54144<")))
    message = "total_ios: read + write = 54144, but the total of this target is 54145"
    assert says(res, message)["severity"] == "warning"


def test_bytes_that_are_not_blocks_are_noted():
    res = ft.reads(
        edited(
            "2.0.14--seqread_noLD",
            ("<ReadBytes>3548446720<", "<ReadBytes>3548446721<"),
            ("<BytesCount>3548446720<", "<BytesCount>3548446721<"),
        )
    )
    assert says(res, "3548446721 bytes are not 54145 I/Os of 65536 bytes, the block size")


def test_means_that_do_not_make_the_mean_are_noted():
    old, new = "<AverageTotalMilliseconds>0.062<", "<AverageTotalMilliseconds>0.064<"
    res = ft.reads(edited("2.0.12--mix_2targets_D_L", (old, new)))
    assert says(res, "total: mean latencies of the threads make 0.062 ms, not 0.064 ms")


def test_a_share_of_writes_that_is_not_a_number_is_unknown():
    res = ft.reads(edited("2.0.14--seqread_noLD", ("<WriteRatio>0<", "<WriteRatio>-1.#J<")))
    assert res.io[["rw", "rwmixread_pct"]].isna().all(axis=None)


def test_elements_of_a_namespace_are_extras():
    element = '<System><x:Rack xmlns:x="https://example.org/x">7</x:Rack>'
    res = ft.reads(edited("2.0.14--seqread_noLD", ("<System>", element)))
    extras = res.extras.set_index("path")["text"]
    assert extras["System/{https://example.org/x}Rack"] == "7"


def test_a_thread_cut_out_leaves_no_total():
    res = ft.reads(edited("2.0.14--seqread_noLD", ("<ThreadCount>1<", "<ThreadCount>2<")))
    assert (len(res.io), len(res.threads)) == (0, 1)
    assert says(res, "1 of 2 threads are in the file: their sum is not a total, and is left out")


def test_a_target_of_a_thread_cut_out_leaves_no_total():
    text = edited("2.2--F2O8_weights")
    start, end = text.rindex("<Target>"), text.rindex("</Target>") + len("</Target>")
    res = ft.reads(text[:start] + text[end:])
    assert (len(res.io), len(res.threads)) == (0, 6)
    assert says(res, "not every thread has rows for its 2 targets")


def test_a_thread_that_is_there_twice_leaves_no_total():
    text = edited("2.0.12--mix_2targets_D_L", ("<Id>1</Id>\r\n<Target>", "<Id>0</Id>\r\n<Target>"))
    res = ft.reads(text)
    assert (len(res.io), len(res.threads)) == (0, 4)
    assert says(res, "a thread is in the file twice")


def test_a_number_that_is_there_twice():
    once = "<IOCount>54145</IOCount>"
    same = ft.reads(edited("2.0.14--seqread_noLD", (once, once * 2)))
    assert same.io["total_ios"].tolist() == same.threads["total_ios"].tolist() == [54145]
    with pytest.raises(ParseError, match="IOCount occurs twice with different values"):
        ft.reads(edited("2.0.14--seqread_noLD", (once, once + "<IOCount>54146</IOCount>")))


def test_a_number_in_two_parts():
    split = ("<IOCount>54145<", "<IOCount>54<!-- and -->145<")
    assert ft.reads(edited("2.0.14--seqread_noLD", split)).io["total_ios"].tolist() == [54145]
    split = ("<IOCount>54145<", "<IOCount>54<b/>145<")
    with pytest.raises(ParseError, match="IOCount holds elements, not a value"):
        ft.reads(edited("2.0.14--seqread_noLD", split))


def test_without_a_test_time_there_are_no_rates():
    time = ("<TestTimeSeconds>2.00</TestTimeSeconds>", "")
    res = ft.reads(edited("2.0.14--seqread_noLD", time))
    for table in (res.io, res.threads):
        assert table["total_ios"].tolist() == [54145]
        assert table[["iops", "bw_bytes_per_s", "runtime_s"]].isna().all(axis=None)
    assert says(res, "no TestTimeSeconds: rates are missing")


def test_neither_random_nor_sequential_is_unknown():
    stride = ("<StrideSize>65536</StrideSize>", "")
    assert ft.reads(edited("2.0.14--seqread_noLD", stride)).io["rw"].isna().all()


@pytest.mark.parametrize("printed", ["-1.#J", "-nan(ind)", "1.#QNAN", "nan", "-1.#IND"])
def test_what_is_not_a_number_in_c_is_missing(printed):
    res = ft.reads(
        edited(
            "2.0.14--seqread_noLD",
            ("<UsagePercent>100.00<", f"<UsagePercent>{printed}<"),
            ("<IdlePercent>0.00<", f"<IdlePercent>{printed}<"),
        )
    )
    assert res.cpu["usage_pct"].isna().tolist() == [True, False, False]
    assert res.cpu["idle_pct"].isna().all()


def test_processors_of_groups_and_sockets():
    res = load("2.2--two_sockets")
    assert res.cpu["group"].tolist()[:8] == [0] * 4 + [1] * 4
    assert res.cpu["cpu"].tolist() == ["0", "1", "2", "3"] * 2 + ["average"]
    extras = res.extras.set_index("path")["text"]
    assert extras["CpuUtilization/CPU[7]/Socket"] == "1"
    assert extras["CpuUtilization/CPU[7]/EfficiencyClass"] == "0"
    assert extras["System/ProcessorTopology/Core[4]/@Mask"] == "0xc"


def test_distributions_and_wait_statistics():
    wait = "<WaitStatistics><CompletionWait>41</CompletionWait><Lookaside>7</Lookaside>"
    wait += "<LookasideCompletion>1 2 3 4 5 6 7 8</LookasideCompletion></WaitStatistics></Thread>"
    res = ft.reads(edited("2.2--F2O8_weights", ("</Thread>", wait)))
    extras = res.extras.set_index("path")["text"]
    assert extras["Thread[1]/WaitStatistics/CompletionWait"] == "41"
    assert extras["Thread[0]/WaitStatistics/LookasideCompletion"] == "1 2 3 4 5 6 7 8"
    # -rdabs90/10M:10/10M, as 2.1 and later print what became of it
    spread = '<Distribution><Absolute><Range IO="90">10485760</Range>'
    spread += '<Range IO="10">10485760</Range></Absolute></Distribution><IOCount>'
    res = ft.reads(edited("2.2--seq64k_t4_D_only", ("<IOCount>", spread)))
    first = res.extras.query("entry == 1").set_index("path")["text"]
    assert first.to_dict() == {
        "Distribution/Absolute/Range[1]/@IO": "90",
        "Distribution/Absolute/Range[1]": "10485760",
        "Distribution/Absolute/Range[2]/@IO": "10",
        "Distribution/Absolute/Range[2]": "10485760",
    }


def test_what_a_later_version_adds_is_kept():
    res = ft.reads(
        edited(
            "2.2--F2O8_weights",
            ("<Version>2.2.0<", "<Version>2.9.0<"),
            ("  <Profile>", "  <Health><State>good</State></Health>\r\n  <Profile>"),
            ("<TestTimeSeconds>", "<QueueDepth>9</QueueDepth><TestTimeSeconds>"),
            ("<AverageTotalMilliseconds>", "<Skew>0.5</Skew><AverageTotalMilliseconds>"),
            ("<IOCount>", "<Retries>3</Retries><IOCount>"),
            ("<UserPercent>", "<DpcPercent>1.50</DpcPercent><UserPercent>"),
        )
    )
    extras = res.extras.set_index("path")["text"]
    assert extras["Health/State"] == "good"
    assert extras["QueueDepth"] == "9"
    assert extras["Latency/Skew"] == "0.5"
    assert extras["Retries"].tolist() == ["3"] * 4
    assert extras["CpuUtilization/Average/DpcPercent"] == "1.50"
    whole = load("2.2--F2O8_weights")
    for table in ("io", "threads"):
        one, other = (part.tables[table].drop(columns="source") for part in (res, whole))
        pd.testing.assert_frame_equal(one, other)


def test_later_numbers_of_the_samples_are_noted():
    res = ft.reads(edited("2.0.12--mix_2targets_D_L", (' Total="', ' Retries="2" Total="')))
    assert says(res, "values of a later version in the buckets are left out: Retries")
    whole = load("2.0.12--mix_2targets_D_L")
    for table in ("samples", "thread_samples"):
        assert len(res.tables[table]) == len(whole.tables[table]) > 0


def test_threads_of_a_pool_with_targets_of_their_own():
    text = edited("2.2--F2O8_weights")
    start, end = text.rindex("<Target>"), text.rindex("</Target>") + len("</Target>")
    own = "<ThreadTargets><ThreadTarget><Thread>0</Thread></ThreadTarget></ThreadTargets><Weight>"
    res = ft.reads((text[:start] + text[end:]).replace("<Weight>", own))
    assert (len(res.io), len(res.threads)) == (2, 6)


def test_text_and_xml_in_one_file_are_both_read():
    xml, text = (
        (FIXTURES / f"diskspd-2.0.14--seqread_noLD.{kind}").read_bytes().decode()
        for kind in ("xml", "txt")
    )
    for joined, formats in (
        (f"{xml}\r\n{text}", ["diskspd_xml", "diskspd_text"]),
        (f"{text}\r\n{xml}", ["diskspd_text", "diskspd_xml"]),
        (f"{xml}{xml}\n{text}", ["diskspd_xml", "diskspd_xml", "diskspd_text"]),
    ):
        res = ft.reads(joined)
        assert res.runs["format"].tolist() == formats
        assert res.io["total_ios"].tolist() == [54145] * len(formats)
        assert len(res.notes) == len(formats) - 1
        assert res.notes["message"].str.endswith("count it once").all()


def test_a_message_between_xml_and_text_hides_no_command():
    xml = edited("2.0.14--seqread_noLD")
    text = (FIXTURES / "diskspd-2.0.14--seqread_noLD.txt").read_bytes().decode().lstrip()
    res = ft.reads(f"{xml}\nWARNING: something\n{text}")
    command, said = res.runs["command"].iloc[1], res.notes["message"].str.cat(sep="\n")
    assert text.startswith(f"Command Line: {command}")
    assert "WARNING: something" in said
    assert "text beside the XML" not in said


def test_a_session_with_xml_in_it():
    xml = edited("2.0.14--seqread_noLD")
    res = ft.reads(
        f"PS C:\\> .\\diskspd.exe -b64k -o8 -Rxml C:\\dsk\\test.dat\n{xml}\nPS C:\\> exit"
    )
    run = res.runs.iloc[0]
    assert (run["format"], run["tool_version"]) == ("diskspd_xml", "2.0.14")
    assert run["command"] == r".\diskspd.exe -b64k -o8 -Rxml C:\dsk\test.dat"
    assert res.io["total_ios"].tolist() == [54145]


def test_an_excerpt_of_xml_does_not_hide_the_text_below_it():
    text = (FIXTURES / "diskspd-2.0.14--seqread_noLD.txt").read_bytes().decode()
    excerpt = "It begins so:\n<Results>\n<System>\n...\nand as text:\n"
    res = ft.reads(excerpt + text)
    assert res.runs["format"].tolist() == ["diskspd_text"]
    assert len(res.io) == 1
    assert says(res, "left out: the XML ends before </Results>")["line"] == 3


def test_several_documents_in_one_file():
    one = edited("2.0.14--seqread_noLD")
    res = ft.reads(f"{one}\n{one}\n{one[:900]}")
    assert res.io["run"].tolist() == res.threads["run"].tolist() == [1, 2]
    assert says(res, "the XML ends before </Results>")["severity"] == "error"
    assert says(res, "the same run as run 1")["run"] == 2


def test_only_what_is_asked_for():
    path = FIXTURES / "diskspd-2.0.21a--seq64k_t4_D_only.xml"
    assert set(ft.read(path, tables=("io",)).tables) == {"io", "notes"}
