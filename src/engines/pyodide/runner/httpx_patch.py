"""httpx: its own transports need sockets; these transports send requests through the sandbox process."""

from . import network


def patch(httpx):
    def begin(request, body):
        return network.Exchange(request.method, str(request.url), request.headers.multi_items(), body)

    def timeouts(request):
        """Seconds until a response begins, and from one part of it to the next."""
        given = request.extensions.get("timeout", {})
        connect, read = given.get("connect"), given.get("read")
        return None if connect is None or read is None else max(connect, read), read

    def to_response(exchange, stream):
        headers = [(name.encode(), value.encode()) for name, value in exchange.headers]
        extensions = {"http_version": b"HTTP/1.1", "reason_phrase": exchange.reason.encode("ascii", "ignore")}
        return httpx.Response(exchange.status, headers=headers, stream=stream, extensions=extensions)

    class Errors:
        """Raises httpx's own errors for those of the network."""

        def __init__(self, request, kind):
            self.request, self.kind = request, kind

        def __enter__(self):
            pass

        def __exit__(self, _, error, __):
            if isinstance(error, TimeoutError):
                raise httpx.ReadTimeout("timed out", request=self.request) from error
            if isinstance(error, OSError):
                raise self.kind(str(error), request=self.request) from error

    class Stream(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __init__(self, exchange, request, timeout):
            self.exchange, self.request, self.timeout = exchange, request, timeout

        def __iter__(self):
            with Errors(self.request, httpx.ReadError):
                while part := self.exchange.read_sync(self.timeout):
                    yield part

        async def __aiter__(self):
            with Errors(self.request, httpx.ReadError):
                while part := await self.exchange.read(self.timeout):
                    yield part

        def close(self):
            self.exchange.close()

        async def aclose(self):
            self.exchange.close()

    def refuse_proxy(self, *_, proxy=None, uds=None, **__):
        if proxy is not None or uds is not None:
            raise ValueError("Cannot use a proxy: requests are sent by the sandbox itself.")

    class HTTPTransport(httpx.BaseTransport):
        __init__ = refuse_proxy

        def handle_request(self, request):
            first, next_ = timeouts(request)
            body = request.read()
            with Errors(request, httpx.ConnectError):
                exchange = begin(request, body)
                exchange.begin_sync(first)
            return to_response(exchange, Stream(exchange, request, next_))

    class AsyncHTTPTransport(httpx.AsyncBaseTransport):
        __init__ = refuse_proxy

        async def handle_async_request(self, request):
            first, next_ = timeouts(request)
            body = await request.aread()
            with Errors(request, httpx.ConnectError):
                exchange = begin(request, body)
                await exchange.begin(first)
            return to_response(exchange, Stream(exchange, request, next_))

    for module in (httpx, httpx._client):
        module.HTTPTransport = HTTPTransport
        module.AsyncHTTPTransport = AsyncHTTPTransport
