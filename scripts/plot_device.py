#!/usr/bin/env python3
"""What GPUs and host did over time: utilization, memory, power, temperature, clocks, CPU; every GPU on one axis, iterations
marked."""

import sys

import plotting
import plotting_over_time

# Metric, label of the axis, divisor.
PANELS = (
    ("gpu_utilization_ratio", "utilization (%)", 0.01),
    ("gpu_memory_used_bytes", "memory (GB)", 1e9),
    ("gpu_power_mw", "power (W)", 1e3),
    ("gpu_temperature_c", "temperature (C)", 1),
    ("gpu_sm_clock_mhz", "SM clock (MHz)", 1),
    ("gpu_memory_clock_mhz", "memory clock (MHz)", 1),
    ("process_cpu_ratio", "process CPU (%)\n100: one core", 0.01),
    ("system_cpu_ratio", "all cores (%)", 0.01),
    ("process_memory_bytes", "process\nmemory (GB)", 1e9),
    ("cpu_temperature_c", "CPU (C)", 1),
)
SHARES = ("gpu_utilization_ratio", "system_cpu_ratio")  # of a whole: the axis ends at 100 %
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")


def draw_panel(axis, samples: plotting.Table, first: int, panel: tuple) -> None:
    """A line for each GPU, or for the host."""
    metric, label, divisor = panel
    rows = samples.where("metric", metric)
    for device in sorted(set(rows["device"])):
        one = rows.where("device", device)
        is_host = device == "host"
        axis.plot([(time - first) / 1e9 for time in one["time_ns"]], [value / divisor for value in one["value"]],
                  color=plotting.INK if is_host else LINES[int(device) % len(LINES)], linewidth=1.2,
                  label="host" if is_host else f"GPU {device}",
                  marker="." if len(one) < 60 else None, markersize=4, rasterized=len(one) > 20_000)
    axis.set_ylabel(label, fontsize=8)
    axis.set_ylim(0, max(1e-9, 1.15 * axis.get_ylim()[1]) if metric not in SHARES else 105)


def figure(samples: plotting.Table, iterations: plotting.Table):
    panels = [panel for panel in PANELS if panel[0] in set(samples["metric"])]
    has_gpu = any(panel[0].startswith("gpu_") for panel in panels)
    title = "GPUs and host over time" if has_gpu else "Host over time (no GPU was sampled)"
    if not panels:
        return plotting.message_figure("GPUs and host over time", "nothing was sampled beside this trace")
    first = min(samples["time_ns"])
    drawn = plotting_over_time.panels(title, iterations, first, "the first sample", panels, 1.25,
                             lambda axis, panel: draw_panel(axis, samples, first, panel))
    plotting.legend(drawn.axes[0], ncol=8)
    return drawn


def main() -> int:
    options = plotting.parser(__doc__, "device").parse_args()
    return plotting.run(options, lambda options: figure(plotting.report(options.trace, "device", "--series"),
                                                        plotting.report(options.trace, "iterations")))


if __name__ == "__main__":
    sys.exit(main())
