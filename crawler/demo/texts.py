"""Real text that is on every machine: the documentation strings of the standard library."""

from __future__ import annotations

import importlib
import inspect
import re
import types
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

# In every Python from 3.10 to 3.14; importing them shows nothing, opens nothing and warns of
# nothing. What a platform lacks is left out.
MODULES = """
    abc argparse array ast asyncio base64 bdb binascii bisect builtins bz2 calendar cmd code codecs
    collections collections.abc colorsys concurrent.futures configparser contextlib contextvars copy
    csv ctypes dataclasses datetime decimal difflib dis doctest email.charset email.header
    email.headerregistry email.message email.mime.text email.parser email.policy email.utils enum
    fileinput filecmp fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib
    gzip hashlib heapq hmac html html.parser http.client http.cookiejar http.cookies http.server
    imaplib importlib.abc importlib.machinery importlib.metadata importlib.resources importlib.util
    inspect io ipaddress itertools json keyword linecache locale logging logging.config
    logging.handlers lzma mailbox marshal math mimetypes mmap modulefinder multiprocessing.managers
    multiprocessing.pool multiprocessing.shared_memory netrc numbers operator optparse os os.path
    pathlib pdb pickle pickletools pkgutil platform plistlib poplib posixpath pprint profile pstats
    pyclbr pydoc queue quopri random re reprlib runpy sched secrets select selectors shelve shlex
    shutil signal site smtplib socket socketserver sqlite3 ssl stat statistics string stringprep
    struct subprocess symtable sys sysconfig tabnanny tarfile tempfile textwrap threading time
    timeit tokenize trace traceback tracemalloc types typing unicodedata unittest unittest.mock
    urllib.error urllib.parse urllib.request urllib.response urllib.robotparser uuid warnings wave
    weakref wsgiref.handlers wsgiref.headers wsgiref.simple_server wsgiref.util wsgiref.validate
    xml.dom.minidom xml.dom.pulldom xml.etree.ElementTree xml.sax.handler xml.sax.saxutils
    xml.sax.xmlreader xmlrpc.client xmlrpc.server zipapp zipfile zipimport zlib zoneinfo
""".split()

_DOCUMENTED = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    classmethod,
    staticmethod,
    property,
)
_SHORTEST = 8
_WORD = re.compile(r"\w+")
_RUN = 4
_MOST_KNOWN = 0.1


class NoTexts(RuntimeError):
    """This Python has no documentation strings, or not enough of them."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph that stands nowhere else in the corpus."""

    text: str
    code: bool = False

    @property
    def words(self) -> int:
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Section:
    """What is said about one module, class or function."""

    name: str
    paragraphs: tuple[Paragraph, ...]

    @property
    def words(self) -> int:
        return sum(paragraph.words for paragraph in self.paragraphs)


@dataclass(frozen=True, slots=True)
class Text:
    """Some sections under a title, long enough for an article."""

    title: str
    sections: tuple[Section, ...]

    @property
    def words(self) -> int:
        return sum(section.words for section in self.sections)


@cache
def corpus() -> tuple[tuple[str, tuple[Section, ...]], ...]:
    """Gather the sections of all modules; no run of text stands in two of them."""
    known: set[tuple[str, ...]] = set()
    found: list[tuple[str, tuple[Section, ...]]] = []
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        sections = []
        for title, doc in _docs(module):
            paragraphs = tuple(_new_paragraphs(doc, known))
            if paragraphs:
                sections.append(Section(title, paragraphs))
        if sections:
            found.append((name, tuple(sections)))
    if not found:
        raise NoTexts("This Python keeps no documentation strings: run it without -OO")
    return tuple(found)


def cut(rng: random.Random, shortest: int, longest: int) -> list[Text]:
    """Make texts of the corpus; a module's sections are drawn and dealt anew for each seed."""
    texts: list[Text] = []
    pile: list[Section] = []
    wanted = rng.randint(shortest, longest)
    for _, sections in rng.sample(corpus(), len(corpus())):
        for section in rng.sample(sections, len(sections)):
            if section.words > longest:
                continue
            pile.append(section)
            if sum(one.words for one in pile) >= wanted:
                texts.append(_text(pile))
                pile, wanted = [], rng.randint(shortest, longest)
    rng.shuffle(texts)
    return texts


def _text(sections: Sequence[Section]) -> Text:
    names = [section.name for section in sections]
    title = f"{names[0]} and {names[-1]}" if len(names) > 1 else names[0]
    return Text(title, tuple(sections))


def _docs(module: types.ModuleType) -> Iterator[tuple[str, str]]:
    """Go through the names of a module as pydoc does, without touching what may be computed."""
    name = module.__name__
    yield from _doc(name, module)
    for member, value in sorted(vars(module).items()):
        home = getattr(value, "__module__", None) or ""
        if member.startswith("_") or not isinstance(home, str) or not home.startswith(name):
            continue
        if isinstance(value, type):
            yield from _doc(f"{name}.{member}", value)
            for method, inner in sorted(vars(value).items()):
                if isinstance(inner, _DOCUMENTED) and not method.startswith("_"):
                    yield from _doc(f"{member}.{method}", inner)
        elif isinstance(value, _DOCUMENTED):
            yield from _doc(f"{name}.{member}", value)


def _doc(name: str, value: object) -> Iterator[tuple[str, str]]:
    # of a class its own, not what a metaclass makes of the question
    doc = vars(value).get("__doc__") if isinstance(value, type) else value.__doc__
    if isinstance(doc, str):
        yield name, inspect.cleandoc(doc)


def _new_paragraphs(doc: str, known: set[tuple[str, ...]]) -> Iterator[Paragraph]:
    """Split a text; what repeats others (inherited, aliased, boilerplate) is left out."""
    for block in re.split(r"\n\s*\n", doc):
        words = _WORD.findall(block.lower())
        runs = set(zip(*(words[offset:] for offset in range(_RUN)), strict=False))
        if len(words) < _SHORTEST or len(runs & known) > _MOST_KNOWN * len(runs):
            continue
        known |= runs
        lines = block.splitlines()
        code = any(line.lstrip().startswith((">>>", "|", "+-")) for line in lines) or all(
            line.startswith(" ") for line in lines
        )
        text = "\n".join(lines) if code else " ".join(block.split())
        if all(character.isprintable() or character == "\n" for character in text):
            yield Paragraph(text, code)
