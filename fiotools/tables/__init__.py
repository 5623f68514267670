"""The tables themselves: rows of files, gathered into polars frames; pandas only at the border."""

from fiotools.tables.build import Column, Made, Maker, Tables

__all__ = ["Column", "Made", "Maker", "Tables"]
