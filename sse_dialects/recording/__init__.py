"""Recordings of streams: the bytes, where they were cut, and when they came, in a text file that plays back as a source.

``stream(response, record="answer.jsonl")`` writes one, `replay` plays it; a `Recorder` of one's own takes options, or bytes that
no stream of this package reads. ``docs/recording.md`` describes the format.
"""

from .lines import Step
from .playing import Replay, replay
from .recorder import Recorder

__all__ = ["Recorder", "Replay", "Step", "replay"]
