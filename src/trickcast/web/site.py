"""A folder of static files that any web host can serve: the page, the networks, the exact solver.

All of it runs in the browser. The solver is DDS as WebAssembly, which `make wasm` builds from its
sources. It is not part of the package, and a site without it says so.
"""

import gzip
import hashlib
import json
import os
import re
from importlib.resources import files
from pathlib import Path

from .._files import atomic_writer
from ..estimator import Estimator
from ..pairs import PairEstimator

_INDEX, _ENGINE, _PAGE, _SOLVER = "files.json", "engine.json", "page", "wasm"
_FIRST = "models/fast.onnx"
_PRELOAD = f'<link rel="preload" href="./{_FIRST}" as="fetch" crossorigin="anonymous">\n</head>'
_ADDRESS = re.compile(r"https?://[\w.:-]+(/[\w.~%/-]*)?")
_PACKED = {".js", ".css", ".html", ".json", ".svg", ".onnx", ".wasm"}


class SiteError(ValueError):
    """A site that cannot be written; the message says what to do."""


def write_site(folder: str | os.PathLike[str], address: str | None = None) -> list[str]:
    """Write the page into a folder, as static files.

    An older site in the folder is replaced. A file that compresses well has a ``.gz`` beside it,
    for hosts that send it so. ``files.json`` is written last. It lists all files but the compressed
    ones, for the page to keep them offline, and a version that changes with any of them.

    Args:
        folder: New folder, or folder of an older site.
        address: Address of the site, such as ``https://club.example/tricks/``: links to its
                preview (title and picture) then use absolute addresses, as most sites that show
                previews require.

    Returns:
        The files, as paths relative to the folder.

    Raises:
        SiteError: The folder holds other files, or the address is not valid.
        OSError: Nothing can be written.

    Example:
        >>> "index.html" in write_site("page")
        True
    """
    root = Path(folder)
    if root.exists() and not root.is_dir():
        raise SiteError(f"{root} is a file (expected a folder to write the site into)")
    if root.is_dir() and any(root.iterdir()) and not (root / _INDEX).is_file():
        raise SiteError(f"{root} holds other files (expected a new folder, or an older site)")
    if address is not None and not _ADDRESS.fullmatch(address):
        raise SiteError(f"{address}: expected an address such as https://club.example/tricks/")
    solver = _solver()
    contents = _page(address) | _networks() | solver
    engine = {"engine": "browser", "exact": bool(solver)}
    contents[_ENGINE] = json.dumps(engine).encode() + b"\n"
    packed = {
        f"{name}.gz": gzip.compress(content, mtime=0)
        for name, content in contents.items()
        if Path(name).suffix in _PACKED
    }
    for name, content in (contents | packed).items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_writer(target) as stream:
            stream.write(content)
    digest = hashlib.sha256()
    for name in sorted(contents):
        digest.update(name.encode() + hashlib.sha256(contents[name]).digest())
    index = {"version": digest.hexdigest()[:16], "files": ["./", *sorted(contents)]}
    with atomic_writer(root / _INDEX) as stream:
        stream.write(json.dumps(index, indent=1).encode() + b"\n")
    return [*sorted(contents | packed), _INDEX]


def _page(address: str | None) -> dict[str, bytes]:
    contents = _files_of(_PAGE)
    contents["index.html"] = contents["index.html"].replace(b"</head>", _PRELOAD.encode())
    if address is not None:
        for name in ("index.html", "contest.html"):
            contents[name] = _addressed(contents[name].decode(), name, address).encode()
    return contents


def _addressed(page: str, name: str, address: str) -> str:
    """Return a page with absolute addresses of itself and its picture, for link previews."""
    root = address.removesuffix("/") + "/"
    own = root if name == "index.html" else root + name
    page = page.replace('property="og:image" content="./', f'property="og:image" content="{root}')
    return page.replace("</head>", f'<meta property="og:url" content="{own}">\n</head>')


def _networks() -> dict[str, bytes]:
    """Return the model files; loading them has verified their checksums."""
    paths = {name: Estimator(name).info.path for name in ("fast", "accurate")}
    paths["pairs"] = PairEstimator("accurate").info.path
    return {f"models/{name}.onnx": path.read_bytes() for name, path in paths.items()}


def _solver() -> dict[str, bytes]:
    """Return DDS as WebAssembly with its licence, if it was built."""
    return _files_of(_SOLVER) if files(__package__).joinpath(_SOLVER).is_dir() else {}


def _files_of(folder: str) -> dict[str, bytes]:
    place = files(__package__).joinpath(folder)
    return {entry.name: entry.read_bytes() for entry in place.iterdir() if entry.is_file()}
