"""Pages of package indexes, and the address of the default index."""

import importlib.util
import sys
import types
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlparse

# Imports the part of micropip that does not depend on the Pyodide that it runs in.
package = types.ModuleType("micropip")
package.__path__ = importlib.util.find_spec("micropip").submodule_search_locations
layer = types.ModuleType("micropip._compat")
layer.CompatibilityLayer = object
layer.compatibility_layer = object
sys.modules |= {package.__name__: package, layer.__name__: layer}

from micropip.package_index import DEFAULT_INDEX_URLS  # noqa: E402

DEFAULT_INDEX_URL = DEFAULT_INDEX_URLS[0]


def read_html(text, url):
    """The files on a project's page in HTML (PEP 503), in the form of a page in JSON."""
    parser = _Links(url)
    parser.feed(text)
    parser.close()
    return parser.files


class _Links(HTMLParser):
    def __init__(self, url):
        super().__init__()
        self.files = []
        self._base = url

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        href = (attributes.get("href") or "").strip()
        try:
            if tag == "base":
                self._base = urljoin(self._base, href)
            elif tag == "a" and href:
                self.files.append(_to_file(urljoin(self._base, href), attributes))
        except ValueError:
            pass  # A page may have links that are not addresses.


def _to_file(url, attributes):
    metadata = attributes.get("data-core-metadata", attributes.get("data-dist-info-metadata", "false"))
    algorithm, _, digest = (metadata or "true").partition("=")
    return {
        "filename": unquote(urlparse(url).path.rpartition("/")[2]),
        "url": url,  # Its hash is in the fragment.
        "requires-python": attributes.get("data-requires-python"),
        "yanked": "data-yanked" in attributes and (attributes["data-yanked"] or True),
        "core-metadata": {algorithm: digest} if digest else algorithm != "false",
    }
