"""Each picture draws what its tables say, for ordinary runs and for the odd ones: nothing found, one
iteration, a hundred thousand."""

import io
import pathlib
import tempfile
import time
import unittest

import example_tables as tables
import plot_breakdown
import plot_compare
import plot_device
import plot_gaps
import plot_histogram
import plot_iterations
import plot_kernels
import plot_memory
import plot_selfsimilarity
import plot_sweep
import plot_timeline
import plotting
from matplotlib import colors
from plotting import Table


def texts(figure) -> str:
    """Everything that is written in a figure."""
    found = [figure._suptitle.get_text()]
    for axis in figure.axes:
        found += [text.get_text() for text in axis.texts] + [axis.get_xlabel(), axis.get_ylabel(), axis.get_title("left")]
        found += [label.get_text() for label in axis.get_yticklabels()]
        if axis.get_legend():
            found += [text.get_text() for text in axis.get_legend().get_texts()]
    return "\n".join(found)


def rendered(figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


class TableTest(unittest.TestCase):
    def test_whole_numbers_stay_exact_and_an_empty_cell_is_none(self):
        table = Table.parse("name,start_ns,share_ratio\n\"a,b\",1700000000123456789,0.25\nc,,\n")
        self.assertEqual(table.columns, {"name": ["a,b", "c"], "start_ns": [1700000000123456789, None],
                                         "share_ratio": [0.25, None]})

    def test_a_missing_column_is_named_with_those_that_are_there(self):
        with self.assertRaisesRegex(plotting.PlotError, "no column idle_ns; it has name"):
            Table.parse("name\nx\n")["idle_ns"]


class ScopeTest(unittest.TestCase):
    def test_every_picture_says_what_its_figures_are_of(self):
        iterations = tables.iterations(40)
        kernels = tables.kernels(3)
        kernels.notes = ["of 38 of 40 iterations"]
        timeline = tables.timeline(20)
        timeline.notes = ["GPU 0  iteration 3, 2.00 ms"]
        for figure, words in (
                (plot_iterations.figure(iterations), "all 40 iterations of the recording; the report's figures are of 38"),
                (plot_breakdown.figure(iterations), "all 40 iterations of the recording; the report's figures are of 38"),
                (plot_histogram.figure(iterations), "38 of 40 iterations of the recording"),
                (plot_gaps.figure(tables.gaps(50)), "the whole recording"),
                (plot_kernels.figure(kernels, tables.categories()), "of 38 of 40 iterations"),
                (plot_timeline.figure(timeline), "GPU 0  iteration 3"),
                (plot_selfsimilarity.figure(tables.ops(12), tables.iterations(12)), "GPU ops 200 to 800 of 1,200"),
                (plot_compare.figure(tables.measures()), "the typical iteration of each run"),
                (plot_sweep.figure(tables.sweep([64, 128])), "the counted iterations of each run")):
            self.assertIn(words, figure.scope)
            plotting.caption(figure, "train.dprof")
            self.assertIn(f"train.dprof: {figure.scope}", figure._supxlabel.get_text().replace("\n", " "))
            rendered(figure)

    def test_the_notes_of_a_table_come_with_its_json(self):
        table = Table.parse_json('{"table":"kernels","columns":["total_ns"],"rows":[{"total_ns":null}],"notes":["of it"]}')
        self.assertEqual((table.columns, table.notes), ({"total_ns": [None]}, ["of it"]))


class IterationsTest(unittest.TestCase):
    def test_slow_iterations_are_marked_and_sections_named(self):
        figure = plot_iterations.figure(tables.iterations(200))
        self.assertIn("200 iterations, 4 slow", texts(figure))
        self.assertIn("training", texts(figure))
        slow = next(line for line in figure.axes[0].lines if line.get_label() == "slow")
        self.assertEqual(list(slow.get_xdata()), [49, 99, 149, 199])

    def test_what_is_no_training_has_marks_of_its_own_and_is_told_in_the_legend(self):
        table = tables.iterations(40)
        table.columns["section"] = ["warm-up"] * 4 + ["training"] * 30 + ["evaluation"] * 6
        table.columns["slow"] = [1] * 2 + [0] * 37 + [1]  # of what is not counted
        for draw in (plot_iterations.figure, plot_breakdown.figure):
            figure = draw(table)
            for word in ("warm-up", "evaluation"):
                self.assertEqual(texts(figure).count(word), 1, word)
            self.assertNotIn("checkpoint", texts(figure))
        self.assertNotIn("slow", plot_iterations.figure(table)._suptitle.get_text())

    def test_steps_of_a_run_without_a_gpu_are_drawn_and_what_needs_one_is_a_sentence(self):
        steps = Table({"step": list(range(1, 31)), "duration_ns": [10**6 * (20 + i % 3) for i in range(30)]})
        for draw in (plot_iterations.figure, plot_histogram.figure):
            self.assertIn("30 iterations", texts(draw(steps)))
            self.assertIn("nothing ran on a GPU", texts(draw(steps)))
        for table in (steps, Table({"start_ns": []})):
            self.assertIn("nothing ran on a GPU", texts(plot_breakdown.figure(table)))

    def test_a_long_warm_up_is_not_marked_like_a_slow_iteration(self):
        table = tables.iterations(40)
        table.columns["section"] = ["warm-up"] + ["training"] * 39
        for column in ("duration_ns", "idle_ns"):
            table.columns[column][0] += 60_000_000_000
        for draw in (plot_iterations.figure, plot_breakdown.figure):
            axis = draw(table).axes[0]
            looks = [colors.to_hex(color).upper() for color in axis.collections[0].get_facecolor()]
            self.assertEqual(looks, [plotting.ASIDE, plotting.MARK])  # at the edge, the largest first

    def test_a_run_without_structure_says_so_in_every_picture_of_iterations(self):
        for draw in (plot_iterations.figure, plot_histogram.figure, plot_breakdown.figure):
            self.assertIn("no iteration structure found", texts(draw(tables.iterations(0))))

    def test_what_repeats_without_being_an_iteration_is_named_and_not_drawn(self):
        table = tables.iterations(4)
        table.columns["kind"] = ["repeating block"] * 4
        for draw in (plot_iterations.figure, plot_histogram.figure, plot_breakdown.figure):
            self.assertIn("no iterations: what repeats in this trace is a repeating block", texts(draw(table)))

    def test_rows_of_other_kinds_are_not_drawn(self):
        table = tables.iterations(3)
        table.columns["kind"][1] = "repeating block"
        self.assertIn("2 iterations", texts(plot_iterations.figure(table)))

    def test_one_of_several_devices_is_drawn_and_named(self):
        table = tables.iterations(9)
        table.columns["device"][:3] = [1, 1, 1]
        self.assertIn("6 iterations of device 0 (2 devices)", texts(plot_iterations.figure(table)))

    def test_an_outlier_leaves_room_for_the_others_and_is_written_at_the_edge(self):
        table = tables.iterations(40)
        for column in ("duration_ns", "idle_ns"):
            table.columns[column][20] += 60_000_000_000
        for draw in (plot_iterations.figure, plot_breakdown.figure):
            figure = draw(table)
            self.assertLess(figure.axes[0].get_ylim()[1], 1000)  # ms: the others take about 100
            self.assertIn("60.1 s", texts(figure))

    def test_an_axis_is_cut_for_few_values_only(self):
        self.assertAlmostEqual(plotting.room_for([10.0] * 30 + [1000.0]), 12.5)
        self.assertAlmostEqual(plotting.room_for([10.0] * 30 + [1000.0] * 10), 1020.0)
        self.assertAlmostEqual(plotting.room_for([10.0, 12.0]), 12.24)
        self.assertAlmostEqual(plotting.room_for([7.0]), 7.14)
        self.assertEqual(plotting.room_for([]), 0)

    def test_time_that_was_not_recorded_is_no_idle_time(self):
        table = tables.iterations(5)
        self.assertNotIn("not recorded", texts(plot_breakdown.figure(table)))
        table.columns["not_recorded_ns"][3] = 50_000_000
        self.assertIn("not recorded", texts(plot_breakdown.figure(table)))

    def test_one_iteration_can_be_drawn(self):
        for draw in (plot_iterations.figure, plot_histogram.figure, plot_breakdown.figure):
            rendered(draw(tables.iterations(1)))

    def test_a_hundred_thousand_iterations_are_drawn_in_seconds_of_one_core(self):
        table = tables.iterations(100_000)
        for draw in (plot_iterations.figure, plot_histogram.figure, plot_breakdown.figure):
            started = time.process_time()  # not the clock on the wall: the machine may be busy
            rendered(draw(table))
            self.assertLess(time.process_time() - started, 30)


class HistogramTest(unittest.TestCase):
    def test_the_bins_hold_every_iteration_of_the_main_section_and_no_warm_up(self):
        figure = plot_histogram.figure(tables.iterations(500))
        self.assertEqual(sum(bar.get_height() for bar in figure.axes[0].patches), 498)
        self.assertIn("498 iterations of section training", texts(figure))

    def test_one_outlier_does_not_push_the_rest_out_of_the_picture(self):
        table = tables.iterations(60)
        table.columns["duration_ns"][30] *= 1000
        figure = plot_histogram.figure(table)
        self.assertEqual(sum(bar.get_height() for bar in figure.axes[0].patches), 58)

    def test_the_share_rises_to_one(self):
        figure = plot_histogram.figure(tables.iterations(50))
        self.assertEqual(figure.axes[1].lines[0].get_ydata()[-1], 1.0)


class BreakdownTest(unittest.TestCase):
    def test_the_parts_of_a_bar_add_up_to_the_iteration(self):
        table = tables.iterations(10)
        figure = plot_breakdown.figure(table)
        bars = figure.axes[0].containers
        tops = [sum(part[i].get_height() for part in bars) for i in range(10)]
        for top, duration in zip(tops, table["duration_ns"]):
            self.assertAlmostEqual(top, duration / 1e6, places=3)

    def test_more_iterations_than_bars_share_bars_and_the_title_says_so(self):
        figure = plot_breakdown.figure(tables.iterations(1000))
        self.assertIn("the mean of 3 iterations", texts(figure))
        self.assertEqual(len(figure.axes[0].containers[0]), 334)


class GapsTest(unittest.TestCase):
    def test_every_gap_is_in_a_bin_and_the_cause_with_most_time_comes_first(self):
        table = tables.gaps(1000)
        figure = plot_gaps.figure(table)
        self.assertEqual(sum(bar.get_height() for bar in figure.axes[0].patches), 1000)
        first = next(iter(plot_gaps.by_cause(table).values()))
        self.assertTrue(all(sum(first) >= sum(other) for other in plot_gaps.by_cause(table).values()))

    def test_no_gaps_is_a_sentence(self):
        self.assertIn("never idle", texts(plot_gaps.figure(tables.gaps(0))))


class KernelsTest(unittest.TestCase):
    def test_the_largest_are_shown_and_the_title_tells_of_how_many(self):
        figure = plot_kernels.figure(tables.kernels(300), tables.categories())
        self.assertIn("the 20 largest of 300 kernels", texts(figure))
        self.assertEqual(len(figure.axes[0].patches), 20)
        self.assertEqual(len(figure.axes[1].patches), 4)

    def test_names_keep_what_tells_template_instances_apart(self):
        name = "void at::native::(anonymous namespace)::elementwise_kernel<4, at::native::FillFunctor<float> >(int)"
        self.assertEqual(plot_kernels.spoken(name), "elementwise_kernel<4, FillFunctor<float> >(int)")

    def test_no_kernels_is_a_sentence(self):
        self.assertIn("no kernels", texts(plot_kernels.figure(tables.kernels(0), tables.categories())))


class TimelineTest(unittest.TestCase):
    def test_each_lane_has_a_row_and_large_times_keep_their_nanoseconds(self):
        figure = plot_timeline.figure(tables.timeline(10))
        for lane in ("stream 7", "stream 20", "GPU idle", "thread 1"):
            self.assertIn(lane, texts(figure))
        first = figure.axes[0].collections[0].get_paths()[0].vertices
        self.assertAlmostEqual(first[:, 0].max() - first[:, 0].min(), 70.0 if "us" in texts(figure) else 0.07, places=6)

    def test_no_rows_is_a_sentence(self):
        self.assertIn("no GPU ops", texts(plot_timeline.figure(tables.timeline(0))))


class SelfSimilarityTest(unittest.TestCase):
    def test_a_periodic_run_has_diagonals_one_iteration_apart(self):
        numbers = plot_selfsimilarity.words(tables.ops(5)["name"])
        self.assertTrue((numbers[:-100] == numbers[100:]).all())

    def test_the_mined_boundaries_are_drawn(self):
        figure = plot_selfsimilarity.figure(tables.ops(6), tables.iterations(6))
        self.assertIn("6 iterations found", texts(figure))
        self.assertEqual(len(figure.axes[0].lines), 2 * 5)

    def test_a_single_dot_shows_however_many_ops_share_its_cell(self):
        numbers = plot_selfsimilarity.numpy.arange(5000)
        cells = plot_selfsimilarity.dots(numbers)
        self.assertEqual(cells.shape, (1000, 1000))
        self.assertGreater(cells.diagonal().min(), 0.4)
        self.assertEqual(cells[0, 999], 0)

    def test_ops_are_compared_in_launch_order_whatever_the_order_of_their_rows(self):
        ops = tables.ops(3)
        shuffled = ops.take(sorted(range(len(ops)), key=lambda i: (i * 7919) % len(ops)))
        self.assertEqual(plot_selfsimilarity.launch_order(shuffled).columns, ops.columns)

    def test_a_long_run_is_cut_to_a_few_iterations(self):
        self.assertEqual(plot_selfsimilarity.window(1_000_000, list(range(0, 1_000_000, 100))), (499_600, 500_200))
        self.assertEqual(plot_selfsimilarity.window(1_000_000, []), (0, 6000))

    def test_a_run_without_structure_still_shows_its_sequence(self):
        figure = plot_selfsimilarity.figure(tables.ops(2), tables.iterations(0))
        self.assertIn("no iterations found", texts(figure))

    def test_too_few_ops_are_a_sentence(self):
        self.assertIn("too few", texts(plot_selfsimilarity.figure(tables.ops(0), tables.iterations(0))))


class CompareTest(unittest.TestCase):
    def test_the_waterfall_leads_from_one_run_to_the_other(self):
        figure = plot_compare.figure(tables.measures(1.1))
        self.assertIn("new against old, +7.4 %", texts(figure))
        bars = figure.axes[1].patches
        self.assertAlmostEqual(bars[1].get_x() + bars[1].get_width(), bars[-1].get_width())
        self.assertIn("compute *", texts(figure))

    def test_a_change_within_chance_is_called_that_in_the_title(self):
        self.assertIn("not beyond chance", texts(plot_compare.figure(tables.measures(1.0))))
        self.assertNotIn("not beyond chance", texts(plot_compare.figure(tables.measures(1.1))))

    def test_parts_that_neither_run_has_are_left_out(self):
        self.assertNotIn("graph replay", texts(plot_compare.figure(tables.measures())))

    def test_runs_that_are_equal_and_runs_without_iterations_can_be_drawn(self):
        rendered(plot_compare.figure(tables.measures(1)))
        table = tables.measures()
        table.columns["a"] = [None] * len(table)
        self.assertIn("no iterations to compare", texts(plot_compare.figure(table)))


class DeviceTest(unittest.TestCase):
    def test_every_gpu_has_a_line_on_one_axis_and_metrics_that_lack_have_none(self):
        figure = plot_device.figure(tables.samples(2, 50), tables.iterations(30))
        self.assertEqual([axis.get_ylabel() for axis in figure.axes], ["power (W)", "process CPU (%)\n100: one core"])
        self.assertEqual([len(axis.lines) for axis in figure.axes], [2, 1])
        self.assertIn("mark the start of every iteration", texts(figure))

    def test_a_run_without_a_gpu_has_its_host(self):
        figure = plot_device.figure(tables.samples(0, 50), tables.iterations(30))
        self.assertIn("no GPU was sampled", texts(figure))
        self.assertEqual(list(figure.axes[0].lines[0].get_ydata())[:2], [150.0, 150.0])

    def test_many_iterations_are_marked_one_in_so_many(self):
        figure = plot_device.figure(tables.samples(1, 10), tables.iterations(1000))
        self.assertIn("one iteration in 3", texts(figure))

    def test_a_run_without_samples_is_a_sentence(self):
        self.assertIn("nothing was sampled", texts(plot_device.figure(tables.samples(0, 0), tables.iterations(0))))


class MemoryTest(unittest.TestCase):
    def test_every_device_has_a_panel_and_every_kind_a_line_with_its_peak(self):
        figure = plot_memory.figure(tables.allocations(400), tables.memory(0), tables.iterations(8))
        self.assertEqual(len(figure.axes), 2)
        self.assertEqual([len(axis.lines) for axis in figure.axes], [2, 1])
        for words in ("framework, at most 1.49 GB", "framework reserved, at most 2.3 GB", "pinned, at most 5 MB", "host (MB)",
                      "mark the start of every iteration"):
            self.assertIn(words, texts(figure))
        rendered(figure)

    def test_what_is_in_use_holds_up_to_the_end_of_the_recording(self):
        for recorded_to, end in ((0, 0.399), (10**18 + 2 * 10**9, 2.0)):
            figure = plot_memory.figure(tables.allocations(400), tables.memory(recorded_to), tables.iterations(0))
            self.assertEqual({line.get_xdata()[-1] for axis in figure.axes for line in axis.lines}, {end})

    def test_what_is_known_beyond_the_start_alone_is_named_so(self):
        words = "beyond what was in use at the start"
        for since, told in (("process_start", 0), ("recording_start", 1)):
            figure = plot_memory.figure(tables.allocations(9), tables.memory(0, since), tables.iterations(0))
            self.assertEqual(texts(figure).count(words), told)

    def test_a_trace_without_allocations_is_a_sentence(self):
        figure = plot_memory.figure(Table({}), Table({}), tables.iterations(3))
        self.assertIn("no allocation is in this trace", texts(figure))


class SweepTest(unittest.TestCase):
    def test_panels_without_a_value_are_left_out_and_a_run_without_one_says_so(self):
        figure = plot_sweep.figure(tables.sweep([32, 64, 128]))
        self.assertIn("3 runs by batch", texts(figure))
        self.assertIn("power (W)", texts(figure))
        self.assertIn("n/a", texts(figure))
        self.assertNotIn("GPU memory", texts(figure))
        self.assertNotIn("iterations/s", texts(figure))

    def test_names_are_drawn_as_bars_and_numbers_as_a_line(self):
        self.assertEqual(len(plot_sweep.figure(tables.sweep(["H200", "CPU"])).axes[0].patches), 2)
        self.assertEqual(len(plot_sweep.figure(tables.sweep([32, 64])).axes[0].lines), 1)

    def test_runs_of_one_value_are_bars_that_are_named_by_run(self):
        figure = plot_sweep.figure(tables.sweep([64, 64]))
        self.assertEqual(len(figure.axes[0].lines), 0)
        self.assertEqual([label.get_text() for label in figure.axes[0].get_xticklabels()], ["run0", "run1"])


class OutputTest(unittest.TestCase):
    def test_both_formats_are_written_unless_one_is_named(self):
        figure = plot_iterations.figure(tables.iterations(5))
        with tempfile.TemporaryDirectory() as folder:
            both = plotting.save(figure, pathlib.Path(folder) / "v1.2")
            self.assertEqual([path.name for path in both], ["v1.2.png", "v1.2.svg"])
            self.assertEqual(both[0].read_bytes()[:4], b"\x89PNG")
            self.assertIn(b"<svg", both[1].read_bytes())
            self.assertEqual([path.name for path in plotting.save(figure, pathlib.Path(folder) / "x.svg")], ["x.svg"])


if __name__ == "__main__":
    unittest.main()
