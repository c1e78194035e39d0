"""What a run that outlives its call has printed."""

from __future__ import annotations

from typing import Literal

Stream = Literal["stdout", "stderr"]


class Printed:
    """The lines of a run, as their ends come: those of stdout and stderr apart."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.has_ended = False
        self._open: dict[Stream, list[str]] = {"stdout": [], "stderr": []}
        """Pieces of the last line of each stream."""

    def take(self, stream: Stream, text: str) -> None:
        first, *lines = text.split("\n")
        self._open[stream].append(first)
        for line in lines:
            self._end_line(stream)
            self._open[stream].append(line)

    def end(self) -> None:
        """The run has ended, so that last lines without an end are whole."""
        for stream, pieces in self._open.items():
            if any(pieces):
                self._end_line(stream)
        self.has_ended = True

    def _end_line(self, stream: Stream) -> None:
        # After a `\r`, a line that was drawn again comes anew.
        self.lines.append("".join(self._open[stream]).removesuffix("\r").rpartition("\r")[2])
        self._open[stream] = []
