"""Measure what another number of training deals or epochs brings to rows as printed.

    python docs/natively.py reproduce mossakowski2009 --row m09-TV-04 --row m09-TV-05 \\
        --scale full --training-deals 400000 --seeds 3 --test gib-10000.txt --out trained/more
    python docs/make_gains.py trained/more "400,000 training deals"

Each option has a folder of its own: --epochs 4000 has trained/epochs-4000. A row's gain is its
percent exact less that of docs/reproduction.jsonl, the mean over the seeds that both have, on the
test deals and the library's own together. The finding goes to that file.
"""

import argparse
from pathlib import Path
from statistics import mean
from typing import Any

from trickcast.papers.experiments.finished_figures import Store

DOCS = Path(__file__).parent


def main() -> None:
    """Compare the rows of a folder with the same rows as printed; print and store the finding."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("name", help="what these rows have, and those as printed have not")
    given = options.parse_args()
    store, found = Store(DOCS, "reproduction"), dict[str, list[float]]()
    for path in sorted(given.folder.glob("full*.jsonl")):
        for line in Store(given.folder, path.stem).lines():
            for printed in store.as_printed(line.get("row", "")):
                if printed["seed"] == line["seed"] and "own" in line:
                    found.setdefault(line["row"], []).append(exact(line) - exact(printed))
    gains = dict(sorted(found.items()))
    finding = {
        "finding": f"gain: {given.name}",
        "scale": "full",
        "gain": [round(mean(of_row), 2) for of_row in gains.values()],
        "seeds": {row: [round(gain, 2) for gain in of_row] for row, of_row in gains.items()},
    }
    print(finding)
    store.add([finding])


def exact(line: dict[str, Any]) -> float:
    """Return the percent exact on both sets of test deals."""
    own = line["own"]
    both = float(line["exact"] * line["n"] + own["exact"] * own["n"])
    return both / int(line["n"] + own["n"])


if __name__ == "__main__":
    main()
