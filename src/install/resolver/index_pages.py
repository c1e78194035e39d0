"""Takes from micropip what does not depend on the Pyodide that it runs in."""

import importlib.util
import sys
import types

package = types.ModuleType("micropip")
package.__path__ = importlib.util.find_spec("micropip").submodule_search_locations
layer = types.ModuleType("micropip._compat")
layer.CompatibilityLayer = object
layer.compatibility_layer = object
sys.modules |= {package.__name__: package, layer.__name__: layer}

from micropip._vendored.mousebender.simple import from_project_details_html  # noqa: E402
from micropip.package_index import DEFAULT_INDEX_URLS  # noqa: E402

DEFAULT_INDEX_URL = DEFAULT_INDEX_URLS[0]
read_html = from_project_details_html
