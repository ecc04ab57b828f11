"""Runs inside Pyodide: reads the streams at the given addresses through `fetch`, and tells what came of each."""

import json
import sys
import time

import js
from pyodide.http import pyfetch

import sse_dialects as sd


async def told(source, **options):
    """What came of a source, in plain JSON types."""
    events = []
    try:
        async with sd.astream(source, **options) as stream:
            async for event in stream:
                events.append(event.type)
            answer = await stream.answer()
    except sd.SSEDialectsError as error:
        partial = getattr(error, "partial", None)
        return {"kind": error.kind, "status": getattr(error, "status", None), "text": partial and partial.text}
    return {"kind": "complete", "text": answer.text, "events": len(events), "tokens": answer.to_dict()["usage"]}


async def body_of(url):
    """A ReadableStream."""
    return (await js.fetch(url)).body


# The three things that a browser's stream may come as.
SOURCES = {"pyfetch": pyfetch, "Response": js.fetch, "ReadableStream": body_of}


async def timing(url):
    """When the first text came, and how long the stream took."""
    started = time.monotonic()
    async with sd.astream(await pyfetch(url)) as stream:
        async for event in stream:
            if event.type == "text_delta":
                break
        first = time.monotonic() - started
        await stream.answer()
    return {"first": first, "whole": time.monotonic() - started}


async def left_early(url):
    """How long it takes to leave a stream that its server keeps open."""
    started = time.monotonic()
    async with sd.astream(await pyfetch(url)) as stream:
        await anext(stream)
    return time.monotonic() - started


async def misused(url):
    """A response that has been read before."""
    response = await pyfetch(url)
    await response.text()
    return await told(response)


async def main(urls):
    """All of it, as JSON."""
    urls = json.loads(urls)
    found = {"python": sys.version.split()[0], "platform": sys.platform}
    for name in ("chat", "messages", "responses", "cut", "broken", "failed", "rejected", "html"):
        found[name] = {kind: await told(await fetched(urls[name])) for kind, fetched in SOURCES.items()}
    found["misused"] = await misused(urls["chat"])
    found["idle"] = await told(await pyfetch(urls["open"]), idle_timeout=0.2)
    found["left"] = await left_early(urls["open"])
    found["timing"] = await timing(urls["slow"])
    return json.dumps(found)
