"""Settings of the project."""

SPIDER_MODULES = ["shelf.spiders"]
ROBOTSTXT_OBEY = True
ADDONS = {"dedup_middleware.Addon": 500}
# excerpts are kept, and say in their field `dedup` which page contains them
DEDUP_ACTIONS = {"contained": "tag"}
