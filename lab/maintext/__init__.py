"""Benchmark: main text as read, against main text as people marked it."""
