"""The connection to a server: commands, scripts, and errors that say what to do."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.address import Address
from dedup_middleware.errors import SettingError, StoreError

from .layout import tables
from .refusals import refusal, wrong_password

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

OLDEST = (6, 2)
TRIES = 4
"""How often a call is made again if the connection is lost."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0  # seconds
AT_ONCE = 500
CONNECT_SECONDS, ANSWER_SECONDS = 5.0, 30.0
_LUA = Path(__file__).parent / "lua"


class Server:
    """A server, and the tables of one store on it. Threads may share it; a forked child may not."""

    def __init__(self, url: str) -> None:
        self._address = Address.parse(url)
        self.name = self._address.name
        self.tables = tables(self._address.prefix)
        self._keys = list(self.tables.values())
        self._pid = os.getpid()
        self._client = _client(self._address.url)
        with self._translated():
            self._check(self._retried(self._client.info))

    def close(self) -> None:
        self._client.close()

    def call(self, *command: Any) -> Any:
        """Send a command; wait for its answer."""
        with self._translated():
            return self._retried(self._client.execute_command, *command)

    def calls(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Send several commands at once."""
        with self._translated():
            answers: list[Any] = self._retried(self._send, commands)
            return answers

    def entries(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield the entries of a table, each once, while others may change it."""
        cursor, met = 0, set()
        while True:
            cursor, entries = self.call("HSCAN", self.tables[table], cursor, "COUNT", AT_ONCE)
            for key, value in entries.items():
                if key not in met:
                    met.add(key)
                    yield key, value
            if not cursor:
                return

    def script(self, name: str, *arguments: Any) -> Any:
        """Run a script on the server, which is sent there if need be."""
        from redis.exceptions import NoScriptError

        source, digest = _script(name)
        given = (len(self._keys), *self._keys, *arguments)
        with self._translated():
            try:
                return self._retried(self._client.execute_command, "EVALSHA", digest, *given)
            except NoScriptError:  # a new server, or one that was restarted
                return self._retried(self._client.execute_command, "EVAL", source, *given)

    def script_and(self, name: str, *arguments: Any, then: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Run a script and send commands with it, which are done after it."""
        from redis.exceptions import NoScriptError

        source, digest = _script(name)
        commands = [("EVALSHA", digest, len(self._keys), *self._keys, *arguments), *then]
        with self._translated():
            while True:
                try:
                    answers: list[Any] = self._retried(self._send, commands)
                except NoScriptError:
                    self._retried(self._client.execute_command, "SCRIPT LOAD", source)
                else:
                    return answers

    def _send(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        # a pipeline is empty once it was sent, whatever came of that: each try needs a new one
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        answers: list[Any] = pipeline.execute()
        return answers

    def _retried(self, do: Callable[..., Any], *arguments: Any) -> Any:
        """Do something again if the connection was lost: whatever is done may be done twice."""
        from redis import exceptions

        pause = FIRST_PAUSE
        for _ in range(TRIES):
            try:
                return do(*arguments)
            except (exceptions.AuthenticationError, exceptions.AuthorizationError):
                raise
            except (exceptions.ConnectionError, exceptions.TimeoutError):
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
        return do(*arguments)

    def _check(self, facts: dict[str, Any]) -> None:
        """Refuse servers that would lose what is stored, or that scripts don't work on."""
        if facts.get("redis_mode") == "cluster" or facts.get("cluster_enabled"):
            raise StoreError(
                f"{self.name} is part of a cluster, which stores can't use: name a server that "
                "runs alone"
            )
        found = str(facts.get("redis_version", "0"))
        version = tuple(int(part) for part in found.split(".")[:2] if part.isdecimal())
        if "kvrocks_version" not in facts and version < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise StoreError(f"{self.name} is a server of version {found}; {oldest} is needed")
        policy = facts.get("maxmemory_policy", "noeviction")
        if facts.get("maxmemory") and policy != "noeviction":
            raise StoreError(
                f"{self.name} throws entries away when its memory is full (maxmemory-policy "
                f"{policy}), which would damage the store. Set maxmemory-policy to noeviction"
            )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn what the client library raises into errors that say what to do."""
        if os.getpid() != self._pid:
            raise StoreError(
                f"The store {self.name} was opened before this process was forked; open it anew"
            )
        from redis import exceptions

        try:
            yield
        except (exceptions.AuthenticationError, exceptions.AuthorizationError) as error:
            raise wrong_password(self.name, str(error)) from error
        except exceptions.BusyLoadingError as error:
            raise StoreError(
                f"The server {self.name} is still loading its data; wait until it is ready"
            ) from error
        except (exceptions.ConnectionError, exceptions.TimeoutError, OSError) as error:
            raise StoreError(
                f"Can't reach the server {self.name}: {error}. Is it running, and is that its "
                "address?"
            ) from error
        except exceptions.RedisError as error:
            raise refusal(self.name, str(error)) from error


def _client(url: str) -> Any:  # as the library types its commands differently by version
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError:
        raise SettingError(
            "A store on a server needs the Redis client: pip install 'scrapy-dedup[redis]'"
        ) from None
    try:
        return redis.Redis.from_url(
            url,
            retry=Retry(NoBackoff(), 0),  # it would try wrong passwords again and again
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            health_check_interval=30,
        )
    except (TypeError, ValueError) as error:
        raise StoreError(f"The URL of the store can't be read: {error}") from None


@cache
def _script(name: str) -> tuple[str, str]:
    """Return a script and the name by which servers know it."""
    parts = [(_LUA / f"{part}.lua").read_text("utf-8") for part in ("common", name)]
    source = "\n".join(parts)
    return source, sha1(source.encode(), usedforsecurity=False).hexdigest()
