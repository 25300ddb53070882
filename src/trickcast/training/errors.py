"""Errors of trainings; no torch is needed to know them."""


class TrainingError(RuntimeError):
    """A training that cannot continue: another training's checkpoint, or an error not finite."""
