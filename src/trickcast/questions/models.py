"""The question of which networks ship."""

from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from ..estimator import ModelInfo
from ..estimator import models as shipped_models
from .declared import Question


class ModelAnswer(TypedDict):
    """A model: ``accuracy`` is held-out deals → strains → percent within two, one, exactly."""

    name: str
    bytes: int
    sha256: str
    accuracy: dict[str, dict[str, Any]]
    speed: str


@dataclass(frozen=True, kw_only=True)
class ModelsQuestion(Question):
    """List the models that ship, with size, accuracy and speed.

    Example: trickcast models
    """

    def ask(self) -> tuple[ModelInfo, ...]:
        """Return the metadata of the model files."""
        return shipped_models()

    def answer(self, info: ModelInfo) -> ModelAnswer:
        """Answer with one model."""
        return {
            "name": info.name,
            "bytes": info.size,
            "sha256": info.sha256,
            "accuracy": info.accuracy,
            "speed": info.speed,
        }
