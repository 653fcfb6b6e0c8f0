"""A batch job on Spark: the stages, and how rows get from one to the next.

Rows are ordered by arrival wherever that counts, so that partitions make no difference.
"""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass, field
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from dedup_middleware.text import warn
from dedup_middleware.verdict import Action, Kind

from . import candidates, reading, spark_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from dedup_middleware.settings import Settings

FEWEST_BYTES = 16 << 20  # of input that are worth a task
_TYPES = {
    pa.int64(): "bigint",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.string(): "string",
    pa.binary(): "binary",
    pa.list_(pa.int64()): "array<bigint>",
    pa.list_(pa.binary()): "array<binary>",
}
_URL = "make_valid_utf8(cast(url as string))"
_RESOLVED = (
    "url",
    "url_key",
    "host",
    "body",
    "size",
    "redirected_from",
    "outline",
    "presentation",
    "uncertain",
)


@dataclass(frozen=True, slots=True)
class Result:
    """What a job has found."""

    kinds: Counter[str] = field(default_factory=Counter)
    dropped: int = 0
    problems: Sequence[str] = ()


class Job:
    """Judges all pages of some files; what stages make is in a work folder until it ends."""

    def __init__(
        self,
        spark: SparkSession,
        files: Sequence[Path],
        output: Path,
        settings: Settings,
        *,
        overrides: Path | None = None,
        partitions: int | None = None,
        tell: Callable[[str], object] = warn,
    ) -> None:
        self._spark = spark
        self._files = files
        self._output = output
        self._work = output / "work"
        self._settings = settings
        self._overrides = overrides
        self._tell = tell
        self._size = sum(path.stat().st_size for path in files if path.exists())
        # each part costs some tenths of a second in each stage, however few pages it has
        worth = max(2 * spark.sparkContext.defaultParallelism, self._size // FEWEST_BYTES)
        most = int(spark.conf.get("spark.sql.shuffle.partitions") or worth)
        self._partitions = partitions or min(worth, most)

    def run(self) -> Result:
        """Write the verdicts of all pages."""
        try:
            return self._run()
        finally:
            shutil.rmtree(self._work, ignore_errors=True)

    def _run(self) -> Result:
        if self._overrides and self._overrides.is_file():
            self._work.mkdir()  # all machines see it there
            self._overrides = Path(shutil.copy(self._overrides, self._work))
        read = self._stage("read", "read and fingerprint pages", self._read())
        pages = read.filter("outline is not null")
        sites = self._stage("sites", "learn the memory of sites", self._sites(pages))
        copies = self._stage("copies", "find copies and same URLs", self._copies(pages))
        edges = self._stage(
            "candidates", "find what shares look-up keys", self._candidates(pages, copies)
        )
        related = self._stage(
            "compare", "compare what shares keys", self._compare(pages, sites, copies, edges)
        )
        components = self._stage(
            "components", "join what is related", self._components(copies, related)
        )
        resolved = self._stage(
            "resolve", "judge in order of arrival", self._resolve(pages, components, sites)
        )
        verdicts = self._alone(pages, components).unionByName(resolved).orderBy("arrival")
        self._begin("verdicts", "write verdicts")
        verdicts.write.parquet(str(self._output / "verdicts"))
        return self._result(read)

    def _stage(self, name: str, what: str, made: DataFrame) -> DataFrame:
        path = str(self._work / name)
        self._begin(name, what)
        made.write.parquet(path)
        return self._spark.read.parquet(path)

    def _begin(self, name: str, what: str) -> None:
        """Name the jobs that follow, for Spark's own pages and the progress line."""
        self._spark.sparkContext.setJobGroup(name, f"dedup {name}: {what}")
        self._tell(f"{name}: {what}")

    def _read(self) -> DataFrame:
        rows = [(number, str(path)) for number, path in enumerate(self._files)]
        tasks = max(self._partitions, self._size // FEWEST_BYTES)
        files = self._spark.sparkContext.parallelize(rows, max(1, min(len(rows), tasks)))
        frame = self._spark.createDataFrame(files, "file bigint, path string")
        return _mapped(frame, spark_stages.read, reading.SCHEMA, settings=self._settings)

    def _sites(self, pages: DataFrame) -> DataFrame:
        told = pages.select("host", "arrival", "url_key", "site")
        arrivals = self._grouped(told, "host", "arrival")
        return _mapped(arrivals, spark_stages.learn, spark_stages.SITES)

    def _copies(self, pages: DataFrame) -> DataFrame:
        """Pair pages with the first that has the same keys, or that is at the same URL."""
        groups = [
            pages.selectExpr("url_key as group", "false as is_copy", "true as is_member", "arrival")
        ]
        if self._settings.survivor == "best":
            declared = pages.filter("address is not null")
            groups.append(
                declared.selectExpr("address", "false as is_copy", "false as is_member", "arrival")
            )
        if self._drops_copies():
            groups.append(pages.selectExpr("same", "true as is_copy", "true", "arrival"))
        return _mapped(
            self._grouped(
                reduce(lambda one, other: one.union(other), groups),
                "group",
                "is_member desc",
                "arrival",
            ),
            spark_stages.first_of,
            spark_stages.COPIES,
        )

    def _drops_copies(self) -> bool:
        """Return True if of pages that are exactly the same one is known at most."""
        actions = self._settings.actions[Kind.EXACT], self._settings.cross_host[Kind.EXACT]
        return actions == (Action.DROP, Action.DROP)

    def _candidates(self, pages: DataFrame, copies: DataFrame) -> DataFrame:
        copied = copies.filter("is_copy").selectExpr("page as arrival")
        first = pages.select("arrival", "keys").join(copied, "arrival", "left_anti")
        keys = first.selectExpr("explode(keys) as key", "arrival")
        pairs = _mapped(
            keys.repartition(self._partitions, "key"),
            spark_stages.pair,
            spark_stages.PAIRS,
            cap=self._settings.max_postings,
        )
        sketches = pages.selectExpr("arrival as known", "sketch")
        shared = (
            pairs.repartition(self._partitions, "known")
            .groupBy("page", "known")
            .agg({"shared": "sum"})
            .withColumnRenamed("sum(shared)", "shared")
        )
        found = shared.filter(candidates.condition("shared"))
        rows = (
            found.join(sketches, "known")
            .select("page", "known", "shared", "sketch")
            .unionByName(sketches.selectExpr("known as page", "known", "0L as shared", "sketch"))
        )
        return _mapped(
            self._grouped(rows, "page", "known desc"),
            spark_stages.gate,
            spark_stages.CANDIDATES,
            settings=self._settings,
        )

    def _compare(
        self, pages: DataFrame, sites: DataFrame, copies: DataFrame, edges: DataFrame
    ) -> DataFrame:
        """Compare pages as the judge will, which leaves few pairs, and small components."""
        same = edges.filter(f"why = {candidates.SAME}")
        # a copy may be on another site, whose memory makes it like what the first one is not like
        copied = copies.filter("is_copy").select("known").distinct()
        of_copies = [
            edges.join(copied.withColumnRenamed("known", side), side, "left_semi")
            for side in ("page", "known")
        ]
        pairs = edges.filter(f"why <> {candidates.SAME}")
        pairs = pairs.union(pairs.selectExpr("page", "page as known", "0L as why").distinct())
        texts = pages.selectExpr("arrival as known", "host", "outline")
        # what was known of its site when the page that is judged arrived
        memories = sites.withColumnRenamed("host", "site")
        rows = pairs.join(texts, "known").join(
            memories, expr("host = site and since < page and until >= page"), "left"
        )
        rows = rows.select("page", "known", "why", "outline", "memory")
        related = _mapped(
            self._grouped(rows, "page", "known desc"),
            spark_stages.compare,
            spark_stages.EDGES,
            settings=self._settings,
        )
        for kept in (same, *of_copies):
            related = related.union(kept.select("page", "known"))
        return related

    def _components(self, copies: DataFrame, related: DataFrame) -> DataFrame:
        edges = copies.select("page", "known").union(related)
        parts = _mapped(edges, spark_stages.join, spark_stages.COMPONENTS)
        return _mapped(parts.repartition(1), spark_stages.join, spark_stages.COMPONENTS)

    def _resolve(self, pages: DataFrame, components: DataFrame, sites: DataFrame) -> DataFrame:
        members = pages.select("arrival", *_RESOLVED).join(components, "arrival")
        # what is known of each site of a component while its pages arrive
        hosts = pages.select("arrival", "host").join(components, "arrival")
        spans = components.groupBy("component").agg({"arrival": "max"})
        known = (
            hosts.select("component", "host")
            .distinct()
            .join(spans.withColumnRenamed("max(arrival)", "last"), "component")
            .join(sites, "host")
            .filter("since < last and until >= component")
        )
        rows = members.selectExpr(
            "component", "true as is_page", "arrival", *_RESOLVED, "cast(null as binary) as memory"
        ).unionByName(
            known.selectExpr(
                *("component", "false as is_page", "since as arrival", "host"),
                *("0L as size", "memory"),
            ),
            allowMissingColumns=True,
        )
        return _mapped(
            self._grouped(rows, "component", "is_page", "arrival"),
            spark_stages.resolve,
            spark_stages.VERDICTS,
            settings=self._settings,
            overrides=self._overrides,
        )

    def _alone(self, pages: DataFrame, components: DataFrame) -> DataFrame:
        """Return the verdicts of pages that have nothing to do with any other."""
        found = {"score": "0D", "scores": "'{}'", "cluster": _URL}
        texts = "original", "lost", "suspect", "supersedes"
        found |= dict.fromkeys(texts, "cast(null as string)")
        found |= {"lost_share": "cast(null as double)", "lost_words": "cast(null as bigint)"}
        found["url"] = found["cluster"]
        names = spark_stages.VERDICTS.names
        columns = [f"{found[name]} as {name}" if name in found else name for name in names]
        return pages.join(components, "arrival", "left_anti").selectExpr(*columns)

    def _result(self, read: DataFrame) -> Result:
        self._begin("summary", "count verdicts")
        verdicts = self._spark.read.parquet(str(self._output / "verdicts"))
        kinds: Counter[str] = Counter()
        dropped = 0
        for kind, action, count in verdicts.groupBy("kind", "action").count().collect():
            kinds[kind] += count
            dropped += count * (action == Action.DROP)
        problems = read.filter("problem is not null").orderBy("arrival").select("problem")
        return Result(kinds, dropped, [row.problem for row in problems.collect()])

    def _grouped(self, rows: DataFrame, by: str, *order: str) -> DataFrame:
        """Bring rows of a group together, in order."""
        sorting = [
            expr(name.removesuffix(" desc")).desc() if name.endswith(" desc") else expr(name)
            for name in (by, *order)
        ]
        return rows.repartition(self._partitions, by).sortWithinPartitions(*sorting)


def expr(text: str) -> Column:
    from pyspark.sql import functions  # Spark is not there where nothing but tests is run

    return functions.expr(text)


def _mapped(
    rows: DataFrame, function: Callable[..., object], schema: pa.Schema, **values: object
) -> DataFrame:
    columns = ", ".join(f"{one.name} {_TYPES[one.type]}" for one in schema)
    return rows.mapInArrow(partial(function, **values), columns)
