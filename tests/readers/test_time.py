import pytest

import fiotools as ft

BASH = "\nreal\t0m4.364s\nuser\t0m0.000s\nsys\t0m1.114s\n"


@pytest.mark.parametrize(
    ("text", "real", "user", "system"),
    [
        (BASH, 4.364, 0.0, 1.114),
        ("real 0.09\nuser 0.00\nsys 0.02\n", 0.09, 0.0, 0.02),
        ("\nreal\t147m53.092s\nuser\t0m0,003s\nsys\t0m0,018s\n", 8873.092, 0.003, 0.018),
        ("real\t1h32m46.26s\nuser\t0m00.00s\nsys\t0m00.07s\n", 5566.26, 0.0, 0.07),
        (BASH.replace("\n", "\r\n"), 4.364, 0.0, 1.114),
        ("    real    0m4.364s\n    user    0m0.000s\n    sys     0m1.114s\n", 4.364, 0.0, 1.114),
    ],
)
def test_reports(text, real, user, system):
    timing = ft.reads(text).timings.iloc[0]
    assert (timing.real_s, timing.user_s, timing.sys_s) == (real, user, system)


def test_several_reports_are_several_runs():
    results = ft.reads(BASH * 3)
    assert results.timings["run"].tolist() == [1, 2, 3]
    assert results.runs["tool"].tolist() == ["time"] * 3


@pytest.mark.parametrize(
    "text", ["0.083 0.000 0.023\n", "real\t0m1.0s\nuser\t0m1.0s\n", "0,086,0,000\n"]
)
def test_unlabelled_or_cut_figures_are_refused(text):
    with pytest.raises(ft.UnknownFormatError):
        ft.reads(text)
