"""The static site: what is written, what is refused. tests/browser looks at it in a browser."""

import gzip
import json
import re
from pathlib import Path

import pytest

from trickcast.web import SiteError, site, write_site


def test_every_file_is_listed_and_the_list_names_no_other(tmp_path):
    written = write_site(tmp_path / "site")
    root = tmp_path / "site"
    there = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert set(written) == there
    index = json.loads((tmp_path / "site" / "files.json").read_text())
    plain = {name for name in there if not name.endswith(".gz")}
    assert set(index["files"]) == plain - {"files.json"} | {"./"}
    assert {"index.html", "models/accurate.onnx", "models/fast.onnx"} <= there


def test_packed_files_are_those_beside_them(tmp_path):
    write_site(tmp_path / "site")
    packed = [*(tmp_path / "site").rglob("*.gz")]
    assert len(packed) > 20
    for path in packed:
        assert gzip.decompress(path.read_bytes()) == path.with_suffix("").read_bytes()


def test_the_version_changes_with_any_file_and_with_nothing_else(tmp_path, monkeypatch):
    def version() -> str:
        write_site(tmp_path / "site")
        return str(json.loads((tmp_path / "site" / "files.json").read_text())["version"])

    first = version()
    assert version() == first
    monkeypatch.setattr(site, "_PRELOAD", "<!-- newer --></head>")
    assert version() != first


def test_a_site_says_whether_it_has_the_exact_solver(tmp_path, monkeypatch):
    solver = {"dds.wasm": b"solver", "LICENSE-DDS": b"licence"}
    for built in ({}, solver):
        monkeypatch.setattr(site, "_solver", lambda built=built: built)
        written = write_site(tmp_path / "site")
        assert ("dds.wasm" in written) == ("LICENSE-DDS" in written) == bool(built)
        engine = json.loads((tmp_path / "site" / "engine.json").read_text())
        assert engine == {"engine": "browser", "exact": bool(built)}


@pytest.mark.parametrize("address", ["https://club.example/tricks", "https://club.example/tricks/"])
def test_a_site_tells_whole_addresses_to_who_shows_a_link(tmp_path, address):
    write_site(tmp_path / "site", address)
    for name, own in (("index.html", ""), ("contest.html", "contest.html")):
        page = (tmp_path / "site" / name).read_text("utf-8")
        told = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]+)">', page))
        assert told["url"] == f"https://club.example/tricks/{own}"
        assert told["image"] == "https://club.example/tricks/card.png"
    write_site(tmp_path / "site")
    assert "club.example" not in (tmp_path / "site" / "index.html").read_text("utf-8")


@pytest.mark.parametrize("address", ["club.example", 'https://x/"><script>', "ftp://club.example/"])
def test_an_address_that_is_none_is_refused(tmp_path, address):
    with pytest.raises(SiteError, match="expected an address such as https://"):
        write_site(tmp_path / "site", address)


PAGE = Path(site.__file__).with_name("page")


def test_the_page_knows_every_operation_of_its_networks(tmp_path):
    onnx = pytest.importorskip("onnx", reason="comes with the extra 'train'")
    write_site(tmp_path / "site")
    script = (tmp_path / "site" / "net.js").read_text("utf-8")
    known = set(re.findall(r"^  ([A-Z]\w+)(?=: \(|\()", script, re.MULTILINE))
    for network in (tmp_path / "site" / "models").glob("*.onnx"):
        asked = {node.op_type for node in onnx.load(network).graph.node}
        assert asked <= known, f"{network.name} asks for {asked - known}"


def test_the_page_says_what_its_table_of_words_has_and_no_more():
    text = (PAGE / "words.js").read_text("utf-8")
    tables = json.loads(text[text.index("{") :].rstrip().removesuffix(";"))
    english = tables["en"]["page"]
    cards = {code: table["cards"]["ranks"] for code, table in tables.items()}
    assert cards == {"en": "AKQJ", "fr": "ARDV", "de": "AKDB", "nl": "AHVB", "pl": "AKDW"}
    for table in tables.values():
        assert (
            len(table["cards"]["suits"]) == 4
            and table["record"].keys() == tables["en"]["record"].keys()
        )
        assert table.get("page", {}).keys() <= english.keys()
    source = "\n".join(
        path.read_text("utf-8") for path in PAGE.glob("*.js") if path.name != "words.js"
    )
    html = "\n".join(path.read_text("utf-8") for path in PAGE.glob("*.html"))
    written = re.findall(r'data-say="([^"]+)"[^>]*>([^<]+)<', html)
    assert len(written) > 10 and all(english[key] == words for key, words in written)
    said = {*re.findall(r'say\("([^"]+)"', source), *(key for key, _ in written)}
    assert said <= english.keys()
    built = [
        re.compile(re.sub(r"\$\{.*\}", ".+", key)) for key in re.findall(r"say\(`([^`]+)`", source)
    ]
    unused = [
        key
        for key in english.keys() - said
        if f'"{key}"' not in source and not any(one.fullmatch(key) for one in built)
    ]
    assert unused == []


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with pytest.raises(SiteError, match="holds other files"):
        write_site(tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_file_in_the_folder_s_place_is_refused(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(SiteError, match="is a file"):
        write_site(tmp_path / "mine")
