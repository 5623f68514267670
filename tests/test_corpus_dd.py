"""Every file of the dd and time corpus: each report of dd as it is known from other means."""

import json
from pathlib import Path

import pytest

from fiotools.errors import FileError
from tests.physics import each, read_all

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "dd-time"
pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus (../shared/corpus) does not lie beside the project"
)

# files with reports that truths.json does not list, and why what is read is right
BEYOND = {
    "bash-time__C_failed_dd.txt": "the dd that failed is a run, without figures",
    "fish-time__fakeclock_61min.txt": "lists no dd of this file; its report is 3000+0",
    "fish-time__fakeclock_over_an_hour.txt": "lists no dd of this file; its report is 3000+0",
    "wild__en_pdsh_prefixed.txt": "the records of two hosts stand between each other: told",
    "transcript__assembled_json_escaped.json": "a string of JSON: refused with the way out",
    # bytes and rate of records alone follow from the command's block size and from time
    **dict.fromkeys(
        (
            "wild__bsd_macos_time_and_busybox_time.txt",
            "wild__busybox_benchmark_sh.txt",
            "wild__busybox_single_space_time_mtd.txt",
            "wild__en_bpsh_time_p_macos_mail.txt",
        ),
        "has what dd printed alone",
    ),
}
# printed figures that contradict each other: what the note says
CONTRADICT = {
    "wild__fr_progress_824_six_decimals.txt": "are not 41943040+0 records of 1048576 bytes",
    "wild__pt_fabricated_inconsistent_rate.txt": "printed rate 1.6 GB/s is not bytes / seconds",
}
CONTRADICTION = r"is not bytes / seconds|printed size|cannot be|records of \d+ bytes|x time is not"


def truths():
    return json.loads((CORPUS / "truths.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def every():
    """Read all files at once; what is refused stands here as its error."""
    results, failures = read_all([CORPUS / name for name in truths()])
    read = {**each(results), **{failure.path: failure for failure in failures}}
    return {name: read[(CORPUS / name).as_posix()] for name in truths()}


def expected(truth):
    """Bytes, seconds, records in and out of each report of dd."""
    reports = truth.get("byte_lines_in_order_of_appearance", [])
    for part in (truth, truth.get("dd") or {}, *truth.get("parts", [])):
        reports = reports + part.get("reports", [])
    reports = reports + list(truth.get("by_host", {}).values())
    return [
        (
            r.get("bytes"),
            r.get("seconds"),
            *("{}+{}".format(*r[k]) if k in r else None for k in ("in", "out")),
        )
        for r in reports
    ]


def found(results):
    """The same of each run, and of the earlier reports in samples and extras."""
    extras = {(row.run, row.path): row.text for row in results.extras.itertuples()}
    reports = []
    for run in results.runs[results.runs["tool"] == "dd"].itertuples():
        samples = results.samples[results.samples["run"] == run.run]
        amounts = results.io[results.io["run"] == run.run]["io_bytes"].tolist()
        seconds = float(extras.get((run.run, "seconds"), run.duration_s))
        last = (
            int(amounts[0]) if amounts else 0 if (run.run, "bytes") in extras else None,
            None if seconds != seconds else seconds,
            extras.get((run.run, "records_in")),
            extras.get((run.run, "records_out")),
        )
        earlier = [(int(s.value), s.time_s) for s in samples.itertuples()][:-1]
        for at in range(max(len(earlier), 20)):
            records = extras.get((run.run, f"samples.{at}.records_in"))
            if records:
                figures = earlier[at] if earlier else (None, None)
                out = extras[run.run, f"samples.{at}.records_out"]
                reports.append((*figures, records, out))
        reports.append(last)
    return reports


def test_every_report_is_read_as_it_is_known(every, record_property):
    wrong, refused, count = {}, 0, 0
    for name, truth in truths().items():
        known = expected(truth)
        results = every[name]
        if isinstance(results, FileError):
            refused += 1
            if known:
                wrong[name] = str(results)
            continue
        seen = found(results)
        if "interleaved" in truth:  # whose records are whose is known only where it is certain
            known, seen = (sorted(r[:2] for r in each) for each in (known, seen))
        if seen != known:
            wrong[name] = f"{seen} and not {known}"
        count += len(seen)
    assert wrong.keys() == BEYOND.keys(), {k: v for k, v in wrong.items() if k not in BEYOND}
    record_property("reports", count)
    record_property("refused with a reason", refused)


def test_progress_is_in_samples(every):
    for name, truth in truths().items():
        if truth.get("progress"):
            samples = every[name].samples
            seen = set(zip(samples["value"], samples["time_s"], strict=True))
            assert {(p["bytes"], p["seconds"]) for p in truth["progress"]} <= seen, name


def test_only_contradictions_are_noted(every):
    seen = {}
    for name, truth in truths().items():
        if expected(truth) and not isinstance(every[name], FileError):
            notes = every[name].notes["message"]
            if said := notes[notes.str.contains(CONTRADICTION)].tolist():
                seen[name] = said
    assert seen.keys() == CONTRADICT.keys()
    for name, message in CONTRADICT.items():
        assert message in seen[name][0]
