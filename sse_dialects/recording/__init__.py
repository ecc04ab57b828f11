"""Recordings of streams: the bytes, where they were cut, and when they came, in a text file that plays back as a source.

``stream(response, record="answer.jsonl")`` writes one and `replay` plays it. Use a `Recorder` to set options, or to record bytes
that this package does not read. ``docs/recording.md`` describes the format.
"""

from .lines import Step
from .playing import Replay, replay
from .recorder import Recorder

__all__ = ["Recorder", "Replay", "Step", "replay"]
