"""Make src/trickcast/web/page/practice.json: the page's practice deals, with the printed rows.

python docs/make_practice.py  # three minutes on a busy core
"""

import json
from pathlib import Path

import trickcast as tc
from trickcast.web.contest import KINDS, drawn, prepared, printed

SEED, DEALS = 2009_11, 112
TARGET = Path(tc.__file__).parent / "web" / "page" / "practice.json"


def main() -> None:
    """Draw, solve and estimate the deals, and write one per line."""
    drawn_deals = [drawn(SEED, number) for number in range(DEALS)]
    tables = tc.solve(tc.DealSet.from_deals(deal for deal, _ in drawn_deals), workers=1).tricks
    problems = [
        prepared(deal, leader, table)
        for (deal, leader), table in zip(drawn_deals, tables, strict=True)
    ]
    rows = {f"{hands}{strain}": printed(hands, strain) for hands, strain in KINDS}
    lines = ",\n".join(map(json.dumps, problems))
    content = f'{{"printed": {json.dumps(rows)},\n"problems": [\n{lines}\n]}}\n'
    TARGET.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
