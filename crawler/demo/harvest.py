"""Read the documentation strings of the standard library, in an interpreter of its own.

A crawl replaces parts of the library while it runs, as `warnings.showwarning`, and imports much;
what is read here depends on neither, and leaves nothing behind in the crawl.
"""

from __future__ import annotations

import importlib
import inspect
import json
import subprocess
import sys
import types
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Docs = list[tuple[str, list[tuple[str, str]]]]
"""For each module the names in it and what is said about them."""

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


def harvest() -> Docs:
    """Start an interpreter that reads, and take what it has read."""
    command = [sys.executable, "-I", __file__]
    found = subprocess.run(command, check=True, capture_output=True).stdout  # noqa: S603 - this interpreter
    docs: Docs = json.loads(found)
    return docs


def read() -> Docs:
    """Go through all modules as pydoc does."""
    docs: Docs = []
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        docs.append((name, list(_docs(module))))
    return docs


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


if __name__ == "__main__":
    sys.stdout.write(json.dumps(read()))
