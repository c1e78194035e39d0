"""Limits of the pictures of a run, and of its pages; what they leave out is said."""

import sys

from .values import attempt


def note(text):
    attempt(lambda it: print(it, file=sys.__stderr__), text, otherwise=lambda _: None)


class Tally:
    """Counts the pictures of a run, or its pages."""

    count = size = total = 0  # the most that there may be
    shown = taken = left_out = 0
    is_full = False

    def __init__(self, name, option, remedy):
        self.name, self.option, self.remedy = name, option, remedy
        self.hashes = set()

    def limit(self, count, size, total):
        self.count, self.size, self.total = count, size, total
        self.shown = self.taken = self.left_out = 0
        self.is_full = False
        self.hashes.clear()

    @property
    def room(self):
        return min(self.size, self.total - self.taken)

    def may_show_more(self):
        if self.shown < self.count:
            return True
        self.left_out += 1
        return False

    def leave_out(self, size):
        start = f"A {self.name} of {size:,} bytes was left out, as"
        if size > self.size:
            return note(f"{start} one may have {self.size:,}{self.option}. {self.remedy}")
        if self.is_full:
            self.left_out += 1
            return
        self.is_full = True
        note(
            f"{start} all {self.name}s of a run may have {self.total:,}, "
            f"and those before it have {self.taken:,}. Show fewer, or smaller ones."
        )

    def end(self):
        if self.left_out:
            most = f"{self.count} with {self.total:,} bytes" if self.is_full else f"{self.count}"
            note(f"{self.left_out:,} more {self.name}s were left out, as a run may show {most}. Show fewer.")
