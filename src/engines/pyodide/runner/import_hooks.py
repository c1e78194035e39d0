"""Changes third-party modules when they are imported, at no cost for code that does not import them."""

import sys
from importlib.machinery import PathFinder

_changes = {}


def when_imported(name, change):
    """Calls `change(module)` as soon as the module of this name has been executed."""
    if module := sys.modules.get(name):
        return _change(module, change)
    if not _changes:
        sys.meta_path.insert(0, _Finder)
    _changes[name] = change


def _change(module, change):
    try:
        change(module)
    except Exception:  # another module of this name
        pass


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        change = _changes.get(name)
        if change is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                _change(module, change)

            spec.loader.exec_module = exec_module
        return spec
