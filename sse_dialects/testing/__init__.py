"""Streams for your own tests. Describe an answer; get a valid stream of it in each dialect, complete or with a fault.

    hello = testing.reply("Hello", reasoning="Hm.", tool_calls=[testing.tool_call("look_up", {"term": "sky"})])
    hello.as_chat(piece=3).bytes()
    hello.as_messages().cut(after_frames=4).source()
    httpx.Client(transport=testing.Provider(hello.as_responses().error("Overloaded"), hello).httpx_transport())

The same calls always write the same bytes. ``docs/testing.md`` shows more, and the pytest fixture in `testing.pytest_plugin`.
"""

from .content import tool_call, usage
from .provider import Provider, Request
from .rejection import rejection
from .reply import Reply, reply
from .stream import ScriptedStream

__all__ = ["Provider", "Reply", "Request", "ScriptedStream", "rejection", "reply", "tool_call", "usage"]
