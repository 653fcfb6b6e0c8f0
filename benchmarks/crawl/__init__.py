"""Throughput of a crawl with dedup on, compared with dedup off."""
