"""What a snapshot holds beside the runner: modules that many runs import."""

import gc
import importlib
import json
import os
import sys

from .reseed import noting_generators

STDLIB = """
abc argparse array ast asyncio base64 bisect calendar cmath collections.abc colorsys concurrent.futures contextlib
contextvars copy csv dataclasses datetime decimal difflib email.message enum fractions functools getpass glob graphlib
gzip hashlib heapq hmac html.parser inspect io itertools json keyword linecache locale logging math mimetypes numbers
operator pathlib pickle platform pprint queue random re secrets shlex shutil statistics string struct subprocess sys
tempfile textwrap threading time timeit traceback types typing unicodedata urllib.parse urllib.request uuid warnings
weakref xml.etree.ElementTree zipfile zlib zoneinfo
""".split()

# Parts that are used nearly whenever their package is, and that it does not import itself.
IMAGES = [f"PIL.{name}ImagePlugin" for name in ("Bmp", "Gif", "Jpeg", "Ppm", "Png")]
PARTS = {
    "PIL": ["PIL.Image", "PIL.ImageDraw", *IMAGES],
    "matplotlib": ["matplotlib.pyplot", "matplotlib.backends.backend_agg", *IMAGES],
}


def import_stdlib():
    """Imports what runs often use of Python's own library; one that a Python lacks is left out."""
    for name in STDLIB:
        try_import(name)


def try_import(name):
    """Imports a module with its parts; gives the reason if that cannot be done."""
    try:
        with noting_generators():
            for part in (name, *PARTS.get(name, ())):
                importlib.import_module(part)
    except BaseException as error:  # whatever a package raises when it is imported
        return f"{type(error).__name__}: {error}"


def settle():
    """Prepares for a snapshot: what is there now stays, and collecting garbage need not look at it."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    gc.collect()
    gc.freeze()


def made_folders():
    """Folders that imports have made, as JSON: a snapshot holds memory, and no files."""
    return json.dumps([folder for root in ("/workspace", "/tmp") for folder, _, _ in os.walk(root)])
