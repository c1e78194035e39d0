"""Pages of package indexes, and where the default one is."""

import importlib.util
import sys
import types
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlparse

# Takes from micropip what does not depend on the Pyodide that it runs in.
package = types.ModuleType("micropip")
package.__path__ = importlib.util.find_spec("micropip").submodule_search_locations
layer = types.ModuleType("micropip._compat")
layer.CompatibilityLayer = object
layer.compatibility_layer = object
sys.modules |= {package.__name__: package, layer.__name__: layer}

from micropip.package_index import DEFAULT_INDEX_URLS  # noqa: E402

DEFAULT_INDEX_URL = DEFAULT_INDEX_URLS[0]


def read_html(text, url):
    """The files of a project's page in HTML (PEP 503), as one in JSON has them."""
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
            pass  # No address; a page may have links to anything.


def _to_file(url, attributes):
    metadata = attributes.get("data-core-metadata", attributes.get("data-dist-info-metadata", "false"))
    return {
        "filename": unquote(urlparse(url).path.rpartition("/")[2]),
        "url": url,  # Its hash is in the fragment.
        "requires-python": attributes.get("data-requires-python"),
        "yanked": "data-yanked" in attributes and (attributes["data-yanked"] or True),
        "core-metadata": metadata != "false",
    }
