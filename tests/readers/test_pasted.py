"""Text that was pasted, mailed, published or recorded reads like the one that it was made of."""

import html
import json
import quopri
import time

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError
from fiotools.readers import opened

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
    "entities": html.escape(SESSION.replace("count=2", "count=2 2>&1")),
    "tags": "<p>" + SESSION.replace("\n", "<br />\n") + "</p>\n",
    "one line of tags": "<p>" + SESSION.replace("\n", "<br>") + "</p>",
    "pre": f'<pre class="sh"><code>{SESSION}</code></pre>\n',
    "quoted": "On Monday you wrote:\n\n" + "".join(f"> {x}\n" for x in SESSION.splitlines()),
    "quoted twice": "".join(f"> > {x}\n" for x in SESSION.splitlines()),
    "mailed": mailed(SESSION),
    "mailed, folded": mailed(SESSION).replace(" bs=3D", " =\nbs=3D"),
    "json": json.dumps({"host": "box", "log": SESSION}),
    "json, pretty": json.dumps({"logs": [{"log": SESSION}]}, indent=1),
    "json lines": json.dumps({"stderr_lines": SESSION.splitlines()}),
    "tabs to spaces": SESSION.expandtabs(4),
    "indented": "".join(f"    {x}\n" for x in SESSION.splitlines()),
    "old Mac": SESSION.replace("\n", "\r"),
    "two letters": SESSION.replace("\n", r"\n").replace("\t", r"\t"),
    "two letters, Windows": SESSION.replace("\n", r"\r\n").replace("\t", r"\t"),
    "log of docker": "".join(
        json.dumps({"log": f"{x}\n", "stream": "stderr", "time": f"2026-11-22T14:09:0{i}Z"}) + "\n"
        for i, x in enumerate(SESSION.splitlines())
    ),
    "journal as JSON": "".join(
        json.dumps({"_PID": "12", "MESSAGE": x}) + "\n" for x in SESSION.splitlines()
    ),
    "line separators": SESSION.replace("\n", "\u2028"),
    "vertical tabs": SESSION.replace("\n", "\v"),
    "ends the other way round": SESSION.replace("\n", "\n\r"),
    "form feed": f"\f{SESSION}\f",
    "numeric entities": SESSION.replace(" ", "&#32;").replace("/", "&#x2F;"),
    "literal": f"msg: {json.dumps(SESSION)}\n",
    "ansible": 'ok: [box] => {\n    "msg": ' + json.dumps(SESSION) + "\n}\n",
    "ansible, one line": f"box | CHANGED | rc=0 | (stderr) {json.dumps(SESSION)[1:-1]}\n",
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
        (json.dumps({"a": "b\nc", "d": "e", "log": DD}, indent=1), 4),
        (f"if=3D=\na\nb\n{DD}", 4),
    ],
)
def test_notes_name_the_line_of_the_file(text, line):
    wrong = text.replace("4.2 MB/s", "9.9 MB/s")
    assert wrong != text
    results = ft.reads(wrong)
    said = results.notes[results.notes["message"].str.contains("printed rate")]
    assert line <= said["line"].item() <= line + 2


def test_what_a_document_says_twice_is_read_once():
    results = ft.reads(
        json.dumps(
            {
                "cmd": ["dd", "if=/dev/zero", "bs=1M", "of=a b"],
                "stderr": DD,
                "lines": DD.splitlines(),
            }
        )
    )
    assert results.runs["command"].tolist() == ["dd if=/dev/zero bs=1M 'of=a b'"]
    assert results.io["target"].tolist() == ["a b"]
    assert results.notes["message"].tolist() == ["the text of 'lines' is repeated: left out"]


def test_a_command_is_of_its_own_object():
    results = ft.reads(
        json.dumps([{"cmd": "dd bs=1M of=a", "stderr": DD}, {"stderr": DD + "\n# b\n"}])
    )
    assert results.runs["command"].fillna("none").tolist() == ["dd bs=1M of=a", "none"]


def test_an_object_within_a_text_is_told():
    # its strings are not taken apart, as those of a document that is JSON and nothing else
    told = {"cmd": ["dd", "if=/dev/zero", "bs=1M", "of=a"], "lines": DD.splitlines()}
    text = f"TASK [dd]\nok: [box] => {json.dumps(told, indent=4)}\n\nPLAY RECAP\n"
    results = ft.reads(text)
    assert results.io["io_bytes"].tolist() == [2097152]
    assert results.io["bs_bytes"].isna().all()


def test_json_without_reports_is_unknown():
    with pytest.raises(UnknownFormatError, match="its top-level keys are a, b"):
        ft.reads('{"a": "some text", "b": ["of", "mine"]}')


def test_no_json_is_not_unwrapped():
    assert unwrap("{ time dd; }") is None
    assert unwrap('{"a": 1}') is None


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
        unwrap(f"[{text}]")
        return time.process_time() - begin

    spent(1000)
    # twenty times the text, and far from four hundred times the time
    assert spent(400_000) < 100 * spent(20_000) + 0.5


def test_dashes_and_digits_of_a_word_processor():
    report = (
        "16+0 records in\n16+0 records out\n"
        "16777216 bytes (17 MB, 16 MiB) copied, 1.5e-05 s, 1.1 TB/s\n"
    )
    plain = ft.reads(report)
    wide = {ord(str(digit)): ord("０") + digit for digit in range(10)}
    for text in (report.replace("e-", "e\u2212"), report.translate(wide)):
        assert ft.reads(text).io.equals(plain.io)


@pytest.mark.parametrize(
    "damaged",
    [
        lambda line: f"\x1b[32m{line}\x1b[0m",
        lambda line: f"2026-11-22T14:09:01.123456789Z stdout F {line}",
        lambda line: line.replace(" ", "\xa0"),
    ],
    ids=["colours", "times", "blanks"],
)
def test_the_strings_of_json_are_repaired(damaged):
    # as containers log what a terminal shows
    report = "16+0 records in\n16+0 records out\n16777216 bytes (17 MB) copied, 1.5 s, 11.2 MB/s"
    lines = [damaged(line) for line in report.split("\n")]
    every = [
        json.dumps({"rc": 0, "stderr": "\n".join(lines)}, indent=1),
        "".join(json.dumps({"log": line + "\n"}) + "\n" for line in lines),
    ]
    for text in every:
        result = ft.reads(text)
        assert result.io[["runtime_s", "total_ios"]].to_numpy().tolist() == [[1.5, 16]]
        assert (result.notes["severity"] == "info").all()


def test_folded_lines_are_joined():
    text = "bs=3D4" + "a" * 70 + "=\n" + ("b" * 70 + "=\n") * 1000 + "c\nlast="
    joined = "bs=4" + "a" * 70 + "b" * 70_000 + "c" + "\n" * 1002
    assert opened("x", text).text == f"{joined}last"


@pytest.mark.parametrize(
    "bold",
    ["4.2 MB/s", "0.500321 s", "2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.500321 s, 4.2 MB/s"],
)
def test_bold_numbers_of_dd(bold):
    plain, marked = (ft.reads(text) for text in (SESSION, SESSION.replace(bold, f"**{bold}**")))
    assert marked.io.equals(plain.io)
    assert marked.timings.equals(plain.timings)
    assert marked.runs["status"].tolist() == ["ok"]
    assert marked.notes.empty
