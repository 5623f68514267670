"""Text that was pasted, mailed, published or recorded reads like the one that it was made of."""

import html
import json
import quopri
import time
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError
from fiotools.readers import opened, sniff

FIXTURES = Path(__file__).parents[1] / "fixtures"
DD = "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.500321 s, 4.2 MB/s\n"
TIME = "\nreal\t0m0.600s\nuser\t0m0.100s\nsys\t0m0.200s\n"
COMMAND = "time dd if=/dev/zero of=x bs=1M count=2"
SESSION = f"me@box:~$ {COMMAND}\n{DD}{TIME}"


def mailed(text):
    return quopri.encodestring(text.encode()).decode()


DAMAGE = {
    "plain": SESSION,
    "crlf": SESSION.replace("\n", "\r\n"),
    "script": "\x1b]0;me@box: ~\x07\x1b[?2004h" + SESSION.replace("\n", "\r\r\n"),
    "colours": SESSION.replace("me@box", "\x1b[01;32mme@box\x1b[00m").replace(
        "copied", "\x1b[01;31m\x1b[Kcopied\x1b[m\x1b[K"
    ),
    "no-break spaces": SESSION.replace(" bytes", "\xa0bytes").replace(" s,", "\u202fs,"),
    "quoted": "On Monday you wrote:\n\n" + "".join(f"> {x}\n" for x in SESSION.splitlines()),
    "quoted twice": "".join(f"> > {x}\n" for x in SESSION.splitlines()),
    "tabs to spaces": SESSION.expandtabs(4),
    "indented": "".join(f"    {x}\n" for x in SESSION.splitlines()),
    "old Mac": SESSION.replace("\n", "\r"),
    "mailed": mailed(SESSION),
    "mailed, folded": mailed(SESSION).replace(" bs=3D", " =\nbs=3D"),
}
# what is not undone: refused, or told
CODED = {
    "entities": html.escape(SESSION.replace("count=2", "count=2 2>&1")),
    "tags": "<p>" + SESSION.replace("\n", "<br />\n") + "</p>\n",
    "one line of tags": "<p>" + SESSION.replace("\n", "<br>") + "</p>",
    "pre": f'<pre class="sh"><code>{SESSION}</code></pre>\n',
    "numeric entities": SESSION.replace(" ", "&#32;").replace("/", "&#x2F;"),
    "mailed in part": f"{mailed(SESSION)}a=b\n",
    "json": json.dumps({"host": "box", "log": SESSION}),
    "json lines": json.dumps({"stderr_lines": SESSION.splitlines()}),
    "two letters": SESSION.replace("\n", r"\n").replace("\t", r"\t"),
    "log of docker": "".join(
        json.dumps({"log": f"{x}\n", "stream": "stderr"}) + "\n" for x in SESSION.splitlines()
    ),
    "ansible": 'ok: [box] => {\n    "msg": ' + json.dumps(SESSION) + "\n}\n",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_session_survives(damage):
    results = ft.reads(DAMAGE[damage])
    assert results.io["io_bytes"].tolist() == [2097152]
    assert results.io["runtime_s"].tolist() == [0.500321]
    assert results.timings["real_s"].tolist() == [0.6]
    assert results.runs["command"].str.removesuffix(" 2>&1").tolist() == [COMMAND]
    assert results.io["direction"].tolist() == ["write"]
    assert results.timings["run"].tolist() == [1]
    assert results.notes["severity"].eq("info").all()


@pytest.mark.parametrize("code", sorted({*CODED} - {"entities"}))
def test_a_text_in_a_code_is_refused_or_told(code):
    document = opened("x", CODED[code])
    try:
        sniff(document)
    except UnknownFormatError:
        return
    assert ft.reads(CODED[code]).notes["severity"].eq("warning").any()


def test_a_code_within_a_report_is_told():
    text = (FIXTURES / "diskspd" / "diskspd-2.1--interrupted.txt").read_text()
    notes = ft.reads(html.escape(text)).notes
    assert notes["message"].str.startswith("this is HTML ('&#x27;')").sum() == 1
    assert not ft.reads(text).notes["message"].str.contains("HTML").any()


def test_dd_in_chinese_shows_the_code_page_of_its_bytes():
    name = FIXTURES / "dd" / "gnu-dd-9.1--zh_CN.GBK_plain_bs1M_count16.txt"
    told = ft.read(name).io
    old = "记录了2+0 的读入\n记录了2+0 的写出\n2097152字节(2.1 MB)已复制，0.5 秒，4.2 MB/秒\n"
    for report in (old, old.replace(" 秒，4.2 MB/秒", " s，4.2 MB/s")):
        data = f"# 固态盘\n$ dd if=/dev/zero of=/mnt/u盘/x bs=1M count=2\n{report}".encode("gbk")
        results = ft.reads(data)
        assert results.io[["io_bytes", "runtime_s"]].values.tolist() == [[2097152, 0.5]]
        assert results.runs["command"].str.contains("/mnt/u盘/x").all()
        assert results.notes["message"].str.contains("read as GB18030").sum() == 1
    assert told["io_bytes"].tolist() == [16 * 2**20]
    # half of a letter at the end: not of this code page
    assert ft.reads(data + b"\xd7").notes["message"].str.contains("were replaced").any()


def test_strings_of_json_are_refused_with_the_way_out():
    with pytest.raises(UnknownFormatError, match=r"jq -r '.. \| strings'"):
        ft.reads(CODED["json"])


@pytest.mark.parametrize("between", ["", " ", " / ", " | ", ", ", "; "])
def test_lines_of_a_timing_were_joined(between):
    results = ft.reads(between.join(["real\t0m0.600s", "user\t0m0.100s", "sys\t0m0.200s"]) + "\n")
    assert results.timings[["real_s", "user_s", "sys_s"]].to_numpy().tolist() == [[0.6, 0.1, 0.2]]


def test_cells_do_not_join_their_numbers():
    line = DD.splitlines()[2]
    text = f"<table><tr><td>1</td><td>{line}</td></tr></table>\n"
    assert ft.reads(text).io["io_bytes"].tolist() == [2097152]


def test_progress_keeps_its_carriage_returns():
    text = "\r15794176 bytes (16 MB, 15 MiB) copied, 1 s, 14.9 MB/s"
    results = ft.reads(text + text.replace(" 1 s", " 2 s").replace("1579", "3158"))
    assert results.io["io_bytes"].tolist() == [31584176]
    assert results.samples["value"].tolist() == [15794176, 31584176]


def test_a_path_of_windows_is_not_an_end_of_line():
    text = r"C:\bench> dd if=D:\new\real of=nul 2>&1 | tee C:\new\test.log" + f"\n{DD}"
    assert ft.reads(text).runs["command"].str.contains(r"D:\new", regex=False).all()


@pytest.mark.parametrize(
    "text",
    [
        SESSION,
        "# Results\n\n> one line quoted\n\n| a | b |\n|---|---|\n| 1 < 2 | &c |\n",
        "$ for i in 1 2 3\n> do\n> dd if=a of=b\n> done\n",
        "<b> Jobs: 1 (f=1)\nif [ $x = 3D ]; then echo a=b; fi\n",
        "\r15794176 bytes (16 MB, 15 MiB) copied, 1 s, 14.9 MB/s\r31522816 bytes\n",
    ],
)
def test_a_clean_text_stays_as_it_is(text):
    assert opened("x", text).text == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a<br>b<br>\n<p>c</p>\n{DD}", 3),
        (f"if=3D=\na\nb\n{DD}", 4),
    ],
)
def test_notes_name_the_line_of_the_file(text, line):
    wrong = text.replace("4.2 MB/s", "9.9 MB/s")
    assert wrong != text
    results = ft.reads(wrong)
    said = results.notes[results.notes["message"].str.contains("printed rate")]
    assert line <= said["line"].item() <= line + 2


def test_json_without_reports_is_unknown():
    with pytest.raises(UnknownFormatError, match="its top-level keys are a, b"):
        ft.reads('{"a": "some text", "b": ["of", "mine"]}')


@pytest.mark.parametrize(
    "piece",
    [
        "\x1b[",
        "\x1b]",
        "a\b",
        "> ",
        "> x\n",
        "<br ",
        "</p",
        "&lt",
        "=3D",
        "if=3D=\n",
        '"a",',
        "\r\r",
    ],
)
def test_repairs_take_linear_time(piece):
    def spent(count):
        text = piece * (count // len(piece))
        begin = time.process_time()
        opened("x", text)
        return time.process_time() - begin

    spent(1000)
    # twenty times the text, and far from four hundred times the time
    assert spent(400_000) < 100 * spent(20_000) + 0.5
