"""Responses streams: what OpenAI sends, and what others add to it."""

from __future__ import annotations

from samples import message, output_text, responses, whole

TOKEN = {"token": "Hi", "logprob": -0.25, "bytes": [72, 105], "top_logprobs": []}
URL = {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://example.org/a", "title": "A"}
FILE = {"type": "file_citation", "file_id": "file_1", "filename": "a.txt", "index": 2}
IN_CONTAINER = {
    "type": "container_file_citation",
    "container_id": "cntr_1",
    "file_id": "file_2",
    "filename": "b.png",
    "start_index": 0,
    "end_index": 2,
}
ANSWER = message(output_text("Hello"))


def call(arguments: str, number: int = 1, **members) -> tuple:
    item = {
        "id": f"fc_{number}",
        "type": "function_call",
        "call_id": f"call_{number}",
        "name": "weather",
        "arguments": arguments,
        "status": "completed",
        **members,
    }
    deltas = [{"type": "function_call_arguments.delta", "delta": part} for part in (arguments[:3], arguments[3:])]
    return whole(
        item, *deltas, {"type": "function_call_arguments.done", "arguments": arguments}, arguments="", status="in_progress"
    )


def reasoning(*texts: str, **members) -> tuple:
    item = {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": text} for text in texts], **members}
    events = []
    for index, text in enumerate(texts):
        events += [
            {"type": "reasoning_summary_part.added", "summary_index": index, "part": {"type": "summary_text", "text": ""}},
            *({"type": "reasoning_summary_text.delta", "summary_index": index, "delta": piece} for piece in (text[:2], text[2:])),
            {"type": "reasoning_summary_text.done", "summary_index": index, "text": text},
            {"type": "reasoning_summary_part.done", "summary_index": index, "part": {"type": "summary_text", "text": text}},
        ]
    return whole(item, *events, summary=[])


def hosted(item: dict, *steps: str, **changes) -> tuple:
    """A tool that the provider runs, with the steps it reports."""
    return whole(item, *({"type": f"{item['type']}.{step}"} for step in steps), **changes)


OPENAI = [
    responses("text", ANSWER),
    responses(
        "a refusal",
        message(
            (
                {"type": "refusal", "refusal": "I can't"},
                [
                    {"type": "refusal.delta", "delta": "I "},
                    {"type": "refusal.delta", "delta": "can't"},
                    {"type": "refusal.done", "refusal": "I can't"},
                ],
            )
        ),
    ),
    responses(
        "logprobs",
        message(
            (
                {"type": "output_text", "text": "Hi", "annotations": [], "logprobs": [TOKEN]},
                [
                    {
                        "type": "output_text.delta",
                        "delta": "Hi",
                        "logprobs": [{**TOKEN, "logprob": -0.2512345}],
                        "obfuscation": "x9",
                    },
                    {"type": "output_text.done", "text": "Hi", "logprobs": [TOKEN]},
                ],
            )
        ),
    ),
    responses(
        "annotations of every kind",
        message(
            (
                {"type": "output_text", "text": "Hi", "annotations": [URL, FILE, IN_CONTAINER], "logprobs": []},
                [
                    {"type": "output_text.delta", "delta": "Hi", "logprobs": []},
                    *(
                        {"type": "output_text.annotation.added", "annotation_index": number, "annotation": each}
                        for number, each in enumerate((URL, FILE, IN_CONTAINER))
                    ),
                ],
            )
        ),
    ),
    responses("two calls", call('{"city":"Oslo"}'), call("{}", 2)),
    responses(
        "a custom call",
        whole(
            {
                "id": "ctc_1",
                "type": "custom_tool_call",
                "call_id": "call_1",
                "name": "patch",
                "input": "*** a",
                "status": "completed",
            },
            {"type": "custom_tool_call_input.delta", "delta": "*** "},
            {"type": "custom_tool_call_input.delta", "delta": "a"},
            {"type": "custom_tool_call_input.done", "input": "*** a"},
            input="",
            status="in_progress",
        ),
    ),
    responses("a summary in two parts and encrypted content", reasoning("First.", "Then.", encrypted_content="gAAAAABo"), ANSWER),
    responses(
        "the full reasoning",
        whole(
            {"id": "rs_1", "type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Let me see"}]},
            {"type": "reasoning_text.delta", "content_index": 0, "delta": "Let me "},
            {"type": "reasoning_text.delta", "content_index": 0, "delta": "see"},
            {"type": "reasoning_text.done", "content_index": 0, "text": "Let me see"},
            content=[],
        ),
        ANSWER,
    ),
    responses(
        "a web search with its sources",
        hosted(
            {
                "id": "ws_1",
                "type": "web_search_call",
                "status": "completed",
                "action": {
                    "type": "search",
                    "query": "rain",
                    "queries": ["rain"],
                    "sources": [{"type": "url", "url": "https://example.org/r"}],
                },
            },
            "in_progress",
            "searching",
            "completed",
            status="in_progress",
            action=None,
        ),
        ANSWER,
    ),
    responses(
        "a file search with its results",
        hosted(
            {
                "id": "fs_1",
                "type": "file_search_call",
                "status": "completed",
                "queries": ["rain"],
                "results": [{"file_id": "file_1", "filename": "a.txt", "score": 0.93, "text": "Rain.", "attributes": {}}],
            },
            "in_progress",
            "searching",
            "completed",
            status="in_progress",
            queries=[],
            results=None,
        ),
        ANSWER,
    ),
    responses(
        "code that the provider runs",
        whole(
            {
                "id": "ci_1",
                "type": "code_interpreter_call",
                "status": "completed",
                "container_id": "cntr_1",
                "code": "1+1",
                "outputs": [{"type": "logs", "logs": "2"}],
            },
            {"type": "code_interpreter_call.in_progress"},
            {"type": "code_interpreter_call_code.delta", "delta": "1+", "obfuscation": "q"},
            {"type": "code_interpreter_call_code.delta", "delta": "1"},
            {"type": "code_interpreter_call_code.done", "code": "1+1"},
            {"type": "code_interpreter_call.interpreting"},
            {"type": "code_interpreter_call.completed"},
            status="in_progress",
            code="",
            outputs=None,
        ),
        ANSWER,
    ),
    responses(
        "an image with partial ones before it",
        whole(
            {
                "id": "ig_1",
                "type": "image_generation_call",
                "status": "completed",
                "result": "iVBORw0KGgo=",
                "revised_prompt": "A boat",
                "background": "opaque",
                "quality": "high",
                "size": "1024x1024",
                "output_format": "png",
            },
            {"type": "image_generation_call.generating"},
            {
                "type": "image_generation_call.partial_image",
                "partial_image_index": 0,
                "partial_image_b64": "AAAA",
                "size": "1024x1024",
            },
            {
                "type": "image_generation_call.partial_image",
                "partial_image_index": 1,
                "partial_image_b64": "AAAB",
                "size": "1024x1024",
            },
            status="generating",
            result=None,
            revised_prompt=None,
        ),
    ),
    responses(
        "MCP: tools, an approval and a call",
        hosted(
            {
                "id": "mcpl_1",
                "type": "mcp_list_tools",
                "server_label": "s",
                "tools": [
                    {
                        "name": "echo",
                        "input_schema": {"type": "object"},
                        "description": "Says it again",
                        "annotations": {"read_only": True},
                    }
                ],
            },
            "in_progress",
            "completed",
            tools=[],
        ),
        whole({"id": "mcpr_1", "type": "mcp_approval_request", "server_label": "s", "name": "echo", "arguments": '{"x":1}'}),
        whole(
            {
                "id": "mcp_1",
                "type": "mcp_call",
                "server_label": "s",
                "name": "echo",
                "arguments": '{"x":2}',
                "output": "2",
                "approval_request_id": None,
                "error": None,
            },
            {"type": "mcp_call.in_progress"},
            {"type": "mcp_call_arguments.delta", "delta": '{"x"'},
            {"type": "mcp_call_arguments.delta", "delta": ":2}"},
            {"type": "mcp_call_arguments.done", "arguments": '{"x":2}'},
            {"type": "mcp_call.completed"},
            arguments="",
            output=None,
        ),
        ANSWER,
    ),
    responses(
        "a shell call and its output",
        whole(
            {
                "id": "sh_1",
                "type": "shell_call",
                "call_id": "call_1",
                "status": "completed",
                "action": {"commands": ["ls -l"], "max_output_length": 100, "timeout_ms": 5},
            },
            {"type": "shell_call_command.added", "command_index": 0, "command": ""},
            {"type": "shell_call_command.delta", "command_index": 0, "delta": "ls -l"},
            {"type": "shell_call_command.done", "command_index": 0, "command": "ls -l"},
            action={"commands": [], "max_output_length": 100, "timeout_ms": 5},
            status="in_progress",
        ),
        whole(
            {
                "id": "sho_1",
                "type": "shell_call_output",
                "call_id": "call_1",
                "status": "completed",
                "max_output_length": 100,
                "output": [{"stdout": "a.txt", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
            }
        ),
    ),
    responses(
        "a patch",
        whole(
            {
                "id": "apc_1",
                "type": "apply_patch_call",
                "call_id": "call_1",
                "status": "completed",
                "operation": {"type": "create_file", "path": "a.txt", "diff": "+a"},
            },
            {"type": "apply_patch_call_operation_diff.delta", "delta": "+a"},
            {"type": "apply_patch_call_operation_diff.done", "diff": "+a"},
            operation={"type": "create_file", "path": "a.txt", "diff": ""},
            status="in_progress",
        ),
    ),
    responses(
        "a local shell call",
        whole(
            {
                "id": "lsh_1",
                "type": "local_shell_call",
                "call_id": "call_1",
                "status": "completed",
                "action": {
                    "type": "exec",
                    "command": ["ls", "-a"],
                    "env": {},
                    "timeout_ms": None,
                    "user": None,
                    "working_directory": None,
                },
            }
        ),
    ),
    responses(
        "a computer call",
        whole(
            {
                "id": "cu_1",
                "type": "computer_call",
                "call_id": "call_1",
                "status": "completed",
                "action": {"type": "click", "button": "left", "x": 10, "y": 20},
                "pending_safety_checks": [{"id": "cu_sc_1", "code": "c", "message": "Look"}],
            }
        ),
    ),
    responses("a compaction", whole({"id": "cmp_1", "type": "compaction", "encrypted_content": "gAAAAABp"}), ANSWER),
    responses(
        "commentary, a call, then the answer",
        message(output_text("Let me look."), id="msg_0", phase="commentary"),
        call('{"city":"Oslo"}'),
        message(output_text("Rain."), phase="final_answer"),
    ),
    responses(
        "cut off by the token limit",
        message(output_text("Hello the")),
        end="incomplete",
        last={"incomplete_details": {"reason": "max_output_tokens"}},
    ),
    responses(
        "audio",
        whole(
            {"id": "msg_9", "type": "message", "role": "assistant", "status": "completed", "content": []},
            {"type": "audio.delta", "delta": "UklGRg=="},
            {"type": "audio.transcript.delta", "delta": "Hello"},
            {"type": "audio.done"},
            {"type": "audio.transcript.done"},
        ),
    ),
    responses(
        "what a response echoes and adds",
        ANSWER,
        last={
            "service_tier": "default",
            "metadata": {"k": "v"},
            "reasoning": {"effort": "low", "summary": None},
            "text": {"format": {"type": "text"}, "verbosity": "low"},
            "safety_identifier": "u-1",
            "conversation": {"id": "conv_1"},
        },
    ),
]

OTHERS = [
    responses(
        "usage without what is new in it",
        ANSWER,
        last={
            "usage": {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 4},
                "output_tokens": 7,
                "output_tokens_details": {"reasoning_tokens": 2},
                "total_tokens": 17,
            }
        },
    ),
    responses(
        "members of a gateway",
        whole(
            {**ANSWER[1], "x_item": "i"}, *({**event, "x_event": number} for number, event in enumerate(ANSWER[2])), content=[]
        ),
        last={"x_gateway": {"region": "eu"}, "cost": 0.00125},
    ),
    responses(
        "reasoning with a signature and a format",
        whole(
            {
                "id": "rs_1",
                "type": "reasoning",
                "summary": [],
                "format": "f-1",
                "signature": "EqMC",
                "content": [{"type": "reasoning_text", "text": "Hm", "x_part": 3}],
            },
            {"type": "reasoning_text.delta", "content_index": 0, "delta": "Hm"},
            content=[],
        ),
        ANSWER,
    ),
    responses(
        "events and items newer than this library",
        whole(
            {"id": "ho_1", "type": "hologram_call", "status": "completed", "depth": 3, "ray": "ab"},
            {"type": "hologram.delta", "delta": "a"},
            {"type": "hologram.delta", "delta": "b"},
            depth=0,
            ray="",
        ),
        message(({"type": "output_hologram", "size": 8}, [{"type": "output_hologram.delta", "delta": "c"}])),
    ),
]

RESPONSES = OPENAI + OTHERS
