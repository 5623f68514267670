"""Every file of ../shared/corpus is read right, or refused with the reason."""

import json
import re

import pytest

import fiotools as ft
from fiotools.readers import opened, sniff
from tests.corpus import CORPUS, needs_corpus, outcomes, table
from tests.physics import contradictions, unnoted
from tools.generator.filled import add_marks, gaps

pytestmark = needs_corpus

# Who holds no result, and what is said of it: by pattern of the name, or by name.
NO_RESULT = {
    # dd, time and hyperfine
    r"dd-time/(?!toybox).*-dd-.*_(none|sigterm)\.txt|dd-time/toybox-dd-.*_none\.txt": "the file is empty",
    # (toybox prints a report even so, of nothing)
    r"dd-time/(?!toybox).*_(permission_denied|no_such_file|bad_number)\.txt|dd-time/toybox.*_bad_number\.txt": "dd printed no report; it said",
    r"dd-time/(busybox|uutils-dd-0\.0\.17).*_eio_proc_self_mem\.txt": "Input/output error",
    r"dd-time/uutils-dd-0\.0\.17__C_enospc_tmpfs\.txt": "No space left on device",
    r"dd-time/busybox-dd-.*_plain_bs1024x1024\.txt": "invalid number '1024x1024'",
    r"dd-time/busybox-dd-git2024__C_status_progress_pipe\.txt": "invalid argument 'progress'",
    r"dd-time/toybox-dd-git2026__C_truncated_1\.txt": "bad arg cbs=4",
    r"dd-time/busybox-dd-1\.35\.0-debian__C_truncated_2\.txt": "unknown format",  # a usage text
    r"dd-time/busybox-dd-git2024__C_truncated_2\.txt": "the file is empty",
    r"dd-time/hyperfine-.*_abort_json\.json": "the file is empty",
    r"dd-time/hyperfine-.*_(adoc|org)\.txt": "export with --export-json",
    r"dd-time/transcript__assembled_json_escaped\.json": "take it out, e.g. `jq -r",
    r"dd-time/yash-time__C_subshell_sync\.txt": "unknown format",  # a syntax error of the shell
    r"dd-time/python-timeit__C\.txt": "unknown format",
    # figures without a label: which of three is the real time, is a guess
    r"dd-time/bash-time__.*_TIMEFORMAT_(0R|6digits|RUSP|csv|literal_percent)\.txt": "unknown format",
    r"dd-time/bash-time__C_TIMEFORMAT_empty\.txt": "the file is empty",
    r"dd-time/bash-time__C_time_builtin_times\.txt": "unknown format",
    r"dd-time/gnu-time__C_(TIME_env|f_e|f_percent_q)\.txt": "unknown format",
    r"dd-time/busybox-time-git2024__C_f\.txt": "unknown format",
    r"dd-time/zsh-time__C_TIMEFMT_(mE_ms|nE_ns)\.txt": "unknown format",
    # DISKSPD
    r"diskspd/generated/(v.*_help|linux_noargs)\.txt": "unknown format",
    r"diskspd/generated/v.*_profile_only\.(xml|txt)": "holds a profile without results",
    # fio
    r"fio/wild/louwrentius_fio-plot__.*-nojson\.json": "fio printed no report; it said",
    r"fio/wild/mcgrof_fio-tests__steadystate-abridged-3\.1\.md": "'...'",
    r"fio/wild/bamasa_fio_tests__text-inside-json-3\.12\.json": "take it out, e.g. `jq -r",
    r"fio/wild/microsoft_VirtualClient__(Verification_)?Error_\d\.txt": "it said",
    r"fio/generated/cut__terse-v5-truncated\.terse": "breaks off in field 77",
    r"fio/generated/local__client-deadserver-json\.json": "Connection refused",
    r"fio/generated/local__json-fail-missing-dir-stdout\.json": "is not a directory",
    r"fio/generated/local__json-parse-only\.txt": "the file is empty",
    r"fio/generated/local__json-readonly-safety\.txt": "read-only mode",
    r"fio/generated/local__(nullper|trim)__x_slat\.1\.log": "an empty log of fio",
}
# fio's files whose figures contradict themselves: edited by hand, both
FIO_DOUBTED = {
    "microsoft_VirtualClient__Results_FIO.json": "but total_ios is",
    "microsoft_VirtualClient__TestFioJson-3.13-windows.txt": "not a key of fio's",
    # not edited: fio printed latencies of a week in runs of half a minute
    "vTechnolust_PerfTests__ncb-results-2.1.11.txt": "waiting at once exceed the depth",
}
# Where we differ from what truths.json says, on purpose.
DIFFERS = {
    # toybox prints microseconds without their leading zeros, 0.1033 for 1033 us: the truths have
    # the figures as printed, and say that the true ones may be smaller
    "toybox-time-git2026__C_default_with_dd.txt",
    "toybox-time-git2026__C_fakeclock_hours.txt",
    "toybox-time-git2026__C_nonzero.txt",
    "toybox-time-git2026__C_slow.txt",
    # dd printed its records alone: bytes and rate follow from the command and from time
    "wild__bsd_macos_time_and_busybox_time.txt",
}


@pytest.fixture(scope="module")
def read():
    return outcomes()


@pytest.fixture(scope="module")
def every(read):
    return read[0]


def test_all_files_are_there(every):
    assert len(every) > 1000


def test_what_is_refused_holds_no_result(every):
    used = set()
    for one in every:
        name = one.path.relative_to(CORPUS).as_posix()
        rule = next((rule for rule in NO_RESULT if re.fullmatch(rule, name)), None)
        if rule is None:
            assert not one.refusal, one.refusal
            assert len(one.results.runs), name
        else:
            assert NO_RESULT[rule] in one.refusal, f"{name}: {one.refusal or 'was read'}"
            used.add(rule)
    assert used == NO_RESULT.keys()


def test_numbers_hold_or_are_noted(read):
    whole = read[1]
    assert not unnoted(whole)
    # latencies of days, as fio printed them; the others were edited by hand
    assert {source.rpartition("/")[2] for source, _, _ in contradictions(whole)} == {
        "vTechnolust_PerfTests__ncb-results-2.1.11.txt",
        "vc_WriteOnly-v2.2.0-MultiSocketSingleGroup.txt",
        "microsoft_VirtualClient__Results_FIO.json",
    }


def test_only_what_was_edited_is_doubted(every):
    doubted = {}
    for one in every:
        if one.results is not None and one.path.parts[-3] == "fio":
            notes = one.results.notes.query("severity == 'warning' and run.notna()")["message"]
            said = notes[notes.str.contains("kept as printed|left out")]
            if len(said):
                doubted[one.path.name] = said.iloc[0]
    assert doubted.keys() == FIO_DOUBTED.keys()
    for name, said in FIO_DOUBTED.items():
        assert said in doubted[name]


def test_reports_in_the_strings_of_a_document_are_read_once_they_are_taken_out(every):
    (one,) = [one for one in every if one.path.name.startswith("bamasa_fio_tests__text-inside")]
    texts: list[str] = []
    json.loads(one.path.read_text(encoding="utf-8"), object_hook=lambda found: texts.extend(
        text for text in found.values() if isinstance(text, str)
    ))  # fmt: skip
    results = ft.reads("\n".join(texts), name="x.txt")
    assert len(results.runs) == 270  # as the manifest counts
    assert set(results.runs["format"]) == {"fio_normal"}


def test_gaps_of_the_documentation_are_gaps_here_too(read, every):
    owned = {}
    for one in every:
        if one.results is not None:
            owner = sniff(opened(one.path.name, one.path.read_bytes()))
            owned.setdefault(owner.name, []).append(one.path.as_posix())
    marks = {}
    for owner, names in owned.items():
        tables = {
            name: frame[frame["source"].isin(names)] for name, frame in read[1].tables.items()
        }
        add_marks(marks, owner, ft.Results(tables, len(names)))
    empty = [gap for gap in gaps() if gap.kind != "unseen"]
    assert not {(cell, gap.pattern) for cell in marks for gap in empty if gap.covers(cell)}


def test_no_number_disagrees(every, capsys):
    wrong = {one.path.name: one.disagreements for one in every if one.disagreements}
    with capsys.disabled():
        print(f"\n{table(every)}\n")
    assert wrong.keys() == DIFFERS, {name: wrong[name] for name in wrong.keys() - DIFFERS}
