"""The same run found in two places is noted, so that nobody takes it for two repeats."""

import random

import pytest

import fiotools as ft

DD = "16+0 records in\n16+0 records out\n16777216 bytes (17 MB, 16 MiB) copied, {} s, {} MB/s\n"
TIME = "\nreal\t0m{}s\nuser\t0m0.013s\nsys\t0m1.210s\n"


def twins(results):
    notes = results.notes
    return notes[notes["message"].str.startswith("the same run")]


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def to(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")

    return to


def test_a_log_and_the_article_that_quotes_it(write):
    write("a.log", DD.format("2.04961", "8.2"))
    write("b.md", f"# Results\n\n```\n$ dd if=/dev/zero of=x\n{DD.format('2.04961', '8.2')}```\n")
    results = ft.read({"log": "a.log", "article": "b.md"})
    (note,) = twins(results).to_dict("records")
    assert note["source"] == "b.md"
    assert note["run"] == 1
    assert note["label"] == "article"
    assert note["severity"] == "warning"
    assert note["message"] == "the same run as run 1 of a.log: count it once"
    # put together later, it is said once, and only what is new is said then
    assert len(twins(ft.concat([ft.read("a.log"), ft.read("b.md")]))) == 1
    assert len(twins(ft.concat([results]))) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(("2.04961", "8.2"), ("2.04962", "8.2"), id="other-seconds"),
        pytest.param(("2.1", "8.0"), ("2.1", "8.0"), id="too-few-digits-for-chance"),
    ],
)
def test_repeats_are_not_twins(write, first, second):
    write("a.log", DD.format(*first))
    write("b.log", DD.format(*second))
    assert twins(ft.read(["a.log", "b.log"])).empty


def test_timings(write):
    write("a.log", TIME.format("4.364"))
    write("b.log", TIME.format("4.364").replace(".", ","))
    write("c.log", TIME.format("4.365"))
    assert twins(ft.read(["a.log", "b.log", "c.log"]))["source"].tolist() == ["b.log"]


def test_xml_and_text_of_a_run(fixture_files):
    pair = [path for path in fixture_files if path.stem == "diskspd-2.0.12--mix_2targets_D_L"]
    assert {path.suffix for path in pair} == {".txt", ".xml"}
    assert len(twins(ft.read(pair))) == 1


def test_json_and_text_of_a_run(fixture_files, write):
    (both,) = [path for path in fixture_files if path.name == "fio-3.33--normal-json.txt"]
    text = both.read_text(encoding="utf-8")
    start, end = text.index("{\n"), text.index("\n}\n") + 3
    write("a.json", text[start:end])
    write("a.txt", text[:start] + text[end:])
    results = ft.read(["a.json", "a.txt"])
    assert results.runs["format"].tolist() == ["fio_json", "fio_normal"]
    assert len(twins(results)) == 1


def test_like_runs_of_fio_are_told_apart_by_their_latencies(fixture_files, write):
    (path,) = [path for path in fixture_files if path.name == "fio-3.33--jsonplus-libaio.json"]
    text = path.read_text(encoding="utf-8")
    mean = ft.read(path).io["clat_mean_ns"].iloc[0]
    write("a.json", text)
    write("b.json", text.replace(f"{mean:.6f}", f"{mean + 1:.6f}"))
    assert ft.read("b.json").io["clat_mean_ns"].iloc[0] == mean + 1
    assert twins(ft.read(["a.json", "b.json"])).empty


def test_diskspd_does_what_it_can_in_its_time(fixture_files, write):
    # no latencies, so the I/Os must say it
    (path,) = [path for path in fixture_files if path.name == "diskspd-2.0.14--seqread_noLD.txt"]
    text = path.read_text(encoding="utf-8")
    write("a.txt", text)
    write("b.txt", text.replace("\n\n", "\n\n\n"))
    results = ft.read(["a.txt", "b.txt"])
    assert results.io["lat_mean_ns"].isna().all()
    assert len(twins(results)) == 1


def test_the_more_runs_the_more_digits_must_agree(write):
    draw = random.Random(5)
    seconds = [f"{draw.randint(100_000, 999_999) / 1e6:.6f}" for _ in range(3000)]
    assert len({*seconds}) < len(seconds)  # by chance
    write("a.log", "".join(DD.format(one, "9") for one in seconds))
    write("b.log", TIME.format("4.364") + "\n" + DD.format(seconds[0], "9"))
    write("c.log", TIME.format("4.364"))
    assert twins(ft.read(["a.log", "b.log", "c.log"]))["source"].tolist() == ["c.log"]
    assert twins(ft.read("b.log")).empty


def test_every_copy_is_found(fixture_files, write):
    """Also if dozens of runs are of the same length, and did the same number of I/Os."""
    (path,) = [path for path in fixture_files if path.name == "fio-3.33--jsonplus-libaio.json"]
    text = path.read_text(encoding="utf-8")
    mean = ft.read(path).io["clat_mean_ns"].iloc[0]
    for number in range(30):
        other = text.replace(f"{mean:.6f}", f"{mean + 1000 * number:.6f}")
        write(f"a{number:02}.json", other)
        write(f"b{number:02}.json", other)
    results = ft.read("*.json")
    assert len(results.runs) == 60
    found = twins(results)
    assert found["source"].tolist() == [f"b{number:02}.json" for number in range(30)]
    expected = [
        f"the same run as run 1 of a{number:02}.json: count it once" for number in range(30)
    ]
    assert found["message"].tolist() == expected


def test_copies_of_one_run_name_the_first(fixture_files, write):
    (path,) = [path for path in fixture_files if path.name == "fio-3.33--normal-json.txt"]
    both = path.read_text(encoding="utf-8")
    start, end = both.index("{\n"), both.index("\n}\n") + 3
    for number in range(12):
        write(f"{number:02}.json", both[start:end])
        write(f"{number:02}.txt", both[:start] + both[end:])
    found = twins(ft.read("*.*"))
    assert len(found) == 23
    assert found["message"].str.startswith("the same run as run 1 of 00.").all()
