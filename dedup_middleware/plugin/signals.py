"""Signals of this package; connect to them as to Scrapy's own."""

page_judged = object()
"""Sent after each judgement, with `verdict`, `url`, `response` (or None) and `spider`."""
page_superseded = object()
"""Sent when a page has taken the place of one that was delivered before and shows the same, with
`url` (that of the earlier page), `by` (that of the page which stands for it now) and `spider`."""
