"""The README as a package index shows it, which has no files beside: links lead to the project."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)(\[[^\]]*\])\((?!https?:|#)([^)]+)\)")


def with_whole_links(text: str, repository: str) -> str:
    """Make links to files those of the repository, and pictures the files themselves."""

    def whole(match: re.Match[str]) -> str:
        mark, words, place = match.groups()
        return f"{mark}{words}({repository}/{'raw' if mark else 'blob'}/HEAD/{place})"

    return _LINK.sub(whole, text)


class CustomMetadataHook(MetadataHookInterface):
    """What hatchling asks for the fields of the metadata that are made when it builds."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        whole = with_whole_links(text, metadata["urls"]["Repository"])
        metadata["readme"] = {"content-type": "text/markdown", "text": whole}
