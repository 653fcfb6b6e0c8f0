"""Hooks of the build: the compiled core, and the address of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface
from packaging.tags import mac_platforms, platform_tags

PACKAGE = "dedup_middleware"
FILES = ("libdedup_core.so", "libdedup_core.dylib", "dedup_core.dll")
RELATIVE_LINK = re.compile(r"(!?)(\[[^]]*\])\((?!https?:|#)([^)]+)\)")


class CoreBuildHook(BuildHookInterface):  # type: ignore[type-arg]  # not generic at run time
    """Puts the compiled core into the package where cargo is found, else the wheel is pure."""

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
        build_data["tag"] = f"py3-none-{_platform()}"


class AddressMetadataHook(MetadataHookInterface):
    """Adds what depends on where the project is published: `PROJECT_URL` in the environment.

    Links of the README are relative, for clones. Outside of the repository they would lead nowhere.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the README, and the URLs if the address is known."""
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        home = os.environ.get("PROJECT_URL", "").rstrip("/")
        if home:
            readme = RELATIVE_LINK.sub(lambda link: _absolute(home, *link.groups()), readme)
            metadata["urls"] = {
                "Homepage": home,
                "Documentation": f"{home}/blob/HEAD/docs/index.md",
                "Changelog": f"{home}/blob/HEAD/CHANGELOG.md",
                "Issues": f"{home}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}


def _absolute(home: str, image: str, text: str, path: str) -> str:
    return f"{image}{text}({home}/{'raw' if image else 'blob'}/HEAD/{path})"


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


def _platform() -> str:
    oldest = os.environ.get("MACOSX_DEPLOYMENT_TARGET")  # what cargo compiles for, too
    if sys.platform == "darwin" and oldest:
        major, minor = (*map(int, oldest.split(".")), 0)[:2]
        return next(mac_platforms((major, minor)))
    return next(platform_tags())
