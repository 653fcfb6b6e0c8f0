"""The output folder of a batch job: what it may replace, use again and remove."""

from __future__ import annotations

from pathlib import Path

import pytest

from dedup_middleware.batch import spark, work_folder
from dedup_middleware.batch.work_folder import WorkFolder, check_output, job_name, mark_output
from dedup_middleware.errors import DedupError
from dedup_middleware.settings import Settings


def _work(folder, job="job") -> WorkFolder:
    return WorkFolder(folder, job, print)


def test_the_command_refuses_a_folder_with_anything_else_before_spark_starts(tmp_path, capsys):
    output = tmp_path / "out"
    (output / "work").mkdir(parents=True)
    with pytest.raises(SystemExit):
        spark.main([str(tmp_path / "pages"), "--output", str(output)])
    assert "is not empty and not from a batch job" in " ".join(capsys.readouterr().err.split())


def test_an_output_may_be_new_or_empty_or_from_another_job(tmp_path):
    for _ in range(2):
        check_output(tmp_path / "out", [tmp_path / "pages"])
        mark_output(tmp_path / "out")
        (tmp_path / "out" / "verdicts").mkdir(exist_ok=True)
    (tmp_path / "file").touch()
    with pytest.raises(DedupError, match=r"Can't write into .*/file: Not a directory"):
        check_output(tmp_path / "file", [])


@pytest.mark.parametrize("other", [".", "..", "inner", "link"])
def test_an_output_neither_holds_nor_is_in_an_input(tmp_path, other):
    output = tmp_path / "out"
    output.mkdir()
    (output / "link").symlink_to(tmp_path)
    mark_output(output)
    with pytest.raises(DedupError, match="must not hold each other"):
        check_output(output, [tmp_path / "pages", output / other])


def test_nothing_but_stages_and_manifests_is_removed(tmp_path):
    folder = tmp_path / "work"
    (folder / "read").mkdir(parents=True)
    (folder / "thesis.txt").touch()
    (tmp_path / "overrides").touch()
    work = _work(folder)
    work.finish("read")
    work.share(tmp_path / "overrides")
    work.remove()
    assert [path.name for path in folder.iterdir()] == ["thesis.txt"]
    (folder / "thesis.txt").unlink()
    work.remove()
    assert not folder.exists()


def test_a_stage_that_another_job_has_begun_is_not_whole(tmp_path):
    first, second = _work(tmp_path, "first"), _work(tmp_path, "second")
    first.finish("read")
    assert first.has("read")
    assert not second.has("read")
    second.begin("read")
    assert not first.has("read")


def test_a_job_with_another_model_or_version_is_another_one(tmp_path, monkeypatch):
    model, overrides = tmp_path / "words.model", tmp_path / "restored.jsonl"
    settings = Settings.of(method_options={"model": str(model)})
    names = [job_name([], settings, overrides)]
    model.write_bytes(b"one")
    names.append(job_name([], settings, overrides))
    model.rename(overrides)
    names.append(job_name([], settings, overrides))
    monkeypatch.setattr(work_folder, "version", lambda _: "0")
    names.append(job_name([], settings, overrides))
    monkeypatch.setattr(work_folder.core, "VERSION", 0)
    names.append(job_name([], settings, overrides))
    assert len({*names}) == 5


def test_a_link_to_a_file_goes_by_its_own_name(tmp_path, monkeypatch):
    (tmp_path / "blob").write_text("<p>Ebb and flow")
    (tmp_path / "page.html").symlink_to("blob")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "linked").symlink_to("folder")
    paths = [Path("page.html"), Path("linked")]
    assert spark.source_files(paths, Settings()) == [tmp_path / "page.html"]


def test_restored_pages_are_where_all_machines_see_them(tmp_path):
    work, overrides = _work(tmp_path / "work"), tmp_path / "restored.jsonl"
    assert work.share(overrides) is None
    overrides.write_text("some")
    shared = work.share(overrides)
    assert shared.parent == tmp_path / "work"
    assert shared.read_text() == "some"


def test_a_list_of_restored_pages_that_is_not_there_is_an_error(tmp_path, capsys):
    arguments = [str(tmp_path / "pages"), "--output", str(tmp_path / "out")]
    with pytest.raises(SystemExit):
        spark.main([*arguments, "--overrides", str(tmp_path / "typo.jsonl")])
    assert "typo.jsonl, a list of restored pages, is not there" in " ".join(
        capsys.readouterr().err.split()
    )
