"""The web's `fetch`, as far as `pyodide.http.pyfetch` uses it, over the same exchange as Python's libraries."""

import contextlib
from types import SimpleNamespace
from urllib.parse import urljoin, urlsplit

from pyodide.ffi import JsBuffer, JsException, create_proxy, to_js

from .network import Exchange

MOST_REDIRECTS = 20
REDIRECTS = (301, 302, 303, 307, 308)
# A redirect does not send these headers to another origin.
PRIVATE = ("authorization", "cookie")


class Request:
    """The URL of a request; `fetch` gets the settings beside it."""

    def __init__(self, url):
        self.url = url

    @classmethod
    def new(cls, url, _init=None):
        return cls(url)


async def fetch(request, init):
    """Sends a request and follows its redirects; `init` is an object of JavaScript's."""
    setting = lambda name: getattr(init, name, None)  # noqa: E731
    url = first = str(getattr(request, "url", request))
    signal, redirect = setting("signal"), setting("redirect")
    method = str(setting("method") or "GET").upper()
    headers, body = _to_pairs(setting("headers")), _to_bytes(setting("body"))
    for redirects in range(MOST_REDIRECTS + 1):
        exchange, target = await _exchange(method, url, headers, body, signal)
        if target is None or redirect == "manual":
            return Response(exchange, url, redirects > 0, signal)
        exchange.close()
        if redirect == "error":
            raise _error(f"{url} is a redirect")
        if exchange.status == 303 and method != "HEAD" or exchange.status < 303 and method == "POST":
            method, body = "GET", None
            headers = [(name, value) for name, value in headers if not name.lower().startswith("content-")]
        if urlsplit(target)[:2] != urlsplit(url)[:2]:
            headers = [(name, value) for name, value in headers if name.lower() not in PRIVATE]
        url = target
    raise _error(f"{first} has over {MOST_REDIRECTS} redirects")


async def _exchange(method, url, headers, body, signal):
    """Waits for the head of a response; gives the exchange, and the URL to which a redirect leads."""
    try:
        _refuse_aborted(signal)
        exchange = Exchange(method, url, headers, body)
        with _ended_by(signal, exchange):
            await exchange.begin()
        location = dict(exchange.headers).get("location")
        is_redirect = location is not None and exchange.status in REDIRECTS
        return exchange, urljoin(url, location) if is_redirect else None
    except (OSError, ValueError) as error:  # such as a location that is not a URL
        raise _error(getattr(error, "strerror", None) or str(error)) from None


class Response:
    """A response under JavaScript's names, as Pyodide's `FetchResponse` reads it."""

    type = "basic"

    def __init__(self, exchange, url, redirected, signal):
        self.url, self.redirected = url, redirected
        self.status, self.statusText = exchange.status, exchange.reason
        self.ok = 200 <= self.status < 300
        self.headers = Headers(exchange.headers)
        self.body = Body(exchange, signal)

    @property
    def bodyUsed(self):
        return self.body.is_used

    async def arrayBuffer(self):
        return to_js(await self.body.read_all()).buffer

    async def text(self):
        return (await self.body.read_all()).decode("utf-8-sig", "replace")

    def clone(self):
        raise TypeError("Cannot clone a response: read it once, and keep it")


class Headers(dict):
    """The headers of a response; names are in lower case, and values of the same name are joined."""

    def __init__(self, pairs):
        for name, value in pairs:
            self[name] = f"{self[name]}, {value}" if name in self else value

    def get(self, name, default=None):
        return super().get(name.lower(), default)

    def has(self, name):
        return name.lower() in self

    def entries(self):
        return to_js(list(self.items()))


class Body:
    """The body of a response, and its own reader: it comes in parts, and is read once."""

    def __init__(self, exchange, signal):
        self.is_used = False
        self._exchange, self._signal = exchange, signal

    def getReader(self):
        return self

    async def read(self):
        part = await self._next()
        return SimpleNamespace(value=to_js(part) if part else None, done=not part)

    async def cancel(self, _reason=None):
        self._exchange.close()

    def releaseLock(self):
        pass

    async def read_all(self):
        if self.is_used:
            raise OSError("The body of the response was read already")
        parts = []
        while part := await self._next():
            parts.append(part)
        return b"".join(parts)

    async def _next(self):
        self.is_used = True
        _refuse_aborted(self._signal)
        with _ended_by(self._signal, self._exchange):
            return await self._exchange.read()


@contextlib.contextmanager
def _ended_by(signal, exchange):
    """Ends an exchange when its signal is aborted, or when the code in the block is cancelled."""
    on_abort = create_proxy(lambda _event: exchange.close())
    if signal is not None:
        signal.addEventListener("abort", on_abort)
    try:
        yield
    except OSError:
        _refuse_aborted(signal)
        raise
    except BaseException:
        exchange.close()
        raise
    finally:
        if signal is not None:
            signal.removeEventListener("abort", on_abort)
        on_abort.destroy()


def _refuse_aborted(signal):
    if signal is not None and signal.aborted:
        reason = signal.reason
        raise reason if isinstance(reason, JsException) else _error(str(reason), "AbortError")


def _error(message, name="TypeError"):
    """An error as `fetch` throws it; `pyfetch` raises its own in the place of it."""
    return JsException(name, message)


def _to_pairs(headers):
    """Headers from a list of pairs, or from an object or a mapping of names."""
    headers = headers.to_py() if hasattr(headers, "to_py") else headers or ()
    return [(str(name), str(value)) for name, value in (headers.items() if hasattr(headers, "items") else headers)]


def _to_bytes(body):
    if not body:
        return None
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, JsBuffer):
        return body.to_bytes()
    raise _error("The body of a request must be text or bytes")
