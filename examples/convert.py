"""Converts a stream from one dialect to another while it comes, for a gateway between
clients and a provider of another dialect.

    pip install 'sse-dialects[httpx]'
    sse-dialects demo --serve     # in another terminal: a provider that needs no key
    curl -sSN http://127.0.0.1:8765/v1/messages -d '{"stream": true}' |
        python examples/convert.py chat

`convert` takes what `sse_dialects.stream` takes, `aconvert` what `sse_dialects.astream`
takes. Both yield frames, each as soon as the event for it has come. A stream that was
cut or that failed ends in an error frame, never like a whole one.
"""

from __future__ import annotations

import json
import sys
import time
import uuid
from typing import TYPE_CHECKING, Any, ClassVar

import sse_dialects as sd
from sse_dialects import testing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    Payload = dict[str, Any]

DELTAS = (sd.TextDelta, sd.ReasoningDelta, sd.RefusalDelta, sd.ToolCallDelta)
CORRECTED = "the provider corrected itself, which this dialect has no way to say"
FAILURES = {
    "truncated": "the provider's stream was cut",
    "stalled": "the provider's stream stalled",
    "limit": "the provider's answer is larger than allowed",
    "malformed": "the provider's stream could not be read",
}


def convert(source: Any, target: sd.DialectName) -> Iterator[bytes]:
    """The frames of a stream in the dialect ``target``.

    Raises:
        RequestRejectedError: the status says that there is no stream: answer with its
        `rejection`. NotAnEventStreamError: there is something else in place of a
        stream.
    """
    writer = WRITERS[target]()
    with sd.stream(source) as events:
        try:
            for event in events:
                yield from writer.frames(event, events.partial)
            yield from writer.end(events.answer())
        except sd.StreamError as error:
            yield writer.error(error)


async def aconvert(source: Any, target: sd.DialectName) -> AsyncIterator[bytes]:
    """`convert` for async sources.

    Raises:
        RequestRejectedError, NotAnEventStreamError: as `convert` does.
    """
    writer = WRITERS[target]()
    async with sd.astream(source) as events:
        try:
            async for event in events:
                for frame in writer.frames(event, events.partial):
                    yield frame
            for frame in writer.end(await events.answer()):
                yield frame
        except sd.StreamError as error:
            yield writer.error(error)


def rejection(
    error: sd.RequestRejectedError, target: sd.DialectName
) -> testing.ScriptedStream:
    """The provider's refusal in the dialect ``target``: answer with its ``status``,
    ``headers`` and ``bytes()``."""
    return testing.rejection(
        error.status,
        error.message or "the provider refused the request",
        type=error.type,
        code=None if error.code is None else str(error.code),
        retry_after=error.retry_after,
        dialect=target,
    )


# ---- what all targets have in common


class Writer:
    """Writes one stream. A subclass writes one dialect.

    One part is open at a time, as in the providers' streams. A call stays open until it
    is certain to be whole, and events of other parts wait for that. A chat tells it
    only at its end: of several calls the first one comes live, the others at the end.
    """

    dialect: ClassVar[sd.DialectName]
    corrects = False  # whether the end of a stream may correct what came before

    def __init__(self) -> None:
        self.id: str | None = None
        self.model = "unknown"
        # The text or arguments of each part that was opened, by its number; and the
        # pieces of the part that is open.
        self.written: dict[int, str] = {}
        self.pieces: list[str] = []
        self.opened: Any = None  # the part that is open, empty; None where none is
        self.number = -1  # the number of that part
        self._started = False
        self._waiting: list[Any] = []  # events that wait for the open call
        # Parts that could not be written when their events came.
        self._late: set[int] = set()
        # Whether parts may have what events don't carry, a signature for one.
        self._has_news = False

    # What a subclass has to write.

    def start(self) -> Iterator[bytes]:
        """The frames before all parts."""
        raise NotImplementedError

    def begin(self, part: Any) -> Iterator[bytes]:
        """The frames that open a part. It is empty; a call has its id and name."""
        raise NotImplementedError

    def delta(self, text: str) -> Iterator[bytes]:
        """The frames for the next piece of the open part."""
        raise NotImplementedError

    def done(self, part: Any) -> Iterator[bytes]:
        """The frames that close a part, given as it is now."""
        raise NotImplementedError

    def finish(self, answer: sd.Answer) -> Iterator[bytes]:
        """The frames after all parts."""
        raise NotImplementedError

    def failure(
        self,
        message: str,
        type: str | None,
        code: str | None,
        retry_after: float | None,
    ) -> bytes:
        """The frame that reports a failure."""
        raise NotImplementedError

    # What they share.

    def frames(self, event: Any, partial: Callable[[], sd.Answer]) -> Iterator[bytes]:
        """The frames for one event. Choices other than the first one are left out: two
        dialects have no place for them."""
        if isinstance(event, sd.Extra):
            self._has_news = True
        elif (
            isinstance(event, (*DELTAS, sd.ToolCallStarted, sd.ToolCallFinished))
            and event.choice == 0
        ):
            if not self._started:
                yield from self._start(partial())
            if event.part == self.number:
                yield from self._of_open_part(event, partial)
            elif isinstance(self.opened, sd.ToolCall):
                self._waiting.append(event)
            else:
                yield from self._of_other_part(event, partial)

    def end(self, answer: sd.Answer) -> Iterator[bytes]:
        """The frames for the end of a whole answer."""
        if not self._started:
            yield from self._start(answer)
        if self.opened is not None:
            yield from self._close(answer.parts[self.number])
        for number, part in enumerate(answer.parts):
            if number not in self.written:
                yield from self._whole(number, part)
        if self._in_order(answer.parts) and (
            self.corrects or self._is_told(answer.parts)
        ):
            yield from self.finish(answer)
        else:
            yield self.failure(CORRECTED, None, "provider_correction", None)

    def error(self, error: sd.StreamError) -> bytes:
        """The frame for a stream that will not become whole."""
        if isinstance(error, sd.UpstreamError):
            code = None if error.code is None else str(error.code)
            return self.failure(
                error.message or "the provider failed",
                error.type,
                code,
                error.retry_after,
            )
        code = f"stream_{error.kind}" if error.retryable else "invalid_stream"
        return self.failure(
            FAILURES.get(error.kind, "the provider failed"),
            None,
            code,
            error.retry_after,
        )

    def _start(self, answer: sd.Answer) -> Iterator[bytes]:
        """Written with the first part, for some providers tell id and model after their
        first frame."""
        self._started = True
        self.id, self.model = answer.id, answer.model or self.model
        yield from self.start()

    def _is_told(self, parts: list[sd.Part]) -> bool:
        """Whether what was written is what the parts say."""
        return all(
            text == content(parts[number]) for number, text in self.written.items()
        )

    def _in_order(self, parts: list[sd.Part]) -> bool:
        """Whether texts were written in their order, and reasoning in its own: blocks
        that overlap can change it."""
        for kind in (sd.TextPart, sd.ReasoningPart, sd.RefusalPart):
            numbers = [
                number for number in self.written if isinstance(parts[number], kind)
            ]
            if numbers != sorted(numbers):
                return False
        return True

    def _of_open_part(
        self, event: Any, partial: Callable[[], sd.Answer]
    ) -> Iterator[bytes]:
        if isinstance(event, DELTAS):
            yield from self._piece(
                event.arguments if isinstance(event, sd.ToolCallDelta) else event.text
            )
        elif isinstance(event, sd.ToolCallFinished):
            yield from self._close(event.tool_call)
            waiting, self._waiting = self._waiting, []
            for each in waiting:
                yield from self.frames(each, partial)

    def _of_other_part(
        self, event: Any, partial: Callable[[], sd.Answer]
    ) -> Iterator[bytes]:
        """Opens the event's part, unless it was closed before or is a call whose name
        has not come: then the end decides."""
        part = part_of(event)
        if event.part in self.written or event.part in self._late or part is None:
            self._late.add(event.part)
            return
        parts = partial().parts if self._has_news else []
        # News may be of this very part, where that is reasoning.
        self._has_news = self._has_news and isinstance(part, sd.ReasoningPart)
        if self.opened is not None:
            yield from self._close(parts[self.number] if parts else self.opened)
        for number, other in enumerate(parts[: event.part]):
            # Reasoning that can't be read gives no delta, so its place is found here.
            if (
                number not in self.written
                and isinstance(other, sd.ReasoningPart)
                and not other.text
            ):
                yield from self._whole(number, other)
        yield from self._open(event.part, part)
        yield from self._of_open_part(event, partial)

    def _open(self, number: int, part: Any) -> Iterator[bytes]:
        self.number, self.opened = number, part
        self.written[number] = ""
        self.pieces = []
        yield from self.begin(part)

    def _piece(self, text: str) -> Iterator[bytes]:
        self.pieces.append(text)
        yield from self.delta(text)

    def _close(self, part: Any) -> Iterator[bytes]:
        self.written[self.number] = "".join(self.pieces)
        yield from self.done(part)
        self.number, self.opened = -1, None

    def _whole(self, number: int, part: Any) -> Iterator[bytes]:
        """A part at once. Those that another dialect has no place for, or that are
        empty, are left out."""
        if isinstance(part, sd.ToolCall):
            wanted = bool(part.name)
        else:
            wanted = bool(content(part)) or (
                isinstance(part, sd.ReasoningPart)
                and bool(part.signature or part.encrypted)
            )
        if wanted:
            yield from self._open(number, emptied(part))
            if text := content(part):
                yield from self._piece(text)
            yield from self._close(part)

    def _payloads(self, answer: sd.Answer | None = None) -> list[Payload]:
        """The payloads of a stream of this dialect without any part: those before the
        parts, and those after them."""
        zero = sd.Usage(0, 0, 0, None, None, None, {})
        facts: dict[str, Any] = {"id": self.id, "model": self.model, "usage": zero}
        if answer is not None:
            usual = "tool_calls" if answer.tool_calls else "stop"
            facts["finish_reason"] = answer.finish_reason or usual
            # The SDKs need counts in messages, also where the provider told none.
            counts = zero if self.dialect == "messages" else None
            facts["usage"] = answer.usage or counts
        try:
            stream = testing.reply(**facts).in_dialect(self.dialect)
        except sd.MisuseError:
            # The dialect has no word for that reason, so it goes on in the provider's.
            facts["native_finish_reason"] = answer and answer.native_finish_reason
            stream = testing.reply(**facts).in_dialect(self.dialect)
        return payloads(stream)

    def _failure(
        self,
        message: str,
        type: str | None,
        code: str | None,
        retry_after: float | None,
    ) -> Payload:
        """The payload that reports a failure."""
        stream = testing.reply(id=self.id, model=self.model).in_dialect(self.dialect)
        (payload,) = payloads(
            stream.error(message, type=type, code=code, after_frames=0)
        )
        if retry_after is not None:
            payload.get("response", payload)["error"]["retry_after"] = retry_after
        return payload


def part_of(event: Any) -> Any:
    """The empty part that the event opens; None for a call whose name has not come."""
    if isinstance(event, sd.ToolCallStarted):
        return opened_call(event) if event.name else None
    if isinstance(event, (sd.ToolCallDelta, sd.ToolCallFinished)):
        return None
    types = {
        sd.TextDelta: sd.TextPart,
        sd.ReasoningDelta: sd.ReasoningPart,
        sd.RefusalDelta: sd.RefusalPart,
    }
    return types[type(event)]("")


def content(part: Any) -> str:
    """A part's text or arguments."""
    return str(
        part.arguments if isinstance(part, sd.ToolCall) else getattr(part, "text", "")
    )


def emptied(part: Any) -> Any:
    """The part as it was when it was opened."""
    return opened_call(part) if isinstance(part, sd.ToolCall) else type(part)("")


def opened_call(call: Any) -> sd.ToolCall:
    """The call without arguments; it gets an id if the provider gave it none."""
    call_id = call.id or f"call_{uuid.uuid4().hex}"
    return sd.ToolCall(call_id, call.name, call.kind, "", complete=False)


def payloads(stream: testing.ScriptedStream) -> list[Payload]:
    """The payloads of a scripted stream that are objects."""
    frames = sd.FrameParser().feed(stream.bytes())
    return [frame.json() for frame in frames if not frame.done]


def written(payload: Payload) -> bytes:
    """A frame, named if the payload has a type."""
    name = f"event: {payload['type']}\n" if "type" in payload else ""
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return f"{name}data: {data}\n\n".encode()


# ---- the targets


class ChatWriter(Writer):
    """Chat Completions. Reasoning is written as ``reasoning_content``, its proofs as
    ``reasoning_details``."""

    dialect = "chat"

    def __init__(self) -> None:
        super().__init__()
        self._head: Payload = {}
        self._calls = 0
        self._reasoned = False

    def start(self) -> Iterator[bytes]:
        self.id = self.id or f"chatcmpl-{uuid.uuid4().hex}"
        first = self._payloads()[0]
        self._head = {**first, "created": int(time.time())}
        del self._head["choices"]
        yield written({**self._head, "choices": first["choices"]})

    def begin(self, part: Any) -> Iterator[bytes]:
        if isinstance(part, sd.ToolCall):
            member = "input" if part.kind == "custom" else "arguments"
            call = {
                "id": part.id,
                "type": part.kind,
                part.kind: {"name": part.name, member: ""},
            }
            yield self._chunk({"tool_calls": [{"index": self._calls, **call}]})

    def delta(self, text: str) -> Iterator[bytes]:
        part = self.opened
        if isinstance(part, sd.ToolCall):
            member = "input" if part.kind == "custom" else "arguments"
            yield self._chunk(
                {"tool_calls": [{"index": self._calls, part.kind: {member: text}}]}
            )
        else:
            names = {
                sd.TextPart: "content",
                sd.RefusalPart: "refusal",
                sd.ReasoningPart: "reasoning_content",
            }
            if isinstance(part, sd.ReasoningPart) and len(self.pieces) == 1:
                # A chat has one run of reasoning where others have several parts.
                if self._reasoned:
                    yield self._chunk({"reasoning_content": "\n\n"})
                self._reasoned = True
            yield self._chunk({names[type(part)]: text})

    def done(self, part: Any) -> Iterator[bytes]:
        if isinstance(part, sd.ToolCall):
            self._calls += 1
        elif isinstance(part, sd.ReasoningPart):
            if part.signature is not None:
                yield self._chunk(
                    {
                        "reasoning_details": [
                            {"type": "reasoning.text", "signature": part.signature}
                        ]
                    }
                )
            if part.encrypted is not None:
                yield self._chunk(
                    {
                        "reasoning_details": [
                            {"type": "reasoning.encrypted", "data": part.encrypted}
                        ]
                    }
                )

    def finish(self, answer: sd.Answer) -> Iterator[bytes]:
        for payload in self._payloads(answer)[1:]:
            yield written({**payload, **self._head})
        yield b"data: [DONE]\n\n"

    def failure(
        self,
        message: str,
        type: str | None,
        code: str | None,
        retry_after: float | None,
    ) -> bytes:
        return written(self._failure(message, type, code, retry_after))

    def _chunk(self, delta: Payload) -> bytes:
        return written(
            {
                **self._head,
                "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
            }
        )


THINKING: dict[str, Any] = {"type": "thinking", "thinking": "", "signature": ""}


class MessagesWriter(Writer):
    """Messages. A refusal's text is written as text, the text of a custom call as the
    member ``input`` of an object."""

    dialect = "messages"

    def __init__(self) -> None:
        super().__init__()
        self._index = 0
        self._refused = False

    def start(self) -> Iterator[bytes]:
        self.id = self.id or f"msg_{uuid.uuid4().hex}"
        yield written(self._payloads()[0])

    def begin(self, part: Any) -> Iterator[bytes]:
        self._refused |= isinstance(part, sd.RefusalPart)
        if isinstance(part, sd.ToolCall):
            yield self._start_block(
                {"type": "tool_use", "id": part.id, "name": part.name, "input": {}}
            )
            if part.kind == "custom":
                yield self._delta("input_json", "partial_json", '{"input":"')
        elif not isinstance(part, sd.ReasoningPart):  # which may have no text
            yield self._start_block({"type": "text", "text": ""})

    def delta(self, text: str) -> Iterator[bytes]:
        part = self.opened
        if isinstance(part, sd.ToolCall):
            yield self._delta(
                "input_json",
                "partial_json",
                json.dumps(text)[1:-1] if part.kind == "custom" else text,
            )
        elif isinstance(part, sd.ReasoningPart):
            if len(self.pieces) == 1:
                yield self._start_block(THINKING)
            yield self._delta("thinking", "thinking", text)
        else:
            yield self._delta("text", "text", text)

    def done(self, part: Any) -> Iterator[bytes]:
        if isinstance(part, sd.ToolCall) and part.kind == "custom":
            yield self._delta("input_json", "partial_json", '"}')
        if isinstance(part, sd.ReasoningPart):
            yield from self._reasoning_done(part)
        else:
            yield self._stop_block()

    def finish(self, answer: sd.Answer) -> Iterator[bytes]:
        _, delta, stop = self._payloads(answer)
        if self._refused and answer.finish_reason == "stop":
            delta["delta"]["stop_reason"] = "refusal"
        yield written(delta)
        yield written(stop)

    def failure(
        self,
        message: str,
        type: str | None,
        code: str | None,
        retry_after: float | None,
    ) -> bytes:
        return written(self._failure(message, type or code, code, retry_after))

    def _reasoning_done(self, part: sd.ReasoningPart) -> Iterator[bytes]:
        has_text = bool(self.written[self.number])
        if part.signature is not None:
            if not has_text:
                yield self._start_block(THINKING)
            yield self._delta("signature", "signature", part.signature)
        if has_text or part.signature is not None:
            yield self._stop_block()
        if part.encrypted is not None:
            yield self._start_block(
                {"type": "redacted_thinking", "data": part.encrypted}
            )
            yield self._stop_block()

    def _start_block(self, block: Payload) -> bytes:
        return self._event("content_block_start", content_block=block)

    def _stop_block(self) -> bytes:
        self._index += 1
        return written({"type": "content_block_stop", "index": self._index - 1})

    def _delta(self, kind: str, member: str, text: str) -> bytes:
        return self._event(
            "content_block_delta", delta={"type": f"{kind}_delta", member: text}
        )

    def _event(self, type: str, **members: Any) -> bytes:
        return written({"type": type, "index": self._index, **members})


# By the kind of part: its item's type, the channel of its events, and the member that
# holds its text.
ITEMS = {
    "text": ("message", "output_text", "text"),
    "refusal": ("message", "refusal", "refusal"),
    "reasoning": ("reasoning", "reasoning_summary_text", "text"),
    "function": ("function_call", "function_call_arguments", "arguments"),
    "custom": ("custom_tool_call", "custom_tool_call_input", "input"),
}
# By the item's type: the events around a part of it, the member for the part's place,
# and the item's list of parts.
PARTS = {
    "message": ("content_part", "content_index", "content"),
    "reasoning": ("reasoning_summary_part", "summary_index", "summary"),
}


class ResponsesWriter(Writer):
    """Responses. Every part is an output item; the last event has the whole response,
    so it may correct the deltas."""

    dialect = "responses"
    corrects = True

    def __init__(self) -> None:
        super().__init__()
        self._frames = 0
        self._ids: dict[int, str] = {}  # of the items, by the part's number

    def start(self) -> Iterator[bytes]:
        self.id = self.id or f"resp_{uuid.uuid4().hex}"
        for payload in self._payloads()[:2]:
            payload["response"]["created_at"] = int(time.time())
            yield self._numbered(payload)

    def begin(self, part: Any) -> Iterator[bytes]:
        self._ids[self.number] = f"item_{uuid.uuid4().hex}"
        yield self._event(
            "output_item.added",
            item={**self._item(self.number, part), "status": "in_progress"},
        )

    def delta(self, text: str) -> Iterator[bytes]:
        _, channel, _ = ITEMS[kind_of(self.opened)]
        if len(self.pieces) == 1:
            yield from self._around("added", self.opened)
        yield self._event(f"{channel}.delta", **self._place(self.opened), delta=text)

    def done(self, part: Any) -> Iterator[bytes]:
        _, channel, member = ITEMS[kind_of(part)]
        if text := self.written[self.number]:
            yield self._event(f"{channel}.done", **self._place(part), **{member: text})
            yield from self._around("done", part)
        yield self._event("output_item.done", item=self._item(self.number, part, text))

    def finish(self, answer: sd.Answer) -> Iterator[bytes]:
        payload = self._payloads(answer)[-1]
        payload["response"]["created_at"] = int(time.time())
        payload["response"]["output"] = [
            self._item(number, answer.parts[number], content(answer.parts[number]))
            for number in self._ids
        ]
        yield self._numbered(payload)

    def failure(
        self,
        message: str,
        type: str | None,
        code: str | None,
        retry_after: float | None,
    ) -> bytes:
        return self._numbered(self._failure(message, type, code or type, retry_after))

    def _item(self, number: int, part: Any, text: str = "") -> Payload:
        """The item of a part with that text, or arguments."""
        item_type, _, member = ITEMS[kind_of(part)]
        item: Payload = {
            "id": self._ids[number],
            "type": item_type,
            "status": "completed",
        }
        if isinstance(part, sd.ToolCall):
            complete = {"status": "completed" if part.complete else "incomplete"}
            return {
                **item,
                **complete,
                "call_id": part.id or self._ids[number],
                "name": part.name,
                member: text,
            }
        _, _, parts = PARTS[item_type]
        item[parts] = [self._text(part, text)] if text else []
        if isinstance(part, sd.ReasoningPart):
            proofs = {"encrypted_content": part.encrypted, "signature": part.signature}
            return item | {
                name: value for name, value in proofs.items() if value is not None
            }
        return {**item, "role": "assistant"}

    def _text(self, part: Any, text: str) -> Payload:
        """The part of an item that holds the text."""
        _, channel, member = ITEMS[kind_of(part)]
        more: Payload = (
            {"annotations": [], "logprobs": []} if channel == "output_text" else {}
        )
        return {"type": channel.removeprefix("reasoning_"), member: text, **more}

    def _around(self, what: str, part: Any) -> Iterator[bytes]:
        """The event that opens or closes the part of an item; calls have none."""
        item_type, _, _ = ITEMS[kind_of(part)]
        if item_type in PARTS:
            text = self.written[self.number] if what == "done" else ""
            yield self._event(
                f"{PARTS[item_type][0]}.{what}",
                **self._place(part),
                part=self._text(part, text),
            )

    def _place(self, part: Any) -> Payload:
        item_type, channel, _ = ITEMS[kind_of(part)]
        place: Payload = {"item_id": self._ids[self.number]}
        if item_type in PARTS:
            place[PARTS[item_type][1]] = 0
        return place | ({"logprobs": []} if channel == "output_text" else {})

    def _event(self, name: str, **members: Any) -> bytes:
        index = len(self._ids) - 1
        return self._numbered(
            {"type": f"response.{name}", "output_index": index, **members}
        )

    def _numbered(self, payload: Payload) -> bytes:
        self._frames += 1
        return written({**payload, "sequence_number": self._frames - 1})


def kind_of(part: Any) -> str:
    """The row of `ITEMS` for a part."""
    return str(part.kind if isinstance(part, sd.ToolCall) else part.type)


WRITERS: dict[str, type[Writer]] = {
    "chat": ChatWriter,
    "messages": MessagesWriter,
    "responses": ResponsesWriter,
}


def main() -> None:
    """Converts standard input to the dialect that the command line names."""
    if len(sys.argv) != 2 or sys.argv[1] not in WRITERS:
        sys.exit(f"usage: python examples/convert.py {'|'.join(WRITERS)} < stream")
    try:
        for frame in convert(sys.stdin.buffer, sys.argv[1]):  # type: ignore[arg-type]
            sys.stdout.buffer.write(frame)
            sys.stdout.buffer.flush()
    except sd.SSEDialectsError as error:
        sys.exit(f"convert.py: {error}")
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(130)


if __name__ == "__main__":
    main()
