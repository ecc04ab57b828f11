"""What exceptions out of a source mean."""

from __future__ import annotations

import asyncio
import http.client
import ssl
import zlib

import h11
import httpcore
import httpx
import pytest
import requests
import trio
import urllib3

from sse_dialects.sources.transport_errors import is_misuse, is_transport_failure, package_of, read_timeout


class OwnError(Exception):
    """One of the caller's."""


FAILURES = [
    *(
        httpx.ReadError("x"),
        httpx.RemoteProtocolError("x"),
        httpx.DecodingError("x"),
        httpcore.ReadError(),
        h11.RemoteProtocolError("x"),
    ),
    *(requests.ConnectionError(), requests.exceptions.ChunkedEncodingError(), urllib3.exceptions.ProtocolError("x")),
    *(
        ConnectionResetError(),
        ssl.SSLError(),
        OSError(),
        EOFError(),
        TimeoutError(),
        http.client.IncompleteRead(b""),
        zlib.error(),
    ),
    *(asyncio.IncompleteReadError(b"", 1), trio.BrokenResourceError()),
]
OWN = [
    ValueError(),
    OwnError(),
    RuntimeError(),
    KeyError(),
    KeyboardInterrupt(),
    GeneratorExit(),
    asyncio.CancelledError(),
    SystemExit(),
]


@pytest.mark.parametrize("error", FAILURES, ids=repr)
def test_failures_of_the_transport(error):
    assert is_transport_failure(error)
    assert not is_misuse(error)


@pytest.mark.parametrize("error", OWN, ids=repr)
def test_what_is_the_callers_own(error):
    assert not is_transport_failure(error)
    assert not is_misuse(error)
    assert read_timeout(error) is None


def test_a_client_that_nobody_knows_is_known_by_its_response():
    assert is_transport_failure(OwnError(), package_of(OwnError()))
    assert not is_transport_failure(KeyboardInterrupt(), "builtins")


@pytest.mark.parametrize(
    "error", [httpx.StreamConsumed(), httpx.StreamClosed(), requests.exceptions.StreamConsumedError()], ids=repr
)
def test_misuse_that_a_client_reports(error):
    assert is_misuse(error)


TIMEOUTS = [
    (httpx.ReadTimeout("x"), "httpx.Timeout(read=...)"),
    (urllib3.exceptions.ReadTimeoutError(None, "", "x"), "urllib3.Timeout(read=...)"),
    (requests.ReadTimeout(), "requests' timeout=(connect, read)"),
    (TimeoutError(), "the client's read timeout"),
    (asyncio.TimeoutError(), "the client's read timeout"),
]


@pytest.mark.parametrize(("error", "setting"), TIMEOUTS, ids=[repr(error) for error, _ in TIMEOUTS])
def test_read_timeouts(error, setting):
    assert read_timeout(error) == setting
    assert read_timeout(error, "aiohttp") == "aiohttp.ClientTimeout(sock_read=..., total=...)"


def test_a_timeout_inside_a_clients_own_error():
    error = requests.ConnectionError()
    error.__context__ = urllib3.exceptions.ReadTimeoutError(None, "", "x")
    assert read_timeout(error, "requests") == "requests' timeout=(connect, read)"
    own = OwnError()
    own.__cause__ = TimeoutError()
    assert read_timeout(own) is None


@pytest.mark.parametrize("error", [httpx.ConnectTimeout("x"), httpx.PoolTimeout("x"), httpx.WriteTimeout("x")], ids=repr)
def test_timeouts_of_another_kind(error):
    assert read_timeout(error) is None
    assert is_transport_failure(error)


def test_a_timeout_that_has_no_class_but_libcurls_number():
    class CurlError(OSError):
        code = 28

    assert read_timeout(CurlError()) is None  # one of the caller's own
    CurlError.__module__ = "curl_cffi.curl"
    assert read_timeout(CurlError()) == "curl_cffi's timeout=(connect, read)"
    CurlError.code = 56  # the connection broke
    assert read_timeout(CurlError()) is None


def test_a_class_of_the_callers_with_timeout_in_its_name():
    class OwnTimeoutError(Exception):
        """Defined in no client."""

    assert read_timeout(OwnTimeoutError()) is None
