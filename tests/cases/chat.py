"""Chat streams."""

from __future__ import annotations

from typing import Any

from cases import DONE, Case, chunk, data
from sse_dialects import (
    Event,
    Extra,
    Finished,
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


def case(name: str, frames: list[bytes], events: list[Event], answer: dict[str, Any], **options: Any) -> Case:
    """A stream that ends in ``[DONE]``."""
    return Case(name, [*frames, DONE], events, answer, dialect="chat", **options)


def call(
    arguments: str, *, id: str | None = "c0", name: str | None = "f", kind: Any = "function", complete: bool = True
) -> ToolCall:
    return ToolCall(id, name, kind, arguments, complete)


def piece(arguments: str = "", *, index: int | str | None = 0, name: str | None = None, **members: Any) -> dict[str, Any]:
    """A delta with one element of ``tool_calls``."""
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {"tool_calls": [{**({} if index is None else {"index": index}), **members, "function": function}]}


BEGUN = Started(None, None)
STOP = Finished("stop", "stop")
OF_CALLS = Finished("tool_calls", "tool_calls")
USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
USED = Usage(3, 4, 7, None, None, None, USAGE)

TEXT = [
    case(
        "text, usage in a chunk of its own, envelope members in native alone",
        [
            chunk({"role": "assistant", "content": ""}, id="c1", object="chat.completion.chunk", created=7, model="m"),
            chunk({"content": "Hel"}, id="c1", object="chat.completion.chunk", created=7, model="m"),
            chunk({"content": "lo"}, id="c1", object="chat.completion.chunk", created=7, model="m"),
            chunk({}, "stop", id="c1", object="chat.completion.chunk", created=7, model="m"),
            data({"id": "c1", "choices": [], "usage": USAGE}),
        ],
        [Started("c1", "m"), TextDelta("Hel"), TextDelta("lo"), UsageReported(USED), STOP],
        {
            "id": "c1",
            "model": "m",
            "text": "Hello",
            "parts": [TextPart("Hello")],
            "usage": USED,
            "finish_reason": "stop",
            "native_finish_reason": "stop",
            "extra": {},
            "turn": [{"role": "assistant", "content": "Hello"}],
            "native": {
                "id": "c1",
                "object": "chat.completion",
                "created": 7,
                "model": "m",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
                "usage": USAGE,
            },
        },
    ),
    case("no choices at all", [], [BEGUN], {"choices": [], "text": "", "finish_reason": None, "turn": []}),
    case(
        "choices missing, null or empty",
        [
            data({"id": "a", "choices": None}),
            data({"id": "a"}),
            data({"id": "a", "choices": []}),
            chunk({"content": "x"}, "stop"),
        ],
        [Started("a", None), TextDelta("x"), STOP],
        {"id": "a", "text": "x"},
    ),
    case(
        "delta null, content null, finish_reason empty",
        [
            data({"choices": [{"index": 0, "delta": None, "finish_reason": ""}]}),
            chunk({"content": None, "refusal": None, "tool_calls": None}),
            chunk({"content": "x"}, "stop"),
        ],
        [BEGUN, TextDelta("x"), STOP],
        {"text": "x", "finish_reason": "stop"},
    ),
    case(
        "the first id and model that say something bind",
        [
            data({"id": "", "model": "", "choices": []}),
            chunk({"content": "x"}, id="a", model="m"),
            chunk({}, "stop", id="b", model="n"),
        ],
        [BEGUN, TextDelta("x"), STOP],
        {"id": "a", "model": "m"},
    ),
    case(
        "the first finish reason binds, and text after it still counts",
        [chunk({"content": "x"}, "length"), chunk({"content": "y"}, "stop")],
        [BEGUN, TextDelta("x"), TextDelta("y"), Finished("length", "length")],
        {"text": "xy", "native_finish_reason": "length"},
    ),
    case(
        "an unknown finish reason", [chunk({}, "weird")], [BEGUN, Finished("other", "weird")], {"native_finish_reason": "weird"}
    ),
    case("none", [chunk({"content": "x"})], [BEGUN, TextDelta("x"), Finished(None, None)], {"finish_reason": None}),
    Case(
        "the end in a chunk's object",
        [chunk({"content": "x"}, "stop"), data({"object": "chat.completion.done"})],
        [BEGUN, TextDelta("x"), STOP],
        {"text": "x"},
        dialect="chat",
        after=data({"choices": [{"delta": {"content": "late"}}]}),
    ),
    case(
        "what follows the end",
        [chunk({"content": "x"})],
        [BEGUN, TextDelta("x"), Finished(None, None)],
        {"text": "x"},
        after=b"data: ][",
    ),
    Case(
        "two payloads under one blank line, the second being the end",
        [chunk({"content": "x"}), b'data: {"choices":[{"delta":{"content":"y"}}]}\ndata: [DONE]\n\n'],
        [BEGUN, TextDelta("x"), TextDelta("y"), Finished(None, None)],
        {"text": "xy"},
        dialect="chat",
    ),
    case(
        "one payload over several data lines",
        [b'data: {"choices":\ndata:  [{"delta":\ndata:{"content":"x"}}]}\n\n'],
        [BEGUN, TextDelta("x"), Finished(None, None)],
        {"text": "x"},
    ),
    case(
        "payloads that are no objects, pings and empty frames tell nothing; a JSON string that says [DONE] is one of them",
        [
            chunk({"content": "x"}),
            data("null"),
            data("1"),
            data('"a"'),
            data('"[DONE]"'),
            data("[]"),
            data(""),
            data({"type": "ping"}),
            data("{}", "ping"),
        ],
        [BEGUN, TextDelta("x"), Finished(None, None)],
        {"text": "x"},
    ),
    case(
        "content in parts: text, thinking, and what has no word",
        [
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
            chunk({"content": [{"type": "text", "text": "a"}, "b", {"type": "image", "url": "u"}]}),
            chunk({"content": "c"}),
        ],
        [
            *(BEGUN, ReasoningDelta("hm"), TextDelta("a", 0, 1), TextDelta("b", 0, 1)),
            *(Extra("content", [{"type": "image", "url": "u"}]), TextDelta("c", 0, 1), Finished(None, None)),
        ],
        {
            "text": "abc",
            "reasoning": "hm",
            "parts": [ReasoningPart("hm"), TextPart("abc")],
            "turn": [
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                        {"type": "text", "text": "ab"},
                        {"type": "image", "url": "u"},
                        {"type": "text", "text": "c"},
                    ],
                }
            ],
        },
    ),
    case(
        "content in parts after plain content",
        [chunk({"content": "a"}), chunk({"content": [{"type": "text", "text": "b"}, {"type": "thinking", "thinking": "t"}, 5]})],
        [BEGUN, TextDelta("a"), TextDelta("b"), ReasoningDelta("t", 0, 1), Finished(None, None)],
        {"text": "ab", "reasoning": "t"},
    ),
    case(
        "a refusal",
        [chunk({"refusal": "I ca"}), chunk({"refusal": "n't"}, "stop")],
        [BEGUN, RefusalDelta("I ca"), RefusalDelta("n't"), STOP],
        {"refusal": "I can't", "text": "", "parts": [RefusalPart("I can't")]},
    ),
    case(
        "choices apart, in one chunk and in any order",
        [
            data({"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]}),
            chunk({"content": "B"}, "length", index=1),
            chunk({"content": "A"}, "stop"),
        ],
        [
            *(BEGUN, TextDelta("b", 1), TextDelta("a"), TextDelta("B", 1), TextDelta("A")),
            *(STOP, Finished("length", "length", 1)),
        ],
        {"text": "aA", "finish_reason": "stop"},
    ),
    case(
        "half a surrogate pair waits for the other half, and alone becomes U+FFFD",
        [
            chunk({"content": "a\ud83d"}),
            chunk({"content": "\ude00b\ud83d"}),
            chunk({"content": "c\ude00"}),
            chunk({"content": "\ud83d"}),
        ],
        [BEGUN, TextDelta("a"), TextDelta("😀b"), TextDelta("\ufffdc\ufffd"), TextDelta("\ufffd"), Finished(None, None)],
        {"text": "a😀b\ufffdc\ufffd\ufffd"},
    ),
    case(
        "halves in names and ids are final",
        [chunk(piece("{}", id="c\ud83d", name="f\ude00"), id="i\ud83d", model="m\ud83d"), chunk({}, "tool_calls")],
        [
            *(Started("i\ufffd", "m\ufffd"), ToolCallStarted("c\ufffd", "f\ufffd", "function"), ToolCallDelta("{}")),
            *(ToolCallFinished(call("{}", id="c\ufffd", name="f\ufffd")), OF_CALLS),
        ],
        {"id": "i\ufffd"},
    ),
    case(
        "and in the names of members",
        [chunk({"x\ud83d": {"y\ude00": 1}, "content": "t"})],
        [BEGUN, Extra("x\ufffd", {"y\ufffd": 1}), TextDelta("t"), Finished(None, None)],
        {"extra": {"x\ufffd": {"y\ufffd": 1}}},
    ),
    case(
        "invalid UTF-8 becomes U+FFFD",
        [b'data: {"choices":[{"delta":{"content":"\xff\xf0\x9f"}}]}\n\n'],
        [BEGUN, TextDelta("\ufffd\ufffd"), Finished(None, None)],
        {"text": "\ufffd\ufffd"},
    ),
    case(
        "NaN, Infinity and duplicate keys are as Python reads them",
        [b'data: {"choices":[{"delta":{"content":"no","content":"x","lp":NaN}}]}\n\n'],
        [BEGUN, TextDelta("x"), Extra("lp", float("nan")), Finished(None, None)],
        {"text": "x"},
    ),
    Case(
        "without [DONE], where every choice has its reason and nobody requires more",
        [chunk({"content": "x"}, "stop")],
        [BEGUN, TextDelta("x"), STOP],
        {"text": "x"},
        dialect="chat",
        options={"require_done": False},
    ),
]

REASONING = [
    case(
        "the same reasoning under two names counts once",
        [
            chunk({"reasoning": "hm", "reasoning_content": "hm"}),
            chunk({"reasoning": "!", "reasoning_content": "!"}),
            chunk({"content": "x"}),
        ],
        [BEGUN, ReasoningDelta("hm"), ReasoningDelta("!"), TextDelta("x", 0, 1), Finished(None, None)],
        {
            "reasoning": "hm!",
            "text": "x",
            "turn": [{"role": "assistant", "content": "x", "reasoning": "hm!", "reasoning_content": "hm!"}],
        },
    ),
    case(
        "runs of reasoning are parts of their own, joined without a separator",
        [chunk({"reasoning": "a"}), chunk({"content": "x"}), chunk({"reasoning": "b"}), chunk({"content": "y"})],
        [BEGUN, ReasoningDelta("a"), TextDelta("x", 0, 1), ReasoningDelta("b", 0, 2), TextDelta("y", 0, 3), Finished(None, None)],
        {"reasoning": "ab", "text": "xy", "parts": [ReasoningPart("a"), TextPart("x"), ReasoningPart("b"), TextPart("y")]},
    ),
    case(
        "reasoning details give the text where no plain member does",
        [
            chunk({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "he"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "re", "signature": "sig"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.encrypted", "index": 0, "data": "xyz"}]}),
        ],
        [
            *(BEGUN, ReasoningDelta("he"), Extra("reasoning_details", [{"type": "reasoning.text", "index": 0, "text": "he"}])),
            ReasoningDelta("re"),
            Extra("reasoning_details", [{"type": "reasoning.text", "index": 0, "text": "re", "signature": "sig"}]),
            *(Extra("reasoning_details", [{"type": "reasoning.encrypted", "index": 0, "data": "xyz"}]), Finished(None, None)),
        ],
        {
            "reasoning": "here",
            "parts": [ReasoningPart("here", "sig", "xyz")],
            "turn": [
                {
                    "role": "assistant",
                    "content": None,
                    "reasoning_details": [
                        {"type": "reasoning.text", "index": 0, "text": "here", "signature": "sig"},
                        {"type": "reasoning.encrypted", "index": 0, "data": "xyz"},
                    ],
                }
            ],
        },
    ),
    case(
        "and not where one does",
        [chunk({"reasoning": "a", "thinking_blocks": [{"type": "thinking", "thinking": "a"}]})],
        [BEGUN, ReasoningDelta("a"), Extra("thinking_blocks", [{"type": "thinking", "thinking": "a"}]), Finished(None, None)],
        {"reasoning": "a"},
    ),
    case(
        "think tags, split over deltas",
        [chunk({"content": "<th"}), chunk({"content": "ink>hm</thi"}), chunk({"content": "nk>x<y"})],
        [BEGUN, ReasoningDelta("hm"), TextDelta("x<y", 0, 1), Finished(None, None)],
        {"reasoning": "hm", "text": "x<y", "turn": [{"role": "assistant", "content": "<think>hm</think>x<y"}]},
        options={"think_tags": True},
    ),
    case(
        "the beginning of a tag at the end is text",
        [chunk({"content": "a<thi"})],
        [BEGUN, TextDelta("a"), TextDelta("<thi"), Finished(None, None)],
        {"text": "a<thi"},
        options={"think_tags": True},
    ),
    case(
        "an orphan closing tag makes reasoning of what came before",
        [chunk({"content": "hm"}), chunk({"content": "</think>x"})],
        [BEGUN, TextDelta("hm"), Extra("think_tags", {"moved_to_reasoning": 2}), TextDelta("x", 0, 1), Finished(None, None)],
        {
            "reasoning": "hm",
            "text": "x",
            "native": {
                "object": "chat.completion",
                "choices": [{"index": 0, "message": {"content": "hm</think>x"}, "finish_reason": None}],
            },
        },
        options={"think_tags": True},
    ),
    case(
        "tags are text unless asked for",
        [chunk({"content": "<think>hm</think>x"})],
        [BEGUN, TextDelta("<think>hm</think>x"), Finished(None, None)],
        {"text": "<think>hm</think>x", "reasoning": ""},
    ),
]

CALLS = [
    case(
        "two calls, interleaved by index",
        [
            chunk(piece(id="c0", name="f", type="function")),
            chunk(piece(index=1, id="c1", name="g")),
            chunk(piece('{"a":')),
            chunk(piece("{", index=1)),
            chunk(piece("1}")),
            chunk(piece("}", index=1)),
            chunk({}, "tool_calls"),
        ],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "function"), ToolCallStarted("c1", "g", "function", 0, 1)),
            *(ToolCallDelta('{"a":'), ToolCallDelta("{", 0, 1), ToolCallDelta("1}"), ToolCallDelta("}", 0, 1)),
            *(ToolCallFinished(call('{"a":1}')), ToolCallFinished(call("{}", id="c1", name="g"), 0, 1), OF_CALLS),
        ],
        {
            "tool_calls": [call('{"a":1}'), call("{}", id="c1", name="g")],
            "finish_reason": "tool_calls",
            "turn": [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "c0", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}},
                        {"id": "c1", "type": "function", "function": {"name": "g", "arguments": "{}"}},
                    ],
                }
            ],
        },
    ),
    case(
        "a call that the limit cut off is never finished",
        [chunk(piece('{"a', id="c0", name="f")), chunk({}, "length")],
        [BEGUN, ToolCallStarted("c0", "f", "function"), ToolCallDelta('{"a'), Finished("length", "length")],
        {"tool_calls": [call('{"a', complete=False)]},
    ),
    case(
        "calls and a plain stop",
        [chunk(piece("{}", id="c0", name="f")), chunk({}, "stop")],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "function"), ToolCallDelta("{}"), ToolCallFinished(call("{}"))),
            Finished("tool_calls", "stop"),
        ],
        {"finish_reason": "tool_calls", "native_finish_reason": "stop"},
    ),
    case(
        "without an index the id tells, else the call opened last goes on",
        [
            chunk(piece("{", index=None, id="c0", name="f")),
            chunk(piece("{", index=None, id="c1", name="g")),
            chunk(piece("}", index=None)),
            chunk(piece("}", index=None, id="c0")),
            chunk({}, "tool_calls"),
        ],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "function"), ToolCallDelta("{")),
            *(
                ToolCallStarted("c1", "g", "function", 0, 1),
                ToolCallDelta("{", 0, 1),
                ToolCallDelta("}", 0, 1),
                ToolCallDelta("}"),
            ),
            *(ToolCallFinished(call("{}")), ToolCallFinished(call("{}", id="c1", name="g"), 0, 1), OF_CALLS),
        ],
        {"tool_calls": [call("{}"), call("{}", id="c1", name="g")]},
    ),
    case(
        "a new id together with a name on a used index is another call",
        [chunk(piece("{}", id="c0", name="f")), chunk(piece("{}", id="c1", name="f")), chunk({}, "tool_calls")],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "function"), ToolCallStarted("c1", "f", "function", 0, 1)),
            *(ToolCallDelta("{}"), ToolCallDelta("{}", 0, 1)),  # an empty object waits for the one that may take its place
            *(ToolCallFinished(call("{}")), ToolCallFinished(call("{}", id="c1"), 0, 1), OF_CALLS),
        ],
        {"tool_calls": [call("{}"), call("{}", id="c1")]},
    ),
    case(
        "a repeated, empty or changed id without a name goes on; so does a repeated name",
        [
            chunk(piece("{", id="c0", name="f")),
            chunk(piece('"a"', id="c0")),
            chunk(piece(":", id="")),
            chunk(piece("1", id="other")),
            chunk(piece("}", id="c0", name="f")),
            chunk({}, "tool_calls"),
        ],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "function"), ToolCallDelta("{"), ToolCallDelta('"a"'), ToolCallDelta(":")),
            *(ToolCallDelta("1"), ToolCallDelta("}"), ToolCallFinished(call('{"a":1}')), OF_CALLS),
        ],
        {"tool_calls": [call('{"a":1}')]},
    ),
    case(
        "a growing name is joined",
        [chunk(piece(id="c0", name="get_")), chunk(piece(name="time")), chunk(piece("{}")), chunk({}, "tool_calls")],
        [
            *(BEGUN, ToolCallStarted("c0", "get_", "function"), ToolCallDelta("{}")),
            *(ToolCallFinished(call("{}", name="get_time")), OF_CALLS),
        ],
        {"tool_calls": [call("{}", name="get_time")]},
    ),
    case(
        "arguments before the name are told once it is known",
        [chunk(piece('{"a', id="c0")), chunk(piece('":1', name="f")), chunk(piece("}")), chunk({}, "tool_calls")],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "function"), ToolCallDelta('{"a'), ToolCallDelta('":1'), ToolCallDelta("}")),
            *(ToolCallFinished(call('{"a":1}')), OF_CALLS),
        ],
        {"tool_calls": [call('{"a":1}')]},
    ),
    case(
        "and at the end where it never is",
        [chunk(piece("{}", id="c0")), chunk({}, "stop")],
        [
            *(BEGUN, ToolCallStarted("c0", None, "function"), ToolCallDelta("{}")),
            Finished("stop", "stop"),
        ],
        {"tool_calls": [call("{}", name=None, complete=False)], "turn": [{"role": "assistant", "content": None}]},
    ),
    case(
        "arguments as an object are dumped, other scripts kept",
        [
            chunk({"tool_calls": [{"index": 0, "id": "c0", "function": {"name": "f", "arguments": {"ö": [1, 2]}}}]}),
            chunk({}, "tool_calls"),
        ],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "function"), ToolCallDelta('{"ö":[1,2]}')),
            *(ToolCallFinished(call('{"ö":[1,2]}')), OF_CALLS),
        ],
        {"tool_calls": [call('{"ö":[1,2]}')]},
    ),
    case(
        "a custom call",
        [
            chunk({"tool_calls": [{"index": 0, "id": "c0", "type": "custom", "custom": {"name": "f", "input": "ls"}}]}),
            chunk({}, "tool_calls"),
        ],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "custom"), ToolCallDelta("ls")),
            *(ToolCallFinished(call("ls", kind="custom")), OF_CALLS),
        ],
        {
            "turn": [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "c0", "type": "custom", "custom": {"name": "f", "input": "ls"}}],
                }
            ]
        },
    ),
    case(
        "the legacy form; an empty one is nothing",
        [
            chunk({"function_call": {"name": "", "arguments": ""}}),
            chunk({"function_call": {"name": "f"}}),
            chunk({"function_call": {"arguments": "{}"}}),
            chunk({}, "tool_calls"),
        ],
        [
            *(BEGUN, ToolCallStarted(None, "f", "function"), ToolCallDelta("{}")),
            *(ToolCallFinished(call("{}", id=None)), OF_CALLS),
        ],
        {"turn": [{"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}]},
    ),
    case(
        "padding of null and empty elements is nothing",
        [
            chunk({"content": "x", "tool_calls": [], "function_call": None}),
            chunk({"tool_calls": [None, {}, {"index": 0, "function": None}]}),
        ],
        [BEGUN, TextDelta("x"), Finished(None, None)],
        {"tool_calls": [], "text": "x"},
    ),
    case(
        "indexes are names: large, negative and in any order; answers list them by index",
        [
            chunk(piece("{}", index=10**9, id="c0", name="f")),
            chunk(piece("{}", index=-1, id="c1", name="f")),
            chunk({}, "tool_calls"),
        ],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "function"), ToolCallStarted("c1", "f", "function", 0, 1)),
            *(ToolCallDelta("{}"), ToolCallDelta("{}", 0, 1)),
            *(ToolCallFinished(call("{}", id="c1"), 0, 1), ToolCallFinished(call("{}")), OF_CALLS),
        ],
        {"tool_calls": [call("{}", id="c1"), call("{}")], "parts": [call("{}"), call("{}", id="c1")]},
    ),
    case(
        "members of a call without a word of ours",
        [
            chunk(
                {
                    "tool_calls": [
                        {"index": 0, "id": "c0", "function": {"name": "f", "arguments": "{}"}, "extra_content": {"sig": "s"}}
                    ]
                }
            ),
            chunk({}, "tool_calls"),
        ],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "function"), Extra("extra_content", {"sig": "s"}, 0, 0), ToolCallDelta("{}")),
            *(ToolCallFinished(call("{}")), OF_CALLS),
        ],
        {
            "turn": [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "c0",
                            "type": "function",
                            "function": {"name": "f", "arguments": "{}"},
                            "extra_content": {"sig": "s"},
                        }
                    ],
                }
            ]
        },
    ),
    case(
        "half a surrogate pair in arguments waits as well",
        [chunk(piece('{"a":"\ud83d', id="c0", name="f")), chunk(piece('\ude00"}')), chunk({}, "tool_calls")],
        [
            *(BEGUN, ToolCallStarted("c0", "f", "function"), ToolCallDelta('{"a":"'), ToolCallDelta('😀"}')),
            *(ToolCallFinished(call('{"a":"😀"}')), OF_CALLS),
        ],
        {"tool_calls": [call('{"a":"😀"}')]},
    ),
]

EXTRAS = [
    case(
        "members without a word: told when they come or change, kept where they were",
        [
            chunk({"content": "x"}, citations=["u"]),
            chunk({"x_note": "a"}, citations=["u"]),
            chunk({"x_note": "b"}, citations=["u", "v"]),
        ],
        [
            *(BEGUN, TextDelta("x"), Extra("citations", ["u"]), Extra("x_note", "a"), Extra("x_note", "b")),
            *(Extra("citations", ["u", "v"]), Finished(None, None)),
        ],
        {
            "extra": {"citations": ["u", "v"], "x_note": "b"},
            "native": {
                "object": "chat.completion",
                "citations": ["u", "v"],
                "choices": [{"index": 0, "message": {"content": "x", "x_note": "ab"}, "finish_reason": None}],
            },
        },
    ),
    case(
        "annotations and logprobs are joined",
        [
            data(
                {
                    "choices": [
                        {
                            "index": 0,
                            "delta": {"content": "x", "annotations": [{"n": 1}]},
                            "logprobs": {"content": [{"t": "x"}], "refusal": None},
                        }
                    ]
                }
            ),
            data({"choices": [{"index": 0, "delta": {"annotations": [{"n": 2}]}, "logprobs": {"content": [{"t": "y"}]}}]}),
        ],
        [
            *(BEGUN, TextDelta("x"), Extra("annotations", [{"n": 1}]), Extra("logprobs", {"content": [{"t": "x"}]})),
            *(Extra("annotations", [{"n": 2}]), Extra("logprobs", {"content": [{"t": "y"}]}), Finished(None, None)),
        ],
        {"extra": {"annotations": [{"n": 1}, {"n": 2}], "logprobs": {"content": [{"t": "x"}, {"t": "y"}]}}},
    ),
    case(
        "extras of other choices are theirs",
        [chunk({"x": 1}), chunk({"x": 2}, index=1)],
        [BEGUN, Extra("x", 1), Extra("x", 2, 1), Finished(None, None), Finished(None, None, 1)],
        {"extra": {"x": 1}},
    ),
    case(
        "audio: one string natively, pieces for whoever plays it",
        [
            chunk({"audio": {"id": "a1", "data": "AA==", "transcript": "H"}}),
            chunk({"audio": {"data": "BB==", "transcript": "i"}}),
        ],
        [
            *(BEGUN, Extra("audio", {"id": "a1", "data": "AA==", "transcript": "H"})),
            *(Extra("audio", {"data": "BB==", "transcript": "i"}), Finished(None, None)),
        ],
        {
            "extra": {"audio": {"id": "a1", "data": ["AA==", "BB=="], "transcript": "Hi"}},
            "turn": [{"role": "assistant", "content": None, "audio": {"id": "a1"}}],
        },
    ),
    case(
        "the last usage that holds a count replaces earlier ones whole",
        [
            data({"choices": [], "usage": {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 1}}}),
            data({"choices": [], "usage": None}),
            data({"choices": [], "usage": {"cost": 1}}),
            data({"choices": [], "usage": {"prompt_tokens": 2, "completion_tokens": 3, "prompt_cache_hit_tokens": 1}}),
        ],
        [
            BEGUN,
            UsageReported(
                Usage(1, None, None, 1, None, None, {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 1}})
            ),
            Extra("usage", {"cost": 1}),
            UsageReported(
                Usage(2, 3, 5, 1, None, None, {"prompt_tokens": 2, "completion_tokens": 3, "prompt_cache_hit_tokens": 1})
            ),
        ],
        {"usage": Usage(2, 3, 5, 1, None, None, {"prompt_tokens": 2, "completion_tokens": 3, "prompt_cache_hit_tokens": 1})},
    ),
    case(
        "usage in the choice, and in a member of the server's own",
        [
            data({"choices": [{"delta": {}, "usage": {"prompt_tokens": 1}}]}),
            data({"choices": [], "x_groq": {"usage": {"prompt_tokens": 2}}}),
        ],
        [
            *(BEGUN, UsageReported(Usage(1, None, None, None, None, None, {"prompt_tokens": 1}))),
            Extra("x_groq", {"usage": {"prompt_tokens": 2}}),
            *(UsageReported(Usage(2, None, None, None, None, None, {"prompt_tokens": 2})), Finished(None, None)),
        ],
        {},
    ),
    case(
        "a snapshot tells only what the deltas did not bring",
        [
            chunk({"content": "Hel"}),
            data(
                {
                    "choices": [
                        {
                            "index": 0,
                            "message": {
                                "role": "assistant",
                                "content": "Hello",
                                "reasoning_content": "hm",
                                "tool_calls": [{"id": "c0", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
                            },
                        }
                    ]
                }
            ),
            chunk({}, "tool_calls"),
        ],
        [
            *(BEGUN, TextDelta("Hel"), ReasoningDelta("hm", 0, 1), TextDelta("lo", 0, 2)),
            *(ToolCallStarted("c0", "f", "function", 0, 3), ToolCallDelta("{}", 0, 3)),
            *(ToolCallFinished(call("{}"), 0, 3), OF_CALLS),
        ],
        {"text": "Hello", "tool_calls": [call("{}")]},
    ),
    case(
        "one that contradicts them changes nothing, and is reported",
        [chunk({"content": "abc"}), data({"choices": [{"index": 0, "message": {"content": "xyz"}}]})],
        [BEGUN, TextDelta("abc"), Extra("snapshot", {"content": "xyz"}), Finished(None, None)],
        {"text": "abc"},
    ),
]

CASES = [*TEXT, *REASONING, *CALLS, *EXTRAS]
