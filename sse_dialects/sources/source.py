"""What an opened source is, and how its kind is recognised."""

from __future__ import annotations

from contextlib import suppress
from operator import length_hint
from typing import TYPE_CHECKING, Any

from .misuse import read_before
from .response import head_of
from .transport_errors import is_misuse, is_transport_failure, package_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["READ_BYTES", "Source", "background_task", "is_bytes", "opened_by", "slices", "sync_or_async", "unwrapped"]

READ_BYTES = 1 << 16  # at most, for sources that are asked for a number; all of them return what is there
_ITERATING, _ENTERING = ("__iter__", "__aiter__"), ("__enter__", "__aenter__")


class Source:
    """A source that is open for reading.

    Attributes:
        iterator: gives the pieces; an iterator for `stream`, an async iterator for `astream`.
        response: the client's response; None where the source has no HTTP status.
        head: its status and headers.
        package: the top-level package of the response's class, whose exceptions are transport failures.
        closers: what to call, in order, when nothing more is to be read.
    """

    __slots__ = ("_left", "closers", "head", "iterator", "package", "response")

    def __init__(self, iterator: Any, origin: Any, closers: Sequence[Callable[[], Any]]) -> None:
        self.iterator = iterator
        self.head = head_of(origin)
        self.response = origin if self.head.status is not None else None
        self.package = package_of(origin) if self.response is not None else None
        self.closers = list(closers)
        self._left = iter(self.closers)

    @property
    def is_open(self) -> bool:
        """Whether some closers have not been called yet."""
        return length_hint(self._left) > 0

    def left_to_call(self) -> Iterator[Callable[[], Any]]:
        """The closers not called yet. Each comes once, whoever iterates: two threads may close at the same time, and an interrupt
        between two of them leaves the rest."""
        return self._left

    def close(self) -> None:
        """Calls every closer once, also if one fails. A transport that fails to close counts as closed. Later calls do nothing.

        Raises:
            BaseException: what a closer of the caller's own raised, or the interrupt that came meanwhile.
        """
        failure: BaseException | None = None
        for close in self._left:
            try:
                close()
            except Exception as error:  # the others have to be closed as well
                failure = self.kept(error, failure)
            except BaseException as interrupt:
                failure = interrupt
                with suppress(Exception):
                    close()  # it may not have begun
        if failure is not None:
            raise failure

    def kept(self, error: Exception, earlier: BaseException | None) -> BaseException | None:
        """The failure of closing to raise: the first that is not the transport's."""
        return earlier if earlier is not None or is_transport_failure(error, self.package) else error


def is_bytes(source: object) -> bool:
    """Whether a source is the whole stream at once."""
    return isinstance(source, (bytes, bytearray, memoryview))


def slices(data: bytes | bytearray | memoryview) -> Iterator[bytes]:
    """Bytes in pieces of at most 64 KiB, at least one."""
    whole = bytes(data)
    return iter([whole]) if len(whole) <= READ_BYTES else _slices(whole)


def _slices(whole: bytes) -> Iterator[bytes]:
    for start in range(0, len(whole), READ_BYTES):
        yield whole[start : start + READ_BYTES]


def unwrapped(source: Any) -> Any:
    """The response inside a wrapper: httpx-sse's EventSource or an SDK's stream."""
    response = getattr(source, "response", None)
    return source if response is None or head_of(response).status is None else response


def background_task(response: Any) -> Any:
    """The task that fills a response from the side, or None: curl_cffi puts what comes into the response's queue.

    Raises:
        MisuseError: all that it put there has been taken before. To wait for more would be to wait for ever.
    """
    task = getattr(response, "stream_task", None) or getattr(response, "astream_task", None)
    if task is not None and task.done() and response.queue.empty():
        raise read_before()
    return task


def sync_or_async(origin: Any) -> str | None:
    """Returns "sync" or "async" where the methods that an object has, or those of the body in it, are of one kind only.

    httpx has one response class for both kinds of clients, which differ in their ``stream``; requests, urllib3 and others have
    a method of that name, which is neither. So has curl_cffi, where they differ in the task that fills the response.
    """
    if getattr(origin, "stream_task", None) is not getattr(origin, "astream_task", None):
        return "async" if origin.stream_task is None else "sync"
    body = getattr(origin, "stream", None)
    for holder, sync, asynchronous in ((body, *_ITERATING), (origin, *_ITERATING), (origin, *_ENTERING)):
        if hasattr(holder, sync) != hasattr(holder, asynchronous):
            return "sync" if hasattr(holder, sync) else "async"
    return None


def opened_by(rows: Mapping[str, Callable[[Any], Any]], origin: Any) -> Any:
    """The result of the first row whose attribute ``origin`` has, or None where no row fits.

    Raises:
        MisuseError: the response has been read before.
    """
    opened = next((opened for name, opened in rows.items() if hasattr(origin, name)), None)
    try:
        return None if opened is None else opened(origin)
    except (RuntimeError, TypeError) as error:
        if is_misuse(error):
            raise read_before(error) from error
        raise
