"""`scrapy dedup sites`: list what is known of whole sites; pin or withdraw rules."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.settings import Settings
from dedup_middleware.text import quantity, warn

from . import _arguments, _stores
from ._listing import Column, Listing
from ._screen import Screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.sites import Found

MOST = 50
_FEW = 5
_COLUMNS: Sequence[Column[Found]] = (
    Column("what", lambda one: one.what),
    Column("pages", lambda one: one.pages),
    Column("new", lambda one: one.new),
    Column("name", lambda one: one.name, is_long=True),
    Column("host", lambda one: one.host, is_data=True),
    Column("about", lambda one: one.about, below=True, style="dim"),
    Column("example", lambda one: _url(one, 0), below=True, mark="e.g. "),
    Column("other", lambda one: _url(one, 1), below=True, mark="and "),
    Column("facts", lambda one: one.facts, str, is_data=True),
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "pin", "withdraw"),
        default="list",
        help="list (default): rules, mirrors, walls and shapes of URLs with what they rest on; "
        "pin: let a rule hold whatever pages show, or a mirror be skipped; withdraw: let a rule "
        "never hold",
    )
    parser.add_argument(
        "rule", nargs="*", metavar="RULE", help="with pin and withdraw: its name, or a part of it"
    )
    _arguments.add_store(parser)
    parser.add_argument("--host", type=_arguments.host, help="this host and its sub-domains")
    parser.add_argument(
        "--what", choices=("rule", "mirror", "wall", "shape"), help="with list: only these"
    )
    _arguments.add_limit(parser, "rules, mirrors, walls and shapes each", MOST)
    _arguments.add_formats(parser, "print each finding as a line of JSON")


def run(opts: Namespace, settings: BaseSettings) -> int:
    _check(opts)
    out = Screen.of(opts)
    store = _stores.store_of_options(opts, out)
    if opts.action == "list":
        return _list(store, opts, out)
    return _change(store, Settings.from_scrapy(settings).map_size, opts, out)


def _check(opts: Namespace) -> None:
    is_change = opts.action in ("pin", "withdraw")
    if is_change != bool(opts.rule):
        verb = "needs the name of a rule" if is_change else "takes no rule"
        opts.parser.error(f"{opts.action} {verb}")
    for name in ("what", "csv"):
        if getattr(opts, name) and opts.action != "list":
            opts.parser.error(f"--{name} goes with list")


def _list(store: Path | str, opts: Namespace, out: Screen) -> int:
    """List what was learned: of each kind what rests on most pages."""
    from dedup_middleware.inspect.sites import WHATS, Top, sites_in

    every = {what: Top(opts.limit) for what in WHATS if opts.what in (None, what)}
    for one in _found(store, opts.host):
        if one.what in every:
            every[one.what].add(one)
    shown = Listing(_COLUMNS, chain.from_iterable(every.values())).write(out)
    more = [quantity(top.more, f"more {what}") for what, top in every.items() if top.more]
    if more:
        warn(f"{', '.join(more)}: raise --limit")
    if not shown:
        hosts = [site.host for site in sites_in(store)]
        others = f", only about {', '.join(hosts[:_FEW])}{' and others' * (len(hosts) > _FEW)}"
        learn = ': crawls learn while they run, unless DEDUP_SKIP is "off"; scans don\'t'
        about = opts.host or (f"a {opts.what}" if opts.what else "sites")
        warn(f"Nothing is known about {about}{others if hosts else learn}")
    return 0


def _url(one: Found, number: int) -> str:
    return "".join(one.examples[number : number + 1])


def _change(store: Path | str, map_size: int, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.sites import Sites
    from dedup_middleware.store import open_reader

    one = _named(" ".join(opts.rule), [one for one in _found(store, opts.host) if one.rule])
    assert one.rule  # noqa: S101  # see above
    with open_reader(store, map_size=map_size, write=True) as reader:
        sites = Sites(reader)
        (sites.pin if opts.action == "pin" else sites.withdraw)(one.rule)
        sites.flush()
    place = _stores.name_of(store, brief=False)
    done = "holds from now on" if opts.action == "pin" else "never holds again"
    facts = {"store": place, "action": opts.action, "rule": one.name}
    out.answer(facts, f"{one.name} {done}.")
    return 0


def _named(name: str, known: Sequence[Found]) -> Found:
    """Return what a person names, by its whole name or by a part that nothing else has."""
    part = name.lower()
    same = [one for one in known if name in _names(one)]
    holding = same or [one for one in known if any(part in own.lower() for own in _names(one))]
    if len(holding) == 1:
        return holding[0]
    if holding:
        some = "; ".join(one.name for one in holding[:_FEW])
        more = f" and {len(holding) - _FEW:,} more" if len(holding) > _FEW else ""
        raise DedupError(f"{name!r} may be one of these: {some}{more}. Name it in full")
    close = get_close_matches(name, [own for one in known for own in _names(one)], 1, 0.5)
    hint = f"; did you mean {close[0]!r}?" if close else "; `scrapy dedup sites` lists them"
    raise DedupError(f"There is no rule {name!r}{hint}")


def _names(one: Found) -> tuple[str, ...]:
    """Return the names in the list and in journals; they differ for traps."""
    return (one.name, one.rule.key) if one.rule else (one.name,)


def _found(store: Path | str, host: str | None) -> Iterator[Found]:
    from dedup_middleware.inspect.sites import found_on, sites_in

    return (one for site in sites_in(store, host) for one in found_on(site))
