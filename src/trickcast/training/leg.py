"""One leg of a training, where only torch and numpy are: ``python -m trickcast.training.leg``."""

import argparse
import json
import sys
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from ..library import Place
from .catalogue import listed, train
from .checkpoints import TrainingError
from .request import Request
from .settings import read_settings

_KINDS: dict[Any, dict[str, Any]] = {
    bool: {"action": "store_true"},
    tuple[Path, ...]: {"type": Path, "action": "append", "default": []},
    Path: {"type": Path},
    Place: {},
    Place | None: {},
    Path | None: {"type": Path},
    int | None: {"type": int},
    float | None: {"type": float},
    str | None: {},
}
"""How argparse reads an option, by the type of its field."""


def parser() -> argparse.ArgumentParser:
    """Return the reader of arguments: an option for each field of a request."""
    made = argparse.ArgumentParser(prog="trickcast.training.leg", description=__doc__)
    made.add_argument("name", nargs="?", default=Request().name, help="which training")
    made.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    made.add_argument("--settings", action="store_true", help="list the settings")
    for option in fields(Request):
        if "help" in option.metadata:
            name = f"--{option.name.replace('_', '-')}"
            default = {} if option.default in (MISSING, ()) else {"default": option.default}
            named = {"help": option.metadata["help"]} | default | _KINDS[option.type]
            made.add_argument(name, **named)
    return made


def main(arguments: list[str] | None = None) -> None:
    """Train for one leg and print each evaluation as a line of JSON."""
    reader = parser()
    asked = vars(reader.parse_args(arguments))
    chosen, show = asked.pop("set"), asked.pop("settings")
    asked["teacher"] = tuple(asked["teacher"])
    try:
        if show:
            print("\n".join(listed(asked["name"])))
            return
        answer = train(
            Request(settings=read_settings(chosen), **asked),
            lambda line: print(json.dumps(line), flush=True),
        )
    except (ValueError, TrainingError, OSError) as error:
        reader.exit(2, f"{reader.prog}: {error}\n")
    except KeyboardInterrupt:
        reader.exit(130, "interrupted\n")
    if answer is not None:
        print(answer, file=sys.stderr)


if __name__ == "__main__":
    main()
