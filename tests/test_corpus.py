"""Every file of ../shared/corpus is read right, or refused with the reason."""

import json
import re

import pandas as pd
import pytest

import fiotools as ft
from fiotools.readers import opened, sniff
from tests.corpus import CORPUS, needs_corpus, outcomes
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
# where we differ from what truths.json says, on purpose
DIFFERS = {
    # toybox prints microseconds without their leading zeros, 0.1033 for 1033 us: the truths have
    # the figures as printed, and say that the true ones may be smaller
    "toybox-time-git2026__C_default_with_dd.txt",
    "toybox-time-git2026__C_fakeclock_hours.txt",
    "toybox-time-git2026__C_nonzero.txt",
    "toybox-time-git2026__C_slow.txt",
    # the dd that failed is a run, without figures
    "bash-time__C_failed_dd.txt",
    # the truths list no dd of these; its report is 3000+0
    "fish-time__fakeclock_61min.txt",
    "fish-time__fakeclock_over_an_hour.txt",
    # the records of two hosts stand between each other: told
    "wild__en_pdsh_prefixed.txt",
    # dd printed its records alone: bytes and rate follow from the command and from time
    "wild__bsd_macos_time_and_busybox_time.txt",
    "wild__busybox_benchmark_sh.txt",
    "wild__busybox_single_space_time_mtd.txt",
    "wild__en_bpsh_time_p_macos_mail.txt",
}
# printed figures of dd that contradict each other
DD_DOUBTED = {
    "wild__fr_progress_824_six_decimals.txt": "are not 41943040+0 records of 1048576 bytes",
    "wild__pt_fabricated_inconsistent_rate.txt": "printed rate 1.6 GB/s is not bytes / seconds",
}
CONTRADICTION = r"is not bytes / seconds|printed size|cannot be|records of \d+ bytes|x time is not"
# every warning of DISKSPD's files that is not about the characters or about standard error, and why
# it is right: the two files of VirtualClient were trimmed and partly invented by hand, an article
# has thousands dots in the wrong places, diskspd-for-linux and DISKSPD 2.2 have bugs
DISKSPD_DOUBTED = {
    "linux_D100.txt": "diskspd-for-linux miscounts",
    "linux_readonly_L.txt": "diskspd-for-linux miscounts",
    "linux_si_interlocked.txt": "diskspd-for-linux miscounts",
    "v2.0.21a_amp_lt_path.xml": "repaired the XML",
    "v2.1_amp_lt_path.xml": "repaired the XML",
    "v2.2_unknownpower_NOTWELLFORMED_randmix.xml": "repaired the XML",
    "thomaslauer_README_9a14ef3_thousandsep.md": "not a whole number",
    # two tables of CPUs that were pasted alone
    "patricklang_README.md": "lines of a report were not read",
    # rates of CrystalDiskMark in a list
    "roblevay_Lab02_Sql_Server_IO.md": "lines of a report were not read",
    "vc_WriteOnly-v2.2.0-MultiNumaMultiGroup.txt": "2 of 4 threads are in the file",
    "vc_WriteOnly-v2.2.0-MultiSocketSingleGroup.txt": "percentile 50 is below percentile 25",
}


@pytest.fixture(scope="module")
def read():
    return outcomes()


@pytest.fixture(scope="module")
def every(read):
    return read[0]


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


def test_only_what_is_wrong_is_doubted(every):
    doubted = {"fio": {}, "dd-time": {}, "diskspd": {}}
    others = ("bytes that are not UTF-8", "Error ", "There has been an error")
    for one in every:
        if one.results is None or "cdm_" in one.path.name:
            continue
        folder = one.path.relative_to(CORPUS).parts[0]
        notes = one.results.notes.query("severity == 'warning'")
        said = notes["message"]
        if folder == "fio":
            said = said[notes["run"].notna() & said.str.contains("kept as printed|left out")]
        elif folder == "dd-time":
            said = said[said.str.contains(CONTRADICTION)]
        else:
            said = said[~said.str.startswith(others)]
        if len(said):
            doubted[folder][one.path.name] = "; ".join(said)
    known = {"fio": FIO_DOUBTED, "dd-time": DD_DOUBTED, "diskspd": DISKSPD_DOUBTED}
    for folder, messages in known.items():
        assert doubted[folder].keys() == messages.keys()
        for name, message in messages.items():
            assert message in doubted[folder][name]


def test_runs_of_diskspd_that_did_not_fail_have_rows(every):
    for one in every:
        is_other = "cdm_" in one.path.name or "diskspd" not in one.path.parts
        if one.results is None or is_other:
            continue
        res, name = one.results, one.path.name
        failed = res.runs[res.runs["status"] == "error"]
        assert ("_err_" in name or "interrupted" in name) == bool(len(failed)), name
        assert set(failed["run"]) <= set(res.notes["run"].dropna()), name
        # one article lacks the rows of the run
        lacks = res.notes["message"].str.startswith("the rows 'total:'").any()
        whole = res.threads if lacks else res.io
        assert set(res.runs[res.runs["status"] == "ok"]["run"]) == set(whole["run"]), name
        # nothing of the tool's own output is left over
        assert not res.notes["message"].str.startswith("text beside the XML").any(), name


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


def test_no_number_disagrees(every):
    assert len(every) > 1000
    wrong = {one.path.name: one.disagreements for one in every if one.disagreements}
    assert wrong.keys() == DIFFERS, {name: wrong[name] for name in wrong.keys() - DIFFERS}


@pytest.fixture(scope="module")
def pairs(every):
    """Give both outputs of one run, text and XML."""
    read = {one.path: one.results for one in every}
    texts = [path for path in read if path.name.endswith(".pair.txt")]
    assert len(texts) > 40
    return [
        tuple(
            {name: frame.reset_index(drop=True) for name, frame in read[path].tables.items()}
            for path in (text, text.with_name(text.name.replace(".pair.txt", ".xml")))
        )
        for text in texts
    ]


# what both outputs say in the same digits, and what the XML says a little coarser
KEYS = ["run", "entry", "clones", "target", "direction"]
EXACT = ["rw", "bs_bytes", "iodepth", "numjobs", "direct", "rwmixread_pct", "size_bytes"]
EXACT += ["io_bytes", "total_ios", "runtime_s", "lat_min_ns", "lat_max_ns"]
RATES = ["iops", "bw_bytes_per_s"]
# a mean of two printed means is off by their rounding; the text has one digit less of the last
ROUNDED = {"lat_mean_ns": 1000, "lat_stddev_ns": 1000, "iops_stddev": 0.006}


@pytest.mark.parametrize("table", ["io", "threads"])
def test_text_and_xml_of_one_run_agree(pairs, table):
    for text, xml in pairs:
        pd.testing.assert_series_equal(text["runs"]["status"], xml["runs"]["status"])
        pd.testing.assert_series_equal(text["runs"]["duration_s"], xml["runs"]["duration_s"])
        one, other = text[table], xml[table]
        exact = [*KEYS, *["thread"] * (table == "threads"), *EXACT]
        pd.testing.assert_frame_equal(one[exact], other[exact])
        # the XML has its time to 5 ms
        time = 0.005 / other["runtime_s"]
        for column in RATES:
            assert ((one[column] / other[column] - 1).abs() <= time + 0.01 / one["iops"]).all()
        for column, slack in ROUNDED.items():
            assert (one[column].isna() == other[column].isna()).all()
            assert ((one[column] - other[column]).abs().fillna(0) <= slack).all()
        # no figure of either is left uncompared
        compared = {"source", *exact, *RATES, *ROUNDED}
        for part in (one, other):
            assert set(part.dropna(axis="columns", how="all")) <= compared


def test_percentiles_and_processors_of_one_run_agree(pairs):
    for text, xml in pairs:
        keys = ["run", "entry", "direction", "percentile"]
        total = text["percentiles"].query("entry == 1")
        both = total.merge(xml["percentiles"], on=keys, how="left", validate="one_to_one")
        assert (both["value_ns_x"] == both["value_ns_y"]).all()
        charts = [
            frame.groupby(["run", "direction"]).ngroups for frame in (total, xml["percentiles"])
        ]
        assert charts[0] == charts[1]
        cpu = [part["cpu"].drop(columns=["source", "group"]) for part in (text, xml)]
        pd.testing.assert_frame_equal(*cpu)
        # the text names the group where there is more than one
        named = text["cpu"]["group"].notna()
        assert text["cpu"]["group"][named].tolist() == xml["cpu"]["group"][named].tolist()
    assert sum(len(xml["percentiles"]) for _, xml in pairs) > 9000
