"""A reply: the description of an answer, and its streams in each dialect."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import sse_dialects as sd

from .chat import chat_failure, chat_frames
from .content import Content, usage
from .messages import messages_failure, messages_frames
from .responses import responses_failure, responses_frames
from .stream import ScriptedStream

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Reply", "reply"]

# The usage of a reply that names none: most tests don't care, and nearly all streams report some.
_USAGE = usage(12, 34)
_PIECE = 8  # characters in a delta: small enough that a sentence comes in several


def reply(
    text: str = "",
    *,
    reasoning: str = "",
    signature: str | None = None,
    encrypted: str | None = None,
    refusal: str = "",
    tool_calls: Iterable[sd.ToolCall] = (),
    parts: Iterable[sd.Part] = (),
    finish_reason: sd.FinishReason | None = None,
    native_finish_reason: str | None = None,
    alternatives: Iterable[str | Reply] = (),
    id: str | None = None,
    model: str = "scripted-1",
    usage: sd.Usage | None = _USAGE,
) -> Reply:
    """Describes an answer.

    Args:
        text: the text.
        reasoning: the reasoning, which comes before the text.
        signature: the signature of the reasoning.
        encrypted: encrypted reasoning, in place of readable reasoning or beside it.
        refusal: a refusal, which comes after the text.
        tool_calls: the calls, which come last; see `tool_call`.
        parts: further parts of any kind, in this order, between the refusal and the tool calls.
        finish_reason: this package's word. The default is "tool_calls" if there are calls, otherwise "stop".
        native_finish_reason: the provider's word, sent unchanged.
        alternatives: further choices; a string is a reply of that text. Only chat has them.
        id: the answer's id. The default has the dialect's form and is made from the content: other replies have other ids.
        model: the model's name.
        usage: token counts (see `usage`); None for a stream without any.
    """
    said: list[sd.Part] = []
    if reasoning or signature is not None or encrypted is not None:
        said.append(sd.ReasoningPart(reasoning, signature, encrypted))
    if text:
        said.append(sd.TextPart(text))
    if refusal:
        said.append(sd.RefusalPart(refusal))
    return Reply(
        [*said, *parts, *tool_calls],
        finish_reason=finish_reason,
        native_finish_reason=native_finish_reason,
        id=id,
        model=model,
        usage=usage,
        alternatives=[reply(each) if isinstance(each, str) else each for each in alternatives],
    )


class Reply(Content):
    """What `reply` describes, ready to be written in any dialect."""

    __slots__ = ()

    @classmethod
    def of(cls, answer: sd.Answer) -> Reply:
        """Returns a reply with the content of an answer, for example one recorded or received in another dialect."""
        replies = [
            cls(
                choice.parts,
                finish_reason=choice.finish_reason,
                native_finish_reason=choice.native_finish_reason if choice.finish_reason in (None, "other") else None,
                id=answer.id,
                model=answer.model or "scripted-1",
                usage=answer.usage,
                alternatives=(),
            )
            for choice in answer.choices
        ]
        first = replies[0] if replies else reply(id=answer.id)
        first.alternatives = [*replies[1:]]
        return first

    def as_chat(
        self, *, piece: int | None = _PIECE, reasoning_name: str = "reasoning_content", done: bool = True
    ) -> ScriptedStream:
        """The reply as a Chat Completions stream.

        Args:
            piece: characters in one delta; None for whole parts.
            reasoning_name: the member that holds reasoning; providers use ``reasoning_content`` or ``reasoning``.
            done: whether ``data: [DONE]`` comes last; some servers leave it out.

        Raises:
            MisuseError: the dialect has no place or word for something.
        """
        said, ends = chat_frames(self, piece=piece, reasoning_name=reasoning_name, done=done)
        return ScriptedStream("chat", said, ends, chat_failure)

    def as_messages(self, *, piece: int | None = _PIECE) -> ScriptedStream:
        """The reply as a Messages stream.

        Args:
            piece: characters in one delta; None for whole blocks.

        Raises:
            MisuseError: the dialect has no place or word for something: a refusal's text, custom tools, several choices.
        """
        said, ends = messages_frames(self, piece=piece)
        return ScriptedStream("messages", said, ends, messages_failure)

    def as_responses(self, *, piece: int | None = _PIECE, background: bool = False) -> ScriptedStream:
        """The reply as a Responses stream.

        Args:
            piece: characters in one delta; None for whole parts.
            background: whether the response runs in the background, so that its stream can be resumed (see
                `ScriptedStream.starting_after`).

        Raises:
            MisuseError: the dialect has no place or word for something: several choices.
        """
        said, ends = responses_frames(self, piece=piece, background=background)
        return ScriptedStream("responses", said, ends, partial(responses_failure, self))

    def in_dialect(self, dialect: sd.DialectName, *, piece: int | None = _PIECE) -> ScriptedStream:
        """The reply in the dialect of that name.

        Raises:
            MisuseError: the dialect has no place or word for something.
        """
        writers = {"chat": self.as_chat, "messages": self.as_messages, "responses": self.as_responses}
        return writers[dialect](piece=piece)

    def __repr__(self) -> str:
        return f"<Reply of {len(self.parts)} parts, {self.finish_reason}>"
