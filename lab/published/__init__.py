"""The tables of the published documents, made again on open data beside the published figures."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from dedup_middleware import DedupError

from .run import Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

DOCUMENTS = {"P": "pereira", "Y": "yerra", "O": "oscds", "C": "codet", "K": "kakar"}
"""The modules, each by the letter of its document."""


def sections(
    data: Path,
    work: Path,
    problems: list[str],
    images: Path,
    *,
    only: Sequence[str] = tuple(DOCUMENTS),
    reuse: bool = False,
    queries: int = 900,
) -> Iterator[tuple[str, str]]:
    """Yield title and Markdown for each document; draw the charts into a folder.

    The report shows them as `evaluation/NAME.png`. What can't be made is added to `problems`.
    """
    run = Run(data, work, images, problems, reuse=reuse, queries=queries)
    if not data.is_dir():
        problems.append(f"{data}: no such folder; no counterparts of published tables")
        return
    for letter in only:
        try:
            module = import_module(f".{DOCUMENTS[letter]}", __name__)
            text = module.section(run)
        except (DedupError, ImportError, OSError) as error:
            problems.append(f"Tables of {letter} are missing: {error}")
            continue
        if text:
            yield module.TITLE, text
