"""The real `scrapy dedup …`, in processes of its own."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import HOSTILE, scrapy, table_rows, texts
from tests.support.decisions import add_decisions, near
from tests.support.patience import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

PARAGRAPHS = """\
The harbour froze over in the first week of January, and the ferry stayed at its berth while men \
with poles and saws cut a channel that closed again behind them every night.
Bread came over the ice on sledges. The baker's daughter counted the loaves by lamplight and wrote \
each name down, because nobody could say how long the flour would have to last.
When the thaw arrived it came from below: the ice turned grey, then black, and one morning the \
whole sheet moved out to sea with a sledge, two buoys and somebody's hat on it.""".splitlines()
OTHER = """\
A copper kettle should be cleaned with vinegar and salt, never with sand, however much the older \
manuals praise it; sand leaves scratches in which verdigris settles within a week.
Rinse it twice, dry it over a low flame, and rub it with a cloth that has held wax.""".splitlines()


def html(*paragraphs: str) -> str:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return f"<!doctype html><title>A page</title><main>{body}</main>"


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with pages and a feed, some of them damaged, that was scanned once."""
    place = tmp_path_factory.mktemp("scanned")
    pages = place / "pages"
    (pages / "deeper").mkdir(parents=True)
    (pages / ".hidden").mkdir()
    (pages / "a.html").write_text(html(*PARAGRAPHS))
    (pages / "b.htm").write_text(html(*PARAGRAPHS))
    more = html(*PARAGRAPHS, "Last updated on 3 May 2024").encode()
    (pages / "deeper" / "c.html.gz").write_bytes(gzip.compress(more))
    (pages / "deeper" / "torn.html.gz").write_bytes(gzip.compress(more)[:-20])
    (pages / "readme.txt").write_text("not a page")
    (pages / ".hidden" / "d.html").write_text(html(*PARAGRAPHS))
    lines = [
        json.dumps({"url": "https://a.example/kettle?b=2&a=1", "html": html(*OTHER)}),
        json.dumps({"url": HOSTILE, "html": html(*OTHER)}),
        '{"url": "https://a.example/torn", "ht',
        json.dumps({"html": "no address"}),
        json.dumps({"url": "https://a.example/no-content"}),
        "[" * 100_000,
        json.dumps({"url": "https://sub.a.example/text", "text": PARAGRAPHS[1] + OTHER[0]}),
    ]
    feed = "\n".join(lines).encode() + b"\n\xff\xfe\n"
    (place / "feed.jsonl").write_bytes(feed)
    stored = gzip.compress(feed, compresslevel=0)
    (place / "torn.jl.gz").write_bytes(stored[: stored.index(b'{"html"')])
    return place


@pytest.fixture(scope="module")
def scanned(place: Path) -> tuple[str, str]:
    done = scrapy("scan", "pages", "feed.jsonl", "torn.jl.gz", cwd=place)
    out, err = texts(done)
    assert done.returncode == 0, err
    return out, err


def test_scan_tells_what_it_found(place, scanned):
    out, _ = scanned
    header, *rows = table_rows(out)
    assert header == ["verdict", "action", "score", "page", "original", "reason"]
    uri = (place / "pages").resolve().as_uri()
    assert [(row[0], row[3], row[4]) for row in rows] == [
        ("exact", f"{uri}/b.htm", f"{uri}/a.html"),
        ("near", f"{uri}/deeper/c.html.gz", f"{uri}/a.html"),
        (
            "exact",
            r"https://a.example/\x1b[2Jcleared\n\u202egnp.exe",
            "https://a.example/kettle?b=2&a=1",
        ),
        ("contained", "https://sub.a.example/text", "https://a.example/kettle?b=2&a=1"),  # kept
    ]
    summary = dict(line.split(None, 1) for line in out.splitlines() if line and "\t" not in line)
    assert summary["Pages"].startswith("8 in ")
    assert summary["unchanged"] == "2"
    assert (summary["unique"], summary["exact"], summary["Dropped"]) == ("2", "2", "5")
    assert summary["Problems"].startswith("8,")
    assert summary["Skipped"].startswith("1 ")
    command, rest = summary["Next"].split(" ", 1)
    assert rest == "dedup drops"
    assert command == "scrapy" or (place / command).is_file()
    assert (place / summary["Journal"]).parent == place / summary["Store"] / "journal"
    assert summary["Store"].startswith(".scrapy/dedup/scan/")


def test_scan_says_where_it_could_not_read(scanned):
    _, err = scanned
    problems = err.splitlines()
    starts = [
        "pages/deeper/torn.html.gz: broken compression: ",
        "feed.jsonl:3: not JSON: ",
        "feed.jsonl:4: no url",
        "feed.jsonl:5: neither html nor text",
        "feed.jsonl:6: not readable as JSON: nested too deep",
        "feed.jsonl:8: not UTF-8: ",
        "torn.jl.gz:3: not JSON: ",
        "torn.jl.gz:4: broken compression: ",
    ]
    for problem, start in zip(problems, starts, strict=True):
        assert problem.startswith(start)
        assert problem.endswith("skipped")


def test_drops_lists_the_newest_scan(place, scanned):
    done = scrapy("drops", cwd=place)
    out, err = texts(done)
    assert done.returncode == 0
    assert err.startswith("Store: .scrapy/dedup/scan/")
    _, *rows = table_rows(out)
    assert [row[0] for row in rows] == ["exact", "near", "exact", "unchanged", "unchanged"]
    assert rows[0][1] == "1.00"
    assert rows[1][1] == "1.00", "nothing of it would be lost but a date of edit"
    assert "4 of 5 sentences (80%) also appear there" in rows[1][4]


def test_drops_filters_and_prints_the_lines_of_the_journal(place, scanned):
    journal = next((place / ".scrapy/dedup/scan").glob("*/journal/*.jsonl"))
    query = ("--verdict", "exact,unique", "--host", "A.example", "--original", "https://a.exa")
    done = scrapy("drops", "--json", *query, cwd=place)
    out, err = texts(done)
    assert done.returncode == 0
    assert [json.loads(line)["url"] for line in out.splitlines()] == [HOSTILE]
    assert f"{out.strip()}\n".encode() in journal.read_bytes()
    assert err.startswith("Store: ")
    done = scrapy("drops", "--host", "b.example", cwd=place)
    out, err = texts(done)
    assert (done.returncode, out) == (0, "")
    assert "No decision matches" in err


def test_show_tells_why_and_who_was_replaced(place, scanned):
    done = scrapy("show", "https://A.example/kettle?a=1&b=2#lid", cwd=place)
    out, _ = texts(done)
    assert done.returncode == 0
    assert out.startswith("https://a.example/kettle?b=2&a=1\n")
    assert "verdict    unchanged: its text is the same as when" in out
    assert "Decided once before" in out
    assert "Dropped in favour of it: 1\n" in out
    assert r"  exact      https://a.example/\x1b[2Jcleared\n\u202egnp.exe" in out
    near = (place / "pages/deeper/c.html.gz").resolve().as_uri()
    out, _ = texts(scrapy("show", near, cwd=place))
    for word in ("near: ", "drop", "a.html", "stage"):
        assert word in out
    done = scrapy("show", near, "--json", cwd=place)
    told = json.loads(texts(done)[0])
    assert told["decisions"][0]["verdict"] == "near"
    assert "containment" in told["decisions"][0]["scores"]
    assert told["dropped_in_favour"] == {"count": 0, "first": []}


def test_show_says_where_to_look_for_a_url_that_nobody_knows(place, scanned):
    done = scrapy("show", "https://a.example/kettles\x1b[0m", cwd=place)
    out, err = texts(done)
    assert (done.returncode, out) == (1, "")
    headline, hint = err.splitlines()[1:]
    assert headline == r"There is no decision about https://a.example/kettles\x1b[0m"
    assert hint.startswith("`scrapy dedup drops --action all")


@pytest.mark.parametrize("near", ["tag", "drop"])
def test_near_copies_of_other_sites_are_kept_and_counted_unless_a_setting_says_otherwise(
    near, tmp_path
):
    sources = {"a": PARAGRAPHS, "b": [*PARAGRAPHS, "Last updated on 3 May 2024"]}
    lines = [{"url": f"https://{host}.example/", "html": html(*sources[host])} for host in sources]
    (tmp_path / "feed.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    chosen = ["-s", 'DEDUP_CROSS_HOST={"near": "drop"}'] if near == "drop" else []
    out, _ = texts(scrapy("scan", "feed.jsonl", *chosen, cwd=tmp_path))
    kept = "Other sites  1 kept though they repeat pages of other sites (DEDUP_CROSS_HOST)"
    assert (kept in out.splitlines()) == (near == "tag")
    assert f"Dropped      {int(near == 'drop')}" in out.splitlines()
    shown, _ = texts(scrapy("stats", "--json", cwd=tmp_path))
    assert sum(json.loads(line)["other_sites"] for line in shown.splitlines()) == (near == "tag")


def test_settings_come_from_the_command_line_as_strings(place, tmp_path):
    done = scrapy(
        "scan",
        place / "pages",
        *("--store", tmp_path / "store", "--journal", tmp_path / "j.jsonl", "--json"),
        *("-s", 'DEDUP_ACTIONS={"near": "tag"}', "-s", "DEDUP_JOURNAL_DETAIL=matches"),
        *("-s", "DEDUP_MAX_LOSS=0.7", "-s", "DEDUP_MIN_WORDS=10"),
        cwd=tmp_path,
    )
    out, err = texts(done)
    assert done.returncode == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["verdict"], line["action"]) for line in lines] == [
        ("exact", "drop"),
        ("near", "tag"),
    ]
    written = [json.loads(line) for line in (tmp_path / "j.jsonl").read_text().splitlines()]
    changing = {"time": "", "ms": 0}
    assert [{**line, **changing} for line in lines] == [{**line, **changing} for line in written]
    assert err.endswith("scrapy dedup drops\n")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["scan", "absent.html", "."], 2, "absent.html: No such file or directory"),
        (["scan", ".", "-s", "DEDUP_MIN_WRODS=3"], 2, "did you mean DEDUP_MIN_WORDS?"),
        (["scan", ".", "--bogus"], 2, "unrecognized arguments: --bogus"),
        (["drops"], 1, "`scrapy dedup scan PATH…`"),
        (["scan", ".", "--store", "taken"], 1, "holds no dedup store"),
        (["scan", "."], 1, "No page was judged"),
    ],
)
def test_what_a_user_gets_wrong(tmp_path, args, code, message):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file.txt").touch()
    done = scrapy(*args, cwd=tmp_path)
    _, err = texts(done)
    assert done.returncode == code
    assert message in err
    if code == 2:
        assert not (tmp_path / ".scrapy").exists()


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    many = (near(f"https://a.example/{'x' * 5000}/{number}", (0.9, 0.9)) for number in range(99))
    add_decisions(tmp_path / "store", *(one.entry for one in many))
    command = [sys.executable, "-m", "scrapy", "dedup", "drops", "--store", "store"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=PATIENCE) == 141


def test_on_a_terminal_there_is_a_bar_and_ctrl_c_ends_with_a_summary(tmp_path):
    with (tmp_path / "feed.jsonl").open("w") as feed:
        for number in range(30_000):
            text = " ".join(f"word{number * 7 + at * at}" for at in range(60))
            feed.write(json.dumps({"url": f"https://a.example/{number}", "text": text}) + "\n")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    command = [sys.executable, "-m", "scrapy", "dedup", "scan", "feed.jsonl"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    bar = b""
    while b" pages (" not in bar:
        bar += os.read(ours, 65536)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    os.close(ours)
    assert b"0 dropped" in bar
    assert process.returncode == 130
    assert out.startswith(b"Interrupted")
    assert b"\nPages " in out
