#!/usr/bin/env python3
"""Where the sequence of GPU ops repeats itself: a dot where two places run the same ops, with the mined
iteration boundaries as lines. A job that repeats shows diagonals one iteration apart."""

import sys

import numpy
from matplotlib.colors import LinearSegmentedColormap

import plotting

TITLE = "Self-similarity of the GPU ops in launch order"
WORD = 4          # ops that must agree for a dot; fewer show every common kernel, more hide small changes
MAX_OPS = 6000    # ops on each side of the picture
ITERATIONS = 6    # shown at most, where iterations were found
CELLS = 1000      # on each side; more ops than that share a cell

BLUES = LinearSegmentedColormap.from_list("dots", ["white", plotting.COLORS["compute"]])


def words(names: list) -> numpy.ndarray:
    """A number for each place: the same where the next WORD ops are the same."""
    numbers: dict[str, int] = {}
    ids = numpy.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=numpy.int64)
    if len(ids) < WORD:
        return ids[:0]
    runs = numpy.lib.stride_tricks.sliding_window_view(ids, WORD)
    return numpy.unique(runs, axis=0, return_inverse=True)[1].reshape(-1)


def window(count: int, boundaries: list[int]) -> tuple[int, int]:
    """The half-open range of ops to draw: whole iterations from the middle of the run as far as they fit."""
    first = max(0, (len(boundaries) - 1 - ITERATIONS) // 2)
    for last in range(min(first + ITERATIONS, len(boundaries) - 1), first, -1):
        if boundaries[last] - boundaries[first] <= MAX_OPS:
            return boundaries[first], boundaries[last]
    start = boundaries[first] if boundaries else 0
    start = max(0, min(start, count - MAX_OPS))
    return start, min(count, start + MAX_OPS)


def dots(numbers: numpy.ndarray) -> numpy.ndarray:
    """The darkness of each cell, 0 to 1: the root of the share of its places that agree, so that a single
    dot in a cell still shows."""
    size = -(-len(numbers) // CELLS)
    padded = numpy.concatenate([numbers, numpy.full(-len(numbers) % size, -1)])
    same = (padded[:, None] == padded[None, :]) & (padded >= 0)
    cells = len(padded) // size
    return numpy.sqrt(same.reshape(cells, size, cells, size).mean(axis=(1, 3)))


def launch_order(ops: plotting.Table) -> plotting.Table:
    """By correlation id; the ops of one graph launch share one, and follow by node and start."""
    keys = list(zip(ops["correlation"], ops["graph_node"], ops["start_ns"]))
    return ops.take(sorted(range(len(ops)), key=keys.__getitem__))


def figure(ops: plotting.Table, iterations: plotting.Table):
    ops, device = plotting.one_device(ops)
    if len(ops) < WORD:
        return plotting.message_figure(TITLE, f"{len(ops)} GPU ops: too few to compare")
    ops = launch_order(ops)
    place = {correlation: i for i, correlation in reversed(list(enumerate(ops["correlation"])))}
    found = iterations.where("device", ops["device"][0]).where("kind", "iteration")
    boundaries = sorted(place[first] for first in found["first_correlation"] if first in place)
    start, end = window(len(ops), boundaries)
    cells = dots(words(ops["name"][start:end]))

    drawn, axis = plotting.new_figure(TITLE + device, width=7.4, height=7.6)
    axis.imshow(cells, cmap=BLUES, vmin=0, vmax=1, interpolation="nearest", extent=(start, end - WORD + 1, end - WORD + 1, start))
    for boundary in boundaries:
        if start <= boundary < end:
            axis.axvline(boundary, color=plotting.MARK, linewidth=0.5)
            axis.axhline(boundary, color=plotting.MARK, linewidth=0.5)
    axis.set_xlim(start, end)
    axis.set_ylim(end, start)
    axis.set_aspect("equal")
    axis.grid(visible=False)
    plotting.count_axis(axis.xaxis)
    plotting.count_axis(axis.yaxis)
    axis.set_xlabel(f"op number ({end - start:,} of {len(ops):,} ops; a dot: the same {WORD} ops at both places)", fontsize=8)
    axis.set_title(f"{plotting.count_of(len(boundaries), 'iteration')} found" if boundaries else "no iterations found",
                   fontsize=9, loc="left", color=plotting.MARK if boundaries else plotting.INK)
    plotting.tell_scope(drawn, f"GPU ops {start:,} to {end:,} of {len(ops):,}, in launch order")
    return drawn


def main() -> int:
    options = plotting.parser(__doc__, "selfsimilarity").parse_args()
    return plotting.run(options, lambda options: figure(
        plotting.gpu_ops(options.trace),
        plotting.report(options.trace, "iterations")))


if __name__ == "__main__":
    sys.exit(main())
