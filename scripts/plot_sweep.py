#!/usr/bin/env python3
"""Runs in several configurations: time, items/s, utilization, power, energy per item and memory against what was varied."""

import sys

import plotting

TITLE = "Sweep"
# Column of `deepprof compare --table sweep`, label of the axis, divisor, colour.
PANELS = (
    ("iteration_ns", "iteration (ms)", 1e6, "compute"),
    ("items_per_s", "items/s", 1, "communication"),
    ("iterations_per_s", "iterations/s", 1, "communication"),
    ("busy_ratio", "GPU busy (%)", 0.01, "memcpy"),
    ("utilization_ratio", "utilization, NVML (%)", 0.01, "memcpy"),
    ("power_mw", "power (W)", 1e3, "host wait"),
    ("energy_per_item_mj", "energy per item (J)", 1e3, "host wait"),
    ("memory_bytes", "GPU memory (GB)", 1e9, "compute"),
    ("process_cpu_ratio", "process CPU (%, 100: one core)", 0.01, "idle"),
)
COLUMNS = 3


def panels_of(table: plotting.Table) -> list[tuple]:
    """Those with a value; iterations/s only where items/s is not known."""
    known = [panel for panel in PANELS if panel[0] in table and any(value is not None for value in table[panel[0]])]
    has_items = any(panel[0] == "items_per_s" for panel in known)
    return [panel for panel in known if panel[0] != "iterations_per_s" or not has_items]


def figure(table: plotting.Table):
    panels = panels_of(table)
    if not panels:
        return plotting.message_figure(TITLE, "no run has iterations")
    by = table["by"][0]
    rows = -(-len(panels) // COLUMNS)
    drawn = plotting.Figure(figsize=(11, 0.8 + 2.5 * rows), dpi=110, layout="constrained")
    drawn.suptitle(f"{plotting.count_of(len(table), 'run')} by {by}", x=0.01, ha="left", fontsize=11, color=plotting.INK)
    axes = drawn.subplots(rows, COLUMNS, squeeze=False).flatten()
    for axis, panel in zip(axes, panels):
        plotting.style(axis)
        draw(axis, table, *panel)
        axis.set_xlabel(by, fontsize=8)
    for axis in axes[len(panels):]:
        axis.set_axis_off()
    plotting.tell_scope(drawn, "of the counted iterations of each run")
    return drawn


def figure_text(value: float) -> str:
    """Three digits, and never a power of ten."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def draw(axis, table: plotting.Table, column: str, label: str, divisor: float, color: str) -> None:
    """A line where the runs stand in an order, else bars. A run without the figure has a gap."""
    varied = table["value"]
    unique = len(set(varied)) == len(varied)  # else the run tells which one it is
    runs = table["run"] if "run" in table else varied  # nothing else was varied
    names = [plotting.shorten(str(value if unique else run), 16) for value, run in zip(varied, runs)]
    values = [float("nan") if value is None else value / divisor for value in table[column]]
    ordered = unique and all(isinstance(value, (int, float)) for value in varied)
    if ordered:
        axis.plot(range(len(values)), values, marker="o", markersize=5, color=plotting.COLORS[color])
    else:
        axis.bar(range(len(values)), values, width=0.6, color=plotting.COLORS[color])
    if column == "iteration_ns":
        spans = [(i, low / divisor, high / divisor) for i, (low, high) in
                 enumerate(zip(table["iteration_low_ns"], table["iteration_high_ns"])) if None not in (low, high)]
        axis.vlines([i for i, _, _ in spans], [low for _, low, _ in spans], [high for _, _, high in spans],
                    color=plotting.INK, linewidth=1)
        axis.set_title("line: 99 % interval", fontsize=7, loc="right", color=plotting.INK)
    for i, value in enumerate(values):
        if value == value:
            axis.annotate(figure_text(value), (i, value), xytext=(5, 4), textcoords="offset points", fontsize=7,
                          color=plotting.INK)
        else:
            axis.annotate("n/a", (i, 0), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=7, color=plotting.INK)
    axis.set_xticks(range(len(names)), names)
    axis.set_xlim(-0.6, len(names) - 0.4)
    top = max((value for value in values if value == value), default=1)
    axis.set_ylim(0, 1.25 * top or 1)
    axis.set_ylabel(label, fontsize=8)


def main() -> int:
    parser = plotting.parser(__doc__, "sweep")
    parser.add_argument("--with", dest="others", nargs="+", required=True, metavar="TRACE", help="the other runs")
    parser.add_argument("--by", help="what was varied, as in deepprof compare (default: what differs)")
    return plotting.run(parser.parse_args(), lambda options: figure(plotting.table(
        "compare", options.trace, *options.others, *(["--by", options.by] if options.by else []), "--table", "sweep",
        "--format", "csv")))


if __name__ == "__main__":
    sys.exit(main())
