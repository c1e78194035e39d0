"""Changes modules of others when they are imported, by whom and whenever it be."""

import sys
from importlib.machinery import PathFinder

_changes = {}


def when_imported(name, change):
    """Calls `change(module)` as soon as a module was executed."""
    if module := sys.modules.get(name):
        return change(module)
    if not _changes:
        sys.meta_path.insert(0, _Finder)
    _changes[name] = change


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
                change(module)

            spec.loader.exec_module = exec_module
        return spec
