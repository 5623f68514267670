"""Inputs of any size, as the tools lay them out: seeded, so that they are the same each time."""
