"""What may stay in Latin letters on a figure in Japanese."""

import re

# names of tools, options, devices and file systems; a word with a digit, = or / is one anyway
LATIN = re.compile(
    r"CPU|IOPS|Jain|SATA|NVMe|SSD|dd|fio|real|direct|f?(data)?sync|[mn]s|[MGT]B|iops|c?lat|Linux"
    r"|vda|xfs|right|flushed|startdelay"
)


def left_over(text):
    """Give the words of a text that are neither Japanese nor names."""
    words = re.findall(r"[A-Za-z0-9_./=+-]+", text)
    return [
        word
        for word in words
        if re.fullmatch(r"[A-Za-z.-]{2,}", word) and not LATIN.fullmatch(word.strip(".-"))
    ]
