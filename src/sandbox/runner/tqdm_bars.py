"""Hands on what bars of tqdm show, from the moment that code imports it."""

import math
import sys
from importlib.machinery import PathFinder

from .mcp_run_python import tell_progress

MODULE = "tqdm.std"
# What tqdm writes without its bar.
FORMAT = "{desc}{n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_fmt}{postfix}]"


def watch_imports():
    """From now on, whoever imports tqdm gets one that tells its progress."""
    sys.meta_path.insert(0, _Finder)


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != MODULE:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                _patch(module.tqdm)

            spec.loader.exec_module = exec_module
        return spec


def _patch(bar_class):
    display = bar_class.display

    def display_and_tell(self, msg=None, pos=None):
        shown = display(self, msg, pos)
        _tell(self, msg)
        return shown

    bar_class.display = display_and_tell


def _tell(bar, msg):
    # A text in place of the bar is its end, and one bar inside another goes back.
    if msg is not None or getattr(bar, "pos", 0):
        return
    try:
        message = bar.format_meter(**{**bar.format_dict, "bar_format": FORMAT})
        tell_progress(message, _finite(bar.n), _finite(bar.total))
    except Exception:  # a bar must never fail for it
        pass


def _finite(value):
    number = math.nan if value is None else float(value)
    return number if math.isfinite(number) and number >= 0 else None
