"""Headers given with -H. Their values may be keys, so they are sent and never printed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .console import CommandError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2: a token
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]+")  # RFC 9110, 5.5: no control characters, and one byte a character

# The HTTP client sets these from the body.
_FRAMING = frozenset({"content-length", "transfer-encoding"})

# Values of these headers are not secret, and errors are clearer with them.
_OPEN = frozenset({"accept", "content-type"})
# Hiding shorter values would hide ordinary words.
_SHORTEST_SECRET = 4
_HIDDEN = "[hidden]"


def parsed_headers(given: Sequence[str]) -> list[tuple[str, str]]:
    """Splits ``Name: value`` strings into pairs.

    Raises:
        CommandError: one is not a header. The message gives its number, not its text.
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


def redactor(headers: Sequence[tuple[str, str]]) -> Callable[[str], str]:
    """Returns a function that hides the headers' values in a text: servers often repeat a key that they reject.

    It hides a value as a whole, every word of it but the first (the scheme in "Bearer key"), and what follows a "=", as in
    "Cookie: session=secret; x=1".
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
