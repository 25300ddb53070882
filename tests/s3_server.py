"""An S3 server on this machine, moto's, that can be slow, refuse, or break off."""

import importlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from werkzeug import serving

_MOTO: Any = importlib.import_module("moto.server")


class Server:
    """Moto's S3 behind a door that can be slow, refuse, or break off."""

    def __init__(self) -> None:
        self._s3 = _MOTO.DomainDispatcherApplication(_MOTO.create_backend_app)
        self.environment: dict[str, str] = {}
        """What clients need to know, as environment variables."""
        self.asked: list[tuple[str, str]] = []
        self.trouble: Callable[[str, str], str] = lambda method, path: ""

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        self.asked.append((method, path))
        trouble = self.trouble(method, path)
        if trouble == "slow":
            time.sleep(0.3)
        elif trouble == "break off":
            environ["wsgi.input"].read(50)  # the rest is never read, and nothing is stored
            raise ConnectionResetError("the server broke off")
        elif trouble:
            start(f"{trouble[:3]} {trouble[4:]}", [("Content-Type", "application/xml")])
            return [f"<Error><Code>{trouble[4:]}</Code><Message>no</Message></Error>".encode()]
        return self._s3(environ, start)

    def make_bucket(self, name: str) -> None:
        """Make a bucket; the environment is to be set."""
        import s3fs

        s3fs.S3FileSystem.clear_instance_cache()
        s3fs.S3FileSystem().mkdir(name)
        s3fs.S3FileSystem.clear_instance_cache()


@contextmanager
def s3_server() -> Iterator[Server]:
    """Serve on a free port of this machine."""
    server = Server()
    http = serving.make_server("127.0.0.1", 0, server, threaded=True, request_handler=_Quiet)
    server.environment = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{http.server_port}",
    }
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


class _Quiet(serving.WSGIRequestHandler):
    def log(self, *told: Any) -> None:
        pass
