"""The connection to a server: commands, the script, keys, and errors that say what to do.

Tables are hashes, so that the script can name all keys that it touches; what is found by look-up
keys has structures of its own. What braces hold keeps all of them together in a proxy's shards.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dedup_middleware.errors import NotAStore, SettingError, StoreError, StoreFull
from dedup_middleware.store.engine import AT_ONCE, NUMBER, TABLES, portions
from dedup_middleware.urls import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


OLDEST = (6, 2)
TRIES = 4
"""How often a call is made again if the connection is lost."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0  # seconds
CONNECT_SECONDS, ANSWER_SECONDS = 5.0, 30.0
_APPLY = Path(__file__).with_name("apply.lua")


class Server:
    """A server, and the tables of one store on it. Threads may share it; a forked child may not."""

    def __init__(self, url: str) -> None:
        address = Address.parse(url)
        self.name = address.name
        self._prefix = f"{{{address.prefix}}}"
        self.names = {key: f"{self._prefix}:{key}" for key in KEYS}
        """Keys on the server, by table."""
        self._pid = os.getpid()
        # one connection, used directly: that of a pool costs more than most commands take
        self._pool, self._pack = _client(address.url)
        self._connection = self._pool.make_connection()
        self._lock = threading.RLock()
        self._is_watching = False
        self._is_new = True
        self._check(_facts(self._first_answer()))

    def lease_name(self, process: str) -> str:
        """Return the key that a process of a run keeps alive."""
        return f"{self._prefix}:lease:{process}"

    def close(self) -> None:
        with self._lock:
            self._connection.disconnect()

    def call(self, *command: Any) -> Any:
        """Send a command; wait for its answer."""
        return self.calls([command])[0]

    def calls(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Send several commands at once."""
        with self._translated():
            answers: list[Any] = self._retried(self._exchange, commands)
            return answers

    def at_once(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Send several commands as one transaction."""
        *_, answers = self.calls([("MULTI",), *commands, ("EXEC",)])
        with self._translated():
            for answer in answers:
                if isinstance(answer, Exception):
                    raise answer
        return list(answers)

    def many(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys in a table."""
        if not keys:
            return []
        commands = [("HMGET", self.names[table], *part) for part in portions(keys)]
        return [one for answer in self.calls(commands) for one in answer]

    def entries(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield the entries of a table, each once, while others may change it."""
        cursor, met = b"0", set()
        while True:
            cursor, found = self.call("HSCAN", self.names[table], cursor, "COUNT", AT_ONCE)
            for key, value in pairs(found):
                if key not in met:
                    met.add(key)
                    yield key, value
            if cursor == b"0":
                return

    def apply(self, leases: Sequence[str], arguments: Sequence[Any]) -> list[Any]:
        """Run the script, which is sent there if need be; it may touch some leases, too."""
        from redis.exceptions import NoScriptError

        source, digest = script()
        keys = (*self.names.values(), *leases)
        command = ("EVALSHA", digest, len(keys), *keys, *arguments)
        with self._translated():
            while True:
                try:
                    answer: list[Any] = self._retried(self._exchange, [command])[0]
                except NoScriptError:  # a new server, or one that was restarted
                    self._retried(self._exchange, [("SCRIPT", "LOAD", source)])
                else:
                    return answer

    def unless_changed(self, table: str, prepare: Callable[[], Sequence[tuple[Any, ...]]]) -> bool:
        """Do all the commands that `prepare` returns, or none if a table has changed meanwhile."""
        with self._lock, self._translated():
            self._is_watching = True
            try:
                self._exchange([("WATCH", self.names[table])])
                commands = prepare()
                *_, done = self._exchange([("MULTI",), *commands, ("EXEC",)])
            except BaseException:
                self._connection.disconnect()  # which ends the watch
                raise
            finally:
                self._is_watching = False
            return done is not None

    def _exchange(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        from redis.exceptions import ResponseError

        connection, answers, refused = self._connection, [], None
        with self._lock:
            connection.send_packed_command([b"".join(map(self._pack, commands))])
            for _ in commands:  # all of them: the next call must not get the answers of this one
                try:
                    answers.append(connection.read_response())
                except ResponseError as error:
                    refused = refused or error
        if refused:
            raise refused
        return answers

    def _retried(self, do: Callable[..., Any], *arguments: Any) -> Any:
        """Do something again if the connection was lost: whatever is done may be done twice."""
        from redis import exceptions

        pause = FIRST_PAUSE
        for _ in range(0 if self._is_watching else TRIES):  # a new connection watches nothing
            try:
                return do(*arguments)
            except (exceptions.AuthenticationError, exceptions.AuthorizationError):
                raise
            except exceptions.TimeoutError:
                if self._is_new:  # perhaps it speaks another protocol
                    raise
                time.sleep(pause)
            except exceptions.ConnectionError:
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
        return do(*arguments)

    def _first_answer(self) -> bytes:
        """Return what the server says of itself; don't wait long for one that says nothing."""
        connection = self._connection
        connection.socket_timeout = CONNECT_SECONDS  # also for the handshake of TLS
        answer: bytes = self.call("INFO")
        connection.socket_timeout = ANSWER_SECONDS
        connection._sock.settimeout(ANSWER_SECONDS)  # noqa: SLF001 - it has no other way
        self._is_new = False
        return answer

    def _check(self, facts: dict[str, str]) -> None:
        """Refuse servers that would lose what is stored, or that scripts don't work on."""
        if facts.get("redis_mode") == "cluster" or facts.get("cluster_enabled") == "1":
            raise StoreError(
                f"{self.name} is part of a cluster, which stores can't use: name a server that "
                "runs alone"
            )
        found = facts.get("redis_version", "0")
        version = tuple(int(part) for part in found.split(".")[:2] if part.isdecimal())
        if "kvrocks_version" not in facts and version < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise StoreError(f"{self.name} is a server of version {found}; {oldest} is needed")
        policy = facts.get("maxmemory_policy", "noeviction")
        if facts.get("maxmemory", "0") != "0" and policy != "noeviction":
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
            raise refusal(self.name, str(error), PASSWORD) from error
        except exceptions.BusyLoadingError as error:
            raise StoreError(
                f"The server {self.name} is still loading its data; wait until it is ready"
            ) from error
        except (exceptions.ConnectionError, exceptions.TimeoutError, OSError) as error:
            kind = " Does it speak TLS on that port?" if self.name.startswith("rediss") else ""
            raise StoreError(
                f"Can't reach the server {self.name}: {error}. Is it running, and is that its "
                f"address?{kind}"
            ) from error
        except exceptions.RedisError as error:
            raise refusal(self.name, str(error)) from error


def pairs(found: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Return the entries of a hash, which a server sends as one list."""
    return zip(found[::2], found[1::2], strict=True)


def _facts(found: bytes) -> dict[str, str]:
    """Read what a server says of itself."""
    lines = (line.partition(":") for line in found.decode("utf-8", "replace").splitlines())
    return {name: value for name, colon, value in lines if colon}


def _client(url: str) -> tuple[Any, Callable[[tuple[Any, ...]], bytes]]:
    """Return what makes connections, and what puts commands into the form of the protocol."""
    try:
        from hiredis import pack_command
        from redis import ConnectionPool
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError:
        raise SettingError(
            "A store on a server needs the Redis client: pip install 'scrapy-dedup[redis]'"
        ) from None
    try:
        pool = ConnectionPool.from_url(
            url,
            protocol=2,
            retry=Retry(NoBackoff(), 0),  # it would try wrong passwords again and again
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            health_check_interval=30,
        )
    except (TypeError, ValueError):  # what it says may show the password
        raise StoreError("The URL of the store can't be read: see its options") from None
    return pool, pack_command


@cache
def script() -> tuple[str, str]:
    """Return the script that applies batches, and the name by which servers know it."""
    source = _APPLY.read_text("utf-8")
    return source, sha1(source.encode(), usedforsecurity=False).hexdigest()


GONE, OLD, PASSWORD = "DEDUPGONE", "DEDUPOLD", "NOAUTH"


class _Refusal(NamedTuple):
    marks: tuple[str, ...]
    """What the server's error contains; a script's refusal contains that of the command."""
    kind: type[StoreError]
    text: str


_REFUSALS = (
    _Refusal(
        ("OOM", "maxmemory"),
        StoreFull,
        "The server {name} is full: {error}. Raise its maxmemory, or move the store to a larger "
        "server; what was registered before is intact",
    ),
    _Refusal(
        ("MISCONF",),
        StoreFull,
        "The server {name} can't save its data and takes no more: {error}. See its log; what was "
        "registered before is intact",
    ),
    _Refusal(
        (GONE,),
        StoreError,
        "The server {name} has lost the store since this run began: it was emptied, or restarted "
        "without its data. Start the run again; give the server an append-only file, so that a "
        "restart costs nothing",
    ),
    _Refusal(
        (OLD,),
        StoreError,
        "The server {name} has come back with older data than this run has seen: from a snapshot, "
        "or as a replica that lagged behind. Start the run again: pages that were lost pass again. "
        "Give the server an append-only file, so that a restart costs nothing",
    ),
    _Refusal(
        (PASSWORD, "WRONGPASS", "NOPERM"),
        StoreError,
        "The server {name} refuses the password or user: {error}. Write them into the URL, as in "
        "redis://USER:PASSWORD@HOST:PORT/0",
    ),
    _Refusal(
        ("READONLY",),
        StoreError,
        "The server {name} is a read-only replica: {error}. Name its primary",
    ),
    _Refusal(
        ("WRONGTYPE",),
        NotAStore,
        "{name} has keys of another program where the store should be: {error}. Choose "
        "another prefix, as in redis://HOST:PORT/0?prefix=NAME",
    ),
)


def refusal(name: str, error: str, mark: str = "") -> StoreError:
    """Return the error to raise, by a mark or by that which the server's error contains."""
    for marks, kind, text in _REFUSALS:
        if any(one in (mark or error) for one in marks):
            return kind(text.format(name=name, error=error))
    return StoreError(f"Can't use the server {name}: {error}")


KEYS = (
    *TABLES,
    "tokens",  # what each process has done last, in case that it did not get the answer
    "log",  # a list of the look-up keys of recent pages, in the order of their numbers
    *("buckets", "postings"),  # see postings.py: a string, and a hash
    "withdrawn",  # a string of the numbers of pages to which postings may still lead
)
"""In the order in which the script gets them."""
KEPT_TOKENS = 4096
"""Versions of which a store knows the tokens: others in their place are noticed."""


def packed_numbers(numbers: Iterable[int]) -> bytes:
    return b"".join(map(NUMBER.pack, numbers))


def unpacked_numbers(data: bytes) -> list[int]:
    """Restore numbers.

    >>> unpacked_numbers(packed_numbers([3, 4]))
    [3, 4]
    """
    found: list[int] = np.frombuffer(data, ">u4").tolist()
    return found
