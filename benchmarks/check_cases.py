"""Make the outputs of `check`'s matrix: ``python -m benchmarks.check_cases FOLDER [WORD ...]``.

Makes the outputs that `cases.toml` names and that are not there, or whose names hold one of the
words, with the commands that stand there: as root on Linux, in FOLDER (on a disk, 4 GB free), which
is emptied before and after.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.check_matrix import OUTPUTS, cases, places

_SHELL = ["bash", "-e", "-o", "pipefail", "-c"]
# what the commands of places and cases are made of
_TOOLS = r"""
F() {  # fio over a file once, T: for two seconds
  nice -n "${nice:-0}" fio --name=j --filename="${file:-f}" --size="${size:-256m}" \
    --output-format="${format:-json}" "$@"
}
T() { F --runtime="${seconds:-2}" --time_based "$@"; }
volume() {  # a file system of its own: NAME KIND BACKING-FILE DIRECT-IO-OF-THE-LOOP [OPTIONS]
  [ -e "$3" ] || dd if=/dev/zero of="$3" bs=1M count=768 conv=fsync status=none
  local loop; loop=$(losetup --find --show --direct-io="$4" "$3")
  mkfs -t "$2" "$loop" >/dev/null 2>&1
  mkdir -p "$1"; mount -o "${5:-defaults}" "$loop" "$1"
  losetup --detach "$loop"  # as soon as it is unmounted
}
hard_disk() {  # a file system on a disk that is as slow as one: NAME
  dd if=/dev/zero of=platter bs=1M count=384 conv=fsync status=none
  mkdir fuse; /usr/bin/python3 SLOW_DISK "$PWD/platter" fuse; sleep 1; volume "$1" ext4 fuse/disk on
}
device() { findmnt -nro SOURCE --target "${1:-.}"; }
throttle() {  # the device of this folder, for what this shell starts: read_iops 100
  local group=/sys/fs/cgroup/blkio/check-cases
  mkdir -p "$group"; echo $$ >"$group/tasks"
  while [ $# -gt 0 ]; do
    echo "$(lsblk -ndro MAJ:MIN "$(device)") $2" >"$group/blkio.throttle.$1_device"; shift 2
  done
}
busy() { for _ in $(seq "$1"); do timeout 4 sh -c 'while :; do :; done' & done; }
fill() {  # FILE MB: random data, on the disk and not in the page cache
  dd if=/dev/urandom of="$1" bs=1M count="$2" conv=fsync status=none; drop "$1"
}
hold() {  # FILE: another process has its pages mapped, so that they cannot be dropped
  python3 -c 'import mmap, sys, time
file = open(sys.argv[1], "rb")
pages = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
pages[::4096], time.sleep(6)' "$1" & sleep 2
}
random() {  # what dd writes, in memory
  trap 'rm -f /dev/shm/random /dev/shm/check-cases w' EXIT
  dd if=/dev/urandom of=/dev/shm/random bs=1M count=512 status=none
}
drop() { dd if="$1" iflag=nocache count=0 status=none; }
""".replace("SLOW_DISK", str(Path(__file__).with_name("slow_disk.py")))


def make(case: dict[str, Any], work: Path) -> None:
    """Run one case in its place, and keep what it printed."""
    script = f"{_TOOLS}\n{case.get('before', '')}\n"
    command = case["command"]
    if case.get("is_session"):  # as a terminal shows it
        for line in command.split("\n"):
            script += f"exec 2>&1; printf '$ %s\\n' {_quoted(line)}; {line}\n"
    else:
        script += command
    done = subprocess.run(
        [*_SHELL, script], cwd=work / case["place"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"{case['file']}: {done.returncode} {done.stderr}", file=sys.stderr)
        return
    (OUTPUTS / case["file"]).write_text(done.stdout, encoding="utf-8")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def main() -> None:
    """Set each place up, run its cases, and take it down."""
    work, words = Path(sys.argv[1]).resolve(), sys.argv[2:]
    missing: dict[str, list[dict[str, Any]]] = {}
    for case in cases():
        if "command" in case and (
            any(word in case["file"] for word in words) or not (OUTPUTS / case["file"]).exists()
        ):
            missing.setdefault(case["place"], []).append(case)
    for place, own in missing.items():
        work.mkdir(parents=True, exist_ok=True)
        subprocess.run([*_SHELL, _TOOLS + places()[place]], cwd=work, check=True)
        try:
            for case in own:
                print(case["file"], flush=True)
                make(case, work)
        finally:
            _take_down(work)


def _take_down(work: Path) -> None:
    mounted = subprocess.run(["findmnt", "-nro", "TARGET"], capture_output=True, text=True)
    for target in reversed(mounted.stdout.split()):
        if Path(target).is_relative_to(work):
            subprocess.run(["umount", target], check=True)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
