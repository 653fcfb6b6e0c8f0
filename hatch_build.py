"""Hooks of the build: the compiled core, and the address of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface
from packaging.tags import mac_platforms, platform_tags
from packaging.version import InvalidVersion, Version

PACKAGE = "dedup_middleware"
FILES = ("libdedup_core.so", "libdedup_core.dylib", "dedup_core.dll")
RELATIVE_LINK = re.compile(r"(!?)(\[[^]]*\])\((?!https?:|#)([^)]+)\)")


class BuildError(Exception):
    """Why the core can't be compiled, and what to do."""


class CoreBuildHook(BuildHookInterface):  # type: ignore[type-arg]  # not generic at run time
    """Compiles the core and puts it into the package; without Rust there is no wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the interface
        """Compile the core and declare it; end the build with one sentence if that fails."""
        root = Path(self.root)
        try:
            library = _compiled(root / "native")
        except BuildError as error:
            self.app.abort(str(error))
        for file in FILES:  # also those of other platforms; a running process keeps the old one
            (root / PACKAGE / file).unlink(missing_ok=True)
        part = root / PACKAGE / f"{library.name}.part"  # half a library would end the process
        shutil.copyfile(library, part)
        part.replace(root / PACKAGE / library.name)
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


def _compiled(folder: Path) -> Path:
    """Return the library that cargo makes; the core itself knows which compiler made it."""
    cargo, compiler = _toolchain(folder)
    target = folder / "target"
    command = (cargo, "build", "--release", "--offline", "--locked", "--target-dir", str(target))
    environment = {**os.environ, "DEDUP_RUSTC": compiler}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        first = next((line for line in lines if line.startswith("error")), lines[-1])
        raise BuildError(f"cargo could not compile the core of scrapy-dedup: {first}")
    made = [path for path in (target / "release" / file for file in FILES) if path.is_file()]
    if not made:
        raise BuildError("cargo made no library of the core of scrapy-dedup")
    return made[0]


def _toolchain(folder: Path) -> tuple[str, str]:
    """Return the path of cargo and the name of the compiler; raise if they can't be used."""
    manifest = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))
    needed = manifest["package"]["rust-version"]
    cargo = shutil.which("cargo")
    if cargo is None:
        raise BuildError(_sentence("There is no cargo on the PATH", needed))
    try:
        asked = (os.environ.get("RUSTC", "rustc"), "--version")  # as cargo finds it
        said = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=True).stdout
        compiler, found = " ".join(said.split()[:2]), Version(said.split()[1].partition("-")[0])
    except (OSError, subprocess.CalledProcessError, IndexError, InvalidVersion):
        raise BuildError(_sentence("There is no rustc that runs", needed)) from None
    if found < Version(needed):
        raise BuildError(_sentence(f"rustc {found} is too old", needed))
    return cargo, compiler


def _sentence(problem: str, needed: str) -> str:
    # .ci/rust says the same
    return (
        f"{problem}: to build scrapy-dedup, install Rust {needed} or newer (by rustup, or as the "
        "packages cargo and gcc; on Debian 12 cargo-web and gcc)"
    )


def _platform() -> str:
    oldest = os.environ.get("MACOSX_DEPLOYMENT_TARGET")  # what cargo compiles for, too
    if sys.platform == "darwin" and oldest:
        major, minor = (*map(int, oldest.split(".")), 0)[:2]
        return next(mac_platforms((major, minor)))
    # "linux": which other systems it runs on is seen in the library, by auditwheel
    return next(tag for tag in platform_tags() if not tag.startswith(("manylinux", "musllinux")))
