"""How often intervals hold the truth and verdicts are wrong, by simulation.

``python -m benchmarks.coverage`` runs every study and writes ``benchmarks/COVERAGE.md``;
``python -m benchmarks.coverage NAME ...`` runs those alone and replaces their sections.
"""
