"""An S3 server of this machine, which can be told to break off in the middle of a request."""

import os
import re
import socket
import threading
from collections import Counter

import boto3
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server


class Quiet(WSGIRequestHandler):
    """Writes no line for each request; a client that is gone is no news."""

    def log(self, *_):
        pass


class Server:
    """moto's S3, over the network.

    Attributes
    ----------
    url : str
        The endpoint.
    asked : Counter of (method, path)
        The requests that came.
    """

    def __init__(self):
        self._app = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self, threaded=True, request_handler=Quiet)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.asked = Counter()
        self._on = None

    def stop(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def on(self, method, path, what, times=1):
        """Have something happen in the middle of requests: it says whether these go on."""
        self._on = (method, re.compile(path), what, times)

    def off(self):
        self._on = None

    def __call__(self, environ, start_response):
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        self.asked[method, path] += 1
        if self._on and method == self._on[0] and self._on[1].search(path):
            *kept, what, times = self._on
            self._on = (*kept, what, times - 1) if times > 1 else None
            if not what():
                if method == "PUT":
                    environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]) // 2)
                    environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
                    return []
                return self._half(environ, start_response)
        return self._app(environ, start_response)

    def _half(self, environ, start_response):
        """Answer by the first half of a file, and hang up."""
        whole = b"".join(self._app(environ, start_response))
        yield whole[: len(whole) // 2]
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)

    def client(self, service="s3"):
        return boto3.client(service, endpoint_url=self.url)


def settings(url):
    """Give the environment of those who use the server."""
    return {
        **os.environ,
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "anybody",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",
    }
