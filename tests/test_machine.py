"""What a text says of its machine's memory."""

import pytest

from fiotools.units import memory

HEAD = "              total        used        free      shared  buff/cache   available\n"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (f"wsl-linux> free\n{HEAD}Mem:         7926928      509800\n", 7_926_928 * 1024),
        (f"$ free -m\n{HEAD}Mem:            7741         497\n", 7741 * 2**20),
        (f"$ free --giga -t\n{HEAD}Mem:               8           1\n", 8 * 10**9),
        (f"$ free -h\n{HEAD}Mem:           7.6Gi       497Mi\n", round(7.6 * 2**30)),
        (f"$ sudo free -b | head -2\n{HEAD}Mem:      8117174272    522035200\n", 8_117_174_272),
        ("MemTotal:        7926928 kB\nMemFree:         1190524 kB\n", 7_926_928 * 1024),
        # without the command, its unit is not known; nor with two
        (f"{HEAD}Mem:            7741         497\n", None),
        (f"$ free -k -m\n{HEAD}Mem:            7741         497\n", None),
        (f"$ ls /free-m\n{HEAD}Mem:            7741         497\n", None),
        ("$ free\n", None),
        ("", None),
    ],
)
def test_memory(text, size):
    assert memory(text) == size


def test_the_command_may_stand_elsewhere():
    assert memory("Mem:  7741  497\n", "free -m") == 7741 * 2**20
    assert memory("Mem:  7741  497\n", "cat memory.txt") is None


def test_time_is_linear():
    assert memory("free " * 400_000) is None
    assert memory("Mem:" + " \t" * 500_000 + "x\n" + "$ free" + " -m" * 300_000) is None
