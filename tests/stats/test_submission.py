"""Completion latencies that leave out most of the time: 9p and virtiofs of article 004."""

import pytest

import fiotools as ft
from tests.conftest import ROOT

MOUNTS = f"{ROOT}/data/lima-mounts/fio/{{mount}}_randread.txt"
SAID = "nearly all of the time submitting I/Os, and clat begins after that: lat_mean has all of it"


@pytest.fixture(scope="module", params=["pandas", "polars"])
def mounts(request):
    return ft.read(MOUNTS, frames=request.param)


def flags(answer):
    return dict(zip(answer["mount"], answer["flags"], strict=True))


@pytest.mark.parametrize("ask", [ft.compare, ft.speedup])
@pytest.mark.parametrize("metric", ["p99", "clat_mean"])
def test_a_completion_latency_after_submitting_has_a_flag(mounts, ask, metric):
    answer = ask(mounts, metric, between="mount", baseline="sshfs")
    found = flags(answer)
    assert all("submitting" in found[name].split(";") for name in ("9p", "virtiofs"))
    assert f"the runs of '9p' spent {SAID}" in " ".join(str(ft.show(answer)).split())


def test_the_side_is_named(mounts):
    answer = ft.compare(mounts, "p99", between="mount", baseline="9p")
    text = str(ft.show(answer))
    assert f"the runs of '9p' spent {SAID}" in " ".join(text.split())
    assert "the runs of 'sshfs' spent" not in text


@pytest.mark.parametrize("metric", ["iops", "lat_mean"])
def test_what_has_all_of_the_time_has_no_flag(mounts, metric):
    found = flags(ft.compare(mounts, metric, between="mount"))
    assert not any("submitting" in str(one) for one in found.values())


def test_the_overview_says_it_of_percentiles(mounts):
    found = flags(ft.overview(mounts))
    assert {name for name, one in found.items() if one == "submitting"} == {"9p", "virtiofs"}


def test_it_is_told(mounts):
    answer = ft.compare(mounts, "p99", between="mount", baseline="9p")
    assert f"the runs of '9p' spent {SAID}" in str(ft.tell(answer))
