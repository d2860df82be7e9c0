#!/usr/bin/env python3
"""What was allocated over time: bytes in use by device and kind of memory, iterations marked, the peak named."""

import sys

import plotting

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


def draw_device(axis, steps: plotting.Table, first: int, end: int) -> None:
    """A line for each kind: what is in use holds until the next step."""
    divisor, unit = unit_of(max(steps["in_use_bytes"]))
    for kind in [kind for kind in COLORS if kind in set(steps["memory_kind"])]:
        one = steps.where("memory_kind", kind)
        times = [(time - first) / 1e9 for time in one["time_ns"]]
        values = [value / divisor for value in one["in_use_bytes"]]
        peak = max(values)
        axis.plot([*times, (end - first) / 1e9], [*values, values[-1]], drawstyle="steps-post", color=COLORS[kind],
                  linewidth=1.2, rasterized=len(one) > 20_000,
                  label=f"{kind}, at most {peak:.3g} {unit}")
    axis.set_ylabel(f"{'host' if steps['device'][0] == 'host' else 'GPU ' + str(steps['device'][0])} ({unit})", fontsize=8)
    axis.set_ylim(0, 1.1 * max(steps["in_use_bytes"]) / divisor or 1)


def figure(steps: plotting.Table, iterations: plotting.Table):
    if len(steps) == 0:
        return plotting.message_figure(TITLE, "no allocation is in this trace (DEEPPROF_MEMORY=1 records them)")
    first, end = min(steps["time_ns"]), max(steps["time_ns"])
    starts, every = plotting.iteration_marks(iterations, first)
    title = TITLE + plotting.marks_words(starts, every)
    devices = sorted(set(steps["device"]), key=lambda device: (isinstance(device, str), device))
    drawn, axes = plotting.new_figure(title, height=1.4 + 2.2 * len(devices), rows=len(devices), sharex=True)
    axes = list(axes) if len(devices) > 1 else [axes]
    for axis, device in zip(axes, devices):
        draw_device(axis, steps.where("device", device), first, end)
        plotting.mark_iterations(axis, starts)
        plotting.legend(axis, ncol=3)
    axes[-1].set_xlabel("time since the first step of allocation (s)")
    return drawn


def main() -> int:
    options = plotting.parser(__doc__, "memory").parse_args()
    return plotting.run(options, lambda options: figure(plotting.report(options.trace, "memory", "--series"),
                                                        plotting.report(options.trace, "iterations")))


if __name__ == "__main__":
    sys.exit(main())
