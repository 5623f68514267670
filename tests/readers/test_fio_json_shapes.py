"""fio_json: values of another shape than fio writes, and documents that somebody edited."""

import json
import re
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import FileError, ParseError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fio"
WHOLE = (FIXTURES / "fio-3.33--libaio.json").read_text(encoding="utf-8")
OTHERS = {"text": "x", "null": None, "list": [], "items": [{"a": 1}, None], "object": {}}
# what is kept as it stands, or says itself what it is
KEPT = {"time", "desc", "iodepth_level", "iodepth_submit", "iodepth_complete"}
KEPT |= {f"latency_{name}" for name in ("depth", "target", "percentile", "window")}
COLUMNS = {"jobname": "job", "groupid": "group"}
TABLES = ("jobs", "io", "percentiles", "bins", "disks")


def read(value, frames="pandas"):
    return ft.reads(json.dumps(value, indent=2), name="x.json", frames=frames)


def nodes(value, path=()):
    """Yield the place of each value in a document."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        yield *path, key
        if isinstance(one, dict | list):
            yield from nodes(one, (*path, key))


def replaced(path, value):
    """Return the document with another value in one place, and the value that was there."""
    document = at = json.loads(WHOLE)
    *above, last = path
    for key in above:
        at = at[key]
    was, at[last] = at[last], value
    return document, was


def numbers(results):
    return {
        (name, at, column): value
        for name in TABLES
        for at, row in enumerate(getattr(results, name).iter_rows(named=True))
        for column, value in row.items()
        if not isinstance(value, str)
    }


@pytest.mark.parametrize("other", OTHERS)
def test_a_value_of_another_shape_is_named(other):
    whole, checked = numbers(read(json.loads(WHOLE), "polars")), 0
    for path in nodes(json.loads(WHOLE)):
        if "write" in path[:-1]:  # as in read
            continue
        document, was = replaced(path, OTHERS[other])
        is_empty = OTHERS[other] in ([], {}) and type(was) is type(OTHERS[other])
        if KEPT.intersection(path) or (is_empty and path[-1] not in ("read", "write", "jobs")):
            continue
        if isinstance(was, str) and other == "text":
            continue
        try:
            results = read(document, "polars")
        except FileError:
            continue
        if numbers(results) != whole:
            checked += 1
            warnings = " ".join(results.notes.filter(severity="warning")["message"])
            key = next(str(key) for key in reversed(path) if isinstance(key, str))
            assert COLUMNS.get(key, key) in warnings, path
    assert checked > (2 if other == "object" else 80)


def test_a_kind_is_named_once():
    document = json.loads(WHOLE)
    for part in (document["jobs"][0][one] for one in ("read", "write")):
        part["clat_ns"] = "?"
        part["iops"] = [1]
        part["bw_min"] = part["bw_max"] = None
    told = read(document).notes.query("severity == 'warning'")["message"]
    assert told.str.contains("clat_ns").sum() == told.str.contains("iops is").sum() == 1
    assert told.str.contains("4 values are null").sum() == 1
    assert len(told) == 3


def test_two_nulls_are_both_named():
    document = json.loads(WHOLE)
    document["jobs"][0]["write"] |= {"bw_min": None, "bw_max": None}
    [told] = read(document).notes.query("severity == 'warning'")["message"]
    assert "bw_min" in told
    assert "bw_max" in told
    assert "..." not in told


@pytest.mark.parametrize("lost", ["--name=plain --rw=randrw", None, ["rw"]])
def test_no_default_is_claimed_if_options_could_not_be_read(lost):
    document = json.loads(WHOLE)
    document["global options"] = {"directory": "d"}
    del document["jobs"][0]["job options"]["bs"]
    assert "default" in set(read(document).settings["origin"])
    document["jobs"][0]["job options"] = lost
    settings = read(document).settings
    assert settings["option"].tolist() == ["directory"]


# --- PowerShell's ConvertTo-Json --------------------------------------------------------------


def converted(value, depth, *, as_hashtable=False, counted=False):
    """Convert as ConvertTo-Json does: what lies below the depth becomes a text."""
    if not isinstance(value, dict | list):
        return value
    if depth < 0:
        if isinstance(value, list):
            return " ".join(converted(one, -1, as_hashtable=as_hashtable) for one in value)
        if as_hashtable:
            return "System.Collections.Hashtable"
        return "@{" + "; ".join(f"{key}={one}" for key, one in value.items()) + "}"
    form = {"as_hashtable": as_hashtable, "counted": counted}
    if isinstance(value, list):
        listed = [converted(one, depth - 1, **form) for one in value]
        return {"value": listed, "Count": len(listed)} if counted else listed
    return {key: converted(one, depth - 1, **form) for key, one in value.items()}


@pytest.mark.parametrize("as_hashtable", [False, True])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_without_the_directions_nothing_is_read(depth, as_hashtable):
    document = converted(json.loads(WHOLE), depth, as_hashtable=as_hashtable)
    with pytest.raises(ParseError, match=r"no I/O can be read: .*-Depth 100"):
        read(document)


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize(("depth", "lost"), [(3, "clat_ns"), (4, "percentile")])
def test_what_lies_below_the_depth_is_named_with_its_remedy(depth, lost, counted):
    whole = ft.reads(WHOLE, name="x.json")
    results = read(converted(json.loads(WHOLE), depth, counted=counted))
    assert results.io["io_bytes"].equals(whole.io["io_bytes"])
    (note,) = results.notes.query("severity == 'warning'")["message"]
    assert lost in note
    assert note.endswith("give it -Depth 100")
    deep = read(converted(json.loads(WHOLE), 100, counted=counted))
    assert deep.io.equals(whole.io)
    assert deep.percentiles.equals(whole.percentiles)


def test_an_empty_text_is_not_an_object():
    document, _ = replaced(("jobs", 0, "read", "clat_ns"), "")
    assert read(document).notes["message"].str.contains("clat_ns is ''").any()


# --- whole reports in other forms -------------------------------------------------------------


def test_jobs_by_their_names():
    document = json.loads(WHOLE)
    (job,) = document["jobs"]
    whole = ft.reads(WHOLE, name="x.json").io
    del job["jobname"]
    for jobs in (
        {"plain": job},
        {"plain": {**job, "jobname": "plain"}},
        {**job, "jobname": "plain"},
    ):
        results = read({**document, "jobs": jobs})
        assert results.io.equals(whole)
        assert results.notes["message"].str.contains("jobs is an object").sum() == 1


def test_excerpts_of_jobs():
    """As ``jq '.jobs[] | {jobname, read, write}'`` writes them."""
    text = (FIXTURES / "fio-3.33--clones.json").read_text(encoding="utf-8")
    whole = ft.reads(text, name="x.json").io
    jobs = [
        {key: job[key] for key in ("jobname", "read", "write")} for job in json.loads(text)["jobs"]
    ]
    for form in (
        "\n".join(json.dumps(job, indent=2) for job in jobs),
        "\n".join(map(json.dumps, jobs)),
        json.dumps(jobs),
    ):
        results = ft.reads(form, name="x.json")
        assert results.io["iops"].tolist() == whole["iops"].tolist()
        assert results.io["clat_mean_ns"].tolist() == whole["clat_mean_ns"].tolist()
        assert results.notes["message"].str.contains("only the jobs of a document").any()


def test_percentiles_of_a_latency_that_holds_nothing_else():
    points = {"50.000000": 900000, "99.000000": 4100000}
    for amounts in ({"iops": 512, "bw_bytes": 2097152}, {}):
        job = {"jobname": "a", "error": 0, "read": {**amounts, "clat_ns": {"percentile": points}}}
        results = read({"fio version": "fio-3.42", "jobs": [job]})
        assert results.percentiles["value_ns"].tolist() == [*points.values()]
        assert not results.notes["message"].str.contains("did no I/O").any()


@pytest.mark.parametrize(
    ("parts", "is_idle"),
    [
        ({}, False),
        ({"read": {"io_bytes": 0, "iops": 0}}, False),  # and nothing of writes
        ({"read": {}, "write": {}}, False),
        ({"read": None, "write": {"io_bytes": 0, "iops": 0.0}}, False),
        ({"read": {"io_bytes": 0, "iops": 0.0}, "write": {"io_bytes": 0, "iops": 0.0}}, True),
        ({"mixed": {"io_bytes": 0, "iops": 0.0}}, True),
    ],
)
def test_only_zeros_say_that_nothing_was_done(parts, is_idle):
    jobs = [
        {"jobname": "a", "error": 0, **parts},
        {"jobname": "b", "write": {"io_bytes": 4096, "iops": 5}},
    ]
    told = read({"fio version": "fio-3.36", "jobs": jobs}).notes["message"]
    assert told.str.contains("job 'a' did no I/O").any() == is_idle
    assert told.str.contains("job 'a' does not say its I/O").any() != is_idle


# --- edited documents -------------------------------------------------------------------------


def line_of(text, words):
    return text[: text.index(words)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"ctx" : ', '...\n      "ctx" : ', "...\n"),
        ('"ctx" : ', '… \n      "ctx" : ', "… \n"),
        ('"majf" : 0,', '"majf" : 0, // none', "// none"),
        ('"majf" : 0,', '"majf" : 0, # none', "# none"),
        ('"majf" : 0,', '/* none */ "majf" : 0,', "/* none"),
        ('"majf" : 0,', '"majf" : 0', '"minf" :'),
        ('"majf" : 0,', "<snip>", "<snip>"),
        ('"majf" : 0,', "majf: 0,", "majf: 0"),
        ('"majf" : 0,', "'majf' : 0,", "'majf'"),
        ('"majf" : 0,', '"majf" : 0,,', '"majf" : 0,,'),
        ('"majf" : 0,', "user@host:~$ less run.json", "user@host"),
        ('"jobs" : [', '"jobs" : [\n...', "...\n"),
    ],
)
def test_the_line_that_is_not_a_json_is_named(old, new, words):
    text = WHOLE.replace(old, new, 1)
    assert text != WHOLE
    with pytest.raises(ParseError, match=r"this line is not JSON.*edited") as caught:
        ft.reads(text, name="x.json")
    assert caught.value.line == line_of(text, words)
    assert "killed" not in str(caught.value)


def test_a_comma_too_many_is_named():
    text = re.sub(r'("minf" : \d+),', r"\1,,", WHOLE, count=1)
    assert line_of(text, ",,")
    text = WHOLE.rstrip().removesuffix("}").rstrip() + ",\n}\n"
    with pytest.raises(ParseError, match="this line is not JSON") as caught:
        ft.reads(text, name="x.json")
    assert caught.value.line == text.count("\n") - 1


def test_a_cut_document_is_not_called_edited():
    for end in range(200, len(WHOLE) - 20, 97):
        with pytest.raises(ParseError, match="fio was killed, or the file was cut"):
            ft.reads(WHOLE[:end], name="x.json")


def test_an_edited_document_beside_others_is_a_note():
    text = WHOLE + WHOLE.replace('"majf" : 0,', '"majf" : 0, // none', 1)
    results = ft.reads(text, name="x.json")
    assert len(results.runs) == 1
    (note,) = results.notes[results.notes["code"] == "incomplete"].to_dict("records")
    assert note["line"] == line_of(text, "// none")
    fenced = ft.reads(f"Here it is:\n\n```\n{text}```\n", name="x.md")
    (note,) = fenced.notes[fenced.notes["code"] == "incomplete"].to_dict("records")
    assert note["line"] == line_of(text, "// none") + 3
