"""The result of a run."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from ._errors import SandboxError
from ._frames import to_frame
from ._words import hints_in_own_words

__all__ = ["Error", "Image", "Page", "RunResult", "Status", "Timings"]

Failure = Literal[
    "run-error",
    "install-error",
    "timeout",
    "memory-limit",
    "cancelled",
    "crashed",
    "busy",
    "denied",
    "session-lost",
]
Status = Literal["success"] | Failure


@dataclass(frozen=True)
class Image:
    """A picture that the code showed."""

    mime_type: str
    """Such as `image/png` or `image/svg+xml`."""
    data: bytes = field(repr=False)
    """Contents of its file."""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        data = base64.b64encode(self.data).decode()
        if self.mime_type != "image/svg+xml":
            return {self.mime_type: data}
        # Some notebooks, and pages made of them, run scripts of an SVG, but none of one inside `<img>`.
        return {"text/html": f'<img src="data:{self.mime_type};base64,{data}">'}


@dataclass(frozen=True)
class Page:
    """HTML that the code showed, such as a chart."""

    title: str
    """In plain text; may be empty."""
    about: str
    """Its kind and its size, in plain text: `plotly figure: 3 traces, 1,200 points`."""
    html: str = field(repr=False)
    """Code wrote it, and its scripts: show it in a sandboxed frame."""
    uri: str
    """Names it."""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": to_frame(self.html, self.title), "text/plain": self.about}


@dataclass(frozen=True)
class Error:
    """Why a run did not succeed."""

    type: str
    """The class of the exception, such as `ZeroDivisionError`; the run's status if no exception ended it."""
    message: str
    """Its message, in short."""
    traceback: str = field(repr=False)
    """Python's traceback, with hints; the message again if no exception ended the run."""

    def __str__(self) -> str:
        return self.traceback


@dataclass(frozen=True)
class Timings:
    """Where the time of a run went, in seconds."""

    waited: float
    """Until a sandbox took it."""
    wall: float
    """In the sandbox."""
    cpu: float | None = None
    """CPU time of the sandbox; None unless an option has it measured."""


@dataclass(frozen=True, repr=False)
class RunResult:
    """How a run ended; failing code is a result, too.

    In a notebook, it shows the output, the images, the value and the paths of the files.
    """

    status: Status
    value: Any = None
    """The last expression's value, as JSON can carry it."""
    output: str = ""
    """stdout and stderr in the order written."""
    error: Error | None = None
    """None after success."""
    images: tuple[Image, ...] = ()
    pages: tuple[Page, ...] = ()
    """HTML that the code showed, in the same order."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files that the code wrote, by path below `/workspace`."""
    removed: tuple[str, ...] = ()
    """Paths of files that were put in, and that the code removed."""
    exit_code: int | None = None
    """Python's own, if the code raised an exception or ended itself."""
    timings: Timings = Timings(0, 0)
    truncated: Mapping[str, int] = field(default_factory=dict)
    """Characters there were, at least, by the part that was cut: `output`, `return_value` or `error`.

    `return_value` is also there if rows of a table are left out; a note in the value counts them.
    """
    shown: str | None = None
    """A table as Python prints it; None for other values."""

    def raise_for_error(self) -> RunResult:
        """Gives the result itself after success.

        Raises:
            SandboxError: With the traceback, or the reason for which the code was stopped.
        """
        if self.error is None:
            return self
        raise SandboxError(self.error.traceback)

    def __repr__(self) -> str:
        """The fields that say anything, with the sizes of files in the place of their contents."""
        shown = {"files": {path: f"{len(content)} bytes" for path, content in self.files.items()}}
        parts = [
            f"{name}={shown.get(name, value)!r}"
            for name, value in ((each.name, getattr(self, each.name)) for each in fields(self))
            if name == "status" or value not in (None, "", (), {})
        ]
        return f"RunResult({', '.join(parts)})"

    def _ipython_display_(self) -> None:
        from IPython.display import display  # type: ignore[import-not-found]

        if self.output:
            print(self.output)
        for image in self.images:
            display(image)
        for page in self.pages:
            display(page)
        if self.error is not None:
            print(self.error.traceback)
        elif self.shown is not None:
            print(self.shown)
        elif self.value is not None:
            display(self.value)
        for path, content in self.files.items():
            print(f"wrote {path}, {len(content)} bytes")


def to_result(data: Mapping[str, Any], written: Mapping[str, bytes | bytearray]) -> RunResult:
    """Reads a result as the server writes it, beside the files of the run."""
    truncated = data.get("truncated", {})
    return RunResult(
        status=data["status"],
        value=data.get("returnValue"),
        output="\n".join(data["output"]),
        error=_to_error(data),
        images=tuple(_to_image(image) for image in data.get("images", [])),
        pages=tuple(_to_page(page) for page in data.get("pages", [])),
        files={path: bytes(content) for path, content in written.items()},
        removed=tuple(data.get("removed", [])),
        exit_code=data.get("exitCode"),
        timings=_to_timings(data.get("timings", {})),
        truncated={name: count for name, count in truncated.items() if isinstance(count, int)},
        shown=data.get("shown"),
    )


def _to_error(data: Mapping[str, Any]) -> Error | None:
    text = data.get("error")
    if text is None:
        return None
    message = data.get("errorMessage", text)
    return Error(data.get("errorType", data["status"]), hints_in_own_words(message), hints_in_own_words(text))


def _to_image(image: Mapping[str, str]) -> Image:
    kind, data = image["mimeType"], image["data"]
    return Image(kind, data.encode() if kind == "image/svg+xml" else base64.b64decode(data))


def _to_page(page: Mapping[str, str]) -> Page:
    return Page(page["title"], page["about"], page["html"], page["uri"])


def _to_timings(data: Mapping[str, float]) -> Timings:
    cpu = data.get("cpuMs")
    return Timings(data.get("waitedMs", 0) / 1000, data.get("wallMs", 0) / 1000, None if cpu is None else cpu / 1000)
