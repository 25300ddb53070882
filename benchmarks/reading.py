"""Reading speed of every writable format, beside reading the same bytes and doing nothing."""

import tempfile
import time
from pathlib import Path

import numpy as np

from trickcast import random_deals
from trickcast.cards import DealSet
from trickcast.formats import FORMATS, iter_deals, write

SIZES = {"pbn": 5_000, "lin": 5_000, "csv": 20_000}
DEALS = 400_000


def main() -> None:
    print(f"{'format':<11} {'deals':>8} {'deals/s':>12} {'MB/s':>8} {'of raw reading':>15}")
    for format in FORMATS.values():
        if format.write is None:
            continue
        n = SIZES.get(format.name, DEALS)
        tricks = np.random.default_rng(1).integers(0, 14, size=(n, 5, 4), dtype=np.uint8)
        deals = DealSet(random_deals(n, seed=1).owners, tricks if format.tricks else None)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"deals{format.suffixes[0]}"
            write(deals, path, format.name)
            raw, ours = [], []
            for _ in range(3):
                start = time.perf_counter()
                size = len(path.read_bytes())
                raw.append(time.perf_counter() - start)
                start = time.perf_counter()
                count = sum(len(part) for part in iter_deals(path, format.name))
                ours.append(time.perf_counter() - start)
            assert count == n
        best = min(ours)
        print(
            f"{format.name:<11} {n:>8,} {n / best:>12,.0f} {size / best / 1e6:>8.1f} "
            f"{best / min(raw):>13.1f} x"
        )


if __name__ == "__main__":
    main()
