"""Errors of trainings; no torch is needed to know them."""


class TrainingError(RuntimeError):
    """A training that cannot go on: another training's checkpoint, an error that is no number."""
