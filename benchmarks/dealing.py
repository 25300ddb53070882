"""Random deals a second on one core, beside endplay's generator and shuffling with NumPy."""

import time
from collections.abc import Callable

import numpy as np
from endplay.dealer import generate_deal

from trickcast.dealing import random_deals


def rate(deals: int, run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return deals / (time.process_time() - start)


def shuffle(n: int) -> None:
    seats = np.tile(np.repeat(np.arange(4, dtype=np.uint8), 13), (n, 1))
    np.random.default_rng(1).permuted(seats, axis=1, out=seats)


def main() -> None:
    ours = max(rate(500_000, lambda: random_deals(500_000, seed=1)) for _ in range(3))
    numpy = max(rate(200_000, lambda: shuffle(200_000)) for _ in range(3))
    endplay = max(rate(5_000, lambda: [generate_deal() for _ in range(5_000)]) for _ in range(3))
    print(f"random_deals           {ours:12,.0f} deals/s a core")
    print(f"numpy Generator.permuted {numpy:10,.0f} deals/s a core: ours is {ours / numpy:.1f} x")
    print(f"endplay generate_deal  {endplay:12,.0f} deals/s a core: ours is {ours / endplay:.0f} x")


if __name__ == "__main__":
    main()
