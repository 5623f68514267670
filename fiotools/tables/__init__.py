"""The tables themselves: polars frames of many files; pandas at the border."""

from fiotools.tables.build import Column, Made, Maker, Tables

__all__ = ["Column", "Made", "Maker", "Tables"]
