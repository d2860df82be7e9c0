#!/usr/bin/env python3
"""One iteration as a timeline: a row for each stream, for each launching thread, and for the gaps' causes."""

import sys

import plotting
from plot_gaps import CAUSE_COLORS, color as gap_color

TITLE = "Timeline"
# What a row's kind is called in the key, and its colour. The name of a gap is its cause.
KINDS = {
    "kernel": ("compute", plotting.COLORS["compute"]),
    "communication": ("communication", plotting.COLORS["communication"]),
    "memcpy": ("memcpy", plotting.COLORS["memcpy"]),
    "memset": ("memset", plotting.COLORS["memset"]),
    "launch": ("launching call", "#9AA5B1"),
    "blocking": ("blocking call", "#5B2C6F"),
    "call": ("other call", "#C9CFD6"),
}


def lanes(table: plotting.Table) -> dict[str, list[int]]:
    """Row numbers of each lane, in the order in which the command prints the lanes."""
    found: dict[str, list[int]] = {}
    for i, lane in enumerate(table["lane"]):
        found.setdefault(lane, []).append(i)
    return found


def entry(kind: str, name: str) -> tuple[str, str]:
    """The words and the colour of an interval."""
    return (name, gap_color(name)) if kind == "gap" else KINDS.get(kind, (kind, plotting.INK))


def figure(table: plotting.Table):
    if not len(table):
        return plotting.message_figure(TITLE, "no GPU ops in this trace")
    origin = min(table["start_ns"])
    ends = [start + length for start, length in zip(table["start_ns"], table["duration_ns"])]
    divisor, unit = plotting.time_unit((max(ends) - origin) / 2)
    rows = lanes(table)

    drawn, axis = plotting.new_figure(f"{TITLE}: {plotting.count_of(len(table), 'interval')}", width=13, height=1.4 + 0.45 * len(rows))
    for row, members in enumerate(rows.values()):
        spans = [((table["start_ns"][i] - origin) / divisor, table["duration_ns"][i] / divisor) for i in members]
        axis.broken_barh(spans, (row - 0.36, 0.72), linewidth=0,
                         facecolors=[entry(table["kind"][i], table["name"][i])[1] for i in members])
    axis.set_yticks(range(len(rows)), [str(lane) for lane in rows], fontsize=8)
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.set_xlim(0, (max(ends) - origin) / divisor)
    axis.set_xlabel(f"time from the start ({unit})")
    key(axis, table)
    plotting.tell_scope(drawn, "; ".join(table.notes))
    return drawn


def key(axis, table: plotting.Table) -> None:
    """One entry for each colour that occurs."""
    seen = dict(entry(kind, name) for kind, name in set(zip(table["kind"], table["name"])))
    order = [label for label, _ in KINDS.values()] + list(CAUSE_COLORS)
    seen = dict(sorted(seen.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))
    for label, shade in seen.items():
        axis.barh([0], [0], color=shade, label=label)
    plotting.legend(axis, ncol=min(len(seen), 9))


def main() -> int:
    parser = plotting.parser(__doc__, "timeline")
    parser.add_argument("--iter", help="number of the iteration (default: the one that the command chooses)")
    options = parser.parse_args()
    chosen = ["--iter", options.iter] if options.iter else []
    return plotting.run(options, lambda options: figure(plotting.report_with_notes(options.trace, "timeline", *chosen)))


if __name__ == "__main__":
    sys.exit(main())
