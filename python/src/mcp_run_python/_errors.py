"""Errors of the sandbox itself. Failing code is a result, and raises nothing."""

from __future__ import annotations


class SandboxError(RuntimeError):
    """The sandbox cannot start, or its launcher has ended; the message says the remedy if there is one."""


class InstallError(SandboxError):
    """Packages cannot be installed for a running sandbox."""
