"""Write the folder that the shipped model of results at the table was trained on.

    python docs/played_files.py ../shared/data/played FOLDER
    trickcast train played FOLDER --out trained

The championships' PBN file is copied. The club's results, a table of deal, contract, declarer,
tricks and number of tables, become PBN with a ScoreTable for each deal.
"""

import csv
import gzip
import shutil
import sys
from itertools import groupby
from pathlib import Path

COLUMNS = "Contract\\5L;Declarer\\1;Result\\2R;Multiplicity\\4R"


def club_pbn(source: Path, target: Path) -> int:
    """Write the club's results as PBN and return the number of deals."""
    deals = 0
    with gzip.open(source, "rt", encoding="utf-8", newline="") as table:
        rows = sorted(csv.DictReader(table), key=lambda row: row["deal"])
    with target.open("w", encoding="ascii") as pbn:
        pbn.write("% PBN 2.1\n")
        for deal, results in groupby(rows, key=lambda row: row["deal"]):
            deals += 1
            lines = list(results)
            first = lines[0]
            pbn.write(
                f'[Event "club"]\n[Board "{deals}"]\n[Dealer "{first["dealer"]}"]\n'
                f'[Vulnerable "{first["vulnerable"]}"]\n[Deal "{deal}"]\n[ScoreTable "{COLUMNS}"]\n'
            )
            for row in lines:
                pbn.write(
                    f"{row['contract']:<5} {row['declarer']:1} {row['tricks']:>2} "
                    f"{row['tables']:>4}\n"
                )
            pbn.write("\n")
    return deals


def main() -> None:
    """Fill the folder."""
    source, folder = map(Path, sys.argv[1:])
    for players in ("expert", "club"):
        (folder / players).mkdir(parents=True, exist_ok=True)
    shutil.copy(source / "championships.pbn.gz", folder / "expert")
    print(club_pbn(source / "okbridge.csv.gz", folder / "club" / "okbridge.pbn"), "club deals")


if __name__ == "__main__":
    main()
