"""The store on a server that speaks the Redis protocol, for crawls on many machines."""

from .reader import RedisReader
from .store import RedisStore

__all__ = ["RedisReader", "RedisStore"]
