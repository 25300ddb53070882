"""The server's counters, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        registry = self._registry
        self.requests = Counter(
            "trickcast_requests", "Requests answered.", ["path", "status"], registry=registry
        )
        self.seconds = Histogram(
            "trickcast_request_seconds", "Time to answer.", ["path"], registry=registry
        )
        self.running = Gauge("trickcast_running", "Requests in work.", registry=registry)
        self.batch_sizes = Histogram(
            "trickcast_together",
            "Requests for estimates that were computed in one batch.",
            buckets=_SIZES,
            registry=registry,
        )
        self.waited = Histogram(
            "trickcast_solver_wait_seconds", "Time until a solver was free.", registry=registry
        )
        self.crashes = Counter(
            "trickcast_solver_failures", "Solves that failed each time.", registry=registry
        )

    def text(self) -> bytes:
        """Return all counters in Prometheus format."""
        return generate_latest(self._registry)
