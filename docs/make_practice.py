"""Make the solved deals, and the printed rows beside them, that the static page practises on: src/trickcast/web/practice.json.

python docs/make_practice.py  # three minutes on a busy core
"""

import json
from pathlib import Path

import trickcast as tc
from trickcast.web.contest import KINDS, drawn, prepared, printed

SEED, DEALS = 2009_11, 112
TARGET = Path(tc.__file__).parent / "web" / "practice.json"


def main() -> None:
    """Draw, solve and estimate the deals, and write one a line."""
    drawn_deals = [drawn(SEED, number) for number in range(DEALS)]
    tables = tc.solve(tc.DealSet.from_deals(deal for deal, _ in drawn_deals), workers=1).tricks
    problems = [
        json.dumps(prepared(deal, leader, table))
        for (deal, leader), table in zip(drawn_deals, tables, strict=True)
    ]
    rows = json.dumps({f"{hands}{strain}": printed(hands, strain) for hands, strain in KINDS})
    content = f'{{"printed": {rows},\n"problems": [\n{",\n".join(problems)}\n]}}\n'
    TARGET.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
