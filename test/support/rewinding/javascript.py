"""Prints what Python can reach of JavaScript: names, plain values, and how many there are of what is counted."""

import js, pyodide_js
from pyodide.ffi import JsProxy

DEEPEST, MOST_NAMES = 3, 120
CHANGING = {"wasmMemory", "asm", "timestamp", "startTime", "INITIAL_MEMORY"}
LATE = {"_asciiTextDecoder"}  # made when it is first needed, and has no state
_names, _property = js.Object.getOwnPropertyNames, js.Object.getOwnPropertyDescriptor
_seen = js.Map.new()


def property_of(it, name):
    return getattr(_property(it, name), "value", None)


def walk(it, path, depth):
    if js.ArrayBuffer.isView(it) or "ArrayBuffer" in js.Object.prototype.toString.call(it):
        return
    if _seen.has(it):
        print(path, "=", _seen.get(it))
        return
    _seen.set(it, path)
    names = [str(name) for name in _names(it)]
    # A list that was put back has no holes where the first had some.
    names = [name for name in names if name not in LATE and (not name.isdigit() or property_of(it, name) is not None)]
    print(path, it.typeof, js.Object.isFrozen(it), js.Object.isExtensible(it), len(names))
    for name in names:
        print(path, "has", name)
    if depth == 0 or len(names) > MOST_NAMES and depth < DEEPEST:
        return
    for name in names:
        if name in CHANGING or name.startswith("HEAP"):
            continue
        try:
            value = property_of(it, name)
            if isinstance(value, JsProxy):
                walk(value, f"{path}.{name}", depth - 1)
            else:
                print(f"{path}.{name}", repr(value)[:200] if isinstance(value, (int, float, str, bool, type(None))) else type(value).__name__)
        except Exception as error:
            print(f"{path}.{name}", type(error).__name__)


def entries(get):
    """Those in use: where there were more at once, there are empty places."""
    count = at = 0
    while True:
        try:
            count += get(at) is not None
        except Exception:
            return count
        at += 1


_module, _api = pyodide_js._module, pyodide_js._api
print("table", _module.wasmTable.length, _module.freeTableIndexes.length if hasattr(_module, "freeTableIndexes") else None)
for _name in ("__hiwire_get", "__hiwire_immortal_get"):
    _get = property_of(_module, _name)
    if _get is not None:
        print(_name, entries(_get))
print("streams", [str(one) for one in _names(pyodide_js.FS.streams)])
walk(js, "js", 1)
walk(js.Object.getPrototypeOf(pyodide_js), "pyodide's class", 1)
walk(pyodide_js, "pyodide", DEEPEST - 1)
walk(_api, "api", DEEPEST)
walk(_module, "module", DEEPEST - 1)
for _name in ("Object", "Array", "Map", "Set", "Promise", "Error", "Uint8Array", "ArrayBuffer", "String", "Number", "RegExp", "Date", "Symbol"):
    walk(getattr(js, _name), _name, 0)
    try:
        walk(getattr(js, _name).prototype, f"{_name}.prototype", 0)
    except Exception:  # Pyodide cannot show all of them
        print(_name)
"looked"
