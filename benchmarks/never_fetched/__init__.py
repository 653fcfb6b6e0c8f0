"""Requests that a crawl need not send: real sites with added corners, whose truth is known."""
