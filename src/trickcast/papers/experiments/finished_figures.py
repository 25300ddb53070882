"""The finished figures of a run, one JSON line each, kept so that a killed run can continue."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..._files import atomic_writer, read_json
from ...cards import cut, shorten
from .run_deals import Deals, ExperimentError
from .scales import Scale


class Store:
    """The lines of one run: ``SCALE.jsonl`` in its folder, rewritten as a whole after each network.

    There are four kinds of lines: of a row (``{"row": id, …}``); of a row by the papers' own
    protocol and one seed (``{"printed": id, "seed": …}``); of a row by its authors' program and one
    seed, from a number of training deals (``{"authors": id, "seed": …, "deals": …}``); and of any
    other finding (``{"finding": name, …}``). Only the seconds depend on the machine. Raises
    ExperimentError for a file that holds something else.
    """

    def __init__(self, folder: Path, scale: str):
        self.path = folder / f"{scale}.jsonl"
        self._lines: dict[str, dict[str, Any]] = {}
        if not self.path.exists():
            return
        for number, text in enumerate(self.path.read_bytes().splitlines(), start=1):
            try:
                line = read_json(text)
                self._lines[_name(line)] = line
            except (ValueError, KeyError, TypeError) as error:
                raise ExperimentError(
                    f"{self.path}, line {number}: not a figure of ours ({cut(str(error))})"
                ) from None

    def __contains__(self, name: str) -> bool:
        return name in self._lines

    def get(self, name: str) -> dict[str, Any] | None:
        """Return the line of a row or finding, None if there is none yet."""
        return self._lines.get(name)

    def lines(self) -> list[dict[str, Any]]:
        """Return all lines, in the order in which they were first added."""
        return list(self._lines.values())

    def findings(self, prefix: str) -> list[dict[str, Any]]:
        """Return the findings whose names start with ``prefix``."""
        return [line for name, line in self._lines.items() if name.startswith(prefix)]

    def as_printed(self, row: str) -> list[dict[str, Any]]:
        """Return the lines of a row by the papers' own protocol, by seed."""
        return self._by_seed("printed", row)

    def by_authors(self, row: str) -> list[dict[str, Any]]:
        """Return the lines of a row by its authors' program, by training deals and seed."""
        return sorted(self._by_seed("authors", row), key=lambda line: int(line["deals"]))

    def _by_seed(self, kind: str, row: str) -> list[dict[str, Any]]:
        lines = [line for line in self._lines.values() if line.get(kind) == row]
        return sorted(lines, key=lambda line: int(line["seed"]))

    def add(self, lines: Iterable[dict[str, Any]]) -> None:
        """Store finished lines, replacing earlier ones of the same names."""
        for line in lines:
            self._lines[_name(line)] = line
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_writer(self.path) as stream:
            for line in self._lines.values():
                stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def _name(line: dict[str, Any]) -> str:
    if "printed" in line:
        return f"{line['printed']} as printed, seed {line['seed']}"
    if "authors" in line:
        return f"{line['authors']} by its authors, seed {line['seed']}, {line['deals']} deals"
    return str(line["row"] if "row" in line else line["finding"])


def agreed_deals(folder: Path, scale: Scale) -> int | None:
    """Return how many training deals this run uses, None before it has begun.

    The number is fixed when a run begins, so that its networks stay comparable even if the library
    grows meanwhile.
    """
    path = folder / f"{scale.name}.json"
    return int(_agreed(path)["deals"]) if path.exists() else None


def _agreed(path: Path) -> dict[str, Any]:
    """Return the deals that a run began with. Raises ExperimentError for a file without them."""
    try:
        content = read_json(path.read_bytes())
        if type(content["deals"]) is not int:
            raise TypeError("its deals are no number")
    except (ValueError, KeyError, TypeError) as error:
        raise ExperimentError(
            f"{path}: does not say what deals the run began with ({cut(str(error))})"
        ) from None
    return dict(content)


def agree(folder: Path, scale: Scale, deals: Deals) -> None:
    """Record the deals of a new run. Raises ExperimentError if it began with others."""
    path = folder / f"{scale.name}.json"
    now = {"deals": len(deals.training), **deals.describe(len(deals.training))}
    if path.exists():
        before = _agreed(path)
        for name, value in now.items():
            if before.get(name) != value:
                raise ExperimentError(
                    f"{path}: this run began with other deals: its {name} is "
                    f"{shorten(before.get(name))}, not {value!r} (use another folder)"
                )
        return
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as stream:
        stream.write(json.dumps(now, indent=1).encode() + b"\n")
