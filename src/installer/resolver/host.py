"""The only ways out of this worker: the host fetches pages, and fetches and verifies wheels."""

import asyncio
import json
from time import monotonic

from pyodide.ffi import run_sync

_host = None
_answers = {}
_asked = {}  # By URL: the time of the first question.
_waited = 0  # Seconds.


def connect(host):
    global _host
    _host = host


def prefetch(url, headers=None, most=None):
    """Starts to fetch a page of at most `most` bytes, at most once."""
    if url not in _answers:
        _asked[url] = monotonic()
        _answers[url] = asyncio.ensure_future(_host.fetch(url, json.dumps(headers or {}), most))
    return _answers[url]


def fetch(url, headers=None, most=None, patience=None):
    """The answer, if it comes within `patience` seconds of the question: a dict of `status`, `url`, `contentType` and `body`; else of `error`."""
    answer = asyncio.shield(prefetch(url, headers, most))
    left = patience and max(0, _asked[url] + patience - monotonic())
    try:
        return _wait(asyncio.wait_for(answer, left)).to_py()
    except TimeoutError:
        return {"error": f"no answer within {patience} seconds"}


def prefetch_wheel(wheel):
    """Starts to download a wheel, at most once."""
    key = wheel.url, wheel.sha256  # An index may name an address twice, with different hashes.
    if key not in _answers:
        _answers[key] = asyncio.ensure_future(_host.wheel(json.dumps(wheel.to_fetch())))
    return _answers[key]


def fetch_wheel(wheel):
    """The verified wheel: a dict of `sha256` and `body`, or of `error`."""
    return _wait(prefetch_wheel(wheel)).to_py()


def _wait(answer):
    global _waited
    began = monotonic()
    try:
        return run_sync(answer)
    finally:
        _waited += monotonic() - began


def worked():
    """Seconds of this worker in which it has not waited for the host."""
    return monotonic() - _waited


def warn(text):
    _host.say(json.dumps({"type": "warning", "text": text}))


def trouble(answer):
    """The trouble with an answer, for a sentence."""
    return answer["error"] if "error" in answer else f"it answered with status {answer['status']}"
