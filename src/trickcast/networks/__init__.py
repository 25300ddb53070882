"""Networks as torch modules; needs torch, which the extra ``train`` installs."""

from .layered import BlockLinear, LayeredNetwork, run
from .names import Layer, NetworkName

__all__ = ["BlockLinear", "Layer", "LayeredNetwork", "NetworkName", "run"]
