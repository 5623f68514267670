"""Studies of how often intervals hold and verdicts are wrong, on noise with a known truth.

``python -m benchmarks.coverage`` runs every study and writes them into ``benchmarks/CLAIMS.md``;
``python -m benchmarks.coverage NAME`` runs one of them.
"""
