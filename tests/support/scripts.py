"""Scripts of the report, run in node."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import resources
from typing import Any

import pytest

from .patience import PATIENCE

ASSETS = resources.files("dedup_middleware.viewer").joinpath("assets")
_NODE = shutil.which("node")
needs_node = pytest.mark.skipif(not _NODE, reason="there is no node to run the scripts with")


def run_script(scripts: str, expression: str, data: Any) -> Any:
    """Evaluate an expression on data, which it finds as `given`, after some scripts."""
    program = "\n".join(
        (
            "const document = {}; const matchMedia = () => ({});",
            *(ASSETS.joinpath(name).read_text("utf-8") for name in scripts.split()),
            'const given = JSON.parse(require("fs").readFileSync(0, "utf8"));',
            f"console.log(JSON.stringify({expression}));",
        )
    )
    done = subprocess.run(
        [_NODE or "node", "-e", program],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return json.loads(done.stdout)
