"""Scrapy's side: add-on, middleware, pipeline."""
