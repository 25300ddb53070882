"""A small network of your own: train it on the library's deals, export it, use it.

python examples/train_a_network.py [FOLDER]

Needs torch and onnx: pip install 'trickcast[train]'. The settings are those of ``fast``, except for
these; ``trickcast train fast --settings`` lists them all.
"""

import sys
import tempfile
from pathlib import Path

import trickcast as tc
from trickcast.evaluation import score
from trickcast.library import Library
from trickcast.training import Request, train

LIBRARY = Path(__file__).parents[1] / "data" / "library"
SETTINGS = {"network.width": "64", "steps": "120", "batch": "128", "warm_up": "20"}
SETTINGS |= {"learning_rate": "0.01", "average": "0.98", "evaluate_every": "60"}

request = Request(
    name="fast",
    settings=SETTINGS,
    library=LIBRARY,
    out=Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="trickcast-")),
    deals=20_000,
    validation=1_000,
)
answer = train(
    request,
    report=lambda line: print(
        f"step {line['step']:.0f}: {line['exact_suits']:.1f} % exact in suits, "
        f"{line['exact_notrump']:.1f} % at notrump"
    ),
)
print(answer)

deals = Library(LIBRARY).deals("test")[:1_000]
estimated = tc.Estimator(request.out / "fast.onnx")(deals)
scores = score(estimated.tricks, deals.tricks_or_unknown)
print(f"on {len(deals):,} other deals, within two | within one | exact, in percent:")
print(f"suits {scores['suits']}, notrump {scores['N']}")
