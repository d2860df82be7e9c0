#!/usr/bin/env python3
"""Why the GPU was idle: how many gaps of which length, and how much time they add up to, by cause."""

import math
import sys

import plotting

TITLE = "Why the GPU was idle"
BINS_PER_DECADE = 5
CAUSE_COLORS = {
    "host outside CUDA": plotting.COLORS["host wait"],
    "host launch-bound": "#E58A4E",
    "host blocked in CUDA": "#8C3A00",
    "dependency wait": "#56B4E9",
    "kernel wait": "#CC79A7",
    "graph replay": "#7F7F7F",
    "profiler overhead": "#000000",
    "unattributed": plotting.COLORS["idle"],
}


def edges(lengths: list[int]) -> list[float]:
    """Borders of logarithmic bins that hold every length above zero."""
    low = math.floor(math.log10(min(lengths)) * BINS_PER_DECADE)
    high = math.floor(math.log10(max(lengths)) * BINS_PER_DECADE) + 1
    return [10 ** (i / BINS_PER_DECADE) for i in range(low, high + 1)]


def by_cause(table: plotting.Table) -> dict[str, list[int]]:
    """Gap lengths of each cause, the cause with most time first."""
    found: dict[str, list[int]] = {}
    for cause, length in zip(table["cause"], table["duration_ns"]):
        if length > 0:
            found.setdefault(cause, []).append(length)
    return dict(sorted(found.items(), key=lambda item: -sum(item[1])))


def top_of(heights) -> list[float]:
    """Of stacked bars as hist() returns them (of one set alone without a list around it)."""
    return list(heights[-1]) if getattr(heights[0], "__len__", None) else list(heights)


def color(cause: str) -> str:
    return CAUSE_COLORS.get(cause, plotting.INK)


def figure(table: plotting.Table):
    causes = by_cause(table)
    if not causes:
        return plotting.message_figure(TITLE, "no gaps: the GPU was never idle between two ops of this trace")
    lengths = [length for values in causes.values() for length in values]
    bins = edges(lengths)

    drawn, (counts, times) = plotting.new_figure(f"{TITLE}: {plotting.count_of(len(lengths), 'gap')}", height=5.5, rows=2, sharex=True)
    colors = [color(cause) for cause in causes]
    numbers = top_of(counts.hist(list(causes.values()), bins=bins, stacked=True, color=colors, label=list(causes))[0])
    for low, high, number in zip(bins, bins[1:], numbers):
        if number:  # a bar of few gaps is too low to be seen beside thousands
            counts.text(math.sqrt(low * high), number, f"{number:,.0f}", ha="center", va="bottom", fontsize=7, color=plotting.INK)
    divisor, unit = plotting.time_unit(sum(lengths) / 4)
    totals = top_of(times.hist(list(causes.values()), bins=bins, stacked=True, color=colors,
                               weights=[[length / divisor for length in values] for values in causes.values()])[0])
    plotting.count_axis(counts.yaxis)
    counts.set_ylabel("gaps")
    times.set_ylabel(f"idle time ({unit})")
    times.set_xscale("log")
    plotting.clip(times, [math.sqrt(low * high) for low, high in zip(bins, bins[1:])], totals, divisor)
    times.set_xlabel("length of the gap")
    times.xaxis.set_major_formatter(lambda value, _: plotting.duration(value))
    counts.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)
    plotting.tell_scope(drawn, "the whole recording, warm-up and evaluation included")
    return drawn


def main() -> int:
    options = plotting.parser(__doc__, "gaps").parse_args()
    return plotting.run(options, lambda options: figure(plotting.report(options.trace, "gaps")))


if __name__ == "__main__":
    sys.exit(main())
