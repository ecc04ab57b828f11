"""What an exception that a source raised while it was read means: the transport's failure, a timeout, or the caller's own.

The rule. A failure of the transport is an `OSError` or `EOFError` (sockets, TLS, files), an exception whose class is defined in
an HTTP client or in what such a client is built on, or one defined in the package of the response that is read. Everything else
is not ours to translate: an exception of the caller's own generator, a cancellation, ``KeyboardInterrupt``.
"""

from __future__ import annotations

__all__ = ["is_misuse", "is_transport_failure", "package_of", "read_timeout"]

# Top-level packages. Two kinds of exceptions from below a client reach its user: those of protocol and TLS layers that it
# does not wrap, and those of decompressors.
_CLIENTS = frozenset(
    {
        *(
            "httpx",
            "httpcore",
            "httpx2",
            "httpcore2",
            "requests",
            "urllib3",
            "niquests",
            "urllib3_future",
            "aiohttp",
            "curl_cffi",
        ),
        *("http", "anyio", "trio", "pyodide", "_pyodide", "h11", "h2", "jh2", "qh3"),
        *("zlib", "brotli", "brotlicffi", "zstandard", "zstd"),
    }
)
# What the caller would have to set to allow more time, by the package of the response, else of the exception.
_SETTINGS = {
    "httpx": "httpx.Timeout(read=...)",
    "httpx2": "httpx2.Timeout(read=...)",
    "requests": "requests' timeout=(connect, read)",
    "niquests": "niquests' timeout=(connect, read)",
    "urllib3": "urllib3.Timeout(read=...)",
    "aiohttp": "aiohttp.ClientTimeout(sock_read=..., total=...)",
    "curl_cffi": "curl_cffi's timeout=(connect, read)",
    "http": "the timeout= of urlopen or HTTPConnection",
}
# Timeouts of another kind, which a source that connects only when it is read may meet: the connection failed, no stream stalled.
_BEFORE_READING = ("Connect", "Pool", "Write", "Proxy")
_CURL_TIMED_OUT = 28  # CURLE_OPERATION_TIMEDOUT; old versions of curl_cffi have no class for it, but its number
_UNKNOWN_SETTING = "the client's read timeout"


def package_of(value: object) -> str:
    """The top-level package that defines the class of ``value``."""
    return _package(type(value))


def is_transport_failure(error: BaseException, package: str | None = None) -> bool:
    """Whether ``error``, raised by a source whose response comes from ``package``, says that the connection broke."""
    if not isinstance(error, Exception):
        return False
    if isinstance(error, (OSError, EOFError)):
        return True
    packages = {_package(cls) for cls in type(error).__mro__}
    return package in packages or not packages.isdisjoint(_CLIENTS)


def is_misuse(error: BaseException) -> bool:
    """Whether a client says that its caller did something wrong, such as reading a body twice.

    Clients derive such exceptions from RuntimeError or TypeError, which is what sets them apart from network trouble.
    """
    return isinstance(error, (RuntimeError, TypeError)) and package_of(error) in _CLIENTS


def read_timeout(error: BaseException, package: str | None = None) -> str | None:
    """The setting that ran out if ``error`` is a client's read timeout, else None.

    Clients agree on the word in the class name; some wrap the timeout in an error of their own, which then is its context.
    """
    wrapped = (error.__cause__, error.__context__) if is_transport_failure(error, package) else ()
    for seen in (error, *wrapped):
        if isinstance(seen, Exception) and _is_timeout(seen):
            return _SETTINGS.get(package or "") or _SETTINGS.get(package_of(seen)) or _UNKNOWN_SETTING
    return None


def _is_timeout(error: Exception) -> bool:
    if type(error).__name__.startswith(_BEFORE_READING):
        return False
    if isinstance(error, TimeoutError):
        return True
    if getattr(error, "code", None) == _CURL_TIMED_OUT and package_of(error) in _CLIENTS:
        return True
    return any("Timeout" in cls.__name__ and _package(cls) in _CLIENTS | {"asyncio"} for cls in type(error).__mro__)


def _package(cls: type) -> str:
    return cls.__module__.partition(".")[0]
