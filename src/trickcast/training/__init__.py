"""Training the networks: one loop, a folder for each family, export to ONNX.

``train(Request(name="fast"))`` trains anything of the ``catalogue``, as the command does.
Needs torch; an export needs onnx too. Both come with the extra ``train``.
"""

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ModuleNotFoundError(
        "training needs torch; install it with: pip install 'trickcast[train]'", name="torch"
    )

from .catalogue import find_training, listed, train
from .checkpoints import TrainingError
from .request import Answer, Request
from .settings import read_settings
