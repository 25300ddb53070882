"""Everything that only the five papers need, and a folder for each of them.

It is a plug-in of the package: nothing outside imports it.
"""

COMMANDS = {
    "reproduce": "trickcast.papers.reproduce:reproduce",
    "explain": "trickcast.papers.explain:explain",
}
TRAININGS = {"networks": "trickcast.papers.training.models:find_training"}
