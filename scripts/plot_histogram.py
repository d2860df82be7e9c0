#!/usr/bin/env python3
"""How iteration times are spread: a histogram above, the share of iterations at or below a time underneath."""

import collections
import sys

import plotting

TITLE = "Spread of iteration times"
MIN_BINS, MAX_BINS = 10, 100


def main_section(table: plotting.Table) -> tuple[str, list[int]]:
    """The section with most iterations, and the durations in order of those that the report counts: warm-up and
    evaluation would blur it, and an end of the recording is no end of an iteration."""
    if "counted" in table:  # steps of a run without a GPU count all
        counted = table.where("counted", "yes")
        table = counted if len(counted) else table
    name = collections.Counter(table["section"]).most_common(1)[0][0]
    return name, sorted(table.where("section", name)["duration_ns"])


def figure(table: plotting.Table):
    try:
        table, device = plotting.iterations_of(table)
    except plotting.Nothing as why:
        return plotting.message_figure(TITLE, str(why))
    section, durations = main_section(table)
    divisor, unit = plotting.time_unit(durations[len(durations) // 2])
    times = [value / divisor for value in durations]
    title = f"{TITLE}: {plotting.count_of(len(times), 'iteration')} of section {section}{device}"

    drawn, (above, below) = plotting.new_figure(title, height=5.5, rows=2, sharex=True)
    logarithmic = times[0] > 0 and times[-1] > 10 * times[len(times) // 2]
    above.hist(times, bins=edges(times, logarithmic), color=plotting.COLORS["compute"])
    above.set_xscale("log" if logarithmic else "linear")
    plotting.count_axis(above.yaxis)
    above.set_ylabel("iterations")
    draw_shares(below, times)
    below.set_xlabel(f"iteration time ({unit})")
    plotting.tell_scope(drawn, f"{len(durations):,} of {plotting.count_of(len(table), 'iteration')} of the recording, those that the report's figures are of")
    return drawn


def draw_shares(axis, times: list[float]) -> None:
    """The empirical distribution function, with guides where the median and the 95 % can be read off."""
    shares = [(i + 1) / len(times) for i in range(len(times))]
    axis.step([times[0], *times], [0, *shares], where="post", color=plotting.COLORS["compute"], linewidth=1.2)
    for share, name in ((0.5, "median"), (0.95, "95 %")):
        axis.axhline(share, color=plotting.MARK, linewidth=0.7, linestyle=":")
        axis.text(1.0, share, name, transform=axis.get_yaxis_transform(), fontsize=7, color=plotting.MARK,
                  va="bottom", ha="right")
    axis.set_ylim(0, 1.02)
    axis.set_ylabel("share at or below")


def edges(times: list[float], logarithmic: bool) -> list[float]:
    """Bin borders over the whole range, as narrow as the middle half of the times asks for (Freedman and
    Diaconis), within MIN_BINS and MAX_BINS."""
    low, high = times[0], times[-1]
    if high <= low:
        return [low * 0.95, low * 1.05] if low else [-0.5, 0.5]
    if logarithmic:
        return [low * (high / low) ** (i / MAX_BINS) for i in range(MAX_BINS + 1)]
    middle = times[len(times) * 3 // 4] - times[len(times) // 4]
    wanted = (high - low) / (2 * middle / len(times) ** (1 / 3)) if middle else MAX_BINS
    count = round(min(MAX_BINS, max(MIN_BINS, wanted)))
    return [low + (high - low) * i / count for i in range(count + 1)]


def main() -> int:
    options = plotting.parser(__doc__, "histogram").parse_args()
    return plotting.run(options, lambda options: figure(plotting.report(options.trace, "iterations")))


if __name__ == "__main__":
    sys.exit(main())
