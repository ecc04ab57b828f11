"""The pytest fixture ``sse_provider``. A ``conftest.py`` at the root of the tests asks for it.

    pytest_plugins = ["sse_dialects.testing.pytest_plugin"]

It is no entry point on purpose: pytest would import it in every run of every project that has this package installed.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from .provider import Provider

__all__ = ["sse_provider"]


@pytest.fixture
def sse_provider(monkeypatch: pytest.MonkeyPatch) -> Provider:
    """A `Provider` that answers every request of httpx and httpx2 clients, those inside the provider's SDKs included, whatever
    their URL: nothing leaves the machine. Clients with a transport of their own are left alone.

        def test_it(sse_provider):
            sse_provider.add(testing.reply("Hello").as_chat().cut(), testing.reply("Hello"))
            assert ask("Hi") == "Hello"
            assert len(sse_provider.requests) == 2
    """
    provider = Provider()
    if find_spec("httpx") is not None:
        _answer_with(provider.httpx_transport(), import_module("httpx"), monkeypatch)
    if find_spec("httpx2") is not None:
        _answer_with(provider.httpx2_transport(), import_module("httpx2"), monkeypatch)
    return provider


def _answer_with(transport: Any, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def handle(self: Any, request: Any) -> Any:
        return transport.handle_request(request)

    async def handle_async(self: Any, request: Any) -> Any:
        return await transport.handle_async_request(request)

    monkeypatch.setattr(module.HTTPTransport, "handle_request", handle)
    monkeypatch.setattr(module.AsyncHTTPTransport, "handle_async_request", handle_async)
