"""What is learned about whole sites while they are crawled, and what need not be fetched."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

from dedup_middleware.text import quantity

from .book import Observation
from .observer import Links, Observer
from .parsed import ALL, TOGGLES, parse
from .shelf import Forms, Shelf, form_key, hash_of, is_alike, variant_of
from .values import SEND, Decision, Fetched, Notice, Rule
from .walls import Swallowed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dedup_middleware.store import Reader, Store

    from .book import Book
    from .parsed import Parsed
    from .rules import Evidence
    from .shelf import OpenBook
    from .walls import TextCounts

PAGES_AT_ONCE = 256
"""Pages after which what was learned is written."""


class Sites:
    """What is known of the hosts of a store.

    Use it from one thread. `observe` tells it about each page that was judged, `consider` asks it
    about each request before that is sent.
    """

    def __init__(
        self,
        store: Store | Reader,
        *,
        explore: float = 0.05,
        salt: str = "",
        shape_budget: int | None = None,
    ) -> None:
        """Begin with what a store knows.

        `salt` names the crawl, also when it is resumed; without one, that is the run of the store.
        """
        self._salt = salt or str(getattr(store, "run", ""))
        self._crawl = hash_of(self._salt) or 1
        self._explore = explore
        self._shape_budget = shape_budget
        self._forms = Forms(store.engine, self._crawl)
        self._shelf = Shelf(store.engine)
        self._observer = Observer(self._forms, self._crawl)
        self._links = Links()
        self._swallowed = Swallowed()
        self._later: list[Notice] = []
        """Notices of what was learned when it was written."""
        self._pages = 0

    def followed(self, fetched: Fetched, links: Iterable[str]) -> Fetched:
        """Return a page with what is known of the links that a spider follows from it.

        Call it before `observe`, once for each page.
        """
        url = parse(fetched.url)
        if url is None:
            return fetched
        book, page = self._shelf.open(url.host).book, self._observer.page(fetched.page)
        return self._links.followed(book, url, fetched, page, links)

    def observe(self, fetched: Fetched) -> list[Notice]:
        """Learn from a page that was judged; return what people should be told."""
        notices, self._later = self._later, []
        is_repeat = self._observer.is_repeat(fetched)
        warning = self._swallowed.count(fetched, is_repeat=is_repeat)
        url = parse(fetched.url)
        if warning:
            host = url.host if url else ""
            notices.append(Notice("swallowed", host, warning, urls=(fetched.url,)))
        if url is None:
            return notices
        opened = self._shelf.open(url.host)
        opened.arrive(fetched.url)
        seen = self._observer.observe(opened.book, url, fetched, is_repeat=is_repeat)
        opened.since.append(seen)
        found = opened.book.apply(seen)
        self._pages += 1
        if self._pages >= PAGES_AT_ONCE or any(
            one.what in ("rule", "refuted", "mirror") for one in found
        ):
            self.flush()
        return notices + found

    def consider(self, url: str) -> Decision:
        """Return what should be done with a request before it is sent.

        No store is asked unless a rule matches the URL, or nothing was asked of its host before.
        """
        parsed = parse(url)
        if parsed is None:
            return SEND
        opened = self._shelf.open(parsed.host)
        book = opened.book
        if not book.is_quiet and url not in opened.on_their_way:
            found = self._by_rule(opened, parsed) or self._by_mirror(book, parsed)
            if found is not None:
                return found
        budget = self._shape_budget
        if budget is not None and opened.sent[parsed.shape] >= budget:
            rule = Rule(parsed.host, "budget", parsed.shape, values=budget)
            reason = f"{quantity(budget, 'page')} of {parsed.shape} were requested"
            return Decision("skip", rule, reason=reason)
        return self._by_shape(opened, url, parsed)

    def wall(self, fetched: Fetched) -> TextCounts | None:
        """Return the wall that a page shows, if its text is known as one."""
        url = parse(fetched.url)
        return self._shelf.open(url.host).book.wall(fetched) if url else None

    def sent(self, url: str) -> None:
        """Note that a request was sent: its canonical form is on its way."""
        parsed = parse(url)
        if parsed is not None:
            opened = self._shelf.open(parsed.host)
            opened.send(url, parsed)
            if self._shape_budget is not None:
                opened.sent[parsed.shape] += 1

    def usual_size(self, url: str) -> int:
        """Return how many bytes pages of a URL's shape have on average; 0 if none was fetched."""
        parsed = parse(url)
        shape = parsed and self._shelf.open(parsed.host).book.shapes.get(parsed.shape)
        return shape.size // shape.fetched if shape and shape.fetched else 0

    def failed(self, url: str) -> None:
        """Note that a request brought no page: its canonical form is free again."""
        parsed = parse(url)
        if parsed is not None:
            opened = self._shelf.open(parsed.host)
            opened.arrive(url)
            form, _ = opened.book.rules.apply(parsed)
            keys = [form_key(parsed.host, form.normal)]
            keys += (
                form_key(parsed.host, thing.rest, thing.kind, thing.name)
                for thing in form.things(parsed)
            )
            page = self._observer.page(url)
            self._forms.lose(parsed, keys, page)
            self._observer.urls.pop(page, None)

    def flush(self) -> None:
        """Write what was learned into the store; call it now and then, and at the end."""
        self._pages = 0
        for written, old in self._forms.flush(lambda host: self._shelf.open(host).is_kept):
            opened = self._shelf.open(written.url.host)
            vote = self._observer.vote(opened.book, written, old)
            if vote:
                seen = Observation(written.url, votes=(vote,))
                opened.since.append(seen)
                self._later += opened.book.apply(seen)
        self._shelf.save()

    def overview(self, host: str | None = None) -> Iterator[Book]:
        """Yield what the store knows of each host, or of one; in a crawl, call `flush` first."""
        if host is None:
            yield from self._shelf.scan()
            return
        opened = self._shelf.open(host.removeprefix("www."))
        if opened.data is not None:
            yield opened.book

    def pin(self, rule: Rule) -> None:
        """Let a rule hold, whatever pages show. One of kind `mirror` is skipped then."""
        self._shelf.change(rule.host, lambda book: book.decide(rule, holds=True))

    def withdraw(self, rule: Rule) -> None:
        """Let a rule never hold again."""
        self._shelf.change(rule.host, lambda book: book.decide(rule, holds=False))

    def _by_rule(self, opened: OpenBook, url: Parsed) -> Decision | None:
        """Decide about a URL whose canonical form was fetched, or is on its way.

        One that no rule would change is sent: it is cleaner than what was fetched, and may link to
        what a view for printers, say, does not.
        """
        rules = opened.book.rules
        if not rules:
            return None
        form, used = rules.apply(url)
        shown = self._stands_for(opened, url, form, used) if used else None
        if shown is None:
            return None
        alike, other = shown
        used = [one for one in used if not TOGGLES.get(one.kind, 0) & alike] or used[:1]
        rule = used[0].rule(url.host)
        reason = f"{other or form.url} shows the same page, and was fetched or is on its way"
        untrusted = next((one for one in used if not one.trusts(url.scope)), None)
        if untrusted:
            reason = f"The rule {rule.key} was not verified yet in {url.part}"
            return Decision("send", rule, form.url, other, explored=True, reason=reason)
        return self._skip(url, rule, form.url, other, reason, used[0].looks)

    def _stands_for(
        self, opened: OpenBook, url: Parsed, form: Parsed, used: list[Evidence]
    ) -> tuple[int, str] | None:
        """Return the toggles in which a URL and one that stands for it are alike, and that one.

        The rules about these toggles need not be right. The other URL is empty if it is not known.
        Return None if no such URL was fetched or is on its way.
        """
        rules = opened.book.rules
        sent = opened.on_its_way(form)
        if sent:
            alike = {other: ALL & ~(url.variant.flags ^ flags) for other, flags in sent.items()}
            nearest = max(alike, key=lambda other: alike[other].bit_count())
            return alike[nearest], nearest
        keys = [form_key(url.host, form.normal)]
        keys += (
            form_key(url.host, form.without(one.name), "parameter", one.name)
            for one in used
            if one.kind == "parameter"
        )
        keys += (
            form_key(url.host, form.normal, "session", one.name)
            for one in used
            if one.kind == "session"
        )
        for known in self._forms.find(url.host, keys):
            is_same = is_alike(url.variant, variant_of(known), rules.mask)
            if is_same and known.crawl == self._crawl:
                alike_in = ALL & ~(url.variant.flags ^ known.flags)
                return alike_in, self._observer.urls.get(known.page, "")
        return None

    def _by_mirror(self, book: Book, url: Parsed) -> Decision | None:
        """Decide about a page of a mirror whose original was fetched, or is on its way."""
        for mirror in book.mirrors.values():
            other = mirror.other(url) if mirror.skips else None
            there = parse(other) if other else None
            if there is None:
                continue
            opened = self._shelf.open(there.host)
            form, _ = opened.book.rules.apply(there)
            keys = (form_key(there.host, form.normal),)
            shown = [
                *opened.on_its_way(form),
                *(
                    self._observer.urls.get(known.page, "")
                    for known in self._forms.find(there.host, keys)
                    if known.crawl == self._crawl
                ),
            ]
            if shown:
                reason = " is a mirror of ".join(mirror.below())
                return self._skip(url, mirror.rule(url.host), there.url, shown[0], reason)
        return None

    def _skip(
        self, url: Parsed, rule: Rule, canonical: str, shown: str, reason: str, looks: int = 0
    ) -> Decision:
        """Skip a request, unless it is one of those that are sent to look.

        Of a rule with n votes and looks, at least one in n is: what is wrong with it shows early.
        """
        digest = blake2b(f"{self._salt}\n{url.url}".encode("utf-8", "surrogatepass"), digest_size=8)
        share = self._explore
        if share and rule.state != "pinned":
            share = max(share, 1 / max(rule.votes + looks, 1))
        explored = int.from_bytes(digest.digest(), "big") < share * 2**64
        action: Literal["send", "skip"] = "send" if explored else "skip"
        return Decision(action, rule, canonical, shown, explored=explored, reason=reason)

    def _by_shape(self, opened: OpenBook, url: str, parsed: Parsed) -> Decision:
        """Decide about a URL whose shape shows nothing new."""
        book = opened.book
        shape = book.shapes.get(parsed.shape)
        if shape is None or not (shape.steps or shape.left):
            return SEND
        rule = book.trap(shape)
        if rule.state == "withdrawn":
            return SEND
        if not shape.left:
            what = "lead deeper only" if shape.growing > shape.stale else "show nothing new"
            reason = f"Pages like {shape.pattern} {what}"
            return Decision("demote", rule, steps=shape.steps, reason=reason)
        reason = f"The last {shape.copies} pages like {shape.pattern} showed nothing new"
        if url in opened.on_their_way or shape.is_look():
            return Decision("send", rule, explored=True, reason=reason)
        return Decision("skip", rule, steps=shape.steps, reason=reason)
