"""A server on this machine that is laid out as the host of pgx's solved deals is."""

import io
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Self

import numpy as np

from trickcast.cards import DealSet


def as_pgx(deals: DealSet) -> bytes:
    """Return a file of pgx, written from its description and not by our reader."""
    cards = np.zeros((len(deals), 4), dtype=np.int64)
    for rank in (0, *range(12, 0, -1)):  # ace, then two to king; ours go from ace down to two
        cards = cards * 4 + deals.owners.reshape(-1, 4, 13)[:, :, rank]
    tables = np.zeros((len(deals), 4), dtype=np.int64)
    for strain in (3, 2, 1, 0, 4):  # clubs first, notrump last
        tables = tables * 16 + deals.tricks_or_unknown[:, strain]
    file = io.BytesIO()
    np.save(file, np.stack([cards, tables]).astype(np.int32))
    return file.getvalue()


class Host(ThreadingHTTPServer):
    """The host's one file, by its name; what goes wrong with the next answers, in turn."""

    daemon_threads = True

    def __init__(self, content: bytes, file: str = "dds_results_500K.npy"):
        super().__init__(("127.0.0.1", 0), _Answer)
        self.path = f"/datasets/sotetsuk/dds_dataset/resolve/main/{file}"
        self.content, self.faults, self.asked = content, list[str](), 0
        self.etag = '"one"'
        self._thread = Thread(target=self.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answer(BaseHTTPRequestHandler):
    server: Host

    def do_GET(self) -> None:
        if self.path == "/moved":  # the host sends on to where its large files lie
            return self._send()
        assert self.path == self.server.path
        self.send_response(302)
        self.send_header("Location", "/moved")
        self.end_headers()

    def _send(self) -> None:
        self.server.asked += 1
        fault = self.server.faults.pop(0) if self.server.faults else ""
        first, last = map(int, re.findall(r"\d+", self.headers["Range"]))
        data = self.server.content[first : last + 1]
        if fault == "busy":
            return self.send_error(503)
        if fault == "gone":
            return self.send_error(404)
        self.send_response(200 if fault == "whole" else 206)
        page = fault == "page"
        self.send_header("Content-Type", "text/html" if page else "application/octet-stream")
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(self.server.content)}")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", '"two"' if fault == "changed" else self.server.etag)
        self.end_headers()
        self.wfile.write(data[: len(data) // 3] if fault == "cut" else data)
        self.close_connection = True

    def log_message(self, format: str, *arguments: object) -> None:
        """Keep quiet."""
