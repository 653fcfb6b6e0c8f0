"""Spark itself: what has to be there, and how it is started.

`python -m dedup_middleware.batch.spark` is `scrapy dedup spark`, for whoever submits modules.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLDEST_JAVA = 17
_JAVA_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_INSTALL = "pip install 'scrapy-dedup[spark]'"


def session(master: str | None, conf: dict[str, str]) -> SparkSession:
    """Start Spark, unless this process has started it before."""
    try:
        import pyarrow as pa  # noqa: F401  # first: what Spark says of it is hard to read
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise DedupError(
            f"Batch jobs need Spark and Arrow, the extra `spark`: {_INSTALL}"
        ) from error
    check_java()
    builder = SparkSession.builder.appName("scrapy-dedup")
    if master:
        builder = builder.master(master)
    if (master or "local").startswith("local"):  # else workers have a Python of their own
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name, value in conf.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def check_java() -> None:
    """Raise DedupError if there is no Java, or one that is too old for Spark."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    advice = (
        f"install Java {OLDEST_JAVA} or newer (on Debian: apt install "
        f"openjdk-{OLDEST_JAVA}-jre-headless), or let JAVA_HOME name its folder"
    )
    if java is None:
        where = f"JAVA_HOME, {home}" if home else "PATH"
        raise DedupError(f"Spark runs on Java, and there is none in {where}: {advice}")
    asked = [java, "-version"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stderr  # noqa: S603  # the user's own Java
    version = _JAVA_VERSION.search(told)
    if version and int(version[1]) < OLDEST_JAVA:
        raise DedupError(f"Spark can't run on the Java {version[1]} of {java}: {advice}")


if __name__ == "__main__":
    from scrapy.cmdline import execute

    execute(["scrapy", "dedup", "spark", *sys.argv[1:]])
