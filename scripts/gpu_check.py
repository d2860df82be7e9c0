"""The checks of gpu_check.sh: jobs run with and without the library, and what must hold between the two.

A job prints one line of JSON on stdout with at least "iterations" and "median_step_ns"; "kernels", a count
for each name, where it knows them. Every check returns a Result; one that cannot be made here is n/a with its reason, never a PASS.
"""

import argparse
import collections
import csv
import ctypes
import dataclasses
import io
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

PASS, FAIL, NOT_AVAILABLE = "PASS", "FAIL", "n/a"
RUN_SECONDS = 120           # the longest that one run of a job may take
BUDGET_SECONDS = 540        # of all checks; what does not begin within it is n/a
MAX_OVERHEAD = 0.05         # of the median step time
INTERLEAVED_RUNS = 3        # with and without the library in turn
MIN_LAUNCHED = 0.99         # of the kernels, with the call that launched them
MAX_TIME_RATIO = 1.25       # of all kernel time, to that of another run under torch.profiler
GRAPH_KERNELS = 25_600_000  # vLLM with CUDA graphs had records without times from 25 million on
GRAPH_SECONDS = 150         # what that takes, at three microseconds each, and reading it
CUDA_JOB = "cuda c++"
GO_ON_SECONDS = 10          # of a job after torch.profiler has stopped


@dataclasses.dataclass
class Result:
    job: str
    check: str
    verdict: str
    detail: str


@dataclasses.dataclass
class Job:
    name: str
    command: list[str]
    reference: list[str] | None = None   # the same job under torch.profiler; {trace} is where its trace goes
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    missing: str = ""                    # why it cannot run here


@dataclasses.dataclass
class Run:
    returncode: int
    stdout: str
    stderr: str
    folder: pathlib.Path
    wall_ns: tuple[int, int] = (0, 0)  # from when to when it ran, by the wall clock

    @property
    def figures(self) -> dict:
        """The job's own line of JSON; empty when it printed none."""
        for line in reversed(self.stdout.splitlines()):
            if line.startswith("{"):
                return json.loads(line)
        return {}

    def dump(self) -> pathlib.Path | None:
        return next(iter(sorted(self.folder.glob("*.dprof"))), None)


class Bench:
    """Where the library and the command are, and how to run a job with or without them."""

    def __init__(self, library: pathlib.Path, command: pathlib.Path, work: pathlib.Path,
                 budget: float = BUDGET_SECONDS):
        self.library, self.command, self.work = library, command, work
        self.runs = 0
        self.references: dict[str, pathlib.Path] = {}
        self.end = time.monotonic() + budget

    def seconds_left(self) -> float:
        return self.end - time.monotonic()

    def run(self, job: Job, inject: bool, command: list[str] | None = None, **variables: str) -> Run:
        self.runs += 1
        folder = self.work / f"run{self.runs}"
        folder.mkdir()
        environment = {**os.environ, **job.environment, **variables}
        environment.pop("CUDA_INJECTION64_PATH", None)
        if inject:
            environment |= {"CUDA_INJECTION64_PATH": str(self.library), "DEEPPROF_OUTPUT": str(folder)}
        start = time.time_ns()
        try:
            done = subprocess.run(command or job.command, env=environment, capture_output=True, text=True,
                                  errors="replace", timeout=self.longest_run(), cwd=folder, check=False)
        except subprocess.TimeoutExpired as late:
            return Run(124, "", f"no end after {late.timeout} s", folder)
        return Run(done.returncode, done.stdout, done.stderr, folder, (start, time.time_ns()))

    def longest_run(self) -> float:
        return max(1.0, min(RUN_SECONDS, self.seconds_left()))

    def table(self, *arguments: str) -> list[dict[str, str]]:
        done = subprocess.run([str(self.command), *arguments], capture_output=True, text=True, errors="replace",
                              check=False)
        if done.returncode not in (0, 2):
            raise RuntimeError(done.stderr.strip() or f"deepprof {arguments[0]}: code {done.returncode}")
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def reference(self, job: Job) -> pathlib.Path | None:
        """torch.profiler's own trace of the job; None where it cannot be had."""
        if job.reference is None:
            return None
        if job.name not in self.references:
            trace = self.work / f"reference.{self.runs}.json"
            self.run(job, False, [part.replace("{trace}", str(trace)) for part in job.reference])
            self.references[job.name] = trace
        return self.references[job.name] if self.references[job.name].exists() else None

    def kernels(self, trace: pathlib.Path) -> list[dict[str, str]]:
        return [op for op in self.table("export", str(trace), "--to", "csv") if op["kind"] == "kernel"]

    def kernel_counts(self, trace: pathlib.Path) -> collections.Counter:
        return collections.Counter(demangled(op["name"]) for op in self.kernels(trace))


def demangled(name: str) -> str:
    """As torch.profiler writes names; our recordings keep what CUPTI gave, which is mangled."""
    if not name.startswith("_Z"):
        return name
    status = ctypes.c_int(-1)
    try:
        demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except OSError:
        return name
    demangle.restype = ctypes.c_void_p
    text = demangle(name.encode(), None, None, ctypes.byref(status))
    return ctypes.string_at(text).decode(errors="replace") if text else name  # a few bytes a name, never freed


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "nothing on stderr"


# ---- the checks -------------------------------------------------------------------------------------

def unchanged(plain: Run, injected: Run) -> tuple[str, str]:
    """The job ends as it would have, and its stdout carries nothing of ours."""
    if injected.returncode != plain.returncode:
        return FAIL, f"exit code {injected.returncode} instead of {plain.returncode}: {last_line(injected.stderr)}"
    if len(injected.stdout.splitlines()) != len(plain.stdout.splitlines()) or not injected.figures:
        return FAIL, "the job's stdout changed"
    return PASS, f"exit code {plain.returncode}, stdout untouched"


def written(injected: Run) -> tuple[str, str]:
    reports = list(injected.folder.glob("*.report.txt"))
    dump = injected.dump()
    if dump is None or not reports:
        return FAIL, f"no dump or no report: {last_line(injected.stderr)}"
    return PASS, f"{dump.name}, {dump.stat().st_size:,} bytes, and {reports[0].name}"


def exit_order(injected: Run) -> tuple[str, str]:
    """Our summary comes after what the job itself prints at exit, so nothing of its work is missing."""
    lines = injected.stderr.splitlines()
    job = [i for i, line in enumerate(lines) if "at exit" in line]
    ours = [i for i, line in enumerate(lines) if line.startswith("ITERATIONS")]
    if not job:
        return NOT_AVAILABLE, "this job prints nothing at exit"
    if not ours:
        return FAIL, "no summary on stderr"
    return (PASS, "summary after the job's own exit handlers") if ours[0] > job[0] else (
        FAIL, "summary before the job's own exit handlers")


def iteration_count(bench: Bench, injected: Run) -> tuple[str, str]:
    wanted = injected.figures["iterations"]
    rows = bench.table("iterations", str(injected.dump()), "--format", "csv")
    found = sum(row["kind"] == "iteration" for row in rows)
    return (PASS if found == wanted else FAIL), f"{found} found, {wanted} run"


def complete(injected: Run) -> tuple[str, str]:
    line = next((line for line in injected.stderr.splitlines() if line.startswith("data")), "")
    if not line:
        return FAIL, "the summary has no data line"
    return (PASS if "complete" in line.split(":")[0] else FAIL), " ".join(line.split()[1:])


def launches(bench: Bench, injected: Run) -> tuple[str, str]:
    """A kernel whose launch is not recorded leaves its idle time without a cause: CUDA 13 launches by other calls than 12."""
    kernels = bench.kernels(injected.dump())
    launched = sum(op["launch_ns"] not in ("", "0") for op in kernels)
    return (PASS if kernels and launched >= MIN_LAUNCHED * len(kernels) else FAIL), \
        f"{launched:,} of {len(kernels):,} kernels with the call that launched them"


def on_wall_clock(kernels: list[dict[str, str]], run: Run) -> tuple[str, str]:
    """Everything lies between the job's start and its end: the records are in nanoseconds of the wall clock."""
    starts = [int(op["start_ns"]) for op in kernels]
    astray = sum(not run.wall_ns[0] <= start <= run.wall_ns[1] for start in starts)
    if not starts:
        return FAIL, "no kernels"
    return (FAIL if astray else PASS), f"{astray:,} of {len(starts):,} kernels outside the time of the run"


def back_again(bench: Bench, job: Job) -> tuple[str, str]:
    """torch.profiler takes CUPTI over, with a clock of its own, and stops: what comes then must be recorded, and on the wall clock."""
    if job.reference is None:
        return NOT_AVAILABLE, "this job cannot run under torch.profiler"
    trace = bench.work / f"back.{bench.runs}.json"
    command = [*(part.replace("{trace}", str(trace)) for part in job.reference), "--go-on", str(GO_ON_SECONDS)]
    for setting in ({}, {"DEEPPROF_REARM_S": "2"}):  # by itself, as from CUPTI 13.0 on; else by the clock
        run = bench.run(job, True, command, **setting)
        if run.returncode != 0 or run.dump() is None:
            return FAIL, f"exit code {run.returncode}, or no dump: {last_line(run.stderr)}"
        kernels = bench.kernels(run.dump())
        verdict, detail = on_wall_clock(kernels, run)
        late = sum(int(op["start_ns"]) > run.wall_ns[1] - GO_ON_SECONDS // 2 * 1_000_000_000 for op in kernels)
        detail += f", {late:,} in its last {GO_ON_SECONDS // 2} s" + (", with DEEPPROF_REARM_S=2" if setting else "")
        if late:
            return verdict, detail
    return FAIL, detail


def same_kernels(bench: Bench, job: Job, injected: Run) -> tuple[str, str]:
    """Names and counts equal what the job says of itself, or torch.profiler's own trace of the same job."""
    if "kernels" in injected.figures:
        return compare(bench.kernel_counts(injected.dump()), collections.Counter(injected.figures["kernels"]))
    reference = bench.reference(job)
    if reference is None:
        return NOT_AVAILABLE, "torch.profiler gives no trace of this job"
    return compare(bench.kernel_counts(injected.dump()), bench.kernel_counts(reference))


def same_times(bench: Bench, job: Job, injected: Run) -> tuple[str, str]:
    """Kernels take as long as in torch.profiler's trace: each name by its median, as often as it ran here."""
    reference = bench.reference(job)
    if reference is None:
        return NOT_AVAILABLE, "torch.profiler gives no trace of this job"
    ours, theirs = (durations(bench.kernels(trace)) for trace in (injected.dump(), reference))
    common = ours.keys() & theirs.keys()
    if not common:
        return NOT_AVAILABLE, "no kernel is in both traces"
    total = [sum(len(ours[name]) * statistics.median(times[name]) for name in common) for times in (ours, theirs)]
    ratio = total[0] / max(1, total[1])
    verdict = PASS if 1 / MAX_TIME_RATIO <= ratio <= MAX_TIME_RATIO else FAIL
    return verdict, f"{ratio:.3f} of the kernel time in torch.profiler's trace of another run, {len(common)} names"


def durations(kernels: list[dict[str, str]]) -> dict[str, list[int]]:
    by_name = collections.defaultdict(list)
    for op in kernels:
        by_name[demangled(op["name"])].append(int(op["duration_ns"]))
    return by_name


def compare(ours: collections.Counter, theirs: collections.Counter) -> tuple[str, str]:
    if not theirs:
        return NOT_AVAILABLE, "the reference holds no kernels"
    different = {name for name in ours.keys() | theirs.keys() if ours[name] != theirs[name]}
    if not different:
        return PASS, f"{ours.total():,} kernels of {len(ours)} names on both sides"
    name = max(different, key=lambda name: abs(ours[name] - theirs[name]))
    return FAIL, f"{ours.total():,} against {theirs.total():,}; {len(different)} names differ, most {name[:60]}: " \
                 f"{ours[name]} against {theirs[name]}"


def overhead(bench: Bench, job: Job) -> tuple[str, str]:
    steps = {False: [], True: []}
    for _ in range(INTERLEAVED_RUNS):
        for inject in (False, True):
            run = bench.run(job, inject)
            if "median_step_ns" not in run.figures:
                return NOT_AVAILABLE, f"a run printed no step time: {last_line(run.stderr)}"
            steps[inject].append(run.figures["median_step_ns"])
    without, with_us = statistics.median(steps[False]), statistics.median(steps[True])
    share = with_us / without - 1
    detail = f"{share:+.2%} of the step ({without / 1e6:.3f} ms without, {with_us / 1e6:.3f} ms with, " \
             f"medians of {INTERLEAVED_RUNS} interleaved runs; at most {MAX_OVERHEAD:.0%})"
    return (PASS if share <= MAX_OVERHEAD else FAIL), detail


def together(bench: Bench, job: Job) -> tuple[str, str]:
    """The library and torch.profiler in one process: the job must live and torch's trace be whole."""
    if job.reference is None:
        return NOT_AVAILABLE, "this job cannot run under torch.profiler"
    trace = bench.work / f"together.{bench.runs}.json"
    both = bench.run(job, True, [part.replace("{trace}", str(trace)) for part in job.reference])
    if both.returncode != 0:
        return FAIL, f"exit code {both.returncode}: {last_line(both.stderr)}"
    theirs = bench.kernel_counts(trace).total() if trace.exists() else 0
    data = next((line for line in both.stderr.splitlines() if line.startswith("data")), "no data line")
    return (PASS if theirs else FAIL), f"torch.profiler saw {theirs:,} kernels; ours: {' '.join(data.split()[1:])}"


def check_job(bench: Bench, job: Job, timing: bool) -> Iterator[Result]:
    if job.missing:
        yield Result(job.name, "runs", NOT_AVAILABLE, job.missing)
        return
    plain = bench.run(job, False)
    if plain.returncode != 0:
        yield Result(job.name, "runs", NOT_AVAILABLE, f"fails without the library too: {last_line(plain.stderr)}")
        return
    injected = bench.run(job, True)
    checks = [("unchanged", lambda: unchanged(plain, injected)), ("dump and report", lambda: written(injected))]
    if injected.dump() and injected.figures:
        checks += [("complete", lambda: complete(injected)), ("exit order", lambda: exit_order(injected)),
                   ("iterations", lambda: iteration_count(bench, injected)),
                   ("kernels", lambda: same_kernels(bench, job, injected)),
                   ("kernel times", lambda: same_times(bench, job, injected)),
                   ("launches", lambda: launches(bench, injected)),
                   ("clock", lambda: on_wall_clock(bench.kernels(injected.dump()), injected)),
                   ("with torch.profiler", lambda: together(bench, job)),
                   ("after torch.profiler", lambda: back_again(bench, job))]
        if timing:
            checks.append(("overhead", lambda: overhead(bench, job)))
    for name, check in checks:
        yield guarded(bench, job, name, check)


def many_graph_records(bench: Bench, job: Job) -> tuple[str, str]:
    """Every kernel of a long loop over a CUDA graph is in the trace, or counted as one without usable times."""
    if bench.seconds_left() < GRAPH_SECONDS:
        return NOT_AVAILABLE, f"takes {GRAPH_SECONDS} s: --seconds gives more"
    run = bench.run(job, True, DEEPPROF_API="off", DEEPPROF_MAX_FILE="0")
    if run.returncode != 0 and bench.run(job, False).returncode != 0:
        return NOT_AVAILABLE, "fails without the library too"
    if run.returncode != 0 or run.dump() is None:
        return FAIL, f"exit code {run.returncode}, or no dump: {last_line(run.stderr)}"
    wanted = sum(run.figures["kernels"].values())
    found = sum(int(row["count"]) for row in bench.table("kernels", str(run.dump()), "--whole-run", "--format", "csv"))
    checks = {row["check"]: row for row in bench.table("check", str(run.dump()), "--format", "csv")}
    timeless = int(checks["bad_timestamp"]["count"]) if "bad_timestamp" in checks else 0
    return (PASS if found + timeless == wanted else FAIL), \
        f"{found:,} of {wanted:,} kernels, and {timeless:,} without usable times"


def guarded(bench: Bench, job: Job, name: str, check) -> Result:
    late = Result(job.name, name, NOT_AVAILABLE, "no time left: --seconds gives more")
    if bench.seconds_left() <= 0:
        return late
    try:
        result = Result(job.name, name, *check())
    except (RuntimeError, KeyError, ValueError, OSError) as fault:
        result = Result(job.name, name, FAIL, f"{type(fault).__name__}: {fault}")
    # What fails as the time runs out may have been cut short by that.
    return late if result.verdict == FAIL and bench.seconds_left() <= 0 else result


# ---- the jobs ---------------------------------------------------------------------------------------

def torch_jobs(python: str, scripts: pathlib.Path, iterations: int) -> list[Job]:
    probe = "import torch, sys; sys.exit(0 if torch.cuda.is_available() else 3)"
    missing = why_missing(python, "PyTorch", probe)
    jobs = []
    for name, options in (("cnn", []), ("transformer", ["--model", "transformer"]), ("cuda graph", ["--graph"])):
        command = [python, str(scripts / "torch_loop.py"), "--iterations", str(iterations), *options]
        jobs.append(Job(f"torch {name}", command, [*command, "--trace", "{trace}"], missing=missing))
    return jobs


def jax_jobs(python: str, scripts: pathlib.Path, iterations: int) -> list[Job]:
    probe = "import jax, sys; sys.exit(0 if jax.default_backend() == 'gpu' else 3)"
    missing = why_missing(python, "JAX", probe)
    return [Job("jax", [python, str(scripts / "jax_loop.py"), "--iterations", str(iterations)], missing=missing)]


def cuda_source(scripts: pathlib.Path) -> pathlib.Path:
    """Beside the scripts in the archive, else in the source tree."""
    packed = scripts / "cuda_loop.cu"
    return packed if packed.exists() else scripts.parent / "test" / "gpu" / "cuda_loop.cu"


def cuda_jobs(source: pathlib.Path, work: pathlib.Path, iterations: int) -> list[Job]:
    """A job of the CUDA runtime alone, built here."""
    program = work / "cuda_loop"
    found = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not found:
        return [Job(CUDA_JOB, [], missing="no nvcc")]
    done = subprocess.run([found, "-O2", "-std=c++17", "-Wno-deprecated-gpu-targets", "-o", str(program), str(source)],
                          capture_output=True, text=True, check=False)
    return [Job(CUDA_JOB, [str(program), str(iterations)],
                missing="" if done.returncode == 0 else f"nvcc failed: {last_line(done.stderr)}")]


def graph_job(cuda: Job) -> Job:
    """The same program on a CUDA graph, for long."""
    return Job("cuda graph, long", [*cuda.command[:1], "0", str(GRAPH_KERNELS)], missing=cuda.missing)


def why_missing(python: str, module: str, probe: str) -> str:
    """Empty where the probe finds the module and a GPU."""
    done = subprocess.run([python, "-c", probe], capture_output=True, text=True, errors="replace", check=False)
    return {0: "", 3: f"{module} sees no GPU"}.get(
        done.returncode, f"no {module} for {python}: {last_line(done.stderr)}")


def stand_in_jobs(command: str) -> list[Job]:
    """The host program on the replay stand-ins: a dry run of every check that needs no GPU."""
    return [Job("stand-in", shlex.split(command))] if command else []


def show(result: Result, width: int) -> None:
    """At once: a run that is cut short has said what it found."""
    print(f"{result.job:{width}}  {result.check:20}  {result.verdict:4}  {result.detail}", flush=True)


def write(path: pathlib.Path, results: list[Result]) -> None:
    path.write_text(json.dumps([dataclasses.asdict(result) for result in results], indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("--command", type=pathlib.Path, required=True)
    parser.add_argument("--stand-in", default="", help="command line of a job on the stand-ins")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=BUDGET_SECONDS)
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("gpu_check.json"))
    options = parser.parse_args()
    scripts = pathlib.Path(__file__).resolve().parent
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="gpu_check.") as folder:
        bench = Bench(options.library.resolve(), options.command.resolve(), pathlib.Path(folder), options.seconds)
        jobs = (stand_in_jobs(options.stand_in) + cuda_jobs(cuda_source(scripts), bench.work, options.iterations)
                + torch_jobs(sys.executable, scripts, options.iterations)
                + jax_jobs(sys.executable, scripts, options.iterations))
        width = max(len(job.name) for job in jobs)
        for job in jobs:
            for result in check_job(bench, job, timing=job.name != "stand-in"):
                results.append(result)
                show(result, width)
                write(options.json, results)
        # Last, where time is left.
        for job in (graph_job(job) for job in jobs if job.name == CUDA_JOB):
            result = Result(job.name, "graph records", NOT_AVAILABLE, job.missing) if job.missing else guarded(
                bench, job, "graph records", lambda: many_graph_records(bench, job))
            results.append(result)
            show(result, width)
            write(options.json, results)
    counts = collections.Counter(result.verdict for result in results)
    print(f"\n{counts[PASS]} PASS, {counts[FAIL]} FAIL, {counts[NOT_AVAILABLE]} n/a")
    print(f"wrote {options.json}")
    return exit_code(results)


def exit_code(results: list[Result]) -> int:
    """1: something failed, 2: nothing could be checked here."""
    verdicts = {result.verdict for result in results}
    return 1 if FAIL in verdicts else 0 if PASS in verdicts else 2


if __name__ == "__main__":
    sys.exit(main())
