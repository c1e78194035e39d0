"""Makes restored interpreters differ: a snapshot repeats itself."""

import random
import sys
import time


def reseed():
    """Draws anew what was drawn when modules were imported; a module that is not there is left alone."""
    random.seed()
    for name, draw in _DRAW.items():
        if module := sys.modules.get(name):
            draw(module)


def _tempfile(module):
    module._name_sequence = None


def _uuid(module):
    module._node = None
    module._last_timestamp = None
    module._last_timestamp_v7 = None
    module._last_counter_v7 = 0


def _logging(module):
    module._startTime = time.time_ns() if isinstance(module._startTime, int) else time.time()


_DRAW = {
    "logging": _logging,
    "numpy.random": lambda module: module.seed(),
    "tempfile": _tempfile,
    "uuid": _uuid,
}
