"""Changes a module when code imports it, and costs code that does not import it nothing."""

import sys
from importlib.machinery import PathFinder

_changes = {}


def when_imported(name, change):
    """From now on, whoever imports this module gets it changed."""
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
                try:
                    change(module)
                except Exception:  # another module of this name
                    pass

            spec.loader.exec_module = exec_module
        return spec
