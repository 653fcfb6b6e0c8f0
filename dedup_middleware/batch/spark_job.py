"""A batch job on Spark: the stages, and how rows get from one to the next.

Rows are ordered by arrival wherever that counts, so that partitions make no difference.
"""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from dedup_middleware.fingerprint.scheme import PAIR
from dedup_middleware.store.engine import LEAST_PAIRS
from dedup_middleware.text import warn
from dedup_middleware.verdict import Action

from . import spark_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from dedup_middleware.settings import Settings

FEWEST_BYTES = 16 << 20  # of input that are worth a task
_TYPES = {
    pa.int64(): "bigint",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.string(): "string",
    pa.binary(): "binary",
    pa.list_(pa.int64()): "array<bigint>",
}


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
        spark.conf.set("spark.sql.shuffle.partitions", self._partitions)

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
        pairs = self._stage("pairs", "find what shares look-up keys", self._pairs(pages))
        related = self._stage("compare", "compare what shares keys", self._compare(pages, pairs))
        components = self._stage(
            "components", "join what is related", self._components(pages, related)
        )
        verdicts = self._stage(
            "resolve", "judge in order of arrival", self._resolve(pages, components, sites)
        )
        self._begin("verdicts", "write verdicts")
        verdicts.orderBy("arrival").write.parquet(str(self._output / "verdicts"))
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
        return _made(frame, spark_stages.read, spark_stages.PAGES, settings=self._settings)

    def _sites(self, pages: DataFrame) -> DataFrame:
        arrivals = self._grouped(
            pages.select("host", "arrival", "url_key", "site"), "host", "arrival"
        )
        return _made(arrivals, spark_stages.learn, spark_stages.SITES)

    def _pairs(self, pages: DataFrame) -> DataFrame:
        """Pair pages with the first that share keys with them; choose what is worth comparing."""
        # of pages that share all keys one is enough: they are joined as they have the same text
        first = pages.groupBy("alike").agg({"arrival": "min"}).selectExpr("`min(arrival)` arrival")
        ranked = (
            pages.join(first, "arrival", "left_semi")
            .selectExpr("arrival as page", "explode(keys) as key")
            .selectExpr("*", "row_number() over (partition by key order by page) as place")
        )
        known = ranked.filter(f"place <= {self._settings.max_postings}")
        pairs = (
            ranked.join(known.selectExpr("key", "page as known"), "key")
            .filter("known < page")
            # pairs of words are so common that one that is shared says nothing
            .selectExpr("page", "known", f"if(shiftright(key, 56) = {PAIR}, 1, {LEAST_PAIRS}) as n")
            .groupBy("page", "known")
            .agg({"n": "sum"})
            .filter(f"`sum(n)` >= {LEAST_PAIRS}")
            .select("page", "known")
        )
        rows = self._beside(pairs, pages.selectExpr("arrival as known", "sketch"))
        return _made(rows, spark_stages.choose, spark_stages.CANDIDATES, settings=self._settings)

    def _compare(self, pages: DataFrame, pairs: DataFrame) -> DataFrame:
        """Compare pages as the judge will, which leaves few pairs, and small components."""
        rows = self._beside(pairs, pages.selectExpr("arrival as known", "outline"))
        return _made(rows, spark_stages.compare, spark_stages.PAIRS, settings=self._settings)

    def _beside(self, pairs: DataFrame, known: DataFrame) -> DataFrame:
        """Bring to each page what it is paired with, behind itself."""
        own = known.selectExpr("known as page", "known")
        rows = pairs.unionByName(own, allowMissingColumns=True).join(known, "known")
        return self._grouped(rows.select(*pairs.columns, *known.columns[1:]), "page", "known desc")

    def _components(self, pages: DataFrame, related: DataFrame) -> DataFrame:
        """Join what is related, has the same text or URL, or declares the URL of another."""
        for own, first in ("digest", "digest"), ("url_key", "url_key"), ("address", "url_key"):
            firsts = pages.groupBy(first).agg({"arrival": "min"}).toDF("value", "known")
            values = pages.selectExpr("arrival as page", f"{own} as value")
            related = related.union(
                values.join(firsts, "value").filter("page <> known").select("page", "known")
            )
        parts = _made(related, spark_stages.join, spark_stages.COMPONENTS)
        return _made(parts.repartition(1), spark_stages.join, spark_stages.COMPONENTS)

    def _resolve(self, pages: DataFrame, components: DataFrame, sites: DataFrame) -> DataFrame:
        # what is known of each site of a component while its pages arrive
        hosts = (
            components.join(pages.select("arrival", "host"), "arrival")
            .selectExpr("component", "host", "max(arrival) over (partition by component) as last")
            .distinct()
        )
        nothing = "cast(null as binary)"
        known = hosts.join(sites, "host").filter("since < last")
        rows = (
            pages.join(components, "arrival", "left")
            .selectExpr(
                *("coalesce(component, arrival) as component", "arrival"),
                *("outline", "about", "host", f"{nothing} as memory"),
            )
            .union(known.selectExpr(*("component", "since", nothing, nothing), "host", "memory"))
        )
        return _made(
            self._grouped(rows, "component", "arrival", "memory is not null"),
            spark_stages.resolve,
            spark_stages.VERDICTS,
            settings=self._settings,
            overrides=self._overrides,
        )

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
        from pyspark.sql.functions import expr  # Spark is not there where nothing but tests is run

        sorting = [
            expr(name.removesuffix(" desc")).desc() if name.endswith(" desc") else expr(name)
            for name in (by, *order)
        ]
        return rows.repartition(self._partitions, by).sortWithinPartitions(*sorting)


def _made(
    rows: DataFrame, stage: Callable[..., spark_stages.Rows], schema: pa.Schema, **values: object
) -> DataFrame:
    columns = ", ".join(f"{one.name} {_TYPES[one.type]}" for one in schema)
    work = partial(spark_stages.in_batches, stage=stage, schema=schema, values=values)
    return rows.mapInArrow(work, columns)
