#!/usr/bin/env python3
"""One iteration as a timeline: a row for each stream, for each launching thread, and for the gaps' causes."""

import sys

import plotting
from plot_gaps import color as gap_color

TITLE = "Timeline"
KIND_COLORS = {"kernel": "compute", "memcpy": "memcpy", "memset": "memset", "communication": "communication"}


def lanes(table: plotting.Table) -> dict[str, list[int]]:
    """Row numbers of each lane, in the order in which the command prints the lanes."""
    found: dict[str, list[int]] = {}
    for i, lane in enumerate(table["lane"]):
        found.setdefault(lane, []).append(i)
    return found


def color(kind: str, name: str) -> str:
    if kind == "gap":
        return gap_color(name)
    return plotting.COLORS[KIND_COLORS[kind]] if kind in KIND_COLORS else "#9AA5B1"


def figure(table: plotting.Table):
    if not len(table):
        return plotting.message_figure(TITLE, "no iteration to draw: no iteration structure was found")
    origin = min(table["start_ns"])
    ends = [start + length for start, length in zip(table["start_ns"], table["duration_ns"])]
    divisor, unit = plotting.time_unit((max(ends) - origin) / 2)
    rows = lanes(table)

    drawn, axis = plotting.new_figure(f"{TITLE}: {plotting.count_of(len(table), 'interval')}", width=13, height=1.4 + 0.45 * len(rows))
    for row, members in enumerate(rows.values()):
        spans = [((table["start_ns"][i] - origin) / divisor, table["duration_ns"][i] / divisor) for i in members]
        axis.broken_barh(spans, (row - 0.36, 0.72), linewidth=0,
                         facecolors=[color(table["kind"][i], table["name"][i]) for i in members])
    axis.set_yticks(range(len(rows)), [str(lane) for lane in rows], fontsize=8)
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.set_xlim(0, (max(ends) - origin) / divisor)
    axis.set_xlabel(f"time in the iteration ({unit})")
    key(axis, table)
    return drawn


def key(axis, table: plotting.Table) -> None:
    """One entry for each colour that occurs."""
    seen: dict[str, str] = {}
    for kind, name in zip(table["kind"], table["name"]):
        label = name if kind == "gap" else "host call" if kind not in KIND_COLORS else kind
        seen.setdefault(label, color(kind, name))
    for label, shade in seen.items():
        axis.barh([0], [0], color=shade, label=label)
    plotting.legend(axis, ncol=min(len(seen), 9))


def main() -> int:
    parser = plotting.parser(__doc__, "timeline")
    parser.add_argument("--iter", help="number of the iteration (default: the one that the command chooses)")
    options = parser.parse_args()
    chosen = ["--iter", options.iter] if options.iter else []
    return plotting.run(options, lambda options: figure(plotting.report(options.trace, "timeline", *chosen)))


if __name__ == "__main__":
    sys.exit(main())
