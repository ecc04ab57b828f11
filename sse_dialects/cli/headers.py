"""Headers given with -H: their values are keys, so they are sent and never printed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .exit_codes import CommandError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["parsed_headers", "secrecy"]

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2: a token
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]+")  # RFC 9110, 5.5: no control characters, and one byte a character

# Where the body ends is not a matter of opinion.
_FRAMING = frozenset({"content-length", "transfer-encoding"})

# Values of headers that say nothing about who asks; errors read better with them.
_OPEN = frozenset({"accept", "content-type"})
# Shorter ones would blank out ordinary words.
_SHORTEST_SECRET = 4
_HIDDEN = "[hidden]"


def parsed_headers(given: Sequence[str]) -> list[tuple[str, str]]:
    """``Name: value`` strings as pairs.

    Raises:
        CommandError: one is no header; the sentence names its place, not what stands in it.
    """
    return [_parsed(header, place) for place, header in enumerate(given, 1)]


def _parsed(header: str, place: int) -> tuple[str, str]:
    name, colon, value = header.partition(":")
    value = value.strip()
    if not colon or not _NAME.fullmatch(name) or not value:
        raise CommandError(f"-H number {place} is no header; quote it whole: -H 'Name: value'")
    if not _VALUE.fullmatch(value):
        raise CommandError(f"the value of -H number {place} has a character that no header may hold, perhaps a line end")
    if name.lower() in _FRAMING:
        raise CommandError(f"-H number {place} is {name}, which follows from the body; leave it out")
    return name, value


def secrecy(headers: Sequence[tuple[str, str]]) -> Callable[[str], str]:
    """A function that takes the headers' values out of a text: servers like to repeat a key that they refuse.

    A value is hidden whole, and so are its parts: every word but the first, which is the scheme in "Bearer key", and what stands
    behind a "=", as in "Cookie: session=secret; x=1".
    """
    values = {part for name, value in headers if name.lower() not in _OPEN for part in _parts(value)}
    secrets = sorted((value for value in values if len(value) >= _SHORTEST_SECRET), key=len, reverse=True)
    if not secrets:
        return str
    pattern = re.compile("|".join(map(re.escape, secrets)))
    return lambda text: pattern.sub(_HIDDEN, text)


def _parts(value: str) -> Iterator[str]:
    yield value
    for number, word in enumerate(re.split(r"[\s;,]+", value)):
        _, equals, secret = word.partition("=")
        if number or equals:
            yield word
        yield secret.strip("\"'")
