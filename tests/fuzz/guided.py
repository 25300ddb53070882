"""Fuzzing that is guided by what code an input reaches: atheris (libFuzzer), a target at a time.

``PYTHONPATH=src:tests python -m fuzz.guided --seconds 600`` shares the time out over all targets;
``make fuzz`` does so. New inputs that reach new code are kept in ``build/fuzz/TARGET``, and what a
target does not answer in ``build/fuzz/findings``, to be put into the corpus when it is mended.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from .mutator import CORPUS

OUT = Path("build/fuzz")
_PROGRAM = """
import sys, atheris
with atheris.instrument_imports(include=["trickcast"]):
    from fuzz.targets import TARGETS
atheris.Setup([sys.argv[0], *sys.argv[2:]], TARGETS[sys.argv[1]])
atheris.Fuzz()
"""


def fuzz(name: str, seconds: int) -> bool:
    """Fuzz one target; return whether it answered everything."""
    reached, findings = OUT / name, OUT / "findings"
    for folder in (reached, findings):
        folder.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}", "-max_len=16384", "-timeout=60", "-rss_limit_mb=4096",
        "-verbosity=0", "-print_final_stats=1", f"-artifact_prefix={findings}/{name}-",
        str(reached), str(CORPUS / name),
    ]  # fmt: skip
    return subprocess.run([sys.executable, "-c", _PROGRAM, name, *options]).returncode == 0


def main() -> None:
    names = sorted(path.name for path in CORPUS.iterdir())
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=3600, help="for all targets together")
    parser.add_argument("--only", default="", help="targets that begin so")
    given = parser.parse_args()
    chosen = [name for name in names if name.startswith(given.only)]
    failed = [name for name in chosen if not fuzz(name, max(1, given.seconds // len(chosen)))]
    if failed:
        sys.exit(f"findings in {', '.join(failed)}: see {OUT / 'findings'}")


if __name__ == "__main__":
    main()
