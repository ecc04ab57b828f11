"""The last line under an answer, and an error's sentence as somebody at a prompt needs it."""

from __future__ import annotations

import re

import sse_dialects as sd

from .console import harmless_name

__all__ = ["advice", "sentence", "summary", "tokens"]

# Advice in an error's sentence that only a program can follow, and what to say at a prompt instead: there is no `error`, no
# argument to pass and no HTTP client to set up, and what came stands above.
_FOR_PROGRAMS = (
    (re.compile(r"; error\.partial holds what came"), ""),
    (re.compile(r"pass require_done=False"), "add --no-require-done"),
    (re.compile(r'pass that or "auto"'), "use --dialect auto"),
    (re.compile(r'name the dialect "(\w+)"'), r"use --dialect \1"),
    (re.compile(r"larger than Limits\((\w+)=([\d,]+)\) allows\..*"), r"larger than \1 (\2); --limit \1=N allows more."),
    (re.compile(r"httpx\.Timeout\(read=\.\.\.\) ran out"), "--timeout ran out"),
    (re.compile(r"first_token_timeout ran out"), "--first-token-timeout ran out"),
    (re.compile(r"(content|total)_timeout ran out"), r"--\1-timeout ran out"),
    (re.compile(r"; let the client follow redirects \(httpx: follow_redirects=True\)"), "; send the request there"),
    (re.compile(r"let the HTTP client decode the body, or send Accept-Encoding: identity"), "send Accept-Encoding: identity"),
)


def sentence(error: sd.SSEDialectsError) -> str:
    """The error in one sentence or two, with the switches of this command line in place of a program's arguments."""
    words = str(error)
    for pattern, replacement in _FOR_PROGRAMS:
        words = pattern.sub(replacement, words)
    return words


def advice(error: sd.SSEDialectsError) -> str:
    """Where else to look, or ""."""
    if isinstance(error, sd.TruncatedStreamError) and not error.byte_count:
        return "Behind a pipe, the command before it may say why."
    return ""


def summary(answer: sd.Answer, elapsed_s: float) -> str:
    """Finish reason, dialect and model, token counts, what the text does not show, and the time, on one line."""
    source = " ".join(harmless_name(word) for word in (answer.dialect, answer.model) if word)
    fields = [_finish(answer), source, tokens(answer.usage), *_unseen(answer), f"{elapsed_s:.1f} s"]
    return " | ".join(field for field in fields if field)


def tokens(usage: sd.Usage | None) -> str:
    """Like "tokens 14 in (10 cached), 6 out (4 reasoning)", or "" where none were counted."""
    if usage is None:
        return ""
    counts = [
        _counted(usage.input_tokens, "in", usage.cached_input_tokens, "cached"),
        _counted(usage.output_tokens, "out", usage.reasoning_tokens, "reasoning"),
    ]
    told = ", ".join(count for count in counts if count)
    return f"tokens {told}" if told else ""


def _counted(number: int | None, word: str, of_which: int | None, name: str) -> str:
    if number is None:
        return ""
    return f"{number:,} {word}" + (f" ({of_which:,} {name})" if of_which else "")


def _finish(answer: sd.Answer) -> str:
    native = harmless_name(answer.native_finish_reason or "")
    reason = answer.finish_reason or "no finish reason"
    return f"{reason} ({native})" if native and native != reason else reason


def _unseen(answer: sd.Answer) -> list[str]:
    """What the answer has besides choice 0's text."""
    others = sum(isinstance(part, sd.OtherPart) for part in answer.parts)
    counts = {"tool call": len(answer.tool_calls), "other part": others, "more choice": max(len(answer.choices) - 1, 0)}
    fields = [f"{number} {noun}{'' if number == 1 else 's'}" for noun, number in counts.items() if number]
    cut_calls = sum(not call.complete for call in answer.tool_calls)
    if cut_calls:
        fields.append(f"{cut_calls} tool call{'' if cut_calls == 1 else 's'} cut short: not to be executed")
    if answer.refusal:
        fields.append("refusal")
    return fields
