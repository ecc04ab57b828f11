"""The version, in the one place from which the package and its metadata take it."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
