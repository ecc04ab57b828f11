"""Messages streams: what Anthropic sends, its beta features too, and what others add to it."""

from __future__ import annotations

from samples import block, ended, messages, start, text_block

DIRECT = {"type": "direct"}
PAGE = {
    "type": "page_location",
    "cited_text": "Grass is green.",
    "document_index": 0,
    "document_title": "D",
    "start_page_number": 1,
    "end_page_number": 2,
    "file_id": "file_1",
}
FOUND = {
    "type": "web_search_result_location",
    "cited_text": "Rain.",
    "url": "https://example.org/r",
    "title": "R",
    "encrypted_index": "EpMBCio",
}
RESULT = {
    "type": "web_search_result",
    "title": "R",
    "url": "https://example.org/r",
    "encrypted_content": "EqgfCio",
    "page_age": "2 days",
}
CONTAINER = {"id": "container_1", "expires_at": "2026-01-01T00:00:00Z", "skills": None}


def thinking(text: str, signature: str) -> list[dict]:
    return [{"type": "thinking_delta", "thinking": text}, {"type": "signature_delta", "signature": signature}]


def json_pieces(*pieces: str) -> list[dict]:
    return [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def tool(id: str = "toolu_1", name: str = "weather", **members) -> dict:
    return {"type": "tool_use", "id": id, "name": name, "input": {}, **members}


def server_tool(name: str, id: str = "srvtoolu_1", **members) -> dict:
    return {"type": "server_tool_use", "id": id, "name": name, "input": {}, "caller": DIRECT, **members}


STABLE = [
    messages("text", text_block(0, "Hel", "lo")),
    messages("text in two blocks", text_block(0, "One."), text_block(1, "Two.")),
    messages(
        "thinking with its signature",
        block(0, {"type": "thinking", "thinking": "", "signature": ""}, *thinking("Let me see", "EqMC")),
        text_block(1, "Hi"),
    ),
    messages(
        "thinking that is not shown",
        block(0, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "signature_delta", "signature": "EqMC"}),
        text_block(1, "Hi"),
    ),
    messages("redacted thinking", block(0, {"type": "redacted_thinking", "data": "EmwKAhgB"}), text_block(1, "Hi")),
    messages("a call", block(0, tool(caller=DIRECT), *json_pieces("", '{"city":', '"Oslo"}')), end=ended("tool_use")),
    messages("a call without input", block(0, tool(name="now"), *json_pieces("")), end=ended("tool_use")),
    messages(
        "text and two calls",
        text_block(0, "Wait."),
        block(1, tool(), *json_pieces('{"city":"Oslo"}')),
        block(2, tool("toolu_2"), *json_pieces('{"city":"Bergen"}')),
        end=ended("tool_use"),
    ),
    messages("a call cut off in its input", block(0, tool(), *json_pieces('{"city":"Os')), end=ended("max_tokens")),
    messages(
        "citations of a document",
        block(
            0,
            {"type": "text", "text": "", "citations": []},
            {"type": "text_delta", "text": "Green"},
            {"type": "citations_delta", "citation": PAGE},
        ),
    ),
    messages(
        "a web search with its results and the citation of one",
        block(0, server_tool("web_search"), *json_pieces('{"query":', '"rain"}')),
        block(1, {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [RESULT], "caller": DIRECT}),
        block(
            2,
            {"type": "text", "text": "", "citations": []},
            {"type": "text_delta", "text": "Rain"},
            {"type": "citations_delta", "citation": FOUND},
        ),
        end=ended(usage={"output_tokens": 7, "server_tool_use": {"web_search_requests": 1, "web_fetch_requests": 0}}),
    ),
    messages(
        "code that the provider runs, in its container",
        block(0, server_tool("bash_code_execution"), *json_pieces('{"command":"ls"}')),
        block(
            1,
            {
                "type": "bash_code_execution_tool_result",
                "tool_use_id": "srvtoolu_1",
                "content": {
                    "type": "bash_code_execution_result",
                    "stdout": "a.txt",
                    "stderr": "",
                    "return_code": 0,
                    "content": [{"type": "bash_code_execution_output", "file_id": "file_2"}],
                },
            },
        ),
        block(2, {"type": "container_upload", "file_id": "file_3"}),
        text_block(3, "One file."),
        end=ended(container=CONTAINER),
    ),
    messages("a stop sequence", text_block(0, "1, 2"), end=ended("stop_sequence", stop_sequence=", 3")),
    messages(
        "a refusal with its details",
        text_block(0, "I"),
        end=ended("refusal", stop_details={"type": "refusal", "category": "cyber", "explanation": "No."}),
    ),
    messages("a pause", block(0, server_tool("web_search"), *json_pieces('{"query":"x"}')), end=ended("pause_turn")),
    messages(
        "usage with all its members",
        text_block(0, "Hi"),
        opened=start(
            usage={
                "input_tokens": 3,
                "cache_creation_input_tokens": 5,
                "cache_read_input_tokens": 7,
                "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 0},
                "output_tokens": 1,
                "service_tier": "standard",
                "inference_geo": "eu",
            }
        ),
        end=ended(
            usage={
                "input_tokens": 4,
                "cache_creation_input_tokens": 5,
                "cache_read_input_tokens": 7,
                "output_tokens": 9,
                "output_tokens_details": {"thinking_tokens": 2},
            }
        ),
    ),
]

BETA = [
    messages(
        "an MCP call of the provider and its result",
        block(
            0,
            {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "echo", "server_name": "s", "input": {}},
            *json_pieces('{"message":"Hi"}'),
        ),
        block(
            1,
            {
                "type": "mcp_tool_result",
                "tool_use_id": "mcptoolu_1",
                "is_error": False,
                "content": [{"type": "text", "text": "Hi", "citations": None}],
            },
        ),
        text_block(2, "It said Hi."),
    ),
    messages(
        "compaction and context management",
        block(
            0,
            {"type": "compaction", "content": None},
            {"type": "compaction_delta", "content": "Earlier: rain.", "encrypted_content": "EpwBCio"},
        ),
        text_block(1, "Hi"),
        end=ended(
            top={
                "context_management": {
                    "applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 2, "cleared_input_tokens": 900}]
                }
            }
        ),
    ),
    messages(
        "compaction in two pieces",
        block(
            0,
            {"type": "compaction", "content": None},
            {"type": "compaction_delta", "content": "Earlier:"},
            {"type": "compaction_delta", "content": " rain."},
        ),
        text_block(1, "Hi"),
    ),
    messages(
        "a fallback to another model",
        block(
            0,
            {
                "type": "fallback",
                "from": {"model": "m-1"},
                "to": {"model": "m-2"},
                "trigger": {"type": "refusal", "category": None},
            },
        ),
        text_block(1, "Hi"),
        end=ended(
            usage={
                "output_tokens": 7,
                "iterations": [
                    {
                        "type": "message",
                        "input_tokens": 10,
                        "output_tokens": 7,
                        "cache_creation_input_tokens": 0,
                        "cache_read_input_tokens": 0,
                    }
                ],
            }
        ),
    ),
    messages(
        "thinking with an estimate of its tokens",
        block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "Hm", "estimated_tokens": 40},
            {"type": "signature_delta", "signature": "EqMC"},
        ),
        text_block(1, "Hi"),
    ),
]

OTHERS = [
    messages("input that is no JSON", block(0, tool(), *json_pieces('{"a":1}}')), end=ended("tool_use")),
    messages("the whole input with the block's start", block(0, tool(input={"city": "Oslo"})), end=ended("tool_use")),
    messages(
        "a signature in two pieces",
        block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            *thinking("Hm", "Eq"),
            {"type": "signature_delta", "signature": "MC"},
        ),
        text_block(1, "Hi"),
    ),
    messages(
        "thinking without a signature",
        block(0, {"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": "Hm"}),
        text_block(1, "Hi"),
    ),
    messages(
        "members of a gateway, and metrics beside the end",
        text_block(0, "Hi"),
        opened=start(provider="Bedrock", usage={"input_tokens": 3, "output_tokens": 1, "cost": 0.000112}),
        end=ended(
            usage={"output_tokens": 2, "cost_details": {"upstream_inference_cost": 0.000112}}, top={"x_gateway": {"region": "eu"}}
        ),
    ),
    messages(
        "events, blocks and deltas newer than this library",
        {"type": "message_hologram", "depth": 3},
        block(0, {"type": "hologram", "size": 5}, {"type": "hologram_delta", "ray": "a"}, {"type": "hologram_delta", "ray": "b"}),
        block(1, {"type": "text", "text": "Hi", "tint": "red"}, {"type": "glow_delta", "glow": 8}),
    ),
    messages("an empty block of text before a call", text_block(0), block(1, tool(), *json_pieces("{}")), end=ended("tool_use")),
    messages("a message without a start", text_block(0, "Hi")),
]
OTHERS[4].payloads[-1]["metrics"] = {"invocationLatency": 1058, "firstByteLatency": 894}
del OTHERS[7].payloads[0]

MESSAGES = STABLE + BETA + OTHERS
