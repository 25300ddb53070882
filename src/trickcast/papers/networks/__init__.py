"""The networks of 2004, 2009 and 2018; training them needs the extra ``train``."""

from .network_name import Join, Layer, NetworkName
