"""What sync and async streams offer alike: all that needs no waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .opening import is_resumable
from .so_far import call_so_far, text_so_far_json

if TYPE_CHECKING:
    from sse_dialects.answer import Answer, DialectName
    from sse_dialects.sources.source import Source

    from .driver import StreamDriver
    from .stats import Stats

__all__ = ["AnyEventStream"]


class AnyEventStream:
    """What `EventStream` and `AsyncEventStream` have in common."""

    __slots__ = ("__weakref__", "_driver", "_source")

    def __init__(self, source: Source, driver: StreamDriver) -> None:
        self._source = source
        self._driver = driver

    def partial(self) -> Answer:
        """The answer as far as it came."""
        return self._driver.partial()

    def text_so_far_json(self) -> Any:
        """The best-effort object or list of choice 0's text, which is JSON, in a fenced block or not, and still being written.
        ``{}`` where it is no JSON.

        May be asked inside the loop, at every event. Computed anew at each call, in time linear in all that came: with answers
        longer than some 10 KB ask a few times a second. With the extra ``jiter`` it takes about a twentieth of the time.
        """
        return text_so_far_json(self._driver.partial())

    def so_far(self, part: int, choice: int = 0) -> dict[str, Any]:
        """The best-effort object of a tool call's arguments, which are still being written.

            for event in events:
                if isinstance(event, sd.ToolCallDelta):
                    show(events.so_far(event.part, event.choice))

        Computed anew at each call, in time linear in all that came: with arguments longer than some 10 KB ask a few times a
        second.

        Raises:
            MisuseError: that part of that choice is no tool call.
        """
        return call_so_far(self._driver.partial(), part, choice)

    @property
    def complete(self) -> bool:
        """Whether the terminating frame has come."""
        return self._driver.complete

    @property
    def dialect(self) -> DialectName | None:
        """The dialect, None until it is recognised."""
        return self._driver.decoder.dialect

    @property
    def response(self) -> Any:
        """The client's response; None where the source is none."""
        return self._source.response

    @property
    def request_id(self) -> str | None:
        """The id by which the provider knows the request (x-request-id and its like); None where the response has none."""
        return self._driver.request_id

    @property
    def stats(self) -> Stats:
        """How the stream went so far: bytes, frames, times."""
        return self._driver.stats()

    @property
    def last_sequence_number(self) -> int | None:
        """The sequence_number of the last decoded event of the responses dialect, None where it has none."""
        return self._driver.decoder.last_sequence_number

    @property
    def last_event_id(self) -> str | None:
        """The last event ID that the stream set, None if it set none."""
        return self._driver.decoder.last_event_id

    @property
    def resumable(self) -> bool:
        """Whether the provider can send the rest of this answer over another connection, from `last_sequence_number` on."""
        return is_resumable(self._driver)

    def __repr__(self) -> str:
        dialect, complete = self.dialect or "of no known dialect yet", "complete" if self.complete else "not complete"
        return f"<{type(self).__name__} {dialect}, {complete}>"
