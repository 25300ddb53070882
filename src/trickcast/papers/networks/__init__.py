"""The networks of 2004, 2009 and 2018 and how they are trained; needs the extra ``train``."""

from .layered_network import BlockLinear, LayeredNetwork, SideBySide
from .network_name import Join, Layer, NetworkName
