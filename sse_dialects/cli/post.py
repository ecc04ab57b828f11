"""``sse-dialects post``: sends a request with httpx and shows the answer as it comes."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING

import sse_dialects as sd
from sse_dialects.recording import Recorder

from .console import NOT_CONNECTED, CommandError, standard_input
from .printers import play, printer_for
from .redact import parsed_headers, redactor

if TYPE_CHECKING:
    import argparse
    from contextlib import AbstractContextManager

    import httpx

_CONNECT_S = 10.0  # a server that takes longer to accept a connection is down


def post(options: argparse.Namespace) -> int:
    """Sends ``options.data`` to ``options.url`` and prints the answer.

    Returns:
        The exit status.

    Raises:
        CommandError: httpx is missing, the usage is wrong, the file to record to can't be written, or no connection was made.
    """
    require_httpx()
    headers = parsed_headers(options.headers)
    body = _body(options.data)
    with _client(options.timeout) as client, _recorder(options.record) as recorder:
        request = _request(client, options.url, body, headers)
        return play(
            lambda: sd.stream(_sent(client, request, options.timeout), options.dialect, record=recorder, **options.stream),
            printer_for(options, redactor(headers)),
        )


def require_httpx() -> None:
    """Makes sure that httpx can be imported.

    Raises:
        CommandError: it can't; the sentence says how to install it.
    """
    try:
        import httpx  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError:
        raise CommandError('this command sends requests with httpx: pip install "sse-dialects[httpx]"') from None


def _body(data: str) -> bytes:
    if not data.startswith("@"):
        if os.path.isfile(data):
            raise CommandError(f"the body would be the name {data}: write --data @{data} to send what is in that file")
        return data.encode("utf-8", "surrogateescape")  # the bytes of the argument, UTF-8 or not
    name = data[1:]
    try:
        if name == "-":
            return standard_input().read()
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise CommandError(f"can't read {name or 'the file named after @'}: {error.strerror}") from None


def _recorder(name: str | None) -> AbstractContextManager[Recorder | None]:
    """Opens the recording before the request is sent, so that a file that can't be written costs no answer."""
    if name is None:
        return nullcontext()
    try:
        return Recorder(name)
    except OSError as error:
        raise CommandError(f"can't record to {name}: {error.strerror}") from None


def _client(timeout_s: float) -> httpx.Client:
    import httpx

    try:
        return httpx.Client(timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S)))
    except (ImportError, OSError, ValueError) as error:
        # Their messages may contain a proxy's password.
        raise CommandError(
            f"can't set up the connection ({type(error).__name__}): look at the proxy and certificate variables",
            NOT_CONNECTED,
        ) from None


def _request(client: httpx.Client, url: str, body: bytes, headers: list[tuple[str, str]]) -> httpx.Request:
    """The request. The user's headers replace the default ones."""
    import httpx

    ours = {
        "user-agent": f"sse-dialects/{sd.__version__}",
        "accept-encoding": "identity",  # compression delays the deltas
        "content-type": "application/json",
    }
    given = {name.lower() for name, _ in headers}
    kept = [(name, value) for name, value in ours.items() if name not in given]
    try:
        encoded = [(name.encode("ascii"), value.encode("latin-1")) for name, value in (*kept, *headers)]
        request = client.build_request("POST", url, content=body, headers=encoded)
    except (httpx.InvalidURL, UnicodeError):
        raise CommandError("URL is not one: it looks like https://host/path") from None
    if request.url.scheme not in ("http", "https") or not request.url.host:
        # The text is not repeated: after a forgotten quote it is a piece of the header given with -H.
        raise CommandError("URL has to start with http:// or https:// and name a host")
    return request


def _sent(client: httpx.Client, request: httpx.Request, timeout_s: float) -> httpx.Response:
    """Sends the request and returns the response with its body unread.

    Raises:
        CommandError: no connection was made, or the request is not valid in HTTP.
        StalledStreamError: no response within the timeout.
        TruncatedStreamError: the connection broke before the response.
    """
    import httpx

    try:
        return client.send(request, stream=True)
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
        raise CommandError(
            f"could not connect to {_origin(request)}: {str(error) or type(error).__name__}", NOT_CONNECTED
        ) from None
    except httpx.LocalProtocolError:
        # Its message contains the invalid header.
        raise CommandError("the request can't be sent: look at its URL and headers") from None
    except httpx.TimeoutException as error:
        raise sd.StalledStreamError(timeout_s, setting="--timeout", cause=error) from None
    except httpx.TransportError as error:
        raise sd.TruncatedStreamError("an HTTP response", cause=error) from None


def _origin(request: httpx.Request) -> str:
    """Scheme, host and port. The user, path and query of a URL may hold keys."""
    port = f":{request.url.port}" if request.url.port else ""
    return f"{request.url.scheme}://{request.url.host}{port}"
