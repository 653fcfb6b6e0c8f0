"""Docstrings of the standard library, collected by a separate interpreter.

A crawl imports much and replaces parts of the library, such as `warnings.showwarning`. The result
must not depend on that, and collecting leaves nothing behind in the crawl. Run as a script, this is
that interpreter.
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
"""For each module its documented names, each with its docstring."""

# In every Python from 3.11 to 3.14; importing them has no side effects and raises no warnings.
# Those that a platform lacks are left out.
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


def docstrings() -> Docs:
    """Return the docstrings that a new interpreter collects."""
    command = [sys.executable, "-I", __file__]
    found = subprocess.run(command, check=True, capture_output=True).stdout  # noqa: S603 - this interpreter
    docs: Docs = json.loads(found)
    return docs


def collect() -> Docs:
    """Collect the docstrings of all modules."""
    docs: Docs = []
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        docs.append((name, list(_docs(module))))
    return docs


def _docs(module: types.ModuleType) -> Iterator[tuple[str, str]]:
    """Yield the docstrings of a module as pydoc does, without evaluating descriptors."""
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
    # the class's own docstring, not an attribute of its metaclass
    doc = vars(value).get("__doc__") if isinstance(value, type) else value.__doc__
    if isinstance(doc, str):
        yield name, inspect.cleandoc(doc)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(collect()))
