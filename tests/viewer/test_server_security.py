"""What the server refuses: other sites, other hosts, paths, methods and bodies."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack, suppress
from urllib.parse import quote

import pytest

from dedup_middleware.viewer.server import (
    MOST_BYTES,
    MOST_CONNECTIONS,
    REQUEST_SECONDS,
    Guard,
    HTTPError,
    Request,
)
from tests.support.patience import PATIENCE
from tests.support.serving import row_of


@pytest.mark.parametrize(
    "target",
    [
        "/api/evidence/../../etc/passwd",
        "/api/evidence/..%2f..%2fetc/passwd",
        "/api/evidence/%2e%2e/%2e%2e",
        "/api/evidence/..%5c..%5cetc/1",
        "/api/evidence//etc/passwd",
        "/api/evidence/store%2Fjournal/1",
        "/api/evidence/%00/1",
        "/api/evidence/%ff%fe/1",
        "/../../etc/passwd",
        "//etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/store/data.mdb",
        "/api",
        "/api/",
        "/api/rows/",
        "/favicon.ico",
        "http://127.0.0.1/api/rows",
        "Xapi/rows",
        "*",
    ],
)
def test_no_path_leads_to_a_file(server, target):
    reply = server.request(target)
    assert reply.status == 404
    assert [*reply.json] == ["error"]
    assert b"root:" not in reply.body


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[" * 9000, 400),
        (b"[]", 400),
        (b"null", 400),
        (b"\xff\xfe", 400),
        (b'{"run": "r"}', 400),
        (b'{"run": "r", "seq": true}', 400),
        (b'{"run": ["r"], "seq": 1}', 400),
        (b'{"run": "r", "seq": 1.5}', 400),
        (b'{"run": "r", "seq": 1}', 404),
        (b'{"run": "../r", "seq": 1}', 404),
        (b'{"run": "r", "seq": 1%s}' % (b"0" * 100), 404),
        (b'{"run": "%s", "seq": 1}' % (b"r" * MOST_BYTES), 413),
        (b" " * 5_000_000, 413),
    ],
)
def test_bad_bodies(server, body, status):
    reply = server.post("restore", body)
    assert reply.status == status
    assert [*reply.json] == ["error"]


def test_a_body_without_a_length(server):
    with socket.create_connection(("127.0.0.1", server.port), 30) as connection:
        head = (
            f"POST /api/restore HTTP/1.1\r\nHost: localhost:{server.port}\r\nConnection: close\r\n"
            f"X-Dedup-Token: {server.token}\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n"
        )
        connection.sendall(head.encode() + b"1000\r\n" + b"a" * 0x1000 + b"\r\n")
        for _ in range(9):
            connection.sendall(b"1000\r\n" + b"a" * 0x1000 + b"\r\n")
        connection.sendall(b"0\r\n\r\n")
        assert connection.makefile("rb").readline() == b"HTTP/1.1 413 Request Entity Too Large\r\n"


def is_closed(connection: socket.socket) -> bool:
    """Wait until the server closes a connection; return False if it sends something instead."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:  # it did not read all that was sent
        return True


def test_slow_connections_keep_nobody_waiting_for_long(server):
    """Each sends a byte from time to time: a timeout of the socket alone would never end it."""
    with ExitStack() as stack:
        slow = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE))
            for _ in range(MOST_CONNECTIONS)
        ]
        for piece in (b"GET / HTTP/1.1\r\n", b"X", b"-"):
            for connection in slow:
                with suppress(ConnectionError):
                    connection.sendall(piece)
            time.sleep(REQUEST_SECONDS / 10)
        assert server.request("/api/rows").status == 200
        assert all(map(is_closed, slow))


def test_a_body_that_never_comes(server):
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        head = f"POST /api/restore HTTP/1.1\r\nHost: localhost:{server.port}\r\n"
        connection.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        assert is_closed(connection)


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_forms_change_nothing(server, kind):
    run, seq = row_of(server.rows(), "https://a.example/0/edited")
    reply = server.post("restore", {"run": run, "seq": seq}, content_type=kind)
    assert reply.status == 415
    assert "https://a.example/0/edited" not in str(server.rows()["restored"])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "FOO"])
@pytest.mark.parametrize("target", ["/", "/api/rows", "/api/evidence/r/1"])
def test_methods_of_reading_routes(server, method, target):
    reply = server.request(target, method, b"")
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "OPTIONS"])
@pytest.mark.parametrize("target", ["/api/restore", "/api/restore?run=r&seq=1"])
def test_methods_of_changing_routes(server, method, target):
    reply = server.request(target, method)
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1", "", None])
def test_other_hosts(server, host):
    for target in ("/", "/api/rows"):
        reply = server.request(target, host=host and f"{host}:{server.port}")
        assert reply.status == (421 if host is not None or reply.status == 421 else 400)
        assert b"token" not in reply.body


@pytest.mark.parametrize("token", [None, "", "x" * 43, "ünknown".encode().decode("latin-1")])
def test_nothing_is_told_without_the_token(server, token):
    for target in ("/", "/api/rows", "/api/evidence/r/1", "/nothing"):
        reply = server.request(target, x_dedup_token=token)
        assert (reply.status, [*reply.json]) == (403, ["error"])
        in_url = f"{target}?token={quote(token or '')}"
        assert server.request(in_url, x_dedup_token=None).status == 403
    assert server.request(f"/?token={server.token}", x_dedup_token=None).status == 200
    assert server.request(f"/api/rows?token={server.token}", x_dedup_token=None).status == 200


def test_other_sites_may_link_here_but_send_no_requests(server):
    assert server.request("/", sec_fetch_site="cross-site").status == 200
    for site in ("cross-site", "same-site"):
        assert server.request("/api/rows", sec_fetch_site=site).status == 403
    assert server.request("/api/rows", sec_fetch_site="none").status == 200


@pytest.mark.parametrize(
    ("address", "port", "host", "is_own"),
    [
        ("127.0.0.1", 80, "127.0.0.1", True),
        ("127.0.0.1", 80, "LOCALHOST", True),
        ("127.0.0.1", 81, "localhost", False),
        ("::1", 81, "[::1]:81", True),
        ("127.0.0.1", 81, "[::1]:81x", False),
        ("127.0.0.1", 81, "user@localhost:81", False),
        ("127.0.0.1", 81, "localhost:81:81", False),
        ("127.0.0.1", 81, "localhost.evil.example:81", False),
        ("127.0.0.1", 81, "192.168.0.7:81", False),
        ("0.0.0.0", 81, "192.168.0.7:81", True),
        ("0.0.0.0", 81, "[fe80::1]:81", True),
        ("0.0.0.0", 81, "machine.example:81", False),
        ("machine.example", 81, "machine.example:81", True),
    ],
)
def test_names_of_this_server(address, port, host, is_own):
    guard = Guard(address, port)
    token = {"x-dedup-token": (guard.token,)}
    request = Request("GET", "/", {"host": (host,), **token})
    if is_own:
        guard.check(request)
    else:
        with pytest.raises(HTTPError):
            guard.check(request)
    with pytest.raises(HTTPError):
        guard.check(Request("GET", "/", {"host": (host, host), **token}))
    assert guard.token != Guard(address, port).token
