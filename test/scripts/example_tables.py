"""Tables as the command prints them, made up by a seeded generator, for the tests of the pictures."""

import random

from plotting import Table

PARTS = ("compute_ns", "communication_exposed_ns", "memcpy_exposed_ns", "memset_exposed_ns", "idle_ns",
         "not_recorded_ns")


def iterations(count: int, seed: int = 1) -> Table:
    """`count` iterations of about 100 ms: a warm-up of two, then training, every 50th slow."""
    rng = random.Random(seed)
    columns: dict[str, list] = {name: [] for name in (
        "iteration", "device", "section", "kind", "start_ns", "end_ns", "duration_ns", "ops", "first_correlation",
        "slow", "counted", *PARTS)}
    start = 0
    for i in range(count):
        slow = int(i % 50 == 49)
        shares = [0.65, 0.08, 0.02, 0.01, 0.24]
        parts = [round(1e8 * share * rng.uniform(0.95, 1.05)) for share in shares] + [0]
        parts[-2] += slow * 90_000_000 + (i < 2) * 400_000_000
        duration = sum(parts)
        row = (i, 0, "warm-up" if i < 2 else "training", "iteration", start, start + duration, duration, 100,
               1 + i * 100, slow, "no" if i < 2 else "yes", *parts)
        for name, value in zip(columns, row):
            columns[name].append(value)
        start += duration
    return Table(columns)


def ops(iterations_count: int, length: int = 100, seed: int = 2) -> Table:
    """The same pattern of `length` ops, `iterations_count` times over, in launch order."""
    rng = random.Random(seed)
    pattern = [f"kernel_{rng.randrange(30)}" for _ in range(length)]
    names = pattern * iterations_count
    count = len(names)
    return Table({"start_ns": list(range(0, 10 * count, 10)), "device": [0] * count, "graph_node": [0] * count,
                  "correlation": list(range(1, count + 1)), "name": names})


def gaps(count: int, seed: int = 3) -> Table:
    rng = random.Random(seed)
    causes = ("host outside CUDA", "host launch-bound", "host blocked in CUDA", "dependency wait", "kernel wait")
    chosen = [rng.choice(causes) for _ in range(count)]
    lengths = [max(1, round(rng.lognormvariate({"kernel wait": 8, "host launch-bound": 9.5}.get(cause, 13), 0.8)))
               for cause in chosen]
    return Table({"cause": chosen, "duration_ns": lengths})


def kernels(count: int) -> Table:
    return Table({"name": [f"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_{i}>(Params)" for i in range(count)],
                  "category": ["communication" if i == 2 else "gemm" for i in range(count)],
                  "total_ns": [round(5e8 / (i + 1)) for i in range(count)]})


def categories() -> Table:
    return Table({"category": ["gemm", "communication", "elementwise", "norm"],
                  "total_ns": [900_000_000, 160_000_000, 70_000_000, 5_000_000]})


def timeline(count: int) -> Table:
    """Two streams, one host thread and a row of gaps."""
    columns: dict[str, list] = {name: [] for name in ("lane", "kind", "name", "start_ns", "duration_ns")}
    for i in range(count):
        start = 1_700_000_000_000_000_000 + i * 100_000
        for row in (("stream 7", "kernel", "gemm", start, 70_000), ("stream 20", "communication", "nccl", start + 30_000, 40_000),
                    ("GPU idle", "gap", "host launch-bound", start + 70_000, 30_000),
                    ("thread 1", "launch", "cudaLaunchKernel", start - 9_000, 5_000)):
            for name, value in zip(columns, row):
                columns[name].append(value)
    return Table(columns)


def measures(slower: float = 1.1) -> Table:
    """`compare --table measures` of a run and one whose compute takes `slower` times as long."""
    columns: dict[str, list] = {name: [] for name in (
        "baseline", "run", "figure", "over", "a", "b", "change", "change_ratio", "low", "high", "chance", "verdict")}
    before = {"compute_ns": 20e6, "memcpy_exposed_ns": 2e6, "host_outside_ns": 5e6, "graph_replay_ns": 0.0}
    after = dict(before, compute_ns=20e6 * slower)
    before["iteration_ns"], after["iteration_ns"] = sum(before.values()), sum(after.values())
    for name, a in before.items():
        b = after[name]
        row = ("old", "new", name, "typical", a, b, b - a, b / a - 1 if a else None, b - a - 1e5, b - a + 1e5,
               0.5 if a == b else 1e-9, "same" if a == b else "differs")
        for column, value in zip(columns, row):
            columns[column].append(value)
    return Table(columns)


def sweep(values: list) -> Table:
    """A row for each value of what was varied; power is known of the first alone."""
    count = len(values)
    return Table({"by": ["batch"] * count, "value": values, "run": [f"run{i}" for i in range(count)],
                  "iteration_ns": [10e6 * (i + 1) for i in range(count)],
                  "iteration_low_ns": [9e6 * (i + 1) for i in range(count)],
                  "iteration_high_ns": [None if i == 0 else 11e6 * (i + 1) for i in range(count)],
                  "items_per_s": [6400.0 / (i + 1) for i in range(count)],
                  "iterations_per_s": [100.0 / (i + 1) for i in range(count)],
                  "power_mw": [300_000.0 if i == 0 else None for i in range(count)],
                  "memory_bytes": [None] * count})


def allocations(steps: int) -> Table:
    """A GPU's framework kind that rises and falls above its reserve's steps, and pinned memory of the host."""
    rows = []
    for i in range(steps):
        time = 10**18 + i * 1_000_000
        rows.append((time, 0, "framework", "allocate", 10**9 + (i % 50) * 10**7))
        if i % 100 == 0:
            rows.append((time, 0, "framework reserved", "allocate", 2 * 10**9 + i * 10**6))
        if i % 40 == 0:
            rows.append((time, "host", "pinned", "allocate", 5 * 10**6))
    return Table({name: [row[i] for row in rows]
                  for i, name in enumerate(("time_ns", "device", "memory_kind", "step", "in_use_bytes"))})


def memory(recorded_to_ns: int, since: str = "process_start") -> Table:
    """The totals of allocations()."""
    kinds = ["framework", "framework reserved", "pinned"]
    return Table({"memory_kind": kinds, "in_use_since": [since, "process_start", "process_start"],
                  "recorded_to_ns": [recorded_to_ns] * len(kinds)})


def samples(devices: int, count: int) -> Table:
    """Power of each GPU, ten times a second, and the host's CPU."""
    columns: dict[str, list] = {name: [] for name in ("time_ns", "device", "metric", "value")}
    for i in range(count):
        for device in range(devices):
            row = (10**18 + i * 100_000_000, device, "gpu_power_mw", 200_000.0 + 50_000 * device + i)
            for name, value in zip(columns, row):
                columns[name].append(value)
        for name, value in zip(columns, (10**18 + i * 100_000_000, "host", "process_cpu_ratio", 1.5)):
            columns[name].append(value)
    return Table(columns)
