"""Code that only the five papers need, with a folder for each paper.

It is a plug-in of the package: nothing outside imports it.
"""

from pathlib import Path

WEIGHTS = Path(__file__).parent / "weights"

COMMANDS = {
    "reproduce": "trickcast.papers.reproduce:reproduce",
    "explain": "trickcast.papers.explain:explain",
}
TRAININGS = {
    "hand2vec": "trickcast.papers.bridgehand2vec.hand2vec_training:find_training",
    "(52x4)-(26x4)-26-13-1": "trickcast.papers.networks.layered_models:find_training",
}
"""One example name per kind; the second function finds networks of all printed names."""
MODELS = {"(52x4)-(26x4)-26-13-1": "trickcast.papers:WEIGHTS"}
_OPENINGS = "trickcast.papers.opening_networks:load_shipped"
OPENINGS = dict.fromkeys(("52-60-7", "52-60-12", "cascade-1996"), _OPENINGS)
RULE_FILES = {"standard-american": "trickcast.papers.opening_networks:TEACHER"}
REFERENCES = {
    "evaluate": "trickcast.papers.published:best_results",
    "contest": "trickcast.papers.published:contest_results",
}
ERRORS = {"published": "trickcast.papers.published:PublishedError"}
