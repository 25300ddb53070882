"""The server on Ray Serve, which keeps so many of it and shares the requests out among them.

pip install 'trickcast[web]' 'ray[serve]'
python examples/serving/on_ray.py [PORT [REPLICAS]]

It starts a Ray of its own, or joins the one whose address RAY_ADDRESS says: never just any that
runs on this machine.
"""

import os
import sys

import ray
from ray import serve

from trickcast.web.serve.api import application
from trickcast.web.serve.guard import Application, Limits

HOSTS = frozenset({"localhost", "127.0.0.1", "bridge.example.org"})


def server() -> Application:
    """Return the application, in the process of the replica that answers with it."""
    return application(HOSTS, Limits(), solvers=1)


def main(port: int = 8000, replicas: int = os.cpu_count() or 1) -> None:
    """Serve on a port until Ctrl-C."""
    ray.init(os.environ.get("RAY_ADDRESS", "local"), include_dashboard=False)
    serve.start(http_options={"port": port})
    trickcast = serve.deployment(
        serve.ingress(server)(),
        name="trickcast",
        num_replicas=replicas,
        max_ongoing_requests=2 * Limits().running,  # the server itself says when it is too much
    )
    serve.run(trickcast.bind(), name="trickcast", blocking=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
