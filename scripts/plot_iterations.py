#!/usr/bin/env python3
"""Iteration times over the run: one dot an iteration, slow ones marked, sections shaded."""

import sys

import plotting

TITLE = "Iteration times"


def sections(names: list) -> list[tuple[int, int, str]]:
    """Half-open runs [first, last) of rows with the same section name."""
    runs = []
    for i, name in enumerate(names):
        if runs and runs[-1][2] == name:
            runs[-1] = (runs[-1][0], i + 1, name)
        else:
            runs.append((i, i + 1, name))
    return runs


def shade(axis, runs: list[tuple[int, int, str]], count: int) -> None:
    """Backgrounds; a section too narrow for its name goes without."""
    for number, (first, last, name) in enumerate(runs):
        axis.axvspan(first - 0.5, last - 0.5, color=plotting.SHADES[number % 2], linewidth=0, zorder=0)
        if (last - first) / count > 0.012 * len(str(name)):
            axis.text((first + last - 1) / 2, 0.985, name, transform=axis.get_xaxis_transform(), ha="center", va="top",
                      fontsize=8, color=plotting.INK)


def figure(table: plotting.Table):
    try:
        table, device = plotting.iterations_of(table)
    except plotting.Nothing as why:
        return plotting.message_figure(TITLE, str(why))
    durations = table["duration_ns"]
    divisor, unit = plotting.time_unit(sorted(durations)[len(durations) // 2])
    times = [value / divisor for value in durations]
    slow = [i for i, value in enumerate(table["slow"]) if value] if "slow" in table else []

    drawn, axis = plotting.new_figure(f"{TITLE}: {plotting.count_of(len(table), 'iteration')}{device}"
                                     + (f", {len(slow):,} slow" if slow else ""))
    shade(axis, sections(table["section"]), len(table))
    many = len(table) > 2000
    axis.plot(range(len(table)), times, linestyle="-" if len(table) <= 200 else "", linewidth=0.6, marker=".",
              markersize=2 if many else 5, color=plotting.COLORS["compute"], rasterized=many)
    axis.plot(slow, [times[i] for i in slow], linestyle="", marker="o", markersize=2 if many else 4, color=plotting.MARK,
              label="slow", rasterized=len(slow) > 2000)
    if slow:
        plotting.legend(axis)
    axis.set_xlim(-0.5, len(table) - 0.5)
    plotting.clip(axis, list(range(len(table))), times, divisor)
    plotting.count_axis(axis.xaxis)
    axis.set_xlabel("iteration")
    axis.set_ylabel(f"time ({unit})")
    return drawn


def main() -> int:
    options = plotting.parser(__doc__, "iterations").parse_args()
    return plotting.run(options, lambda options: figure(plotting.report(options.trace, "iterations")))


if __name__ == "__main__":
    sys.exit(main())
