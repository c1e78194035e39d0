"""The modules that a snapshot holds beside the runner: many runs import them."""

import contextlib
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

# Modules that most users of a package need, and that the package does not import itself. A session that has loaded
# a native library which the snapshot lacks cannot be saved.
IMAGES = [f"PIL.{name}ImagePlugin" for name in ("Bmp", "Gif", "Jpeg", "Ppm", "Png")]
PARTS = {
    "PIL": ["PIL.Image", "PIL.ImageDraw", "PIL.ImageFont", "PIL._imagingft", *IMAGES],
    "matplotlib": [
        *("matplotlib.pyplot", "matplotlib.backends.backend_agg", "matplotlib.tri", "matplotlib._tri", "contourpy"),
        *IMAGES,
    ],
    "pyarrow": [f"pyarrow.{name}" for name in "compute csv dataset feather json parquet".split()],
    "scipy": [
        f"scipy.{name}"
        for name in """
        cluster cluster.hierarchy cluster.vq fft integrate interpolate io linalg ndimage optimize signal sparse
        sparse.csgraph sparse.linalg spatial spatial.distance special stats
        """.split()
    ],
    "sklearn": [
        f"sklearn.{name}"
        for name in """
        cluster compose datasets decomposition ensemble feature_extraction.text gaussian_process impute inspection
        linear_model manifold metrics mixture model_selection naive_bayes neighbors neural_network pipeline
        preprocessing svm tree
        """.split()
    ],
}
imported = []  # modules of packages, without their parts


def import_stdlib():
    """Imports the modules of Python's library that runs often use; skips those that a Python lacks."""
    for name in STDLIB:
        try_import(name)


def try_import(name):
    """Imports a module with its parts; gives the reason if that fails."""
    try:
        with noting_generators():
            importlib.import_module(name)
            for part in PARTS.get(name, ()):
                with contextlib.suppress(ImportError):  # another version may lack it
                    importlib.import_module(part)
            imported.append(name)
    except BaseException as error:  # a package may raise anything on import
        return f"{type(error).__name__}: {error}"


def settle():
    """Prepares for a snapshot: the garbage collector need not visit the present objects again."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    gc.collect()
    gc.freeze()


def made_folders():
    """Lists the folders that imports have made, as JSON: a snapshot holds memory, but no files."""
    return json.dumps([folder for root in ("/workspace", "/tmp", "/home") for folder, _, _ in os.walk(root)])
