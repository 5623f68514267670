"""Inputs of any size, as the tools lay them out: each module is a command, and seeded."""
