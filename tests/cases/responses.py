"""Responses streams."""

from __future__ import annotations

from typing import Any

from cases import Case, data, typed
from sse_dialects import (
    Event,
    Extra,
    Finished,
    OtherPart,
    ReasoningDelta,
    ReasoningPart,
    RefusalDelta,
    RefusalPart,
    Started,
    TextDelta,
    TextPart,
    ToolCall,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    Usage,
    UsageReported,
)


def completed(output: Any = None, **members: Any) -> bytes:
    listed = {} if output is None else {"output": output}
    return typed(
        "response.completed",
        response={"id": "r1", "object": "response", "model": "m", "status": "completed", **listed, **members},
    )


def case(
    name: str, frames: list[bytes], events: list[Event], answer: dict[str, Any], *, end: bytes = completed(), **options: Any
) -> Case:
    """A stream that ends in ``response.completed``, or in ``end``."""
    return Case(name, [*frames, end], events, answer, dialect="responses", **options)


def added(type: str, index: int | None = 0, **members: Any) -> bytes:
    return typed("response.output_item.added", output_index=index, item={"type": type, **members})


def done(type: str, index: int | None = 0, **members: Any) -> bytes:
    return typed("response.output_item.done", output_index=index, item={"type": type, **members})


def text(delta: str, index: int = 0, content: int = 0, **members: Any) -> bytes:
    return typed("response.output_text.delta", output_index=index, content_index=content, delta=delta, **members)


def summary(delta: str, place: int = 0, index: int = 0) -> bytes:
    return typed("response.reasoning_summary_text.delta", output_index=index, summary_index=place, delta=delta)


def arguments(delta: str, index: int | None = 0, **members: Any) -> bytes:
    return typed("response.function_call_arguments.delta", output_index=index, delta=delta, **members)


def message(*texts: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text} for text in texts]}


def call(arguments: str, *, kind: Any = "function", complete: bool = True) -> ToolCall:
    return ToolCall("c1", "f", kind, arguments, complete)


CREATED = typed(
    "response.created", response={"id": "r1", "object": "response", "status": "in_progress", "model": "m", "output": []}
)
CALL = {"call_id": "c1", "name": "f", "arguments": ""}
BEGUN = Started("r1", "m")
UNNAMED = Started(None, None)
END = Finished("stop", "completed")
CALLED = ToolCallStarted("c1", "f", "function")

CASES = [
    case(
        "text, in every event there is",
        [
            CREATED,
            typed("response.in_progress", response={"id": "r1", "status": "in_progress", "output": []}),
            added("message", id="i1", role="assistant", content=[], status="in_progress"),
            typed("response.content_part.added", output_index=0, content_index=0, part={"type": "output_text", "text": ""}),
            *(text("Hel", obfuscation="abc"), text("lo")),
            typed("response.output_text.done", output_index=0, content_index=0, text="Hello"),
            typed("response.content_part.done", output_index=0, content_index=0, part={"type": "output_text", "text": "Hello"}),
            done("message", id="i1", role="assistant", content=[{"type": "output_text", "text": "Hello"}], status="completed"),
        ],
        [
            *(BEGUN, TextDelta("Hel"), TextDelta("lo")),
            UsageReported(
                Usage(
                    3,
                    4,
                    7,
                    None,
                    None,
                    2,
                    {"input_tokens": 3, "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 2}},
                )
            ),
            END,
        ],
        {
            "id": "r1",
            "model": "m",
            "text": "Hello",
            "parts": [TextPart("Hello")],
            "finish_reason": "stop",
            "native_finish_reason": "completed",
        },
        end=completed(
            [message("Hello")], usage={"input_tokens": 3, "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 2}}
        ),
        after=data("[DONE]"),
    ),
    case("no output at all", [CREATED], [BEGUN, END], {"text": "", "turn": []}),
    case(
        "only the deltas, and an empty output erases nothing",
        [text("x")],
        [UNNAMED, TextDelta("x"), END],
        {"text": "x"},
        end=completed([]),
    ),
    case("only the final response", [], [BEGUN, TextDelta("x"), END], {"text": "x", "id": "r1"}, end=completed([message("x")])),
    case(
        "only the done events",
        [typed("response.output_text.done", output_index=0, content_index=0, text="x")],
        [UNNAMED, TextDelta("x"), END],
        {"text": "x"},
    ),
    case(
        "a snapshot with more gives one more delta",
        [CREATED, text("a"), text("b")],
        [BEGUN, TextDelta("a"), TextDelta("b"), TextDelta("c"), END],
        {"text": "abc"},
        end=completed([message("abc")]),
    ),
    case(
        "one that contradicts the deltas changes the answer, and is reported",
        [CREATED, text("abc")],
        [BEGUN, TextDelta("abc"), Extra("snapshot", "xyz", 0, 0), END],
        {"text": "xyz"},
        end=completed([message("xyz")]),
    ),
    case(
        "an empty one erases nothing",
        [
            CREATED,
            text("abc"),
            typed("response.output_text.done", output_index=0, content_index=0, text=""),
            summary("hm", 0, 1),
            typed("response.reasoning_summary_text.done", output_index=1, summary_index=0, text=""),
        ],
        [BEGUN, TextDelta("abc"), ReasoningDelta("hm", 0, 1), END],
        {"text": "abc", "reasoning": "hm"},
    ),
    case(
        "two messages and two parts, joined without a separator",
        [added("message"), text("a"), text("b", 0, 1), added("message", 1), text("c", 1)],
        [UNNAMED, TextDelta("a"), TextDelta("b"), TextDelta("c", 0, 1), END],
        {"text": "abc"},
    ),
    case(
        "a content_index that counts up without an announcement is the same part",
        [CREATED, text("a", 0, 0), text("b", 0, 1), text("c", 0, 2)],
        [BEGUN, TextDelta("a"), TextDelta("b"), TextDelta("c"), END],
        {"parts": [TextPart("abc")]},
    ),
    case(
        "a refusal",
        [
            typed("response.refusal.delta", output_index=0, content_index=0, delta="I ca"),
            typed("response.refusal.done", output_index=0, content_index=0, refusal="I can't"),
        ],
        [UNNAMED, RefusalDelta("I ca"), RefusalDelta("n't"), END],
        {"refusal": "I can't", "parts": [RefusalPart("I can't")]},
    ),
    case(
        "summary parts are paragraphs",
        [
            added("reasoning", summary=[]),
            typed(
                "response.reasoning_summary_part.added",
                output_index=0,
                summary_index=0,
                part={"type": "summary_text", "text": ""},
            ),
            *(summary("a"), summary("b", 1)),
            typed(
                "response.reasoning_summary_part.done",
                output_index=0,
                summary_index=1,
                part={"type": "summary_text", "text": "bc"},
            ),
            done(
                "reasoning",
                summary=[{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "bc"}],
                encrypted_content="xyz",
            ),
        ],
        [
            *(UNNAMED, ReasoningDelta("a"), ReasoningDelta("\n\n"), ReasoningDelta("b"), ReasoningDelta("c")),
            *(Extra("encrypted_content", "xyz", 0, 0), END),
        ],
        {"reasoning": "a\n\nbc", "parts": [ReasoningPart("a\n\nbc", None, "xyz")]},
    ),
    case(
        "the full reasoning text counts where it is given, whatever was told",
        [
            summary("short"),
            typed("response.reasoning_text.delta", output_index=0, content_index=0, delta="long"),
            typed("response.reasoning_text.done", output_index=0, content_index=0, text="longer"),
        ],
        [UNNAMED, ReasoningDelta("short"), Extra("snapshot", "longer", 0, 0), END],
        {"reasoning": "longer"},
    ),
    case(
        "reasoning items are joined by a blank line",
        [summary("a"), summary("b", 0, 1), text("x", 2)],
        [UNNAMED, ReasoningDelta("a"), ReasoningDelta("b", 0, 1), TextDelta("x", 0, 2), END],
        {"reasoning": "a\n\nb", "text": "x"},
    ),
    case(
        "a call is finished when its item is done",
        [
            added("function_call", **CALL),
            arguments('{"a":'),
            arguments("1}"),
            typed("response.function_call_arguments.done", output_index=0, arguments='{"a":1}'),
            done("function_call", call_id="c1", name="f", arguments='{"a":1}', status="completed"),
            text("x", 1),
        ],
        [
            UNNAMED,
            CALLED,
            ToolCallDelta('{"a":'),
            ToolCallDelta("1}"),
            ToolCallFinished(call('{"a":1}')),
            TextDelta("x", 0, 1),
            Finished("tool_calls", "completed"),
        ],
        {"tool_calls": [call('{"a":1}')], "finish_reason": "tool_calls"},
    ),
    case(
        "unless it is incomplete",
        [
            added("function_call", **CALL),
            arguments('{"a'),
            done("function_call", call_id="c1", name="f", arguments='{"a', status="incomplete"),
        ],
        [UNNAMED, CALLED, ToolCallDelta('{"a'), Finished("length", "max_output_tokens")],
        {"tool_calls": [call('{"a', complete=False)]},
        end=typed(
            "response.incomplete", response={"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
        ),
    ),
    case(
        "a call still open at the end is whole where the response is",
        [added("function_call", **CALL), arguments("{}")],
        [UNNAMED, CALLED, ToolCallDelta("{}"), ToolCallFinished(call("{}")), Finished("tool_calls", "completed")],
        {"tool_calls": [call("{}")]},
    ),
    case(
        "and not where it is not",
        [added("function_call", **CALL), arguments("{")],
        [UNNAMED, CALLED, ToolCallDelta("{"), Finished("length", "incomplete")],
        {"tool_calls": [call("{", complete=False)]},
        end=typed("response.incomplete", response={"status": "incomplete"}),
    ),
    case(
        "arguments only at the end, or never",
        [added("function_call", **CALL), typed("response.function_call_arguments.done", output_index=0, arguments="{}")],
        [UNNAMED, CALLED, ToolCallDelta("{}"), ToolCallFinished(call("{}")), Finished("tool_calls", "completed")],
        {"tool_calls": [call("{}")]},
    ),
    case(
        "a custom call",
        [
            added("custom_tool_call", call_id="c1", name="f", input=""),
            typed("response.custom_tool_call_input.delta", output_index=0, delta="l"),
            typed("response.custom_tool_call_input.done", output_index=0, input="ls"),
        ],
        [
            *(UNNAMED, ToolCallStarted("c1", "f", "custom"), ToolCallDelta("l"), ToolCallDelta("s")),
            *(ToolCallFinished(call("ls", kind="custom")), Finished("tool_calls", "completed")),
        ],
        {"tool_calls": [call("ls", kind="custom")]},
    ),
    case(
        "without an index the ids tell",
        [
            *(added("function_call", None, **CALL, id="i1"), added("message", None, id="i2")),
            *(arguments("{", None, item_id="i1"), arguments("}", None, call_id="c1")),
            done("function_call", None, id="i1", call_id="c1", name="f", arguments="{}"),
        ],
        [
            UNNAMED,
            CALLED,
            ToolCallDelta("{"),
            ToolCallDelta("}"),
            ToolCallFinished(call("{}")),
            Finished("tool_calls", "completed"),
        ],
        {"tool_calls": [call("{}")]},
    ),
    case(
        "item ids that change from event to event",
        [added("message", id="a"), text("x", item_id="b"), text("y", item_id="c"), done("message", id="d", content=[])],
        [UNNAMED, TextDelta("x"), TextDelta("y"), END],
        {"text": "xy"},
    ),
    case(
        "a second item on a used index",
        [added("function_call", **CALL), arguments("{}"), added("function_call", call_id="c2", name="g"), arguments('{"b":2}')],
        [
            *(UNNAMED, CALLED, ToolCallStarted("c2", "g", "function", 0, 1), ToolCallDelta('{"b":2}', 0, 1), ToolCallDelta("{}")),
            *(ToolCallFinished(call("{}")), ToolCallFinished(ToolCall("c2", "g", "function", '{"b":2}', True), 0, 1)),
            Finished("tool_calls", "completed"),
        ],
        {"tool_calls": [call("{}"), ToolCall("c2", "g", "function", '{"b":2}', True)]},
    ),
    case(
        "an item announced after its delta, and one announced as nothing",
        [
            text("x"),
            added("message", role="assistant"),
            typed("response.output_item.added", output_index=1, item=None),
            text("y", 1),
        ],
        [UNNAMED, TextDelta("x"), TextDelta("y", 0, 1), END],
        {"text": "xy"},
    ),
    case(
        "an item of another type than the one that was guessed",
        [text("x"), added("reasoning", summary=[]), summary("hm")],
        [UNNAMED, TextDelta("x"), ReasoningDelta("hm", 0, 1), END],
        {"text": "x", "reasoning": "hm"},
    ),
    case(
        "hosted tools are parts in native form",
        [
            added("code_interpreter_call", id="k", code=""),
            typed("response.code_interpreter_call_code.delta", output_index=0, delta="1+"),
            typed("response.code_interpreter_call_code.done", output_index=0, code="1+1"),
            typed("response.web_search_call.searching", output_index=1),
        ],
        [
            UNNAMED,
            Extra("code_interpreter_call", [{"type": "code_interpreter_call", "id": "k", "code": ""}], 0, 0),
            Extra("response.code_interpreter_call_code.delta", [{"delta": "1+"}], 0, 0),
            Extra("response.code_interpreter_call_code.done", [{"code": "1+1"}], 0, 0),
            Extra("response.web_search_call.searching", [{"type": "response.web_search_call.searching", "output_index": 1}]),
            END,
        ],
        {"tool_calls": [], "parts": [OtherPart({"type": "code_interpreter_call", "id": "k", "code": "1+1"})]},
    ),
    case(
        "annotations and logprobs",
        [
            text("x", logprobs=[{"t": 1}]),
            typed("response.output_text.annotation.added", output_index=0, content_index=0, annotation={"n": 1}),
            typed("response.output_text.done", output_index=0, content_index=0, text="x", logprobs=[{"t": 1}]),
            typed(
                "response.content_part.done",
                output_index=0,
                content_index=0,
                part={"type": "output_text", "text": "x", "annotations": [{"n": 1}, {"n": 2}]},
            ),
        ],
        [
            *(UNNAMED, TextDelta("x"), Extra("logprobs", [{"t": 1}], 0, 0), Extra("annotations", [{"n": 1}], 0, 0)),
            *(Extra("annotations", [{"n": 2}], 0, 0), END),
        ],
        {"extra": {"logprobs": [{"t": 1}], "annotations": [{"n": 1}, {"n": 2}]}},
    ),
    case(
        "members of the response without a word",
        [CREATED],
        [BEGUN, Extra("sources", ["u"]), END],
        {"extra": {"sources": ["u"]}},
        end=completed(sources=["u"]),
    ),
    case(
        "the type from the event's name alone",
        [data({"output_index": 0, "content_index": 0, "delta": "x"}, "response.output_text.delta")],
        [UNNAMED, TextDelta("x"), END],
        {"text": "x"},
        end=data({"response": {"id": "r1", "status": "completed"}}, "response.completed"),
    ),
    case(
        "the status counts for more than the event's name",
        [text("x")],
        [UNNAMED, TextDelta("x"), Finished("length", "max_output_tokens")],
        {"native_finish_reason": "max_output_tokens"},
        end=completed(status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
    ),
    case(
        "a cancelled response",
        [text("x")],
        [UNNAMED, TextDelta("x"), Finished("cancelled", "cancelled")],
        {"finish_reason": "cancelled"},
        end=typed("response.cancelled", response={"status": "cancelled"}),
    ),
    case(
        "halves of a surrogate pair, which the snapshot has whole",
        [
            CREATED,
            text("a\ud83d"),
            typed("response.output_text.done", output_index=0, content_index=0, text="a😀b"),
            summary("\ud83d", 0, 1),
            typed("response.reasoning_summary_text.done", output_index=1, summary_index=0, text="😀"),
        ],
        [BEGUN, TextDelta("a"), TextDelta("😀b"), ReasoningDelta("😀", 0, 1), END],
        {"text": "a😀b", "reasoning": "😀"},
    ),
    case(
        "and left alone at the end of a paragraph",
        [CREATED, summary("a\ud83d"), summary("b", 1), text("c\ud83d", 1)],
        [
            BEGUN,
            ReasoningDelta("a"),
            ReasoningDelta("\ufffd"),
            ReasoningDelta("\n\n"),
            ReasoningDelta("b"),
            TextDelta("c", 0, 1),
            TextDelta("\ufffd", 0, 1),
            END,
        ],
        {"reasoning": "a\ufffd\n\nb", "text": "c\ufffd"},
    ),
]
