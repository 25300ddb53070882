"""A folder of static files that any web host can serve: the page, the networks, their runtime.

The networks run in the browser by ONNX Runtime Web, which is no part of this package: its three
files come from npm, or from a folder, and are used only if their digests are the pinned ones.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from importlib.resources import files
from pathlib import Path

from .._files import atomic_writer
from ..estimator import Estimator
from ..pairs import PairEstimator

RUNTIME = "onnxruntime-web@1.30.0"
"""The npm package of the runtime (MIT licence)."""
RUNTIME_FILES = {
    "ort.wasm.min.mjs": ("219e6a1fc8a9938268d18efca3c91d310bd2f4a59bbd13744df5b2b7fc6cee3b"),
    "ort-wasm-simd-threaded.mjs": (
        "e13f7f94fc51b4ca72b12faeb1ee95f4ace6dfbc8939bc718aabdc0a27c4299b"
    ),
    "ort-wasm-simd-threaded.wasm": (
        "3398c10d07d229bd91b364548e130e0e51a8e5704b88c7c083ebbeb78842dee2"
    ),
}
"""Its files that the page needs, with their SHA-256."""
_INDEX, _ENGINE, _PAGE = "files.json", "engine.json", "page"
_PRACTICE = "practice.json"  # not among the files of the page: a server never sends it
_NPM_SECONDS = 300


class SiteError(ValueError):
    """A site that cannot be written; the message says what to do."""


def write_site(
    folder: str | os.PathLike[str], runtime: str | os.PathLike[str] | None = None
) -> list[str]:
    """Write the page into ``folder`` and return its files, paths relative to it.

    ``runtime`` is a folder with the files of ``RUNTIME_FILES``; without one they come from npm.
    An older site in the folder is replaced; a folder that holds anything else is refused.
    ``files.json`` is written last: it lists all files, for the page to keep them offline, and a
    version that changes with any of them.

    Raises SiteError for a folder of something else and for a runtime that is missing or another
    one, OSError where nothing can be written.
    """
    root = Path(folder)
    if root.exists() and not root.is_dir():
        raise SiteError(f"{root} is a file (expected a folder to write the site into)")
    if root.is_dir() and any(root.iterdir()) and not (root / _INDEX).is_file():
        raise SiteError(f"{root} holds other files (expected a new folder, or an older site)")
    contents = _page() | _networks() | _runtime(runtime)
    contents[_ENGINE] = b'{"engine": "browser"}\n'
    for name, content in contents.items():
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
    return [*sorted(contents), _INDEX]


def _page() -> dict[str, bytes]:
    page = files(__package__).joinpath(_PAGE)
    contents = {entry.name: entry.read_bytes() for entry in page.iterdir() if entry.is_file()}
    practice = files(__package__).joinpath(_PRACTICE)
    return contents | {_PRACTICE: practice.read_bytes()}


def _networks() -> dict[str, bytes]:
    """Return the model files, whose checksums loading them has compared."""
    paths = {name: Estimator(name).info.path for name in ("fast", "accurate")}
    paths["pairs"] = PairEstimator("accurate").info.path
    return {f"models/{name}.onnx": path.read_bytes() for name, path in paths.items()}


def _runtime(folder: str | os.PathLike[str] | None) -> dict[str, bytes]:
    """Return the runtime's files from a folder or from npm, all of them as pinned."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(folder) if folder is not None else _from_npm(Path(scratch))
        contents = {}
        for name, pinned in RUNTIME_FILES.items():
            path = place / name
            if not path.is_file():
                raise SiteError(f"{path} is missing (expected the files of {RUNTIME})")
            contents[f"runtime/{name}"] = content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() != pinned:
                raise SiteError(f"{path} is not that of {RUNTIME}: its SHA-256 is another")
    return contents


def _from_npm(scratch: Path) -> Path:
    """Fetch the package by npm, unpack its ``dist``, and return the folder."""
    npm = shutil.which("npm")
    if npm is None:
        raise SiteError(
            f"npm is not installed, and the page needs {RUNTIME} from it\n"
            "install npm, or give --runtime a folder with: " + ", ".join(RUNTIME_FILES)
        )
    command = [npm, "pack", RUNTIME, "--silent", "--pack-destination", str(scratch)]
    try:
        subprocess.run(
            command, cwd=scratch, check=True, capture_output=True, text=True, timeout=_NPM_SECONDS
        )
        (archive,) = scratch.glob("*.tgz")
        with tarfile.open(archive) as package:
            for name in RUNTIME_FILES:
                package.extract(f"package/dist/{name}", scratch, filter="data")
    except subprocess.CalledProcessError as error:
        reason = (error.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise SiteError(f"npm could not fetch {RUNTIME}: {reason}") from None
    except subprocess.TimeoutExpired:
        raise SiteError(f"npm did not fetch {RUNTIME} within {_NPM_SECONDS} seconds") from None
    except (ValueError, KeyError, tarfile.TarError):
        raise SiteError(f"npm gave no whole package of {RUNTIME}") from None
    return scratch / "package" / "dist"
