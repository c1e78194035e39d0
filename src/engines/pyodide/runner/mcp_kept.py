"""Memory and artifacts of code mode: values that outlive sessions, kept by the host."""

import base64
import datetime
import json
import math

from . import host_calls
from .mcp_saved import bind_saved, delete_saved_tool, list_saved_tools, save_tool

__all__ = ["NAMES", "artifacts", "bind_saved"]

MOST_VALUE = 256 * 1024  # characters of JSON; src/server/host_calls/memory.ts has the same bound
MOST_DEPTH = 100
MOST_TRIES = 100  # of a value that other sessions write meanwhile


def save_memory(key, value, *, metadata=None):
    """Keeps a JSON value under a key, for all later sessions of this client; gives the facts about it.

    key: any text of up to 256 characters.
    value: None, bool, int, float, str, or lists and dicts of these; up to 256 KiB of JSON.
    metadata: a small JSON value beside it, which list_memories() shows.
    """
    return _facts(_save(key, value, metadata))


def load_memory(key, *, default=None):
    """Gives the value that is kept under a key; the default if there is none."""
    found = _memory("load", key=_key(key))
    return json.loads(found["value"]) if found["found"] else default


def delete_memory(key):
    """Removes the value under a key; gives whether there was one."""
    return _memory("delete", key=_key(key))["existed"]


def list_memories():
    """Gives the facts about all that is kept: key, created, updated, bytes, metadata."""
    return _all("memory")


def update_memory(key, updater):
    """Keeps updater(value) in the place of a value, and gives it; updater(None) if there is none.

    No write of another session is lost: the updater is called again if there was one meanwhile.
    """
    if not callable(updater):
        raise TypeError(f"updater must be a function of the value, not {type(updater).__name__}")
    for _ in range(MOST_TRIES):
        found = _memory("load", key=_key(key))
        value = updater(json.loads(found["value"]) if found["found"] else None)
        metadata = json.loads(found.get("metadata", "null"))
        if "conflict" not in _save(key, value, metadata, ifRevision=found.get("revision", "")):
            return value
    raise RuntimeError(
        f"Cannot update the memory {key!r}: other sessions have written it {MOST_TRIES} times meanwhile."
    )


def memory_exists(key):
    """Says whether a value is kept under a key."""
    return _memory("info", key=_key(key))["found"]


def get_memory_info(key):
    """Gives the facts about the value under a key, as list_memories() does; None if there is none."""
    found = _memory("info", key=_key(key))
    return _facts(found["facts"]) if found["found"] else None


class Artifacts:
    """Files that outlive sessions: bytes by name, up to 64 MiB each."""

    def save(self, name, data, metadata=None):
        """Keeps bytes, or a text as UTF-8, under the name of a file; gives the facts about it."""
        data = _to_bytes(data)
        more = {} if metadata is None else {"metadata": _to_json(metadata, "metadata")}
        opened = _artifact("begin", name=_key(name, "name"), size=len(data), **more)
        draft, piece = opened["draft"], opened["piece"]
        try:
            for start in range(0, len(data), piece):
                part = base64.b64encode(data[start : start + piece]).decode()
                _artifact("append", draft=draft, data=part)
        except BaseException:
            try:
                _artifact("abort", draft=draft)
            except Exception:  # the host gives it up by itself
                pass
            raise
        return _facts(_artifact("commit", draft=draft))

    def load(self, name):
        """Gives the bytes of an artifact."""
        for _ in range(MOST_TRIES):
            data, more = bytearray(), {}
            while True:
                found = _artifact("read", name=_key(name, "name"), offset=len(data), **more)
                if not found["found"]:
                    break
                data += base64.b64decode(found["data"])
                more = {"revision": found["revision"]}
                if len(data) >= found["bytes"]:
                    return bytes(data)
            if not more:
                raise FileNotFoundError(f"There is no artifact {name!r}: artifacts.list() gives those that there are.")
        raise RuntimeError(f"Cannot load the artifact {name!r}: other sessions write it all the time.")

    def load_text(self, name):
        """Gives an artifact as a text, from UTF-8."""
        return self.load(name).decode()

    def list(self):
        """Gives the facts about all artifacts: key (the name), created, updated, bytes, metadata."""
        return _all("artifact")

    def delete(self, name):
        """Removes an artifact; gives whether there was one."""
        return _artifact("delete", name=_key(name, "name"))["existed"]

    def info(self, name):
        """Gives the facts about an artifact, as list() does; None if there is none."""
        found = _artifact("info", name=_key(name, "name"))
        return _facts(found["facts"]) if found["found"] else None

    def path(self, name):
        """Writes a copy of an artifact into the working folder; gives its path."""
        data = self.load(name)
        path = f"/workspace/{name}"
        with open(path, "wb") as file:
            file.write(data)
        return path

    def __repr__(self):
        return "<artifacts: save, load, load_text, list, delete, info, path>"


artifacts = Artifacts()

NAMES = {
    function.__name__: function
    for function in (
        save_tool,
        list_saved_tools,
        delete_saved_tool,
        save_memory,
        load_memory,
        delete_memory,
        list_memories,
        update_memory,
        memory_exists,
        get_memory_info,
    )
}


def _save(key, value, metadata, **more):
    if metadata is not None:
        more["metadata"] = _to_json(metadata, "metadata")
    return _memory("save", key=_key(key), value=_to_json(value, "value"), **more)


def _memory(action, **arguments):
    return host_calls.call_sync("memory", {"action": action, **arguments})


def _artifact(action, **arguments):
    return host_calls.call_sync("artifact", {"action": action, **arguments})


def _all(call):
    facts, more = [], {}
    while True:
        page = host_calls.call_sync(call, {"action": "list", **more})
        facts += page["facts"]
        if not page["more"]:
            return [_facts(one) for one in facts]
        more = {"after": facts[-1]["key"]}


def _facts(answer):
    return {
        "key": answer["key"],
        "created": _time(answer["created"]),
        "updated": _time(answer["updated"]),
        "bytes": answer["bytes"],
        "metadata": json.loads(answer.get("metadata", "null")),
    }


def _time(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).isoformat(timespec="milliseconds")


def _key(key, what="key"):
    if isinstance(key, str):
        return key
    raise TypeError(f"{what} must be a string, not {type(key).__name__}")


def _to_bytes(data):
    if isinstance(data, str):
        return data.encode()
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    raise TypeError(f"data must be bytes or str, not {type(data).__name__}: json.dumps() makes a text of values")


def _to_json(value, what):
    """JSON text of a value; the error for one that JSON does not have names its place."""
    _check(value, what, [], 0)
    # Of ASCII, so that its length is that which the host counts.
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    if len(text) <= MOST_VALUE:
        return text
    raise ValueError(
        f"{what} has {len(text):,} characters of JSON, and may have {MOST_VALUE:,}: "
        "keep it as a file with artifacts.save(name, data)"
    )


def _check(value, path, seen, depth):
    seen.append(None)
    if len(seen) > MOST_VALUE:
        raise ValueError(f"{path} is beyond {MOST_VALUE:,} values: keep them as a file with artifacts.save(name, data)")
    if value is None or isinstance(value, (bool, int, str)):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{path} is {value}, which JSON does not have")
    elif depth == MOST_DEPTH:
        raise ValueError(f"{path[:200]} is nested more than {MOST_DEPTH} deep, or contains itself")
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ValueError(f"{path} has the key {key!r}, and keys of JSON are strings")
            _check(item, f"{path}[{key!r}]", seen, depth + 1)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            _check(item, f"{path}[{index}]", seen, depth + 1)
    else:
        raise ValueError(f"{path} is a {type(value).__name__}, which JSON does not have: keep plain values of it")
