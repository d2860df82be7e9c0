"""What the pictures share: reading a table that `deepprof` prints, colours, axes, and the command line.

A picture is one script with a pure function from tables to a figure. Its `main()` hands that function
and the verbs it reads to `run()`. Scripts draw; every figure in them comes from the command's CSV.
"""

import argparse
import collections
import csv
import dataclasses
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure  # noqa: E402  (the backend has to be chosen first)
from matplotlib.ticker import MaxNLocator  # noqa: E402

# Okabe-Ito, the same in every picture and report.
COLORS = {
    "compute": "#0072B2",
    "communication": "#E69F00",
    "memcpy": "#009E73",
    "memset": "#F0E442",
    "idle": "#D3D3D3",
    "not recorded": "#F7F7F7",
    "host wait": "#D55E00",
}
INK = "#333333"
MARK = COLORS["host wait"]       # what the reader should look at: slow iterations
# Parts of a run that are no training: background and mark, told in the legend.
SECTIONS = {
    "warm-up": ("#F6E7D2", "^"),
    "evaluation": ("#D9E8F3", "s"),
    "checkpoint": ("#E6DDF0", "D"),
    "irregular": ("#EAEAEA", "v"),
}
ASIDE = "#7A7A7A"  # what is not counted: its marks


class PlotError(Exception):
    """A sentence for the person at the terminal."""


class Nothing(Exception):
    """Why there is nothing to draw."""


@dataclasses.dataclass
class Table:
    """Columns of one CSV table. Whole numbers stay exact; an empty cell (n/a) is None."""

    columns: dict[str, list]
    notes: list[str] = dataclasses.field(default_factory=list)  # what the command says below it

    @classmethod
    def parse_json(cls, text: str) -> "Table":
        table = json.loads(text)
        return cls({name: [row[name] for row in table["rows"]] for name in table["columns"]}, table["notes"])

    @classmethod
    def parse(cls, text: str) -> "Table":
        rows = list(csv.reader(io.StringIO(text)))
        if not rows:
            raise PlotError("the table has no header line")
        header, body = rows[0], rows[1:]
        return cls({name: [_value(row[i]) if i < len(row) else None for row in body]
                    for i, name in enumerate(header)})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> list:
        if name not in self.columns:
            raise PlotError(f"the table has no column {name}; it has {', '.join(self.columns)}")
        return self.columns[name]

    def where(self, name: str, wanted) -> "Table":
        """The rows in which column `name` is `wanted`."""
        return self.take([i for i, value in enumerate(self[name]) if value == wanted])

    def take(self, rows: list[int]) -> "Table":
        """The rows with these numbers, in this order."""
        return Table({name: [values[i] for i in rows] for name, values in self.columns.items()})


def one_device(table: Table) -> tuple[Table, str]:
    """The rows of the device with most of them, and words for the title where there are others."""
    counts = collections.Counter(table["device"])
    if len(counts) < 2:
        return table, ""
    device = counts.most_common(1)[0][0]
    return table.where("device", device), f" of device {device} ({len(counts)} devices)"


def iterations_of(table: Table) -> tuple[Table, str]:
    """The iterations among the rows, of one device, and words for the title; of a run without a GPU the steps that
    its framework told of. Raises Nothing where there are none."""
    if "kind" not in table:
        if "step" not in table:
            raise Nothing("nothing ran on a GPU in this trace")
        return Table({**table.columns, "section": ["training"] * len(table)}), " (optimizer steps: nothing ran on a GPU)"
    found = table.where("kind", "iteration")
    if len(found):
        return one_device(found)
    kinds = sorted(set(table["kind"]))
    if kinds:
        raise Nothing(f"no iterations: what repeats in this trace is a {kinds[0]}")
    raise Nothing("no iteration structure found in this trace")


def _value(text: str):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def time_unit(largest_ns: float) -> tuple[float, str]:
    """The divisor and the name of the unit in which `largest_ns` reads well."""
    for divisor, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if largest_ns >= divisor:
            return divisor, name
    return 1.0, "ns"


def duration(value_ns: float) -> str:
    divisor, unit = time_unit(value_ns)
    return f"{value_ns / divisor:.3g} {unit}"


def new_figure(title: str, width: float = 10, height: float = 4.5, rows: int = 1, **grid):
    """A titled figure and its axes (one, or a list of `rows`)."""
    figure = Figure(figsize=(width, height), dpi=110, layout="constrained")
    axes = figure.subplots(rows, 1, **grid)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, color=INK)
    for axis in (axes if rows > 1 else [axes]):
        style(axis)
    return figure, axes


def tell_scope(figure: Figure, words: str) -> None:
    """What the figures of the picture are of; run() writes it below, behind the name of the file."""
    figure.scope = words


def iterations_words(table: Table) -> str:
    """Of the rows of one device: how many, and which of them the report's figures are of."""
    if "counted" not in table:
        return "all steps of the run"
    counted = table["counted"].count("yes")
    every = f"all {len(table):,} iterations of the recording"
    return every if counted == len(table) else f"{every}; the report's figures are of {counted:,} of them"


def caption(figure: Figure, file: str) -> None:
    words = ": ".join(part for part in (file, getattr(figure, "scope", "")) if part)
    figure.supxlabel("\n".join(textwrap.wrap(words, int(14 * figure.get_figwidth()))), x=0.01, ha="left", fontsize=7, color=ASIDE)


def style(axis) -> None:
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(colors=INK, labelsize=8)
    axis.grid(axis="y", color="#E6E6E6", linewidth=0.6)
    axis.set_axisbelow(True)


def message_figure(title: str, message: str) -> Figure:
    """A picture that says why there is nothing to draw. Never an empty frame that looks like zero."""
    figure, axis = new_figure(title, height=2.2)
    axis.set_axis_off()
    axis.text(0.5, 0.5, message, ha="center", va="center", fontsize=11, color=INK, transform=axis.transAxes)
    return figure


def legend(axis, **options) -> None:
    """Above the axes at the right, where it hides nothing."""
    axis.legend(loc="lower right", bbox_to_anchor=(1, 1.0), frameon=False, fontsize=8, **options)


def count_of(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def count_axis(axis) -> None:
    """Whole numbers only, with thousands separated."""
    axis.set_major_locator(MaxNLocator(integer=True))
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def room_for(values: list[float]) -> float:
    """How high an axis from zero should reach: over all values, unless a few (a twentieth, or one) would press
    all others to the ground; then over the others alone."""
    ordered = sorted(values)
    few = max(1, len(ordered) // 20)
    if len(ordered) <= few:
        return max(ordered, default=0) * 1.02
    usual = ordered[-few - 1] * 1.25
    return usual if 0 < 2 * usual < ordered[-1] else ordered[-1] * 1.02


def sections_of(names: list) -> list[tuple[int, int, str]]:
    """Half-open runs [first, last) of rows with the same section name."""
    runs = []
    for i, name in enumerate(names):
        if runs and runs[-1][2] == name:
            runs[-1] = (runs[-1][0], i + 1, name)
        else:
            runs.append((i, i + 1, name))
    return runs


def aside(names: list) -> list[bool]:
    """By row: whether it lies in a section that is left out of what is counted. Without training all count."""
    usual = {"training", "steady"}.intersection(names)
    return [name not in usual for name in names] if usual else [False] * len(names)


def clip(axis, places: list[float], values: list[float], divisor: float, colors: list[str] | None = None) -> None:
    """Times, in units of `divisor` nanoseconds. Ends the axis at room_for(values). What stands out above is marked with its value at a broken edge."""
    top = room_for(values)
    axis.set_ylim(0, top or 1)
    colors = colors or [MARK] * len(values)
    beyond = sorted(((value, place, color) for place, value, color in zip(places, values, colors) if value > top),
                    reverse=True)
    if not beyond:
        return
    edge = axis.get_xaxis_transform()
    axis.scatter([place for _, place, _ in beyond], [1.0] * len(beyond), marker="^", s=25,
                 c=[color for _, _, color in beyond], transform=edge, clip_on=False, zorder=5)
    axis.spines["left"].set_linestyle((0, (4, 3)))  # the axis goes on: the largest value is written, not drawn
    # What the reader should look at is written, before what is left out anyway.
    written = [mark for mark in beyond if mark[2] == MARK] or beyond
    value, place, color = written[0]
    others = f", and {len(written) - 1} more above {duration(top * divisor)}" if len(written) > 1 else ""
    low, high = axis.get_xlim()
    at_right = place > (low + high) / 2
    axis.annotate(duration(value * divisor) + others, (place, 1.0), xycoords=edge, xytext=(-7 if at_right else 7, -16),
                  textcoords="offset points", ha="right" if at_right else "left", va="top", fontsize=8, color=color,
                  bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1})


def shorten(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 3] + "..."


def shorten_apart(names: list, width: int) -> list:
    """The names, cut; of those that would look alike the beginning and what they differ in stay in view."""
    cut = [shorten(name, width) for name in names]
    head = width // 3
    for look in {look for look in cut if cut.count(look) > 1}:
        alike = [name for name, shown in zip(names, cut) if shown == look]
        first = len(os.path.commonprefix(alike))
        first = max((at for at in range(head, first) if not alike[0][at].isalnum()), default=min(first, head))
        cut = [shorten(name[:head] + "..." + name[first:], width) if shown == look and first > head else shown
               for name, shown in zip(names, cut)]
    return cut


def find_deepprof() -> str:
    """DEEPPROF_COMMAND, then the path, then this source tree's builds."""
    named = os.environ.get("DEEPPROF_COMMAND")
    if named:
        return named
    tree = pathlib.Path(__file__).resolve().parent.parent
    built = [str(path) for preset in ("release", "dev") for path in (tree / "build" / preset).glob("analysis/cli/deepprof")]
    found = shutil.which("deepprof") or next(iter(built), None)
    if not found:
        raise PlotError("no deepprof command: put it on the path or name it in DEEPPROF_COMMAND")
    return found


def table(*words: str) -> Table:
    """The table that `deepprof WORDS...` prints as CSV. Exit code 2 is an honest "found nothing"; without a table
    it raises Nothing."""
    done = subprocess.run([find_deepprof(), *words], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in (0, 2):
        raise PlotError(done.stderr.strip() or f"deepprof {words[0]} failed with code {done.returncode}")
    if done.returncode == 2 and not done.stdout:
        raise Nothing(done.stderr.strip().removeprefix("deepprof ") or "nothing found in this trace")
    return Table.parse(done.stdout)


def report(trace: str, verb: str, *options: str) -> Table:
    return table(verb, trace, *options, "--format", "csv")


def report_with_notes(trace: str, verb: str, *options: str) -> Table:
    """With what the command says of its scope, which CSV has no place for."""
    done = subprocess.run([find_deepprof(), verb, trace, *options, "--format", "json"], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in (0, 2):
        raise PlotError(done.stderr.strip() or f"deepprof {verb} failed with code {done.returncode}")
    if not done.stdout:
        raise Nothing(done.stderr.strip().removeprefix("deepprof ") or "nothing found in this trace")
    return Table.parse_json(done.stdout)


def gpu_ops(trace: str) -> Table:
    return table("export", trace, "--to", "csv")


def save(figure: Figure, output: pathlib.Path) -> list[pathlib.Path]:
    """Writes OUTPUT, or OUTPUT.png and OUTPUT.svg when it has neither suffix."""
    paths = [output] if output.suffix in (".png", ".svg") else [output.with_name(output.name + s) for s in (".png", ".svg")]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, facecolor="white")
    return paths


def parser(description: str, name: str) -> argparse.ArgumentParser:
    """The options that every picture has."""
    options = argparse.ArgumentParser(description=description)
    options.set_defaults(title=re.split("[:.]", description)[0])
    options.add_argument("trace", help="a .dprof file or any trace that deepprof reads")
    options.add_argument("--output", type=pathlib.Path, default=pathlib.Path(name),
                         help="file to write; without .png or .svg both are written (default: %(default)s)")
    return options


def drawn(options: argparse.Namespace, draw) -> Figure:
    try:
        figure = draw(options)
    except Nothing as why:
        figure = message_figure(options.title, "\n".join(textwrap.wrap(str(why), 100)))
    files = [options.trace, *(getattr(options, "others", None) or [])]
    caption(figure, ", ".join(pathlib.Path(file).name for file in files))
    return figure


def run(options: argparse.Namespace, draw) -> int:
    """Calls draw(options) for the figure, writes it, and turns faults into one line."""
    try:
        for path in save(drawn(options, draw), options.output):
            print(path)
        return 0
    except (PlotError, OSError) as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        return 1
