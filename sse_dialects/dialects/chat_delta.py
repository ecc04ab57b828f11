"""The members of a chat delta: `DELTA_MEMBERS` names the function for each that has a word of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..events import Extra
from ..values import JSONArray, JSONObject
from .chat_calls import ARGUMENTS, ChatCall, Piece
from .chat_reasoning import ENTRY_LISTS, Entries
from .content_parts import ContentParts, part_of, thinking_member
from .joined import JoinedAudio
from .parts import ReasoningBuilder, RefusalBuilder, TextBuilder
from .telling import items, objects, text_member
from .think_tags import MEMBER, ORPHAN, REASONING, TAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .chat_choice import ChatChoice
    from .parts import Pieces
    from .telling import Teller
    from .think_tags import ThinkTags

__all__ = ["DELTA_MEMBERS", "REASONING_NAMES", "flush", "take_delta"]

# The same reasoning may come under two names: natively both are kept, told is the first of these.
REASONING_NAMES = ("reasoning_content", "reasoning", "reasoning_text", "thinking")

# Where a delta's strings stand in a chunk of one choice.
_PATHS = {name: ("choices", 0, "delta", name) for name in ("content", "refusal", *REASONING_NAMES)}
_CALL_PATHS = {kind: ("choices", 0, "delta", "tool_calls", 0, kind, name) for kind, name in ARGUMENTS.items()}


def take_delta(choice: ChatChoice, delta: dict[str, Any], tell: Teller) -> None:
    """Take every member of one delta. Null members are nothing."""
    for name, value in delta.items() if choice.tags is None else _content_last(delta):
        if value is not None:
            DELTA_MEMBERS.get(name, _other)(choice, name, delta, tell)


def _content_last(delta: dict[str, Any]) -> list[tuple[str, Any]]:
    """A delta's members in the order in which to take them where think tags count: what a member calls reasoning comes first."""
    return sorted(delta.items(), key=lambda member: member[0] == "content")


def flush(choice: ChatChoice, tell: Teller) -> None:
    """Tell what was held back, now that nothing follows: half a surrogate pair, the beginning of a tag, a call without a name."""
    tags = choice.tags
    for name, member in choice.members().items():
        rest = member.flush()
        if rest and name == "content" and tags is not None:
            _tell_split(choice, tags, tags.split(rest), tell)
    if tags is not None:
        _tell_split(choice, tags, tags.flush(), tell)
        _tell_thought(choice, tags, MEMBER, tags.thoughts.flush(), tell)
    for part in choice.parts:
        if isinstance(part, ChatCall):
            tell.out.extend(part.end())
        tell.flush(part)


# ---- text


def _content(choice: ChatChoice, name: str, delta: dict[str, Any], tell: Teller) -> None:
    content = delta[name]
    if isinstance(content, JSONObject) and part_of(content)[0]:
        content = [content]  # a list of one
    if isinstance(content, JSONArray):
        _content_list(choice, content, tell)
        return
    text = text_member(delta, name)
    choice.has_content = True
    if choice.content_parts is None:
        _text(choice, text, tell, _PATHS[name])
    elif text:
        choice.content_parts.add("text", text)
        _text(choice, text, tell)


def _content_list(choice: ChatChoice, content: list[Any], tell: Teller) -> None:
    if choice.content_parts is None:
        choice.content_parts = ContentParts()
        if before := choice.native_text("content"):
            choice.content_parts.add("text", before)
    for part in content:
        _content_part(choice, choice.content_parts, part, tell)


def _content_part(choice: ChatChoice, native: ContentParts, part: Any, tell: Teller) -> None:
    kind, text, others = part_of(part)
    tell.cold = True
    if kind == "text":
        native.add(kind, text, others)
        _text(choice, text, tell)
    elif kind == "thinking":
        native.add_thinking(part, others)
        _tell_reasoning(choice, text, tell)
        _tell_inner(choice, part[thinking_member(part) or kind], tell)
    elif isinstance(part, JSONObject):
        native.add_other(tell.clean(part))
        tell.extra_items(choice.extra, "content", [part], choice.index)
    _tell_others(choice, others, tell)


def _tell_others(choice: ChatChoice, others: dict[str, Any], tell: Teller) -> None:
    for name, value in others.items():
        if name not in ("index", "type"):
            tell.extra(choice.extra, name, value, choice.index)


def _tell_inner(choice: ChatChoice, thinking: Any, tell: Teller) -> None:
    """Parts of a thinking part that are no text, references, say, and what else its texts have: a signature."""
    if not isinstance(thinking, JSONArray):
        return
    others = [part for part in thinking if isinstance(part, JSONObject) and part_of(part)[0] != "text"]
    tell.extra_items(choice.extra, "thinking", others, choice.index)
    for part in thinking:
        _tell_others(choice, part_of(part)[2], tell)


def _text(choice: ChatChoice, text: str, tell: Teller, path: tuple[str | int, ...] = ()) -> None:
    """A piece of content, to text or, between think tags, to reasoning. The native content is what came, tags and all."""
    if not text:
        return
    if choice.tags is None:
        tell.text(choice.run(TextBuilder, tell), text, path)
        return
    _tell_split(choice, choice.tags, choice.tags.split(choice.member("content").gather(text)), tell)


def _tell_split(choice: ChatChoice, tags: ThinkTags, pieces: Iterable[tuple[str, str]], tell: Teller) -> None:
    """Tell what think tags were split into."""
    for kind, text in pieces:
        if kind == ORPHAN:
            _move_to_reasoning(choice, tags, tell)
        elif kind == REASONING:
            _tell_thought(choice, tags, TAGS, text, tell)
        else:
            tell.out.append(choice.run(TextBuilder, tell).add(text))


def _move_to_reasoning(choice: ChatChoice, tags: ThinkTags, tell: Teller) -> None:
    """A block was closed that nobody had opened: all text before it was reasoning. The events have been given."""
    moved = 0
    for place in range(choice.moved, len(choice.parts)):
        part = choice.parts[place]
        if isinstance(part, TextBuilder):
            choice.parts[place] = choice.last_reasoning = reasoning = ReasoningBuilder(choice.index, place)
            reasoning.append(tags.thoughts.new(TAGS, part.text()))
            moved += part.size()
    choice.moved = len(choice.parts)
    tell.out.append(Extra("think_tags", {"moved_to_reasoning": moved}, choice.index))


def _refusal(choice: ChatChoice, name: str, delta: dict[str, Any], tell: Teller) -> None:
    choice.has_refusal = True
    if text := text_member(delta, name):
        tell.text(choice.run(RefusalBuilder, tell), text, _PATHS[name])


# ---- reasoning


def _reasoning(choice: ChatChoice, name: str, delta: dict[str, Any], tell: Teller) -> None:
    text = delta[name]
    if not isinstance(text, str):
        _other(choice, name, delta, tell)
        return
    member = choice.member(name)
    if text and name == _told_name(delta):
        path = _PATHS[name] if all(other == name or not delta.get(other) for other in REASONING_NAMES) else ()
        _tell_reasoning(choice, text, tell, path, member)
    elif text:
        tell.cold = True
        member.gather(text)


def _tell_reasoning(
    choice: ChatChoice, text: str, tell: Teller, path: tuple[str | int, ...] = (), member: Pieces | None = None
) -> None:
    """Tell reasoning that is not in the content. Where think tags count, they may give the same."""
    if choice.tags is None:
        tell.text(_reasoning_run(choice, tell), text, path, member)
        return
    tell.cold = True
    if member is not None:
        member.gather(text)
    _tell_thought(choice, choice.tags, MEMBER, choice.tags.thoughts.settle(text), tell)


def _tell_thought(choice: ChatChoice, tags: ThinkTags, channel: str, text: str, tell: Teller) -> None:
    """Tell reasoning of one of the channels, less what the other has given."""
    if text := tags.thoughts.new(channel, text):
        tell.out.append(_reasoning_run(choice, tell).add(text))


def _reasoning_run(choice: ChatChoice, tell: Teller) -> ReasoningBuilder:
    choice.last_reasoning = choice.run(ReasoningBuilder, tell)
    return choice.last_reasoning


def _told_name(delta: dict[str, Any]) -> str | None:
    return next((name for name in REASONING_NAMES if isinstance(text := delta.get(name), str) and text), None)


def _entries(choice: ChatChoice, name: str, delta: dict[str, Any], tell: Teller) -> None:
    """Lists of typed reasoning entries are kept in full; their text is told where no plain member gave it."""
    new = items(delta, name)
    if not new:
        return
    if choice.entries is None:
        choice.entries = {}
    entries = choice.entries.setdefault(name, Entries(name))
    members = choice.members()
    told = any(delta.get(member) or (member in members and members[member].size()) for member in REASONING_NAMES)
    for entry in entries.add(new):
        if entry.text and not told:
            choice.entries_told = choice.entries_told or name
            if choice.entries_told == name:
                _tell_reasoning(choice, entry.text, tell)
        if entry.signature or entry.encrypted:
            part = choice.last_reasoning or _reasoning_run(choice, tell)
            part.signature = tell.clean(entry.signature) or part.signature
            part.encrypted = tell.clean(entry.encrypted) or part.encrypted
    tell.out.append(Extra(name, tell.clean(new), choice.index))


# ---- tool calls


def _tool_calls(choice: ChatChoice, name: str, delta: dict[str, Any], tell: Teller) -> None:
    elements = objects(delta, name)
    for number, element in enumerate(elements):
        piece = Piece(_clean_names(element, tell))
        call = choice.calls.find(piece, first=number == 0)
        if call is None:
            if piece.empty:
                continue
            call = _open_call(choice, piece, tell)
        path: tuple[str | int, ...] = ()
        if len(elements) == 1 and piece.name is None and not piece.other and not piece.other_in_body:
            path = _CALL_PATHS[piece.kind]
        _add(choice, call, piece, tell, path)


def _function_call(choice: ChatChoice, name: str, delta: dict[str, Any], tell: Teller) -> None:
    """The legacy form of a single call; padding where it is empty."""
    piece = Piece(_clean_names({"function": delta[name]}, tell))
    if piece.empty:
        return
    call = choice.calls.legacy
    if call is None:
        call = choice.calls.legacy = _open_call(choice, piece, tell)
        call.legacy = True
    _add(choice, call, piece, tell)


def _open_call(choice: ChatChoice, piece: Piece, tell: Teller) -> ChatCall:
    call = ChatCall(choice.index, len(choice.parts), piece)
    tell.open_call(choice.parts, call)
    return choice.calls.open(call)


def _add(choice: ChatChoice, call: ChatCall, piece: Piece, tell: Teller, path: tuple[str | int, ...] = ()) -> None:
    choice.calls.learn_id(call, piece.id)
    tell.cold = tell.cold or choice.ending  # what ends a choice counts by more than its string
    if piece.arguments and call.is_said_again(piece, at_the_end=choice.ending):
        piece.arguments = ""
        tell.cold = True
    call.rename(piece.name)
    if not call.announced and call.name:
        tell.out.extend(call.announce())
    if piece.other or piece.other_in_body:
        call.add_others(piece)
        others = (*piece.other.items(), *piece.other_in_body.items())
        tell.out.extend(Extra(name, value, choice.index, call.place) for name, value in others)
    if piece.arguments:
        tell.cold = call.may_be_snapshot(piece.arguments) or tell.cold
        tell.arguments(call, piece.arguments, path)


def _clean_names(element: dict[str, Any], tell: Teller) -> dict[str, Any]:
    """In names and ids half a pair is final; in arguments it may wait for its other half."""
    if not tell.halves:
        return element
    cleaned: dict[str, Any] = tell.clean(element)
    for body, text in ARGUMENTS.items():
        fields = element.get(body)
        if isinstance(fields, JSONObject) and isinstance(fields.get(text), str):
            cleaned[body][text] = fields[text]
    return cleaned


# ---- members without a word of ours


def _role(choice: ChatChoice, name: str, delta: dict[str, Any], tell: Teller) -> None:
    choice.role = tell.word(delta, name) or choice.role


def _other(choice: ChatChoice, name: str, delta: dict[str, Any], tell: Teller) -> None:
    """Natively strings are joined and lists grow, as the official SDK does it; `extra` has the last value."""
    tell.cold = True
    choice.add_message({name: delta[name]})
    tell.extra(choice.extra, name, delta[name], choice.index)


def _annotations(choice: ChatChoice, name: str, delta: dict[str, Any], tell: Teller) -> None:
    new = tell.clean(items(delta, name))
    choice.add_message({name: new})
    tell.extra_items(choice.extra, name, new, choice.index)


def _audio(choice: ChatChoice, name: str, delta: dict[str, Any], tell: Teller) -> None:
    value = delta[name]
    if not isinstance(value, JSONObject):
        _other(choice, name, delta, tell)
        return
    choice.add_message({name: value})
    kept = choice.extra.get(name)
    if not isinstance(kept, JoinedAudio):
        kept = choice.extra[name] = JoinedAudio()
    kept.add(value)
    tell.out.append(Extra(name, tell.clean(value), choice.index))


DELTA_MEMBERS: dict[str, Callable[[ChatChoice, str, dict[str, Any], Teller], None]] = {
    "role": _role,
    "content": _content,
    "refusal": _refusal,
    **dict.fromkeys(REASONING_NAMES, _reasoning),
    **dict.fromkeys(ENTRY_LISTS, _entries),
    "tool_calls": _tool_calls,
    "function_call": _function_call,
    "annotations": _annotations,
    "audio": _audio,
}
