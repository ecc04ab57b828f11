"""Chat streams: what OpenAI sends, and what others add to it."""

from __future__ import annotations

from samples import chat, chunk, chunk_of, piece

USAGE = {
    "prompt_tokens": 12,
    "completion_tokens": 8,
    "total_tokens": 20,
    "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 3, "audio_tokens": 0},
}
TOKEN = {
    "token": "Hi",
    "logprob": -0.25,
    "bytes": [72, 105],
    "top_logprobs": [{"token": "Ho", "logprob": -1.5, "bytes": [72, 111]}],
}
NO = {"token": "No", "logprob": -0.5, "bytes": [78, 111], "top_logprobs": []}
FILTERS = {"hate": {"filtered": False, "severity": "safe"}, "violence": {"filtered": False, "severity": "low"}}
CITATION = {
    "type": "url_citation",
    "url_citation": {"start_index": 0, "end_index": 2, "url": "https://example.org/a", "title": "A"},
}
SOURCE = {
    "type": "url_citation",
    "url_citation": {"start_index": 3, "end_index": 5, "url": "https://example.org/b", "title": "B"},
}
PICTURE = {"type": "image_url", "index": 0, "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}

OPENAI = [
    chat("text", chunk({"content": "Hel"}), chunk({"content": "lo"})),
    chat("text and usage in a chunk of its own", chunk({"content": "Hi"}, top={"usage": None}), chunk_of(usage=USAGE)),
    chat("text that was cut off", chunk({"content": "Hi the"}), finish="length"),
    chat("a refusal", chunk({"refusal": "I can"}), chunk({"refusal": "'t"})),
    chat(
        "logprobs of text and of a refusal",
        chunk({"content": "Hi"}, logprobs={"content": [TOKEN], "refusal": None}),
        chunk({"content": "Hi"}, logprobs={"content": [TOKEN], "refusal": None}),
        chunk({"refusal": "No"}, logprobs={"content": None, "refusal": [NO]}),
    ),
    chat(
        "two choices",
        chunk({"role": "assistant", "content": "B"}, index=1),
        chunk({"content": "A"}),
        chunk({"content": "b"}, index=1),
        chunk({"content": "a"}),
        chunk({}, "length", index=1),
    ),
    chat(
        "two calls whose pieces mix",
        chunk(piece("", id="call_1", type="function", name="weather")),
        chunk(piece('{"city":', 0)),
        chunk(piece("", 1, id="call_2", type="function", name="time")),
        chunk(piece('"Oslo"}', 0)),
        chunk(piece("{}", 1)),
        finish="tool_calls",
    ),
    chat(
        "a custom call",
        chunk({"tool_calls": [{"index": 0, "id": "call_1", "type": "custom", "custom": {"name": "sh", "input": "ls"}}]}),
        chunk({"tool_calls": [{"index": 0, "custom": {"input": " -l"}}]}),
        finish="tool_calls",
    ),
    chat(
        "a legacy call",
        chunk({"function_call": {"name": "weather", "arguments": ""}}),
        chunk({"function_call": {"arguments": '{"city":"Oslo"}'}}),
        finish="function_call",
    ),
    chat("annotations", chunk({"content": "Hi ho"}), chunk({"annotations": [CITATION]}), chunk({"annotations": [SOURCE]})),
    chat(
        "audio",
        chunk({"audio": {"id": "audio_1", "transcript": "He"}}),
        chunk({"audio": {"data": "UklGRg=="}}),
        chunk({"audio": {"transcript": "llo", "data": "AAAA"}}),
        chunk({"audio": {"expires_at": 1700003600}}),
    ),
    chat(
        "service tier, fingerprint and padding",
        chunk({"content": "Hi"}, top={"service_tier": "default", "system_fingerprint": "fp_1", "obfuscation": "x9Tq"}),
        chunk({"content": "!"}, top={"service_tier": "default", "system_fingerprint": "fp_1", "obfuscation": "aB"}),
    ),
]

OTHERS = [
    chat(
        "reasoning_content",
        chunk({"reasoning_content": "Let me"}),
        chunk({"reasoning_content": " see"}),
        chunk({"content": "Hi"}),
    ),
    chat(
        "reasoning under two names",
        chunk({"reasoning": "Let", "reasoning_content": "Let"}),
        chunk({"reasoning": " me", "reasoning_content": " me"}),
        chunk({"content": "Hi"}),
    ),
    chat(
        "reasoning_details: text with its signature",
        chunk(
            {"reasoning": "Let", "reasoning_details": [{"type": "reasoning.text", "text": "Let", "format": "f-1", "index": 0}]}
        ),
        chunk(
            {"reasoning": " me", "reasoning_details": [{"type": "reasoning.text", "text": " me", "format": "f-1", "index": 0}]}
        ),
        chunk({"reasoning_details": [{"type": "reasoning.text", "signature": "EqMC", "format": "f-1", "index": 0}]}),
        chunk({"content": "Hi"}),
    ),
    chat(
        "reasoning_details: summary and encrypted data under one index",
        chunk({"reasoning_details": [{"type": "reasoning.summary", "summary": "Adds", "id": "rs_1", "index": 0}]}),
        chunk({"reasoning_details": [{"type": "reasoning.summary", "summary": " up", "id": "rs_1", "index": 0}]}),
        chunk({"reasoning_details": [{"type": "reasoning.encrypted", "data": "gAAAAB", "id": "rs_1", "index": 0}]}),
        chunk({"content": "Hi"}),
    ),
    chat(
        "thinking_blocks",
        chunk({"reasoning_content": "Hm", "thinking_blocks": [{"type": "thinking", "thinking": "Hm", "signature": None}]}),
        chunk({"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "EqMC"}]}),
        chunk({"thinking_blocks": [{"type": "redacted_thinking", "data": "EmwKAhgB"}]}),
        chunk({"content": "Hi"}),
    ),
    chat("images", chunk({"content": "Look"}), chunk({"images": [PICTURE]})),
    chat(
        "content filters",
        chunk(
            {"content": "Hi"},
            content_filter_results=FILTERS,
            top={"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": FILTERS}]},
        ),
        chunk(
            {"content": "!"},
            content_filter_results={"hate": {"filtered": False, "severity": "low"}},
            content_filter_offsets={"check_offset": 44},
        ),
    ),
    chat(
        "citations and search results beside the choices",
        chunk(
            {"content": "Hi"},
            top={"citations": ["https://example.org/a"], "search_results": [{"title": "A", "url": "https://example.org/a"}]},
        ),
        chunk({"content": "!"}, top={"citations": ["https://example.org/a", "https://example.org/b"]}),
    ),
    chat(
        "sources, timings, costs and whatever else a gateway adds",
        chunk({"content": "Hi"}, top={"provider": "Cerebras", "x_gateway": {"route": "eu", "cache": {"hit": False}}}),
        chunk(
            {"sources": [{"title": "Weather", "url": "https://example.org/w"}]}, stop_reason=154827, native_finish_reason="eos"
        ),
        chunk(
            {},
            top={
                "timings": {"predicted_ms": 55.5, "cache_n": 27},
                "cost": {"usd": 0.000125},
                "x_gateway": {"cost_usd": "0.000041"},
            },
        ),
    ),
    chat(
        "usage in a member of its own",
        chunk({"content": "Hi"}, top={"x_groq": {"id": "req_1", "seed": 11}}),
        chunk({}, top={"x_groq": {"id": "req_1", "usage": USAGE}}),
    ),
    chat(
        "content as a list of parts",
        chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]}),
        chunk(
            {
                "content": [
                    {
                        "type": "thinking",
                        "thinking": [{"type": "text", "text": "."}, {"type": "reference", "reference_ids": [3]}],
                        "closed": True,
                    }
                ]
            }
        ),
        chunk({"content": [{"type": "text", "text": "Hi"}, {"type": "reference", "reference_ids": [7]}]}),
        chunk({"content": [{"type": "text", "text": "!"}]}),
    ),
    chat(
        "a call with a signature of the provider",
        chunk(
            {
                "tool_calls": [
                    {
                        "index": 0,
                        "id": "call_1",
                        "type": "function",
                        "extra_content": {"thought_signature": "CvwBA"},
                        "function": {"name": "f", "arguments": "{}", "strict": 1},
                    }
                ]
            }
        ),
        chunk({"extra_content": {"thought_signature": "Dw=="}}),
        finish="tool_calls",
    ),
    chat(
        "ids, names and roles that come again, and calls without an index",
        chunk(
            {
                "role": "assistant",
                "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a"'}}],
            }
        ),
        chunk(
            {
                "role": "assistant",
                "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": ":1}"}}],
            }
        ),
        finish="tool_calls",
    ),
    chat("an index that skips", chunk(piece("{}", 3, id="call_1", type="function", name="f")), finish="tool_calls"),
    chat(
        "executed tools that come again",
        *(chunk({"executed_tools": [{"index": 0, "type": "search", "arguments": "{}"}]}) for _ in range(2)),
    ),
    chat("a chunk that says nothing", chunk({"content": "Hi", "token_id": 7}), chunk({"content": "!", "token_id": 9})),
    chat("usage of a choice", chunk({"content": "Hi"}), chunk({}, usage=USAGE)),
    chat(
        "a call without a type or arguments",
        chunk({"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "now"}}]}),
        finish="tool_calls",
    ),
]
OTHERS[-3].payloads.insert(0, chunk_of(id="", model="", created=0))

CHAT = OPENAI + OTHERS
