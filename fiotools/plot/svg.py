"""An SVG that is the same on every processor.

matplotlib writes six decimals, and the layout puts edges in the middle between two of them: then
the last bit of a logarithm, which is not the same on every processor, tells which one is written.
A thousandth of a point is finer than any screen or printer, and hangs on that bit hardly ever.
"""

from __future__ import annotations

import hashlib
import re

# words stay, and factors, which a thousandth would blur; "-0" is a zero with such a last bit
_NUMBER = re.compile(
    r"<metadata>.*?</metadata>|<!--.*?-->|(?:scale|matrix)\([^)]*\)"
    r'|(?P<number>-?\d+\.\d{4,}|(?<=["(\s])-0(?=[")\s]))',
    re.DOTALL,
)
# of clip paths, markers, hatches, images and collections: a hash of what they hold, to the last bit
_NAMED = re.compile(r'(?<=id=")([pmh]|image|C[0-9a-f]+_[0-9a-f]+_)[0-9a-f]+(?=")')


def settled(svg: str) -> str:
    """Round the coordinates of an SVG by matplotlib, and name its parts by their order.

    Examples
    --------
    >>> settled('<path d="M 62.645553 -0 L 1.5 7.99951" transform="scale(0.015625)"/>')
    '<path d="M 62.646 0 L 1.5 8" transform="scale(0.015625)"/>'
    """
    svg = _NUMBER.sub(lambda found: _rounded(found["number"]) if found["number"] else found[0], svg)
    names = {found[0]: f"{found[1]}{at}" for at, found in enumerate(_NAMED.finditer(svg))}
    if not names:
        return svg
    name = re.compile("|".join(names))
    # a page may hold several figures, whose parts must not be taken for each other
    figure = hashlib.sha256(name.sub("", svg).encode()).hexdigest()[:8]
    return name.sub(lambda found: f"{names[found[0]]}-{figure}", svg)


def _rounded(number: str) -> str:
    text = f"{float(number):.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
