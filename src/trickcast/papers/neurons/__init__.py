"""Inspection of a network of the papers: what each neuron of the first layer looks at.

Reading a model's file needs only NumPy and ONNX Runtime.
"""

from .first_layer import FirstLayer, Opened, OpenedError, open_layer, open_model, sees_cards
from .neuron_patterns import BOUNDS, Neuron, neurons, shares, table_vii
from .weight_pictures import weights_svg, write_png, write_svg
