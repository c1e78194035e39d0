"""This Python, which packages are installed for."""

import json

from packaging.markers import default_environment
from packaging.tags import compatible_tags, cpython_tags, interpreter_name, interpreter_version, platform_tags
import pyodide_js

VERSION = default_environment()["python_full_version"]
# The ABI of Pyodide says which native wheels it can load.
ABI = json.loads(pyodide_js._api.config.lockFileContents)["info"].get("abi_version")
# Before 314, wheels for Pyodide had another tag.
_PLATFORMS = [*platform_tags(), f"pyodide_{ABI}_wasm32"]
_INTERPRETER = interpreter_name() + interpreter_version()
TAGS = [
    *cpython_tags(platforms=_PLATFORMS),
    *compatible_tags(platforms=_PLATFORMS, interpreter=_INTERPRETER),
]
