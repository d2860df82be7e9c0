#!/usr/bin/env python3
"""Iteration times over the run: one dot an iteration, slow ones marked, what is no training shaded and drawn apart."""

import sys

import plotting

TITLE = "Iteration times"


def shade(axis, runs: list[tuple[int, int, str]]) -> None:
    """Backgrounds of what is no training, each kind once in the legend."""
    named = set()
    for first, last, name in runs:
        if name not in plotting.SECTIONS:
            continue
        axis.axvspan(first - 0.5, last - 0.5, color=plotting.SECTIONS[name][0], linewidth=0, zorder=0)
        if name not in named:
            axis.plot([], [], linestyle="", marker=plotting.SECTIONS[name][1], markersize=5, color=plotting.ASIDE,
                      markerfacecolor=plotting.SECTIONS[name][0], label=name)
        named.add(name)


def dots(axis, places: list[int], times: list[float], many: bool, **look) -> None:
    axis.plot(places, [times[i] for i in places], linestyle="", rasterized=many, **look)


def figure(table: plotting.Table):
    try:
        table, device = plotting.iterations_of(table)
    except plotting.Nothing as why:
        return plotting.message_figure(TITLE, str(why))
    durations = table["duration_ns"]
    divisor, unit = plotting.time_unit(sorted(durations)[len(durations) // 2])
    times = [value / divisor for value in durations]
    names = table["section"]
    aside = plotting.aside(names)
    slow = [i for i, value in enumerate(table["slow"]) if value and not aside[i]] if "slow" in table else []

    drawn, axis = plotting.new_figure(f"{TITLE}: {plotting.count_of(len(table), 'iteration')}{device}"
                                     + (f", {len(slow):,} slow" if slow else ""))
    many = len(table) > 2000
    if len(table) <= 200:
        axis.plot(range(len(table)), times, linewidth=0.6, color=plotting.COLORS["compute"], zorder=1)
    shade(axis, plotting.sections_of(names))
    dots(axis, [i for i in range(len(table)) if not aside[i]], times, many, marker=".", markersize=2 if many else 5,
         color=plotting.COLORS["compute"], label=next((name for name, left_out in zip(names, aside) if not left_out), "iteration") if any(aside) else "iteration")
    for name, (_, marker) in plotting.SECTIONS.items():
        dots(axis, [i for i in range(len(table)) if aside[i] and names[i] == name], times, many, marker=marker,
             markersize=2 if many else 4, color=plotting.ASIDE, markerfacecolor="white")
    dots(axis, slow, times, many, marker="o", markersize=2 if many else 5, color=plotting.MARK, label="slow")
    if slow or any(aside):
        plotting.legend(axis, ncol=6)
    axis.set_xlim(-0.5, len(table) - 0.5)
    plotting.clip(axis, list(range(len(table))), times, divisor,
                  [plotting.ASIDE if left_out else plotting.MARK for left_out in aside])
    plotting.count_axis(axis.xaxis)
    axis.set_xlabel("iteration")
    axis.set_ylabel(f"time ({unit})")
    plotting.tell_scope(drawn, plotting.iterations_words(table))
    return drawn


def main() -> int:
    options = plotting.parser(__doc__, "iterations").parse_args()
    return plotting.run(options, lambda options: figure(plotting.report(options.trace, "iterations")))


if __name__ == "__main__":
    sys.exit(main())
