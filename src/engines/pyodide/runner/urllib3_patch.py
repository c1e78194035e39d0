"""urllib3, and with it requests: its connections use the sockets of `http_client`."""

from .http_client import HttpSocket


def patch(urllib3):
    # urllib3's own connections for the browser lose headers and do not report redirects.
    pools = urllib3.connectionpool

    class FetchConnection(pools.HTTPConnection):
        scheme = "http"

        def _new_conn(self):
            host = getattr(self, "_dns_host", self.host)
            return HttpSocket(self.scheme, host.strip("[]"), self.port, self.timeout)

        @property
        def is_connected(self):
            return False  # a connection has a single request

    class SecureConnection(FetchConnection):
        scheme = "https"
        default_port = 443
        is_verified = True

        def __init__(self, host, port=None, **options):
            super().__init__(host, port, **{name: options[name] for name in OPTIONS if name in options})

        def set_cert(self, *_, **__):
            pass

    pools.HTTPConnectionPool.ConnectionCls = FetchConnection
    pools.HTTPSConnectionPool.ConnectionCls = SecureConnection
    urllib3.connection.HTTPConnection = FetchConnection
    urllib3.connection.HTTPSConnection = urllib3.connection.VerifiedHTTPSConnection = SecureConnection


# All other options are about certificates.
OPTIONS = ["timeout", "blocksize", "source_address", "socket_options", "proxy", "proxy_config", "strict"]
