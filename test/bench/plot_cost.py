#!/usr/bin/env python3
"""Draws what bench_mine printed: seconds by ops, both logarithmic, beside lines of constant cost an op.

    bench_mine 1e8 | test/bench/plot_cost.py > docs/mining-cost.svg
"""
import math
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 70, 20, 20, 50
LINES_NS = (30, 100, 300, 1000)  # cost an op
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def main():
    rows = [line.split() for line in sys.stdin]
    points = [(float(row[0]), float(row[1])) for row in rows if row and row[0].isdigit()]
    if len(points) < 2:
        sys.exit("plot_cost: needs two rows of bench_mine at least")
    xs = [math.log10(ops) for ops, _ in points]
    ys = [math.log10(seconds) for _, seconds in points]
    x_range = (math.floor(min(xs)), math.ceil(max(xs)))
    y_range = (math.floor(min(ys)), math.ceil(max(ys)))

    def place(x, y):
        across = (x - x_range[0]) / (x_range[1] - x_range[0]) * (WIDTH - LEFT - RIGHT)
        up = (y - y_range[0]) / (y_range[1] - y_range[0]) * (HEIGHT - TOP - BOTTOM)
        return LEFT + across, HEIGHT - BOTTOM - up

    def line(a, b, style):
        return f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" {style}/>'

    def text(at, words, anchor):
        return f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}">{words}</text>'

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for x in range(x_range[0], x_range[1] + 1):
        foot, head = place(x, y_range[0]), place(x, y_range[1])
        out += [line(foot, head, 'stroke="#ddd"'), text((foot[0], foot[1] + 18), "10" + str(x).translate(SUPERSCRIPT), "middle")]
    for y in range(y_range[0], y_range[1] + 1):
        left, right = place(x_range[0], y), place(x_range[1], y)
        out += [line(left, right, 'stroke="#ddd"'), text((left[0] - 6, left[1] + 4), f"{10.0 ** y:g}", "end")]
    for ns in LINES_NS:  # seconds = ops * ns * 1e-9, cut at the frame
        shift = math.log10(ns) - 9
        from_x, to_x = max(x_range[0], y_range[0] - shift), min(x_range[1], y_range[1] - shift)
        end = place(to_x, to_x + shift)
        out += [line(place(from_x, from_x + shift), end, 'stroke="#999" stroke-dasharray="4 3"'),
                text((end[0] - 4, end[1] + 14), f"{ns} ns", "end")]
    dots = [place(x, y) for x, y in zip(xs, ys)]
    out.append('<polyline fill="none" stroke="#1f5fa8" stroke-width="2" points="%s"/>' % " ".join(f"{x:.1f},{y:.1f}" for x, y in dots))
    out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#1f5fa8"/>' for x, y in dots]
    out += [text((WIDTH / 2, HEIGHT - 10), "GPU ops in the recording", "middle"),
            text((LEFT + 6, TOP + 14), "processor seconds of mine(); dashed: so many ns an op", "start"), "</svg>"]
    print("\n".join(out))


main()
