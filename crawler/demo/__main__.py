"""Serve a demo web until interrupted: `python -m crawler.demo --seed 7 --port 8000`."""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import suppress
from pathlib import Path

from . import PAGES, NotEnoughText, Server


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m crawler.demo", description=__doc__)
    parser.add_argument("--seed", type=int, default=7, help="another seed makes another web")
    parser.add_argument("--pages", type=int, default=PAGES, help="about how many pages")
    parser.add_argument("--port", type=int, default=0, help="the mirror takes the next one")
    parser.add_argument("--manifest", type=Path, metavar="FILE", help="write the truth to a file")
    parser.add_argument("--corners", action="store_true", help="add traps, walls, session ids")
    options = parser.parse_args()
    try:
        server = Server(options.seed, options.pages, options.port, corners=options.corners)
        if options.manifest:
            options.manifest.write_text(server.manifest.to_json(), encoding="utf-8")
    except (ValueError, NotEnoughText, OSError, OverflowError) as error:
        parser.error(str(error))
    with server, suppress(KeyboardInterrupt):
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
