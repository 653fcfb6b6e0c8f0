"""Settings of the project."""

SPIDER_MODULES = ["atlas.spiders"]
ADDONS = {"dedup_middleware.Addon": 500}
# one store for all runs: a page that has not changed since the last one is dropped
DEDUP_SCOPE = "shared"
