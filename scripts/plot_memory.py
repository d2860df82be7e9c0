#!/usr/bin/env python3
"""What was allocated over time: bytes in use by device and kind of memory, iterations marked, the peak named."""

import sys

import plotting
import plotting_over_time

TITLE = "Memory in use"
COLORS = {
    "device": "#0072B2",
    "framework": "#D55E00",
    "framework reserved": "#56B4E9",
    "pool": "#009E73",
    "pool reserved": "#E69F00",
    "managed": "#CC79A7",
    "pinned": "#000000",
    "unknown": "#999999",
}
UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "bytes"))


def unit_of(largest: float) -> tuple[float, str]:
    return next(((divisor, name) for divisor, name in UNITS if largest >= divisor), UNITS[-1])


def draw_device(axis, steps: plotting.Table, first: int, end: int, since_start: set) -> None:
    """A line for each kind: what is in use holds until the next step, and to the end."""
    divisor, unit = unit_of(max(steps["in_use_bytes"]))
    for kind in [kind for kind in COLORS if kind in set(steps["memory_kind"])]:
        one = steps.where("memory_kind", kind)
        times = [(time - first) / 1e9 for time in one["time_ns"]]
        values = [value / divisor for value in one["in_use_bytes"]]
        beyond = ", beyond what was in use at the start" if kind in since_start else ""
        axis.plot([*times, (end - first) / 1e9], [*values, values[-1]], drawstyle="steps-post", color=COLORS[kind],
                  linewidth=1.2, rasterized=len(one) > 20_000,
                  label=f"{kind}, at most {max(values):.3g} {unit}{beyond}")
    axis.set_ylabel(f"{'host' if steps['device'][0] == 'host' else 'GPU ' + str(steps['device'][0])} ({unit})", fontsize=8)
    axis.set_ylim(0, 1.1 * max(steps["in_use_bytes"]) / divisor or 1)
    plotting.legend(axis, ncol=3)


def figure(steps: plotting.Table, totals: plotting.Table, iterations: plotting.Table):
    if len(steps) == 0:
        return plotting.message_figure(TITLE, "no allocation is in this trace: deepprof memory says what records them")
    first, end = min(steps["time_ns"]), max(steps["time_ns"] + totals["recorded_to_ns"])
    since_start = set(totals.where("in_use_since", "recording_start")["memory_kind"])
    devices = sorted(set(steps["device"]), key=lambda device: (isinstance(device, str), device))
    return plotting_over_time.panels(
        TITLE, iterations, first, "the first step of allocation", devices, 2.2,
        lambda axis, device: draw_device(axis, steps.where("device", device), first, end, since_start))


def main() -> int:
    options = plotting.parser(__doc__, "memory").parse_args()
    return plotting.run(options, lambda options: figure(plotting.report(options.trace, "memory", "--series"),
                                                        plotting.report(options.trace, "memory"),
                                                        plotting.report(options.trace, "iterations")))


if __name__ == "__main__":
    sys.exit(main())
