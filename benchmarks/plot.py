"""The plot of the benchmarks' page: a line of dots for each workload, on a logarithmic scale.

It is narrow, with each workload's name above its dots, so that its labels can be read on a phone. The site inverts the
lightness of its drawings in the dark scheme.
"""

from __future__ import annotations

from html import escape
from math import log10

__all__ = ["plot"]

_WIDTH, _MARGIN = 480, 20
_LEGEND_ROW, _ROW = 20, 38
_TEXT, _FAINT, _LINE = "#37474f", "#546e7a", "#b0bec5"
_COLOURS = ["#e4572e", "#4c78a8", "#3a9d97", "#b279a2", "#9d755d", "#54a24b", "#8a8580"]
# Where the scale may begin, end and have a line.
_TICKS = [digit * 10.0**power for power in range(-3, 6) for digit in (1, 2, 5)]


def plot(pipelines: dict[str, dict[str, float]]) -> str:
    """The figures of ``pipelines`` (workload: peer: ratio, above 0) as SVG. The scale reaches from the least to the most."""
    ratios = [value for row in pipelines.values() for value in row.values()]
    ticks = _ticks(min(ratios), max(ratios))
    peers = list(dict.fromkeys(peer for row in pipelines.values() for peer in row))
    top = 10 + _LEGEND_ROW * -(-len(peers) // 2)
    bottom = top + _ROW * len(pipelines) + 8
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {bottom + 46}" width="{_WIDTH}"']
    out.append(f'font-family="system-ui, sans-serif" font-size="13" fill="{_TEXT}">')
    out.append("<title>CPU time over json.loads alone, by workload and library</title>")
    out += _legend(peers)
    for number, (name, row) in enumerate(pipelines.items(), 1):
        middle = top + _ROW * number - 8
        out.append(f'<text x="{_MARGIN}" y="{middle - 12}">{escape(name)}</text>')
        # The line of 1, as much as parsing alone, is darker than the others.
        out += [f'<path d="M{_x(tick, ticks)} {middle - 8}v16" stroke="{_FAINT if tick == 1 else _LINE}"/>' for tick in ticks]
        dots = [f'<circle cx="{_x(value, ticks)}" cy="{middle}" r="5" fill="{_colour(peers, p)}"/>' for p, value in row.items()]
        out += reversed(dots)  # the first peer's on top
    return "\n".join([*out, *_captions(ticks, bottom), "</svg>"]) + "\n"


def _ticks(least: float, most: float) -> list[float]:
    """The lines of a scale that holds both, the outermost included."""
    first = max(place for place, tick in enumerate(_TICKS) if tick <= least)
    last = min(place for place, tick in enumerate(_TICKS) if tick >= most)
    return _TICKS[first : max(last, first + 1) + 1]


def _x(value: float, ticks: list[float]) -> float:
    share = (log10(value) - log10(ticks[0])) / (log10(ticks[-1]) - log10(ticks[0]))
    return round(_MARGIN + share * (_WIDTH - 2 * _MARGIN), 1)


def _colour(peers: list[str], peer: str) -> str:
    return _COLOURS[peers.index(peer) % len(_COLOURS)]


def _legend(peers: list[str]) -> list[str]:
    """Two columns of names behind their dots."""
    out = []
    for number, peer in enumerate(peers):
        left, middle = _MARGIN + number % 2 * _WIDTH // 2, 14 + number // 2 * _LEGEND_ROW
        out.append(f'<circle cx="{left}" cy="{middle}" r="5" fill="{_colour(peers, peer)}"/>')
        out.append(f'<text x="{left + 10}" y="{middle + 4}">{escape(peer)}</text>')
    return out


def _captions(ticks: list[float], bottom: int) -> list[str]:
    """What the lines of the scale stand for."""
    style = f'y="{bottom + 18}" text-anchor="middle" fill="{_FAINT}"'
    return [
        *(f'<text x="{_x(tick, ticks)}" {style}>{tick:g}</text>' for tick in ticks),
        f'<text x="{_WIDTH // 2}" y="{bottom + 38}" text-anchor="middle">times the CPU of json.loads alone</text>',
    ]
