"""The members of a chat delta: `DELTA_MEMBERS` names the function for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...events import Extra
from ...values import JSONArray, JSONObject
from ..emit import items, objects, text_member
from ..merge import MergedAudio
from ..parts import ReasoningBuilder, RefusalBuilder, TextBuilder
from .content import ContentParts, part_of, thinking_member
from .reasoning import ENTRY_LISTS, Entries
from .think_tags import MEMBER, ORPHAN, REASONING, TAGS
from .tool_calls import ARGUMENTS, Calls, ChatCall, Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..emit import Emitter
    from ..text_buffer import TextBuffer
    from .choices import ChatChoice
    from .think_tags import ThinkTags

__all__ = ["DELTA_MEMBERS", "REASONING_NAMES", "flush", "take_delta"]

# The same reasoning may come under two names. Both stay in the native message; the first of these is emitted.
REASONING_NAMES = ("reasoning_content", "reasoning", "reasoning_text", "thinking")


def take_delta(choice: ChatChoice, delta: dict[str, Any], emit: Emitter) -> None:
    """Take every member of one delta. Null members are nothing."""
    for name in delta if choice.tags is None else _content_last(delta):
        if delta[name] is not None:
            DELTA_MEMBERS.get(name, _other)(choice, name, delta, emit)


def _content_last(delta: dict[str, Any]) -> list[str]:
    """A delta's members in the order in which to take them where think tags count: what a member calls reasoning comes first."""
    return sorted(delta, key=lambda name: name == "content")


def flush(choice: ChatChoice, emit: Emitter) -> None:
    """Emit what was held back, now that nothing follows: half a surrogate pair, the beginning of a tag, a call without a name."""
    tags = choice.tags
    for name, member in choice.members.items():
        rest = member.flush()
        if rest and name == "content" and tags is not None:
            _emit_split(choice, tags, tags.split(rest), emit)
    if tags is not None:
        _emit_split(choice, tags, tags.flush(), emit)
        _emit_thought(choice, tags, MEMBER, tags.thoughts.flush(), emit)
    for part in choice.parts:
        if isinstance(part, ChatCall):
            part.end(emit.out)
        emit.flush(part)


# ---- text


def _content(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    content = delta[name]
    if isinstance(content, JSONObject) and part_of(content)[0]:
        content = [content]  # a list of one
    if isinstance(content, JSONArray):
        _content_list(choice, content, emit)
        return
    choice.has_content = True
    text = content if isinstance(content, str) else text_member(delta, name)
    if text:
        if choice.content_parts is not None:
            choice.content_parts.add("text", text)
        _text(choice, text, emit)


def _content_list(choice: ChatChoice, content: list[Any], emit: Emitter) -> None:
    if choice.content_parts is None:
        choice.content_parts = ContentParts()
        if before := choice.native_text("content"):
            choice.content_parts.add("text", before)
    for part in content:
        _content_part(choice, choice.content_parts, part, emit)


def _content_part(choice: ChatChoice, native: ContentParts, part: Any, emit: Emitter) -> None:
    kind, text, others = part_of(part)
    if kind == "text":
        native.add(kind, text, others)
        _text(choice, text, emit)
    elif kind == "thinking":
        native.add_thinking(part, others)
        _emit_reasoning(choice, text, emit)
        _emit_inner(choice, part[thinking_member(part) or kind], emit)
    elif isinstance(part, JSONObject):
        native.add_other(emit.clean(part))
        emit.extra_items(choice.extra, "content", [part], choice.index)
    _emit_others(choice, others, emit)


def _emit_others(choice: ChatChoice, others: dict[str, Any], emit: Emitter) -> None:
    for name, value in others.items():
        if name not in ("index", "type"):
            emit.extra(choice.extra, name, value, choice.index)


def _emit_inner(choice: ChatChoice, thinking: Any, emit: Emitter) -> None:
    """Parts of a thinking part that are no text, references, say, and what else its texts have: a signature."""
    if not isinstance(thinking, JSONArray):
        return
    others = [part for part in thinking if isinstance(part, JSONObject) and part_of(part)[0] != "text"]
    emit.extra_items(choice.extra, "thinking", others, choice.index)
    for part in thinking:
        _emit_others(choice, part_of(part)[2], emit)


def _text(choice: ChatChoice, text: str, emit: Emitter) -> None:
    """A piece of content, to text or, between think tags, to reasoning. The native content is what came, tags and all."""
    if not text:
        return
    if choice.tags is None:
        emit.text(choice.run(TextBuilder, emit), text)
    else:
        _emit_split(choice, choice.tags, choice.tags.split(choice.member("content").append_ready(text)), emit)


def _emit_split(choice: ChatChoice, tags: ThinkTags, pieces: Iterable[tuple[str, str]], emit: Emitter) -> None:
    """Emit what think tags were split into."""
    for kind, text in pieces:
        if kind == ORPHAN:
            _move_to_reasoning(choice, tags, emit)
        elif kind == REASONING:
            _emit_thought(choice, tags, TAGS, text, emit)
        else:
            choice.run(TextBuilder, emit).add(text, emit.out)


def _move_to_reasoning(choice: ChatChoice, tags: ThinkTags, emit: Emitter) -> None:
    """A block was closed that nobody had opened: all text before it was reasoning. The events have been given."""
    moved = 0
    for place in range(choice.moved, len(choice.parts)):
        part = choice.parts[place]
        if isinstance(part, TextBuilder):
            choice.move_to_reasoning(part).append(tags.thoughts.new(TAGS, part.text()))
            moved += part.size()
    choice.moved = len(choice.parts)
    emit.out.append(Extra("think_tags", {"moved_to_reasoning": moved}, choice.index))


def _refusal(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    choice.has_refusal = True
    if text := text_member(delta, name):
        emit.text(choice.run(RefusalBuilder, emit), text)


# ---- reasoning


def _reasoning(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    text = delta[name]
    if not isinstance(text, str):
        _other(choice, name, delta, emit)
        return
    member = choice.member(name)
    if text and name == _emitted_name(delta):
        _emit_reasoning(choice, text, emit, member)
    elif text:
        member.append_ready(text)


def _emit_reasoning(choice: ChatChoice, text: str, emit: Emitter, member: TextBuffer | None = None) -> None:
    """Emit reasoning that is not in the content. Where think tags count, they may give the same."""
    if choice.tags is None:
        emit.text(_reasoning_run(choice, emit), text, member=member)
        return
    if member is not None:
        member.append_ready(text)
    _emit_thought(choice, choice.tags, MEMBER, choice.tags.thoughts.settle(text), emit)


def _emit_thought(choice: ChatChoice, tags: ThinkTags, channel: str, text: str, emit: Emitter) -> None:
    """Emit reasoning of one of the channels, less what the other has given."""
    if text := tags.thoughts.new(channel, text):
        _reasoning_run(choice, emit).add(text, emit.out)


def _reasoning_run(choice: ChatChoice, emit: Emitter) -> ReasoningBuilder:
    choice.last_reasoning = choice.run(ReasoningBuilder, emit)
    return choice.last_reasoning


def _emitted_name(delta: dict[str, Any]) -> str | None:
    """The member of a delta whose reasoning is emitted."""
    for name in REASONING_NAMES:
        if name in delta and delta[name] and isinstance(delta[name], str):
            return name
    return None


def _entries(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    """Lists of typed reasoning entries are kept in full; their text is emitted where no plain member gave it."""
    new = items(delta, name)
    if not new:
        return
    if choice.entries is None:
        choice.entries = {}
    entries = choice.entries.get(name)
    if entries is None:
        entries = choice.entries[name] = Entries(name)
    members = choice.members
    plain = any(delta.get(member) or (member in members and members[member].size()) for member in REASONING_NAMES)
    for entry in entries.add(new):
        if entry.text and not plain:
            choice.entries_emitted = choice.entries_emitted or name
            if choice.entries_emitted == name:
                _emit_reasoning(choice, entry.text, emit)
        if entry.signature or entry.encrypted:
            part = choice.last_reasoning or _reasoning_run(choice, emit)
            part.signature = emit.clean(entry.signature) or part.signature
            part.encrypted = emit.clean(entry.encrypted) or part.encrypted
    emit.out.append(Extra(name, emit.clean(new), choice.index))


# ---- tool calls


def _tool_calls(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    first = True
    for element in objects(delta, name):
        _take_piece(choice, element, emit, first=first)
        first = False


def _function_call(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    """The legacy form of a single call."""
    _take_piece(choice, {"function": delta[name]}, emit, legacy=True)


def _take_piece(choice: ChatChoice, element: dict[str, Any], emit: Emitter, *, first: bool = True, legacy: bool = False) -> None:
    """Add a piece to the call that it continues, or open a call. ``first``: it is the first element of its delta."""
    piece = Piece(_clean_names(element, emit) if emit.has_surrogates else element)
    if piece.is_empty():
        return
    calls = choice.calls = choice.calls or Calls()
    call = calls.legacy if legacy else calls.find(piece, first=first)
    if call is None:
        choice.end_run(emit)
        call = ChatCall(choice.index, len(choice.parts), piece, legacy=legacy)
        emit.open_call(choice.parts, call)
        calls.open(call)
    if piece.arguments and call.is_said_again(piece, at_the_end=choice.ending):
        piece.arguments = ""
    if piece.id is not None:
        calls.learn_id(call, piece.id)
    if piece.name is not None:
        call.rename(piece.name)
    if not call.announced and call.name:
        call.announce(emit.out)
    if piece.other or piece.other_in_body:
        call.add_others(piece)
        for name, value in (*piece.other.items(), *piece.other_in_body.items()):
            emit.out.append(Extra(name, value, choice.index, call.place))
    if piece.arguments:
        call.note_snapshot(piece.arguments)
        emit.arguments(call, piece.arguments)


def _clean_names(element: dict[str, Any], emit: Emitter) -> dict[str, Any]:
    """In names and ids half a pair is final; in arguments it may wait for its other half."""
    cleaned: dict[str, Any] = emit.clean(element)
    for body, text in ARGUMENTS.items():
        fields = element.get(body)
        if isinstance(fields, JSONObject) and isinstance(fields.get(text), str):
            cleaned[body][text] = fields[text]
    return cleaned


# ---- members that the vocabulary has no words for


def _role(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    choice.role = emit.word(delta, name) or choice.role


def _error(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    choice.note_error(delta[name])


def _other(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    """Natively strings are joined and lists grow, as the official SDK does it; `extra` has the last value."""
    choice.add_message({name: delta[name]})
    emit.extra(choice.extra, name, delta[name], choice.index)


def _annotations(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    new = emit.clean(items(delta, name))
    choice.add_message({name: new})
    emit.extra_items(choice.extra, name, new, choice.index)


def _audio(choice: ChatChoice, name: str, delta: dict[str, Any], emit: Emitter) -> None:
    value = delta[name]
    if not isinstance(value, JSONObject):
        _other(choice, name, delta, emit)
        return
    choice.add_message({name: value})
    kept = choice.extra.get(name)
    if not isinstance(kept, MergedAudio):
        kept = choice.extra[name] = MergedAudio()
    kept.add(value)
    emit.out.append(Extra(name, emit.clean(value), choice.index))


DELTA_MEMBERS: dict[str, Callable[[ChatChoice, str, dict[str, Any], Emitter], None]] = {
    "role": _role,
    "content": _content,
    "refusal": _refusal,
    **dict.fromkeys(REASONING_NAMES, _reasoning),
    **dict.fromkeys(ENTRY_LISTS, _entries),
    "tool_calls": _tool_calls,
    "function_call": _function_call,
    "annotations": _annotations,
    "audio": _audio,
    "error": _error,
}
