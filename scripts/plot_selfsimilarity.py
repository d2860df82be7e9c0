#!/usr/bin/env python3
"""Where the sequence of GPU ops repeats itself: a dot where two places run the same ops, with the mined
iteration boundaries as lines. A job that repeats shows diagonals one iteration apart."""

import sys

import numpy

import plotting

TITLE = "Self-similarity of the GPU ops in launch order"
WORD = 4          # ops that must agree for a dot; fewer show every common kernel, more hide small changes
MAX_OPS = 3000    # ops on each side of the picture
ITERATIONS = 6    # shown, where iterations were found and fit


def words(names: list) -> numpy.ndarray:
    """A number for each place: the same where the next WORD ops are the same."""
    numbers: dict[str, int] = {}
    ids = numpy.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=numpy.int64)
    if len(ids) < WORD:
        return ids[:0]
    runs = numpy.lib.stride_tricks.sliding_window_view(ids, WORD)
    return numpy.unique(runs, axis=0, return_inverse=True)[1].reshape(-1)


def window(count: int, boundaries: list[int]) -> tuple[int, int]:
    """The half-open range of ops to draw: ITERATIONS iterations from the middle of the run if they fit."""
    if len(boundaries) > 1:
        first = max(0, (len(boundaries) - 1 - ITERATIONS) // 2)
        last = min(first + ITERATIONS, len(boundaries) - 1)
        if boundaries[last] - boundaries[first] <= MAX_OPS:
            return boundaries[first], boundaries[last]
    middle = boundaries[len(boundaries) // 2] if boundaries else 0
    start = max(0, min(middle, count - MAX_OPS))
    return start, min(count, start + MAX_OPS)


def figure(ops: plotting.Table, iterations: plotting.Table):
    if len(ops) < WORD:
        return plotting.message_figure(TITLE, f"{len(ops)} GPU ops: too few to compare")
    place = {correlation: i for i, correlation in reversed(list(enumerate(ops["correlation"])))}
    found = iterations.where("kind", "iteration")
    boundaries = sorted(place[first] for first in found["first_correlation"] if first in place)
    start, end = window(len(ops), boundaries)
    numbers = words(ops["name"][start:end])
    rows, columns = numpy.nonzero(numbers[:, None] == numbers[None, :])

    drawn, axis = plotting.new_figure(TITLE, width=7.4, height=7.6)
    axis.plot(start + columns, start + rows, linestyle="", marker=".", markeredgewidth=0,
              markersize=min(4, max(0.8, 1200 / (end - start))), color=plotting.COLORS["compute"], rasterized=True)
    for boundary in boundaries:
        if start <= boundary < end:
            axis.axvline(boundary, color=plotting.MARK, linewidth=0.5)
            axis.axhline(boundary, color=plotting.MARK, linewidth=0.5)
    axis.set_xlim(start, end)
    axis.set_ylim(end, start)
    axis.set_aspect("equal")
    axis.grid(visible=False)
    axis.set_xlabel(f"op number ({end - start:,} of {len(ops):,} ops; a dot: the same {WORD} ops at both places)", fontsize=8)
    axis.set_title(f"{plotting.count_of(len(boundaries), 'iteration')} found" if boundaries else "no iteration structure found",
                   fontsize=9, loc="left", color=plotting.MARK if boundaries else plotting.INK)
    return drawn


def main() -> int:
    options = plotting.parser(__doc__, "selfsimilarity").parse_args()
    return plotting.run(options, lambda options: figure(
        plotting.export(options.trace, ["export", "--to", "csv"]),
        plotting.export(options.trace, ["iterations"])))


if __name__ == "__main__":
    sys.exit(main())
