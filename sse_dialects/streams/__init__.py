"""Streams over anything readable: the loops, the closing and the timeouts around a `Decoder`. No parsing in here."""

from .async_stream import AsyncEventStream, AsyncTexts, astream
from .stats import Stats
from .sync_stream import EventStream, stream

__all__ = ["AsyncEventStream", "AsyncTexts", "EventStream", "Stats", "astream", "stream"]
