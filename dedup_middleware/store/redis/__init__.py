"""The store on a server that speaks the Redis protocol, for crawls on many machines."""

from .store import RedisReader, RedisStore

__all__ = ["RedisReader", "RedisStore"]
