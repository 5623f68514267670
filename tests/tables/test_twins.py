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
    (note,) = twins(results)[["source", "run", "label", "severity", "message"]].to_numpy().tolist()
    told = "the same run as run 1 of a.log: count it once"
    assert note == ["b.md", 1, "article", "warning", told]
    # put together later, it is said once, and only what is new is said then
    assert len(twins(ft.concat([ft.read("a.log"), ft.read("b.md")]))) == 1
    assert len(twins(ft.concat([results]))) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("2.04961", "8.2"), ("2.04962", "8.2")),
        (("2.1", "8.0"), ("2.1", "8.0")),  # with so few digits by chance
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


@pytest.fixture
def fixture(fixture_files):
    """Find a committed output by its name."""
    return lambda name: next(path for path in fixture_files if path.name == name)


def test_xml_and_text_of_a_run(fixture):
    pair = [fixture(f"diskspd-2.0.12--mix_2targets_D_L{ending}") for ending in (".txt", ".xml")]
    assert len(twins(ft.read(pair))) == 1


def test_diskspd_does_what_it_can_in_its_time(fixture, write):
    # no latencies, so the I/Os must say it
    text = fixture("diskspd-2.0.14--seqread_noLD.txt").read_text(encoding="utf-8")
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


def test_every_copy_is_found_and_like_runs_are_told_apart(fixture, write):
    """Also if dozens of runs are of the same length, and did the same number of I/Os."""
    path = fixture("fio-3.33--jsonplus-libaio.json")
    text = path.read_text(encoding="utf-8")
    mean = ft.read(path).io["clat_mean_ns"].iloc[0]
    for number in range(30):
        other = text.replace(f"{mean:.6f}", f"{mean + 1000 * number:.6f}")
        write(f"a{number:02}.json", other)
        write(f"b{number:02}.json", other)
    results = ft.read("*.json")
    assert len(results.runs) == 60
    found = twins(results)
    assert [(note.source, note.message) for note in found.itertuples()] == [
        (f"b{number:02}.json", f"the same run as run 1 of a{number:02}.json: count it once")
        for number in range(30)
    ]


def test_json_and_text_of_a_run_name_the_first(fixture, write):
    both = fixture("fio-3.33--normal-json.txt").read_text(encoding="utf-8")
    start, end = both.index("{\n"), both.index("\n}\n") + 3
    for number in range(12):
        write(f"{number:02}.json", both[start:end])
        write(f"{number:02}.txt", both[:start] + both[end:])
    results = ft.read("*.*")
    assert {*results.runs["format"]} == {"fio_json", "fio_normal"}
    found = twins(results)
    assert len(found) == 23
    assert found["message"].str.startswith("the same run as run 1 of 00.").all()
