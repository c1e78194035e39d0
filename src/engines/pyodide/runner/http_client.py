"""`http.client` without sockets, for `urllib.request` and all other libraries that use it."""

import http.client
import io
import sys

from . import network

CRLF = b"\r\n"


def patch():
    """Sends HTTP requests through the sandbox process; HTTPS too, even in a Python without `ssl`."""
    http.client.HTTPConnection.connect = _connector("http")
    if hasattr(http.client, "HTTPSConnection"):
        http.client.HTTPSConnection.connect = _connector("https")
    else:
        http.client.HTTPSConnection = HTTPSConnection
        http.client._create_https_context = lambda http_version: None


def _connector(scheme):
    """Makes a method that gives a connection of `http.client` an object in the place of its socket."""

    def connect(connection):
        sys.audit("http.client.connect", connection, connection.host, connection.port)
        if connection._tunnel_host:
            raise OSError("Cannot use a proxy: requests are sent by the sandbox itself.")
        connection.sock = HttpSocket(scheme, connection.host, connection.port, connection.timeout)

    return connect


class HTTPSConnection(http.client.HTTPConnection):
    """The class for a Python without `ssl`; the sandbox process checks certificates."""

    default_port = http.client.HTTPS_PORT
    connect = _connector("https")

    def __init__(self, host, port=None, *, context=None, **options):
        super().__init__(host, port, **options)


class HttpSocket:
    """A socket for HTTP/1.1 only: it sends a request once all of it is written, and reads its response."""

    def __init__(self, scheme, host, port, timeout):
        self._origin = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        self._written = bytearray()
        self._head = None  # method, path, headers, where the body begins
        self._exchange = None
        self.settimeout(timeout)

    def settimeout(self, timeout):
        self._timeout = timeout if isinstance(timeout, (int, float)) else None

    def gettimeout(self):
        return self._timeout

    def sendall(self, data):
        self._written += data
        if self._head is None:
            self._head = _parse_head(self._written)
        if self._exchange is None and self._head is not None:
            method, path, headers, start = self._head
            body = _whole_body(headers, self._written, start)
            if body is not None:
                self._send(method, path, headers, body)

    def _send(self, method, path, headers, body):
        if not path.startswith("/"):
            raise OSError(f'Cannot ask for "{path}": requests are sent by the sandbox itself, and through no proxy.')
        self._exchange = network.Exchange(method, self._origin + path, headers, body)
        self._written = bytearray()
        try:  # here, so that a connection fails where a socket's would
            self._exchange.begin_sync(self._timeout)
        except TimeoutError:  # reading raises it again
            pass

    def makefile(self, mode="r", buffering=-1, **_):
        if self._exchange is None:
            raise OSError("Nothing was asked for")
        if not self._exchange.status:
            self._exchange.begin_sync(self._timeout)
        return io.BufferedReader(_Answer(self._exchange, self))

    def setsockopt(self, *_):
        pass

    def shutdown(self, how):
        if self._exchange is not None:
            self._exchange.close()

    def close(self):  # the file of makefile() stays open, as with sockets
        pass


class _Answer(io.RawIOBase):
    """A response in the text form of HTTP/1.1, with a body that ends with the connection."""

    def __init__(self, exchange, sock):
        self._exchange = exchange
        self._sock = sock
        self._rest = memoryview(_head_of(exchange))

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self._rest:
            self._rest = memoryview(self._exchange.read_sync(self._sock.gettimeout()))
        length = min(len(buffer), len(self._rest))
        buffer[:length] = self._rest[:length]
        self._rest = self._rest[length:]
        return length

    def readall(self):
        parts = [bytes(self._rest)]
        while part := self._exchange.read_sync(self._sock.gettimeout()):
            parts.append(part)
        self._rest = memoryview(b"")
        return b"".join(parts)

    def close(self):
        if not self.closed:
            self._exchange.close()
        super().close()


def _head_of(exchange):
    reason = exchange.reason or http.client.responses.get(exchange.status, "")
    lines = [f"HTTP/1.1 {exchange.status} {reason}"]
    lines += [f"{name.title()}: {value}" for name, value in exchange.headers]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1", "replace")


def _parse_head(written):
    end = written.find(CRLF + CRLF)
    if end < 0:
        return None
    line, *lines = bytes(written[:end]).decode("latin-1").split("\r\n")
    method, path, _ = line.split(" ", 2)
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    return method, path, headers, end + 4


def _whole_body(headers, written, start):
    """Gives the body; None if a part of it is missing."""
    values = {name.lower(): value for name, value in headers}
    if "chunked" in values.get("transfer-encoding", ""):
        return _joined(written, start) if written.endswith(b"0\r\n\r\n") else None
    length = int(values.get("content-length", 0))
    return memoryview(written)[start : start + length] if len(written) >= start + length else None


def _joined(written, at):
    """Joins chunks without their lengths; gives None if the last chunk is missing."""
    body = bytearray()
    while True:
        end = written.find(CRLF, at)
        if end < 0:
            return None
        length = int(written[at:end], 16)
        if length == 0:
            return body
        at = end + 2 + length + 2
        if at > len(written):
            return None
        body += written[end + 2 : at - 2]
