"""The static site: what is written, what is refused. tests/browser looks at it in a browser."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from trickcast.web import SiteError, site, write_site

RUNTIME = {name: f"stand-in for {name}".encode() for name in site.RUNTIME_FILES}


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of small files in the runtime's place, pinned by their own digests."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    for name, content in RUNTIME.items():
        (folder / name).write_bytes(content)
        monkeypatch.setitem(site.RUNTIME_FILES, name, hashlib.sha256(content).hexdigest())
    return folder


def test_every_file_is_listed_and_the_list_names_no_other(tmp_path, runtime):
    written = write_site(tmp_path / "site", runtime)
    there = {str(p.relative_to(tmp_path / "site")) for p in (tmp_path / "site").rglob("*.*")}
    assert set(written) == there
    index = json.loads((tmp_path / "site" / "files.json").read_text())
    assert set(index["files"]) == there - {"files.json"} | {"./"}
    assert {"index.html", "models/accurate.onnx", "models/fast.onnx"} <= there


def test_the_version_changes_with_any_file_and_with_nothing_else(tmp_path, runtime, monkeypatch):
    def version() -> str:
        write_site(tmp_path / "site", runtime)
        return str(json.loads((tmp_path / "site" / "files.json").read_text())["version"])

    first = version()
    assert version() == first
    (runtime / "ort.wasm.min.mjs").write_bytes(b"newer")
    monkeypatch.setitem(
        site.RUNTIME_FILES, "ort.wasm.min.mjs", hashlib.sha256(b"newer").hexdigest()
    )
    assert version() != first


def test_a_folder_of_something_else_is_left_alone(tmp_path, runtime):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with pytest.raises(SiteError, match="holds other files"):
        write_site(tmp_path / "mine", runtime)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_file_in_the_folder_s_place_is_refused(tmp_path, runtime):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(SiteError, match="is a file"):
        write_site(tmp_path / "mine", runtime)


def test_another_runtime_is_refused_before_anything_is_written(tmp_path, runtime):
    (runtime / "ort-wasm-simd-threaded.wasm").write_bytes(b"patched")
    with pytest.raises(SiteError, match="its SHA-256 is another"):
        write_site(tmp_path / "site", runtime)
    (runtime / "ort-wasm-simd-threaded.wasm").unlink()
    with pytest.raises(SiteError, match="is missing"):
        write_site(tmp_path / "site", runtime)
    assert not (tmp_path / "site").exists()


def test_without_npm_the_command_says_what_to_do_in_two_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SiteError) as refused:
        write_site(tmp_path / "site")
    lines = str(refused.value).splitlines()
    assert len(lines) == 2
    assert "npm is not installed" in lines[0]
    assert "--runtime" in lines[1]
