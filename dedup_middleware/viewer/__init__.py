"""Two pages compared, and the decisions of a crawl, as HTML pages and pictures for people."""
