"""The build hook: compiles the core where cargo is found, else the wheel is pure Python."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

PACKAGE = "dedup_middleware"
FILES = ("libdedup_core.so", "libdedup_core.dylib", "dedup_core.dll")


class CoreBuildHook(BuildHookInterface):  # type: ignore[type-arg]  # not generic at run time
    """Puts the compiled core into the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the interface
        """Compile the core and declare it; say in one line why if it is left out."""
        root = Path(self.root)
        for file in FILES:  # what is there must come from these sources
            (root / PACKAGE / file).unlink(missing_ok=True)
        library, problem = _compiled(root / "native")
        if library is None:
            self.app.display_warning(f"Built without the compiled core, so slower: {problem}")
            return
        shutil.copyfile(library, root / PACKAGE / library.name)
        build_data["artifacts"].append(f"/{PACKAGE}/{library.name}")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{next(platform_tags())}"


def _compiled(folder: Path) -> tuple[Path | None, str]:
    cargo = shutil.which("cargo")
    if cargo is None:
        return None, "cargo (Rust) was not found"
    target = folder / "target"
    command = (cargo, "build", "--release", "--offline", "--locked", "--target-dir", str(target))
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    except OSError as error:
        return None, f"cargo could not be started: {error}"
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or ["no message"]
        first = next((line for line in lines if line.startswith("error")), lines[-1])
        return None, f"cargo failed: {first}"
    found = (target / "release" / file for file in FILES)
    library = next((path for path in found if path.is_file()), None)
    return library, "" if library else "cargo made no library"
