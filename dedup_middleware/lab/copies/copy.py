"""x."""
from __future__ import annotations
import re
_PROSE = re.compile(r"[A-Z\"“(].*[.!?:][)\"”]?")
_LEAST = 5
def is_prose(text: str) -> bool:
    """Return True for sentences, False for headings, commands and cells.

    >>> is_prose("The tide came in at noon."), is_prose("apt install tea")
    (True, False)
    """
    return len(text.split()) >= _LEAST and bool(_PROSE.fullmatch(text))
