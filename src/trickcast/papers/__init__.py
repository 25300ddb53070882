"""Everything that only the five papers need, and a folder for each of them.

It is a plug-in of the package: nothing outside imports it.
"""

COMMANDS = {
    "reproduce": "trickcast.papers.reproduce:reproduce",
    "explain": "trickcast.papers.explain:explain",
}
TRAININGS = {
    "hand2vec": "trickcast.papers.training.models:find_training",
    "(52x4)-(26x4)-26-13-1": "trickcast.papers.training.models:find_training",
}
"""By an example each: the function finds the networks of all names that the papers print."""
