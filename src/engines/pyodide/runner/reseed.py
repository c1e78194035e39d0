"""Makes restored interpreters differ: they all have the random state of the snapshot."""

import contextlib
import os
import random
import sys
import time

_unseeded = []  # generators that modules made without a seed


@contextlib.contextmanager
def noting_generators():
    """Notes generators that are made without a seed; a seeded generator is meant to repeat itself."""
    seed = random.Random.seed

    def note(self, a=None, version=2):
        _unseeded[:] = [other for other in _unseeded if other is not self]
        if a is None:
            _unseeded.append(self)
        seed(self, a, version)

    random.Random.seed = note
    try:
        yield
    finally:
        random.Random.seed = seed


def reseed():
    """Draws again all random values that modules drew on import."""
    random.seed()
    for generator in _unseeded:
        generator.seed()
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
    "_ssl": lambda module: module.RAND_add(os.urandom(48), 48.0),
    "logging": _logging,
    "numpy.random": lambda module: module.seed(),
    "tempfile": _tempfile,
    "uuid": _uuid,
}
