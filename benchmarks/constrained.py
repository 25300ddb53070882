"""Constrained deals a second on one core, beside endplay's dealer under the same conditions."""

import time
import warnings
from collections.abc import Callable
from typing import Any

from endplay.dealer import generate_deals
from endplay.types import Deal as EndplayDeal

from trickcast.dealing import Constraints

SOUTH = "AQ864.K75.A3.KJ4"
BALANCED = "shape(north, any 4333 + any 4432 + any 5332)"
NOTRUMP = f"hcp(north) >= 15 and hcp(north) <= 17 and {BALANCED}"
CASES: dict[str, tuple[dict[str, Any], str | None, str, int]] = {
    "balanced 15-17 North, South fixed": (
        {"south": SOUTH, "north": "hcp 15-17, balanced"}, SOUTH, NOTRUMP, 40
    ),
    "balanced 15-17 North": ({"north": "hcp 15-17, balanced"}, None, NOTRUMP, 100),
    "North raises, West overcalls, South fixed": (
        {"south": SOUTH, "north": "hcp 6-9, spades 3-4", "west": "hcp 9-14, hearts 5-6"}, SOUTH,
        "hcp(north) >= 6 and hcp(north) <= 9 and spades(north) >= 3 and spades(north) <= 4 and "
        "hcp(west) >= 9 and hcp(west) <= 14 and hearts(west) >= 5 and hearts(west) <= 6", 40,
    ),
    "25 points together": (
        {"condition": "hcp(north) + hcp(south) >= 25"}, None, "hcp(north) + hcp(south) >= 25", 300
    ),
}  # fmt: skip


def rate(deals: int, run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return deals / (time.process_time() - start)


def theirs(south: str | None, condition: str, deals: int) -> float:
    known = EndplayDeal() if south is None else EndplayDeal(f"N:... ... {south} ...")
    return rate(
        deals, lambda: list(generate_deals(condition, predeal=known, produce=deals, seed=1))
    )


def main() -> None:
    warnings.simplefilter("ignore", DeprecationWarning)  # pyparsing's, on endplay's grammar
    print(f"{'accepted deals/s a core':42}  trickcast   setup  endplay    ratio")
    for name, (asked, south, condition, few) in CASES.items():
        Constraints(**asked)  # loads the parser
        start = time.process_time()
        constraints = Constraints(**asked)
        setup = time.process_time() - start
        many = 200_000
        ours = max(rate(many, lambda: constraints.deals(many, seed=1)) for _ in range(2))  # noqa: B023
        peer = max(theirs(south, condition, few) for _ in range(2))
        print(f"{name:42} {ours:10,.0f} {setup * 1e3:4.0f} ms {peer:8,.0f} {ours / peer:8,.0f}")


if __name__ == "__main__":
    main()
