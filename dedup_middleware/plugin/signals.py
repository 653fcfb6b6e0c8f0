"""Signals of this package; connect to them as to Scrapy's own."""

page_judged = object()
"""Sent after each judgement, with `verdict`, `url`, `response` (or None) and `spider`."""
