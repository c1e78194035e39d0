"""Has calls say so that would do nothing here, without a word."""

import errno
import functools
import os
import sys

from .hints import SAYS


def patch_os():
    """Without this, `os.system()` returns -1."""
    os.system = _system


def _system(command):
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


def patch_pyplot(pyplot):
    """A backend with windows is refused with a note, and figures are pictures as ever."""
    switch = pyplot.switch_backend

    @functools.wraps(switch)
    def switch_backend(newbackend):
        try:
            return switch(newbackend)
        except ImportError:
            print(f"[no backend {newbackend}] {SAYS['backends']}", file=sys.stderr)
            return switch("agg")

    pyplot.switch_backend = switch_backend
