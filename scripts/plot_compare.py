#!/usr/bin/env python3
"""Two runs side by side: the parts of their typical iteration, and how one iteration time becomes the other."""

import sys

import plotting

TITLE = "Typical iteration"
# Figure of `deepprof compare --table measures`, label, colour.
PARTS = (
    ("compute_ns", "compute", "compute"),
    ("communication_exposed_ns", "communication, exposed", "communication"),
    ("memcpy_exposed_ns", "memcpy, exposed", "memcpy"),
    ("memset_exposed_ns", "memset, exposed", "memset"),
    ("host_outside_ns", "idle: host outside CUDA", "host wait"),
    ("host_launch_ns", "idle: host launch-bound", "host wait"),
    ("host_blocked_ns", "idle: host blocked in CUDA", "host wait"),
    ("dependency_wait_ns", "idle: dependency wait", "idle"),
    ("kernel_wait_ns", "idle: kernel wait", "idle"),
    ("graph_replay_ns", "idle: graph replay", "idle"),
    ("overhead_ns", "idle: profiler overhead", "idle"),
    ("unattributed_ns", "idle: unattributed", "idle"),
)
LEAST_SHARE = 0.002  # of the iteration: smaller parts and changes would be lines without width


def rows_of(table: plotting.Table) -> dict[str, dict]:
    """The typical figures of the first pair, by name."""
    typical = table.where("over", "typical")
    if len(typical):
        typical = typical.where("run", typical["run"][0])
    return {name: {column: values[i] for column, values in typical.columns.items()}
            for i, name in enumerate(typical["figure"])}


def figure(table: plotting.Table):
    rows = rows_of(table)
    whole = rows.get("iteration_ns", {})
    if not whole.get("a") or not whole.get("b"):
        return plotting.message_figure(TITLE, "no iterations to compare: one of the runs has none")
    parts = [(rows[key], label, plotting.COLORS[color]) for key, label, color in PARTS
             if key in rows and max(rows[key]["a"] or 0, rows[key]["b"] or 0) > LEAST_SHARE * whole["a"]]
    divisor, unit = plotting.time_unit(whole["a"])
    change = whole["b"] / whole["a"] - 1
    title = f"{TITLE}: {whole['run']} against {whole['baseline']}, {change:+.1%}".replace("%", " %")
    if whole["low"] is not None:
        title += f" (99 % interval {100 * whole['low'] / whole['a']:+.1f} to {100 * whole['high'] / whole['a']:+.1f} %)"
        if whole["low"] <= 0 <= whole["high"]:
            title += ": not beyond chance"
    drawn, axes = plotting.new_figure(title, height=2.2 + 0.75 * (len(parts) + 2), rows=2, sharex=False)
    paired(axes[0], parts, whole, divisor)
    waterfall(axes[1], parts, whole, divisor)
    for axis in axes:
        axis.set_xlabel(f"time ({unit})")
        axis.grid(axis="x", color="#E6E6E6", linewidth=0.6)
        axis.grid(axis="y", visible=False)
    plotting.tell_scope(drawn, "the typical iteration of each run: the mean without its fastest and slowest fifth")
    return drawn


def label_rows(axis, labels: list[str]) -> None:
    axis.set_yticks(range(len(labels)), labels)
    axis.invert_yaxis()


def paired(axis, parts: list, whole: dict, divisor: float) -> None:
    """A pale bar for the first run above a full one for the second."""
    for i, (row, _, color) in enumerate(parts):
        axis.barh(i - 0.2, row["a"] / divisor, height=0.38, color=color, alpha=0.45, edgecolor="#888888", linewidth=0.4)
        axis.barh(i + 0.2, row["b"] / divisor, height=0.38, color=color, edgecolor="#888888", linewidth=0.4)
    label_rows(axis, [label + (" *" if row["verdict"] == "differs" else "") for row, label, _ in parts])
    axis.set_title(f"pale: {whole['baseline']}   full: {whole['run']}   * differs by more than chance", fontsize=9,
                   loc="left", color=plotting.INK)


def waterfall(axis, parts: list, whole: dict, divisor: float) -> None:
    """From the first run's time to the second's, part by part, largest change first."""
    steps = sorted((part for part in parts if abs(part[0]["change"]) > LEAST_SHARE * whole["a"]),
                   key=lambda part: -abs(part[0]["change"]))
    small = whole["b"] - whole["a"] - sum(row["change"] for row, _, _ in steps)
    axis.barh(0, whole["a"] / divisor, height=0.6, color="#999999")
    at = whole["a"]
    for i, (row, _, color) in enumerate(steps, 1):
        axis.barh(i, row["change"] / divisor, left=at / divisor, height=0.6, color=color, edgecolor="#888888", linewidth=0.4)
        axis.annotate(f"{row['change'] / divisor:+.3g}", (max(at, at + row["change"]) / divisor, i), xytext=(4, 0),
                      textcoords="offset points", va="center", fontsize=8, color=plotting.INK)
        at += row["change"]
    labels = [str(whole["baseline"]), *(label for _, label, _ in steps), str(whole["run"])]
    if abs(small) > LEAST_SHARE * whole["a"]:
        labels.insert(-1, "the rest")
        axis.barh(len(labels) - 2, small / divisor, left=at / divisor, height=0.6, color="#BBBBBB")
    axis.barh(len(labels) - 1, whole["b"] / divisor, height=0.6, color="#666666")
    label_rows(axis, labels)
    low = min(whole["a"], whole["b"], at)
    reach = sum(abs(row["change"]) for row, _, _ in steps) or whole["a"]
    axis.set_xlim(max(0, low - 3 * reach) / divisor, (max(whole["a"], whole["b"]) + 0.5 * reach) * 1.02 / divisor)
    starts_at_zero = axis.get_xlim()[0] == 0
    axis.set_title("what makes the difference" + ("" if starts_at_zero else " (the axis does not begin at 0)"), fontsize=9,
                   loc="left", color=plotting.INK)


def main() -> int:
    parser = plotting.parser(__doc__, "compare")
    parser.add_argument("--with", dest="others", nargs="+", required=True, metavar="TRACE", help="the run to compare with it")
    return plotting.run(parser.parse_args(), lambda options: figure(
        plotting.table("compare", options.trace, options.others[0], "--table", "measures", "--format", "csv")))


if __name__ == "__main__":
    sys.exit(main())
