"""The tokenizer of the HTML standard, reduced to what matters for visible text.

Comments, doctypes and processing instructions vanish; text between two tags is one event. This is
the twin of `native/src/tokens.rs`: both give the same events for every input.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .references import decoded, decoded_value
from .tags import BREAKOUT, ESCAPABLE, FOREIGN, RAW

TEXT: Final = 0
START: Final = 1
EMPTY: Final = 2  # a start tag that ends with "/>"
END: Final = 3


class Event(NamedTuple):
    """A run of text, a start tag or an end tag."""

    kind: int
    text: str
    """The text, or the name of the element in lower case."""
    attributes: tuple[tuple[str, str], ...] = ()


class Events(NamedTuple):
    """What a page consists of, and how much work it was to find out."""

    events: list[Event]
    work: int
    """Characters looked at and steps taken."""


_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ\0", "abcdefghijklmnopqrstuvwxyz\ufffd")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_NAME = re.compile(r"[^\t\n\f />]*")
# A gap, then the end of the tag or an attribute. A quote that is never closed reaches to the end of
# the page, where the tag is dropped.
_PART = re.compile(
    r"""([\t\n\f /]*)(?:(>)|([^\t\n\f />][^\t\n\f />=]*)"""
    r"""(?:[\t\n\f ]*=[\t\n\f ]*(?:"([^"]*)"?|'([^']*)'?|([^\t\n\f >"'][^\t\n\f >]*)?))?)?"""
)
_CLOSE, _KEY = 2, 3  # groups of it; a value is in one of the last three
_COMMENT_END = re.compile(r"--!?>")
# Browsers with scripts take what stands in a noscript for text, up to its end: so that ends what
# else is text in it, with or without an end tag of its own.
_RAW_END, _RAW_END_IN_NOSCRIPT = (
    {
        name: re.compile(rf"</(?:{name}{also})(?=[\t\n\f />])", re.IGNORECASE | re.ASCII)
        for name in RAW
    }
    for also in ("", "|noscript")
)
_SCRIPT = re.compile(r"<!--|-->|<(/?)script[\t\n\f />]", re.IGNORECASE | re.ASCII)


def tokens(html: str) -> Events:
    """Return the text and the tags of a page."""
    text = joined_surrogates(html).replace("\r\n", "\n").replace("\r", "\n")
    return _Tokenizer(text).run()


def joined_surrogates(html: str) -> str:
    r"""Return a page whose halves of characters are joined, and replaced if they are alone.

    >>> joined_surrogates("a\ud83d\ude00b\ud83d")
    'a😀b\ufffd'
    """
    try:
        html.encode()
    except UnicodeEncodeError:
        return html.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return html


class _Tokenizer:
    """One pass over a page; each method begins at a position and returns the next one."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.events: list[Event] = []
        self.parts: list[str] = []  # of the text since the last tag
        self.foreign = ""  # "svg" or "math" inside of one
        self.noscript = False  # inside of one
        self.work = 0

    def run(self) -> Events:
        html = self.html
        at = 0
        while at < len(html):
            end = self._find("<", at, 0)
            self._text(self._decoded(html[at:end]))
            at = self._markup(end) if end < len(html) else end
        self._flush()
        return Events(self.events, self.work)

    def _find(self, what: str, at: int, beyond: int) -> int:
        """Return where a text begins, plus `beyond`, or the end of the page."""
        found = self.html.find(what, at)
        end = found + beyond if found >= 0 else len(self.html)
        self.work += end - at + 1
        return end

    def _search(self, what: re.Pattern[str], at: int) -> re.Match[str] | None:
        found = what.search(self.html, at)
        self.work += (found.end() if found else len(self.html)) - at + 1
        return found

    def _text(self, text: str) -> None:
        if text:
            self.parts.append(text)

    def _decoded(self, text: str) -> str:
        self.work += len(text)
        return decoded(text)

    def _flush(self) -> None:
        if self.parts:
            self.events.append(Event(TEXT, "".join(self.parts)))
            self.parts.clear()

    def _markup(self, at: int) -> int:
        """Read what begins with "<"."""
        html = self.html
        first, second = html[at + 1 : at + 2], html[at + 2 : at + 3]
        if first in _LETTERS:
            return self._tag(at + 1, START)
        if first == "/" and second in _LETTERS:
            return self._tag(at + 2, END)
        if first == "!":
            return self._declaration(at + 2)
        if first == "?" or (first == "/" and second):
            return self._find(">", at + 2, 1)
        literal = "</" if first == "/" else "<"
        self._text(literal)
        return at + len(literal)

    def _declaration(self, at: int) -> int:
        html = self.html
        if html.startswith("--", at):
            for short in (">", "->"):
                if html.startswith(short, at + 2):
                    return at + 2 + len(short)
            found = self._search(_COMMENT_END, at + 2)
            return found.end() if found else len(html)
        if self.foreign and html.startswith("[CDATA[", at):
            end = self._find("]]>", at + 7, 0)
            self._text(html[at + 7 : end])
            return end + 3
        return self._find(">", at, 1)

    def _tag(self, at: int, kind: int) -> int:
        html = self.html
        name, begin = "", at
        if found := _NAME.match(html, at):
            name, at = found[0].translate(_LOWER), found.end()
        attributes: dict[str, str] = {}
        gap, last = "", 0
        for found in _PART.finditer(html, at):
            self.work += 1
            gap, last, at = found[1], found.lastindex or 0, found.end()
            if last < _KEY:
                break
            key = found[_KEY].translate(_LOWER)
            attributes.setdefault(key, found[last] if last > _KEY else "")
        self.work += at - begin
        if last != _CLOSE:  # the tag never ends
            return at
        self._flush()
        if name == "noscript":
            self.noscript = kind == START
        if kind == END:
            self.events.append(Event(END, name))
            if name == self.foreign:
                self.foreign = ""
            return at
        empty = gap.endswith("/")
        values = tuple((key, decoded_value(value)) for key, value in attributes.items())
        self.events.append(Event(EMPTY if empty else START, name, values))
        return self._content(at, name, empty=empty)

    def _content(self, at: int, name: str, *, empty: bool) -> int:
        """Begin what a start tag announces: SVG or MathML, or text without tags."""
        if self.foreign:
            if name in BREAKOUT or name == "foreignobject":
                self.foreign = ""
        elif name in FOREIGN:
            self.foreign = "" if empty else name
        elif name in RAW:
            return self._raw(at, name)
        return at

    def _raw(self, at: int, name: str) -> int:
        """Read the text of an element in which there are no tags."""
        end = len(self.html)
        if name == "script":
            end = self._script_end(at)
        elif name != "plaintext":
            ends = _RAW_END_IN_NOSCRIPT if self.noscript else _RAW_END
            found = self._search(ends[name], at)
            end = found.start() if found else end
        text = self.html[at:end].replace("\0", "\ufffd")
        self._text(self._decoded(text) if name in ESCAPABLE else text)
        return end

    def _script_end(self, at: int) -> int:
        """Return where a script ends: not inside `<!-- <script> … </script> -->`."""
        escaped = doubly = False
        while found := self._search(_SCRIPT, at):
            at = found.end()
            if found[0] == "<!--":
                escaped, at = True, at - 2  # "<!-->" is an end as well
            elif found[0] == "-->":
                escaped = doubly = False
            elif found[1] and not doubly:
                return found.start()
            else:
                doubly = escaped and not found[1]
        return len(self.html)
