"""Looking inside a network of the papers: what each neuron of the first layer looks at.

Reading a model's file needs NumPy and ONNX Runtime only.
"""

from .measures import BOUNDS, Neuron, neurons, shares, table_vii
from .opened import FirstLayer, Opened, OpenedError, open_layer, open_model, sees_cards
from .pictures import weights_svg, write_png, write_svg
