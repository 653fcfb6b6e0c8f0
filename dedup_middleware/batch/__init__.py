"""Pages by the million, without a crawl: files, feeds and web archives of them."""
