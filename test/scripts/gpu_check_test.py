"""The checks of scripts/gpu_check.py tell a good run from a bad one, with made-up jobs and a made-up command."""

import collections
import json
import pathlib
import sys
import tempfile
import time
import unittest

import gpu_check
from gpu_check import FAIL, NOT_AVAILABLE, PASS, Job, Run

FIGURES = '{"iterations": 3, "median_step_ns": 100}\n'


def run(folder, returncode=0, stdout=FIGURES, stderr=""):
    return Run(returncode, stdout, stderr, pathlib.Path(folder))


class MadeUpBench(gpu_check.Bench):
    """Counts kernels and prints tables without a deepprof command."""

    def __init__(self, work, ours, theirs):
        super().__init__(pathlib.Path("/lib"), pathlib.Path("/command"), pathlib.Path(work))
        self.counts = {".dprof": ours, ".json": theirs}

    def kernel_counts(self, trace):
        return collections.Counter(self.counts[trace.suffix])

    def kernels(self, trace):
        return self.ops if isinstance(self.ops, list) else self.ops[trace.suffix]

    def table(self, verb, *_):
        return self.tables[verb]


class ChecksTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def test_a_changed_exit_code_fails(self):
        self.assertEqual(gpu_check.unchanged(run(self.work), run(self.work))[0], PASS)
        self.assertEqual(gpu_check.unchanged(run(self.work), run(self.work, returncode=134))[0], FAIL)

    def test_output_of_ours_on_the_jobs_stdout_fails(self):
        self.assertEqual(gpu_check.unchanged(run(self.work), run(self.work, stdout="ITERATIONS 3\n" + FIGURES))[0], FAIL)

    def test_a_run_without_dump_or_report_fails(self):
        self.assertEqual(gpu_check.written(run(self.work))[0], FAIL)
        (self.work / "deepprof.h.1.dprof").write_text("x")
        self.assertEqual(gpu_check.written(run(self.work))[0], FAIL)
        (self.work / "deepprof.h.1.report.txt").write_text("x")
        self.assertEqual(gpu_check.written(run(self.work))[0], PASS)

    def test_a_summary_before_the_jobs_exit_handlers_fails(self):
        late = "job: at exit\nITERATIONS   3 found\n"
        early = "ITERATIONS   3 found\njob: at exit\n"
        self.assertEqual(gpu_check.exit_order(run(self.work, stderr=late))[0], PASS)
        self.assertEqual(gpu_check.exit_order(run(self.work, stderr=early))[0], FAIL)
        self.assertEqual(gpu_check.exit_order(run(self.work, stderr="ITERATIONS"))[0], NOT_AVAILABLE)

    def test_lost_records_fail(self):
        self.assertEqual(gpu_check.complete(run(self.work, stderr="data   complete: 0 dropped"))[0], PASS)
        self.assertEqual(gpu_check.complete(run(self.work, stderr="data   INCOMPLETE: 7 dropped"))[0], FAIL)
        self.assertEqual(gpu_check.complete(run(self.work))[0], FAIL)

    def kernels(self, ours, theirs):
        work = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        (work / "deepprof.h.1.dprof").write_text("x")
        write = "import sys; open(sys.argv[1], 'w').close()"
        job = Job("made up", [], [sys.executable, "-c", write, "{trace}"])
        return gpu_check.same_kernels(MadeUpBench(work, ours, theirs), job, run(work))

    def test_kernel_counts_that_differ_fail_and_name_the_kernel(self):
        self.assertEqual(self.kernels({"gemm": 7}, {"gemm": 7})[0], PASS)
        verdict, detail = self.kernels({"gemm": 7, "copy": 2}, {"gemm": 7, "copy": 3})
        self.assertEqual(verdict, FAIL)
        self.assertIn("copy: 2 against 3", detail)

    def times(self, ours, theirs):
        work = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        (work / "deepprof.h.1.dprof").write_text("x")
        bench = MadeUpBench(work, {}, {})
        rows = lambda times: [{"name": "gemm", "duration_ns": str(time)} for time in times]
        bench.ops = {".dprof": rows(ours), ".json": rows(theirs)}
        write = "import sys; open(sys.argv[1], 'w').close()"
        job = Job("made up", [], [sys.executable, "-c", write, "{trace}"])
        return gpu_check.same_times(bench, job, run(work))

    def test_kernels_that_take_another_time_than_torch_profiler_says_fail(self):
        self.assertEqual(self.times((100, 110, 900), (105, 100, 115))[0], PASS)  # one late kernel is no other clock
        self.assertEqual(self.times((100, 110), (50, 55))[0], FAIL)
        self.assertEqual(self.times((100,), (1000,))[0], FAIL)
        self.assertEqual(self.times((100,), ())[0], NOT_AVAILABLE)

    def graph_records(self, found, timeless, seconds=600):
        work = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        bench = MadeUpBench(work, {}, {})
        bench.end = time.monotonic() + seconds
        bench.tables = {"kernels": [{"count": str(found)}], "check": [{"check": "bad_timestamp", "count": str(timeless)}]}
        job = Job("graph", [sys.executable, "-c", "import os, pathlib; print('{\"kernels\": {\"node\": 1000}}');"
                                                  "pathlib.Path(os.environ['DEEPPROF_OUTPUT'], 'x.dprof').touch()"])
        return gpu_check.many_graph_records(bench, job)

    def test_graph_records_are_there_or_counted(self):
        self.assertEqual(self.graph_records(1000, 0)[0], PASS)
        self.assertEqual(self.graph_records(990, 10)[0], PASS)
        self.assertEqual(self.graph_records(990, 0)[0], FAIL)
        self.assertEqual(self.graph_records(1000, 0, seconds=20)[0], NOT_AVAILABLE)

    def test_counts_that_the_job_knows_itself_are_the_witness(self):
        (self.work / "deepprof.h.1.dprof").write_text("x")
        known = run(self.work, stdout='{"iterations": 3, "median_step_ns": 1, "kernels": {"gemm": 7}}\n')
        bench = MadeUpBench(self.work, {"gemm": 7}, {})
        self.assertEqual(gpu_check.same_kernels(bench, Job("cuda", []), known)[0], PASS)
        bench.counts[".dprof"] = {"gemm": 6}
        self.assertEqual(gpu_check.same_kernels(bench, Job("cuda", []), known)[0], FAIL)

    def test_names_are_compared_demangled(self):
        self.assertEqual(gpu_check.demangled("_Z13layer_forwardPffi"), "layer_forward(float*, float, int)")
        self.assertEqual(gpu_check.demangled("ampere_sgemm"), "ampere_sgemm")

    def ops(self, *times_and_launches):
        bench = MadeUpBench(self.work, {}, {})
        bench.ops = [{"start_ns": str(start), "launch_ns": launch} for start, launch in times_and_launches]
        return bench

    def test_kernels_without_their_launches_fail(self):
        self.assertEqual(gpu_check.launches(self.ops((5, "4"), (7, "6")), run(self.work))[0], PASS)
        self.assertEqual(gpu_check.launches(self.ops((5, "4"), (7, "")), run(self.work))[0], FAIL)
        self.assertEqual(gpu_check.launches(self.ops(), run(self.work))[0], FAIL)

    def test_kernels_outside_the_time_of_the_run_fail(self):
        timed = Run(0, FIGURES, "", self.work, (1000, 2000))
        self.assertEqual(gpu_check.on_wall_clock(self.ops((1500, "")).ops, timed)[0], PASS)
        self.assertEqual(gpu_check.on_wall_clock(self.ops((1500, ""), (99, "")).ops, timed)[0], FAIL)
        self.assertEqual(gpu_check.on_wall_clock([], timed)[0], FAIL)

    def test_a_reference_without_kernels_is_no_witness(self):
        self.assertEqual(self.kernels({}, {})[0], NOT_AVAILABLE)

    def test_overhead_beyond_the_limit_fails(self):
        slower = ("import json, os; inject = 'CUDA_INJECTION64_PATH' in os.environ;"
                  "print(json.dumps({'iterations': 1, 'median_step_ns': 120 if inject else 100}))")
        verdict, detail = gpu_check.overhead(gpu_check.Bench(pathlib.Path("/l"), pathlib.Path("/c"), self.work),
                                             Job("slow", [sys.executable, "-c", slower]))
        self.assertEqual(verdict, FAIL)
        self.assertIn("+20.00%", detail)

    def test_a_job_that_cannot_run_here_is_not_a_pass(self):
        bench = MadeUpBench(self.work, {}, {})
        results = list(gpu_check.check_job(bench, Job("torch", [], missing="no PyTorch"), True))
        self.assertEqual([result.verdict for result in results], [NOT_AVAILABLE])

    def test_what_begins_or_fails_when_the_time_is_over_is_not_available(self):
        def verdict(budget, outcome, takes=0.0):
            bench = gpu_check.Bench(pathlib.Path("/l"), pathlib.Path("/c"), self.work, budget)
            check = lambda: (time.sleep(takes), outcome)[1]
            return gpu_check.guarded(bench, Job("job", []), "check", check).verdict

        self.assertEqual(verdict(60, (FAIL, "")), FAIL)
        self.assertEqual(verdict(0, (PASS, "")), NOT_AVAILABLE)
        self.assertEqual(verdict(0.01, (FAIL, ""), takes=0.05), NOT_AVAILABLE)
        self.assertEqual(verdict(0.01, (PASS, ""), takes=0.05), PASS)

    def test_nothing_checked_is_not_success(self):
        code = lambda *verdicts: gpu_check.exit_code([gpu_check.Result("job", "check", verdict, "") for verdict in verdicts])
        self.assertEqual((code(PASS, NOT_AVAILABLE), code(PASS, FAIL), code(NOT_AVAILABLE)), (0, 1, 2))

    def test_figures_are_the_jobs_last_line_of_json(self):
        self.assertEqual(run(self.work, stdout="noise\n" + json.dumps({"iterations": 5}) + "\n").figures, {"iterations": 5})
        self.assertEqual(run(self.work, stdout="noise\n").figures, {})


if __name__ == "__main__":
    unittest.main()
