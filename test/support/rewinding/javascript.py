"""Prints what Python can reach of JavaScript: names, plain values, and how many there are of what is counted."""

import js, pyodide_js
from pyodide.ffi import JsProxy

LARGE = {"HEAP8", "HEAPU8", "HEAP16", "HEAPU16", "HEAP32", "HEAPU32", "HEAPF32", "HEAPF64", "HEAP64", "HEAPU64", "wasmMemory", "asm"}
DEEPEST = 4
_names, _value_of = js.Object.getOwnPropertyNames, js.Object.getOwnPropertyDescriptor
_seen = js.Map.new()


def property_of(it, name):
    found = _value_of(it, name)
    return getattr(found, "value", None) if found is not None else None


def walk(it, path, depth):
    if _seen.has(it):
        print(path, "=", _seen.get(it))
        return
    _seen.set(it, path)
    try:
        names = [str(name) for name in _names(it)]
    except Exception as error:
        print(path, type(error).__name__)
        return
    names = [name for name in names if not (path.startswith("module") and name in LARGE)]
    print(path, it.typeof, js.Object.isFrozen(it), js.Object.isExtensible(it), len(names), ",".join(names)[:400])
    if depth >= DEEPEST or js.ArrayBuffer.isView(it):
        return
    for name in names:
        try:
            value = property_of(it, name)
        except Exception as error:
            print(f"{path}.{name}", type(error).__name__)
            continue
        if isinstance(value, JsProxy):
            walk(value, f"{path}.{name}", depth + 1)
        elif isinstance(value, (int, float, str, bool, type(None))):
            if name != "timestamp" and not name.endswith("time"):
                print(f"{path}.{name}", repr(value)[:100])
        else:
            print(f"{path}.{name}", type(value).__name__)


def entries(get):
    count = 0
    while True:
        try:
            get(count)
        except Exception:
            return count
        count += 1


_module, _api = pyodide_js._module, pyodide_js._api
walk(js, "js", 2)
walk(js.Object.getPrototypeOf(pyodide_js), "pyodide's class", 3)
walk(pyodide_js, "pyodide", 0)
print("table", _module.wasmTable.length, _module.freeTableIndexes.length if hasattr(_module, "freeTableIndexes") else None)
for _name in ("__hiwire_get", "__hiwire_immortal_get"):
    _get = property_of(_module, _name)
    if _get is not None:
        print(_name, entries(_get))
for _name in ("Object", "Array", "Map", "Set", "Promise", "Error", "Uint8Array", "ArrayBuffer", "String", "Number", "RegExp", "Date", "Symbol"):
    _class = getattr(js, _name)
    print(_name, ",".join(map(str, _names(_class))), ",".join(map(str, _names(_class.prototype))))
"looked"
