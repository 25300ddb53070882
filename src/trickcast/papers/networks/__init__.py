"""The networks of 2004, 2009 and 2018; how they are trained needs the extra ``train``."""

from .network_name import Join, Layer, NetworkName
