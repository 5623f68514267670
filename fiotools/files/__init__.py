"""Files as they lie somewhere: packed, far away, locked, and written whole or not at all."""

DATASET = "_fiotools.json"  # the file that makes a folder a dataset
