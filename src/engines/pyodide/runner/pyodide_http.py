"""`pyodide.http`: replaces JavaScript's `fetch`, for `pyfetch`, and `XMLHttpRequest`, for `open_url` and `pyxhr`."""

from . import fetch

# From 0.29 on, `pyodide.http` is a package.
MODULES = ("pyodide.http", "pyodide.http._pyfetch", "pyodide.http.pyxhr")


def patch(module):
    module._jsfetch = fetch.fetch
    module.Request = fetch.Request
    module.XMLHttpRequest = XMLHttpRequest


class XMLHttpRequest:
    """The part of JavaScript's class that `open_url` and `pyxhr` use, over urllib, which follows redirects."""

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
            if error.code < 400:  # a redirect that leads nowhere
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
    """A body: text for `open_url`, and bytes for `pyxhr`."""

    @classmethod
    def of(cls, raw):
        text = cls(raw.decode("utf-8", "replace"))
        text.raw = raw
        return text

    def __bytes__(self):
        return self.raw
