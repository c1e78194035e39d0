"""`pyodide.http.open_url` and `pyxhr`, which want a request that blocks; `pyfetch` has `js.fetch`."""

from . import network
from .import_hooks import when_imported


def watch_imports():
    for name in ("pyodide.http", "pyodide.http.pyxhr"):
        when_imported(name, _patch)


def _patch(module):
    module.XMLHttpRequest = XMLHttpRequest


class XMLHttpRequest:
    """As much of the web's as these use; redirects are followed by urllib."""

    @classmethod
    def new(cls):
        return cls()

    def open(self, method, url, is_async=False):
        self._method, self.responseURL, self._headers = method, url, {}

    def setRequestHeader(self, name, value):
        self._headers[name] = value

    def send(self, body=None):
        import urllib.error
        import urllib.request

        body = body.encode() if isinstance(body, str) else body
        request = urllib.request.Request(self.responseURL, body, self._headers, method=self._method)
        try:
            response = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            if error.code < 400:  # a redirect that is none
                raise
            response = error
        with response:
            self.status, self.statusText = response.status, response.reason
            self.responseURL = response.url
            self._answered = response.headers
            self.responseText = self.response = _Text.of(response.read())

    def getAllResponseHeaders(self):
        return "".join(f"{name.lower()}: {value}\r\n" for name, value in self._answered.items())


class _Text(str):
    """Text for open_url, and bytes for pyxhr."""

    @classmethod
    def of(cls, raw):
        text = cls(raw.decode("utf-8", "replace"))
        text.raw = raw
        return text

    def __bytes__(self):
        return self.raw
