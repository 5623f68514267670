"""Article 002: DISKSPD, on Windows."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from fiotools.measure.experiments.base import (
    DATA,
    MIB,
    Command,
    Effort,
    Experiment,
    Question,
    Stage,
)
from fiotools.measure.machine import span
from fiotools.measure.plan import Plan
from fiotools.measure.scratch import Scratch
from fiotools.measure.tools import install_hint

_OPTIONS = ("-t2", "-o32", "-b4k", "-r4k", "-w40", "-Sh", "-D", "-L")


class Diskspd(Experiment):
    """Random blocks of 4 KiB, 40 % writes, two threads of depth 32, no cache."""

    name = "diskspd"
    article = "002"
    question = "how many small random reads and writes does it do, on Windows?"
    metric = ("io", "iops")
    questions = (Question("place", ("direction",)),)
    tools = ("diskspd",)
    workloads = ("mixed",)
    suffix = ".xml"
    efforts = (Effort(256 * MIB, 5, 5), Effort(5120 * MIB, 5, 60), Effort(5120 * MIB, 10, 120))

    def here(self) -> str | None:
        """Say that DISKSPD is for Windows."""
        return None if sys.platform == "win32" else "diskspd runs on Windows"

    def needs_direct(self, workload: str, plan: Plan) -> bool:
        """Leave that to DISKSPD, which says so itself."""
        return False

    def lasts(self, plan: Plan, runs: int) -> str:
        """Add up the runs."""
        return f"{plan.seconds} s a run, {span(runs * plan.seconds)} and the preparation"

    def before(self, workload: str, number: int, scratch: Scratch) -> None:
        """Leave the cache to -Sh."""

    def command(self, workload: str, number: int, plan: Plan, stage: Stage) -> Command:
        """Give the article's command on the file that was filled; XML has more than text."""
        return Command(("diskspd", *_OPTIONS, f"-d{plan.seconds}", f"-z{number}", "-Rxml", DATA))

    def implies(self, plan: Plan, ram: int | None) -> Iterator[str]:
        """Say which cache is passed by."""
        yield "-Sh passes the cache of Windows by, and neither a host's nor a controller's"

    def elsewhere(self) -> str:
        """Give the command to type there."""
        command = " ".join(("diskspd", *_OPTIONS, "-d120", "-c5G", "-Rxml", "D:\\IO.dat"))
        return f"""DISKSPD runs on Windows ({install_hint("diskspd")}).
There, with fiotools:

    fiotools measure diskspd --dir nvme=D:\\ --dir vhdx=E:\\

or by hand, on each place in turn and at least five times, numbered:

    {command} > nvme_mixed_1.xml

Throw the first away: -c made a file that nothing was written to yet. Delete IO.dat at the end.
Bring the .xml files into one folder here, and read them with their names as labels:

    ft.read("FOLDER/{{place}}_{{workload}}_{{round:d}}.xml")
"""
