"""Make reproduction.csv and the pages of the papers again, from the figures in reproduction.jsonl.

    python docs/make_reproduction.py

For changes of words, reasons and columns; nothing is measured.
"""

from pathlib import Path

from trickcast.papers.experiments.finished_figures import Store
from trickcast.papers.experiments.pages import write_report

DOCS = Path(__file__).parent

if __name__ == "__main__":
    for made in write_report(Store(DOCS, "reproduction"), "standard", DOCS):
        print(made)
