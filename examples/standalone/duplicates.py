"""Find the duplicates among saved pages: `python duplicates.py FOLDER`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from dedup_middleware import Deduplicator, Page


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as store, Deduplicator(store, is_sole=True) as dedup:
        for path in sorted(folder.rglob("*.html")):
            verdict = dedup.process(Page(url=path.as_uri(), html=path.read_bytes()))
            if verdict.redundant:
                print(f"{path.name}: {verdict.kind}. {verdict.reason}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
