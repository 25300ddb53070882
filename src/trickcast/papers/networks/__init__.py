"""Networks as torch modules; needs torch, which the extra ``train`` installs."""

from ...training.suit_networks import run_all
from .layered import BlockLinear, LayeredNetwork, SideBySide, run
from .names import Join, Layer, NetworkName
