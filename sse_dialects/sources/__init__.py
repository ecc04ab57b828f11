"""Anything readable, opened: an iterator of bytes, what to close, and the head where it is a response.

Sources are recognised by the methods they have, and exceptions by the package that defines them; no client is imported. A new
client is a new row in the tables of `for_sync` and `for_async`.
"""

from .for_async import open_async_source
from .for_sync import open_source
from .source import Source

__all__ = ["Source", "open_async_source", "open_source"]
