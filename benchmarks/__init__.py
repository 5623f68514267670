"""Benchmarks of the library itself."""
