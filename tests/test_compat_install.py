"""How a client gets its other decoder, with a client of our own."""

from __future__ import annotations

import pytest

import sse_dialects as sd
from sse_dialects.compat.install import complete_native, install


class Lines:
    def decode(self, line):
        raise NotImplementedError


class Client:
    def __init__(self, key):
        self.key = key

    def _make_sse_decoder(self):
        return Lines()

    def with_options(self):
        return self.__class__(self.key)


class Regional(Client):
    pass


def test_the_same_client_reads_with_the_other_decoder():
    client = Regional("k")
    assert install(client, lambda: "ours") is client
    assert client._make_sse_decoder() == "ours"
    assert (isinstance(client, Regional), type(client).__name__, client.key) == (True, "Regional", "k")


def test_copies_too_and_no_other_client():
    guarded = install(Client("k"), lambda: "ours")
    assert guarded.with_options()._make_sse_decoder() == "ours"
    assert isinstance(Client("k")._make_sse_decoder(), Lines)


def test_again_replaces():
    client = install(install(Client("k"), lambda: "first"), lambda: "second")
    assert client._make_sse_decoder() == "second"
    assert type(client).__mro__[1] is Client


def test_what_is_no_client():
    with pytest.raises(sd.MisuseError, match="object is not a client this can guard"):
        install(object(), lambda: "ours")


def test_a_client_without_event_streams():
    class Binary(Client):
        def _make_sse_decoder(self):
            return object()

    with pytest.raises(sd.MisuseError, match="Binary does not read event streams"):
        install(Binary("k"), lambda: "ours")


def test_only_whole_answers_of_a_known_dialect_have_a_type():
    decoder = sd.Decoder()
    with pytest.raises(sd.MisuseError, match="dialect None"):
        complete_native(decoder.partial(), "sdk", ("chat",))
    for _ in decoder.feed(b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'):
        pass
    with pytest.raises(sd.MisuseError, match="not complete"):
        complete_native(decoder.partial(), "sdk", ("chat",))
    for _ in decoder.feed(b"data: [DONE]\n\n"):
        pass
    assert complete_native(decoder.answer(), "sdk", ("chat",)) == decoder.answer().native
    with pytest.raises(sd.MisuseError, match="sdk has no type"):
        complete_native(decoder.answer(), "sdk", ("messages",))
