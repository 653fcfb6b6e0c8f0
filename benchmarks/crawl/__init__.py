"""How much of a crawl's throughput is left with dedup on."""
