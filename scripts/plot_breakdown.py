#!/usr/bin/env python3
"""Where the time of each iteration went: exclusive parts, stacked to the iteration's wall time."""

import sys

import plotting

TITLE = "Where the time of each iteration went"
MAX_BARS = 400  # more iterations than that share a bar, which then shows their mean
# From the bottom up; each part counts only what the parts below it leave uncovered.
PARTS = (
    ("compute", "compute_ns", "compute"),
    ("communication, exposed", "communication_exposed_ns", "communication"),
    ("memcpy, exposed", "memcpy_exposed_ns", "memcpy"),
    ("memset, exposed", "memset_exposed_ns", "memset"),
    ("GPU idle", "idle_ns", "idle"),
    ("not recorded", "not_recorded_ns", "not recorded"),
)


def means(values: list, size: int) -> list[float]:
    """The mean of each group of `size` neighbours."""
    groups = [values[i:i + size] for i in range(0, len(values), size)]
    return [sum(group) / len(group) for group in groups]


def strip(axis, names: list) -> None:
    """What is no training, below the axis: each kind once in the legend."""
    named = set()
    for first, last, name in plotting.sections_of(names):
        if name not in plotting.SECTIONS:
            continue
        color, _ = plotting.SECTIONS[name]
        axis.axvspan(first, last, ymin=-0.035, ymax=-0.005, facecolor=color, edgecolor=plotting.ASIDE, linewidth=0.4,
                     clip_on=False, label=None if name in named else name)
        named.add(name)


def figure(table: plotting.Table):
    try:
        table, device = plotting.iterations_of(table)
    except plotting.Nothing as why:
        return plotting.message_figure(TITLE, str(why))
    if "compute_ns" not in table:
        return plotting.message_figure(TITLE, "nothing ran on a GPU in this trace")
    size = -(-len(table) // MAX_BARS)
    totals = means(table["duration_ns"], size)
    divisor, unit = plotting.time_unit(sorted(totals)[len(totals) // 2])
    title = f"{TITLE}{device}" if size == 1 else f"{TITLE}{device} (each bar: the mean of {size:,} iterations)"

    drawn, axis = plotting.new_figure(title)
    starts = [i * size for i in range(len(totals))]
    base = [0.0] * len(totals)
    parts = [part for part in PARTS if part[1] != "not_recorded_ns" or any(table[part[1]])]
    for label, column, color in parts:
        heights = [value / divisor for value in means(table[column], size)]
        axis.bar(starts, heights, bottom=base, width=size, align="edge", color=plotting.COLORS[color], label=label,
                 linewidth=0.4 if len(totals) <= 60 else 0, edgecolor="white")
        base = [low + height for low, height in zip(base, heights)]
    axis.set_xlim(0, max(len(table), 1))
    aside = plotting.aside(table["section"])
    plotting.clip(axis, [start + size / 2 for start in starts], base, divisor,
                  [plotting.ASIDE if all(aside[start:start + size]) else plotting.MARK for start in starts])
    strip(axis, table["section"])
    axis.tick_params(axis="x", pad=8)
    plotting.count_axis(axis.xaxis)
    axis.set_xlabel("iteration")
    axis.set_ylabel(f"time ({unit})")
    plotting.legend(axis, ncol=len(parts) + len(plotting.SECTIONS))
    plotting.tell_scope(drawn, plotting.iterations_words(table))
    return drawn


def main() -> int:
    options = plotting.parser(__doc__, "breakdown").parse_args()
    return plotting.run(options, lambda options: figure(plotting.report(options.trace, "iterations")))


if __name__ == "__main__":
    sys.exit(main())
