"""Pictures of a run over its time: panels below one another, iterations marked at the foot of each."""

import plotting

MAX_MARKS = 400  # more iterations than that would be a bar


def iteration_marks(iterations: plotting.Table, first: int) -> tuple[list[float], int]:
    """Where iterations begin, in seconds from `first` ns, and which of them: every nth."""
    starts = sorted({start for start in iterations["start_ns"] if start is not None}) if "start_ns" in iterations else []
    every = -(-len(starts) // MAX_MARKS) or 1
    return [(start - first) / 1e9 for start in starts[::every]], every


def marks_words(starts: list[float], every: int) -> str:
    if not starts:
        return ""
    return ": ticks below mark the start of " + ("every iteration" if every == 1 else f"one iteration in {every}")


def panels(title: str, iterations: plotting.Table, first: int, origin: str, rows: list, height: float, draw):
    """A figure with a panel for each of `rows`, drawn by draw(axis, row) in seconds from `first` ns, which is the
    time of `origin`."""
    starts, every = iteration_marks(iterations, first)
    drawn, axes = plotting.new_figure(title + marks_words(starts, every), height=1.4 + height * len(rows),
                                      rows=len(rows), sharex=True)
    axes = list(axes) if len(rows) > 1 else [axes]
    for axis, row in zip(axes, rows):
        draw(axis, row)
        axis.vlines(starts, 0, 0.05, transform=axis.get_xaxis_transform(), color=plotting.INK, linewidth=0.5)
    axes[-1].set_xlabel(f"time since {origin} (s)")
    return drawn
