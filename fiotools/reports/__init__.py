"""Reports: results as one page that answers what a reader asks.

`study` opens results and asks them everything; `report` executes a notebook that tells what was
found, and makes one self-contained HTML page of it.
"""
