"""`Answer.native` with a type: which members the unstreamed object of a dialect may have.

    from sse_dialects.native import native_of

    message = native_of(answer, "chat")["choices"][0]["message"]    # known to type checkers

Nearly all members are optional, for a stream need not have sent them and nothing is invented; providers' own members come on top.
What a type can't say is that ``answer.native`` itself has one of these forms: an answer's dialect is known when it has come.
"""

# Without `from __future__ import annotations`: the members of the types are then evaluated, and which of them are required is
# known at run time. CPython 3.10 has neither `Required` nor a TypedDict that looks at it.
from typing import Any, Literal, overload

from typing_extensions import Required, TypedDict

from sse_dialects import Answer, DialectName, MisuseError

__all__ = [
    "ChatChoice",
    "ChatCompletion",
    "ChatFunction",
    "ChatMessage",
    "ChatToolCall",
    "Message",
    "Response",
    "native_of",
]


class ChatFunction(TypedDict, total=False):
    """What a call of kind "function" calls."""

    name: str
    arguments: str


class ChatToolCall(TypedDict, total=False):
    """A member of ``tool_calls``; those of kind "custom" have a ``custom`` member."""

    id: str
    type: str
    function: ChatFunction
    custom: dict[str, Any]


class ChatMessage(TypedDict, total=False):
    """A choice's message."""

    role: str
    content: str | None
    refusal: str | None
    reasoning: str
    reasoning_content: str
    tool_calls: list[ChatToolCall]
    annotations: list[dict[str, Any]]


class ChatChoice(TypedDict, total=False):
    """One of the choices."""

    index: Required[int]
    message: Required[ChatMessage]
    finish_reason: Required[str | None]
    logprobs: dict[str, Any] | None


class ChatCompletion(TypedDict, total=False):
    """The dialect "chat": a ``chat.completion``."""

    id: str
    object: Required[str]
    created: int
    model: str
    choices: Required[list[ChatChoice]]
    usage: dict[str, Any]
    system_fingerprint: str | None
    service_tier: str | None


class Message(TypedDict, total=False):
    """The dialect "messages": a ``message``. The blocks of ``content`` are of more types than this library knows."""

    id: str
    type: Required[str]
    role: str
    model: str
    content: Required[list[dict[str, Any]]]
    stop_reason: str | None
    stop_sequence: str | None
    usage: dict[str, Any]


class Response(TypedDict, total=False):
    """The dialect "responses": a ``response``. The items of ``output`` are of more types than this library knows."""

    id: str
    object: Required[str]
    created_at: float
    model: str
    status: str
    output: Required[list[dict[str, Any]]]
    usage: dict[str, Any] | None
    error: dict[str, Any] | None
    incomplete_details: dict[str, Any] | None
    metadata: dict[str, str] | None


@overload
def native_of(answer: Answer, dialect: Literal["chat"]) -> ChatCompletion: ...
@overload
def native_of(answer: Answer, dialect: Literal["messages"]) -> Message: ...
@overload
def native_of(answer: Answer, dialect: Literal["responses"]) -> Response: ...


def native_of(answer: Answer, dialect: DialectName) -> Any:
    """``answer.native``, which is the form of ``dialect``.

    Raises:
        MisuseError: the answer came in another dialect.
    """
    if answer.dialect != dialect:
        raise MisuseError(f"this answer came in the dialect {answer.dialect!r}, not {dialect!r}: look at answer.dialect first")
    return answer.native
