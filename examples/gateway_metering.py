"""A gateway that forwards a provider's bytes untouched, and beside that notes usage and
truncation.

    pip install 'sse-dialects[httpx]' starlette uvicorn
    UPSTREAM=https://api.openai.com uvicorn --app-dir examples gateway_metering:app

Without a key (start ``sse-dialects demo --serve`` in another terminal), and then ask
the gateway:

    UPSTREAM=http://127.0.0.1:8765 uvicorn --app-dir examples gateway_metering:app
    curl -sSN http://127.0.0.1:8000/v1/messages -d '{"stream": true}'

It logs one line a stream: dialect=messages model=scripted-1 outcome=complete tokens=46

The decoder never stands between the client and its bytes: a chunk is forwarded first
and read afterwards, and whatever the decoder thinks of a stream, the client gets what
the provider sent.
"""

from __future__ import annotations

import contextlib
import logging
import os
from typing import TYPE_CHECKING

import httpx
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

import sse_dialects as sd

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response

UPSTREAM = os.environ.get("UPSTREAM", "https://api.openai.com")
LIMITS = sd.Limits(max_answer_bytes=64 << 20)
log = logging.getLogger("gateway")

# Only these go on in either direction; the rest belongs to one connection, or to nobody
# but us.
_REQUEST_HEADERS = ("authorization", "content-type", "x-api-key", "anthropic-version")
# Without these a proxy in front of us may hold the stream back until it is whole.
_RESPONSE_HEADERS = {
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}


async def forward(request: Request) -> Response:
    """Forward one request and stream its response back."""
    client: httpx.AsyncClient = request.app.state.client
    headers = {
        name: request.headers[name]
        for name in _REQUEST_HEADERS
        if name in request.headers
    }
    headers["accept-encoding"] = (
        "identity"  # so that the bytes that are forwarded are the bytes that are read
    )
    sent = client.build_request(
        "POST",
        UPSTREAM + request.url.path,
        headers=headers,
        content=await request.body(),
    )
    try:
        upstream = await client.send(sent, stream=True)
    except httpx.TransportError as error:
        log.warning("no connection to the provider: %s", type(error).__name__)
        return JSONResponse(
            {
                "error": {
                    "message": "the provider can't be reached",
                    "type": "server_error",
                }
            },
            502,
        )
    media_type = upstream.headers.get("content-type")
    return StreamingResponse(
        metered(upstream), upstream.status_code, _RESPONSE_HEADERS, media_type
    )


async def metered(upstream: httpx.Response) -> AsyncIterator[bytes]:
    """The body as it comes, and what it added up to at its end."""
    decoder = sd.Decoder("auto", limits=LIMITS)
    outcome = "left"  # unless the body ends, the client has gone
    try:
        async for chunk in upstream.aiter_raw():
            yield chunk
            # An error is kept in decoder.error; the bytes go on.
            with contextlib.suppress(sd.SSEDialectsError):
                for _ in decoder.feed(chunk):
                    pass
        outcome = ""
    except httpx.TransportError as error:
        outcome = f"truncated by {type(error).__name__}"
        raise  # the client's connection breaks as the provider's did
    finally:
        if upstream.is_success:
            account(decoder, outcome)
        await upstream.aclose()


def account(decoder: sd.Decoder, outcome: str) -> None:
    """One line a stream: who counts tokens, and who looks for truncation, reads
    this."""
    with contextlib.suppress(sd.SSEDialectsError):
        decoder.close()
    answer, error = decoder.partial(), decoder.error
    tokens = answer.usage.total_tokens if answer.usage else None
    outcome = (
        "complete" if answer.complete else outcome or (error.kind if error else "")
    )
    log.info(
        "dialect=%s model=%s outcome=%s tokens=%s",
        answer.dialect,
        answer.model,
        outcome,
        tokens,
    )


@contextlib.asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """One client, and its pool of connections, for the whole application; and somewhere
    to log to."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    # httpx would log each request as well.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    async with httpx.AsyncClient(timeout=httpx.Timeout(30, read=300)) as client:
        app.state.client = client
        yield


app = Starlette(
    routes=[Route("/v1/{path:path}", forward, methods=["POST"])], lifespan=lifespan
)
