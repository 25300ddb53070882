"""Networks as torch modules; needs torch, which the extra ``train`` installs."""

from .layered import BlockLinear, LayeredNetwork, SideBySide, run, run_all
from .names import Join, Layer, NetworkName
