"""Answers about the networks that ship."""

from typing import Any

from typing_extensions import TypedDict

from ..estimator import ModelInfo


class ModelAnswer(TypedDict):
    """A model: ``accuracy`` is held-out deals → strains → percent within two, one, exactly."""

    name: str
    bytes: int
    sha256: str
    accuracy: dict[str, dict[str, Any]]
    speed: str


def model_answer(info: ModelInfo) -> ModelAnswer:
    """Answer with what a model file says of itself."""
    return {
        "name": info.name,
        "bytes": info.size,
        "sha256": info.sha256,
        "accuracy": info.accuracy,
        "speed": info.speed,
    }
