#!/usr/bin/env python3
"""Which kernels take the GPU's time: one bar a kernel, and one bar a category."""

import re
import sys

import plotting

TITLE = "Kernel time"
SHOWN = 20
NAME_WIDTH = 64


def spoken(name: str) -> str:
    """A kernel's name without namespaces and return type: what tells template instances apart stays in view."""
    return re.sub(r"^void |(?:\(anonymous namespace\)|\w+)::", "", name)


def bars(axis, names: list, totals_ns: list, colors, heading: str) -> None:
    """Horizontal bars, the longest on top, each with its time."""
    divisor, unit = plotting.time_unit(max(totals_ns))
    axis.barh(range(len(names)), [value / divisor for value in totals_ns], color=colors, height=0.72)
    axis.set_yticks(range(len(names)), plotting.shorten_apart([spoken(str(name)) for name in names], NAME_WIDTH), fontsize=7)
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.set_title(heading, fontsize=9, loc="left", color=plotting.INK)
    axis.set_xlabel(f"time, streams added ({unit})", fontsize=8)
    for row, value in enumerate(totals_ns):
        axis.text(value / divisor, row, f" {value / divisor:.3g}", va="center", fontsize=7, color=plotting.INK)
    axis.margins(x=0.08, y=0.02)


def color(category: str) -> str:
    return plotting.COLORS["communication" if category == "communication" else "compute"]


def figure(kernels: plotting.Table, categories: plotting.Table):
    if not len(kernels):
        return plotting.message_figure(TITLE, "no kernels in this trace")
    shown = min(SHOWN, len(kernels))
    title = TITLE if shown == len(kernels) else f"{TITLE}: the {shown} largest of {len(kernels):,} kernels"
    drawn, (above, below) = plotting.new_figure(title, height=2.2 + 0.2 * (shown + len(categories)), rows=2,
                                                height_ratios=[shown + 1, len(categories) + 1])
    bars(above, kernels["name"][:shown], kernels["total_ns"][:shown],
         [color(category) for category in kernels["category"][:shown]], "by kernel")
    bars(below, categories["category"], categories["total_ns"],
         [color(category) for category in categories["category"]], "by category")
    # without what to type for another scope
    plotting.tell_scope(drawn, "; ".join(note.split("; --")[0] for note in kernels.notes))
    return drawn


def main() -> int:
    options = plotting.parser(__doc__, "kernels").parse_args()
    return plotting.run(options, lambda options: figure(
        plotting.report_with_notes(options.trace, "kernels"),
        plotting.report(options.trace, "categories")))


if __name__ == "__main__":
    sys.exit(main())
