"""Pages that are restored through the server."""

from __future__ import annotations

from pathlib import Path

from dedup_middleware.commands._arguments import login_name
from dedup_middleware.inspect.overrides import restored_in
from tests.support.serving import row_of


def test_restore(server, folder, monkeypatch):
    monkeypatch.chdir(folder)
    url, original = "https://a.example/1/edited", "https://a.example/1"
    run, seq = row_of(server.rows(), url)
    which = {"run": run, "seq": seq}
    for headers in (
        {"x_dedup_token": None},
        {"x_dedup_token": ""},
        {"x_dedup_token": "wrong"},
        {"x_dedup_token": "ünknown".encode().decode("latin-1")},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{server.port}"},
        {"origin": "http://127.0.0.1:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"host": f"evil.example:{server.port}"},
    ):
        reply = server.post("restore", which, **headers)
        assert reply.status == (421 if "host" in headers else 403), headers
        assert reply.json["error"]
    assert restored_in(Path("store")).all == ()
    reply = server.post("restore", which)
    assert reply.status == 200
    assert reply.json == {
        "message": f"{url} passes from now on, and never matches {original} again"
    }
    (one,) = restored_in(Path("store")).all
    assert (one.url, one.original, one.by) == (url, original, login_name("viewer"))
    assert server.rows()["restored"] == [[url, original]]
    # people's own tools send neither Origin nor Sec-Fetch-Site
    again = server.post("restore", which, origin=None, sec_fetch_site=None)
    assert again.json == {"message": f"{url} was restored before"}
    unique = dict(zip(("run", "seq"), row_of(server.rows(), original), strict=True))
    refused = server.post("restore", unique)
    assert refused.status == 409
    assert "was not dropped" in refused.json["error"]
