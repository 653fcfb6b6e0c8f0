"""The engine on a server that speaks the Redis protocol."""

from .engine import RedisEngine

__all__ = ["RedisEngine"]
