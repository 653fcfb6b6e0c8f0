"""Benchmarks: how right the verdicts are, and what they cost."""
