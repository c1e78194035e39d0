"""Answers of a Python that must be the same, however its symbols are linked."""

import asyncio
import ctypes
import decimal
import hashlib
import json
import math
import re
import zlib

from pyodide.ffi import create_proxy, to_js

api = ctypes.pythonapi
api.Py_GetVersion.restype = ctypes.c_char_p
api.PyLong_FromLong.restype = ctypes.py_object
add = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int)(lambda a, b: a + b)


def error_of(action):
    try:
        return str(action())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


async def wait():
    await asyncio.sleep(0)
    return await asyncio.gather(*[asyncio.sleep(0, n) for n in range(3)])


proxy = create_proxy(lambda x: x * 2)
json.dumps(
    [
        api.Py_GetVersion().decode(),
        api.PyLong_FromLong(7),
        add(2, 3),
        ctypes.CDLL(None).abs(-4),
        ctypes.cast(api.PyLong_FromLong, ctypes.c_void_p).value,
        ctypes.c_int.in_dll(api, "Py_OptimizeFlag").value,
        error_of(lambda: api.no_such_function),
        error_of(lambda: ctypes.c_int.in_dll(api, "no_such_data").value),
        error_of(lambda: eval("(" * 500)),
        error_of(lambda: math.sqrt(-1)),
        error_of(lambda: __import__("no_such_module")),
        str(decimal.Decimal(1) / 7),
        math.factorial(50) % 997,
        zlib.decompress(zlib.compress(b"abc")).decode(),
        hashlib.sha256(b"x").hexdigest(),
        re.sub(r"(\w+) (\w+)", r"\2 \1", "a b"),
        await wait(),
        list(to_js([1, [2, "3"]]).to_py()),
        proxy(4),
    ]
)
