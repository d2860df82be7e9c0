#!/usr/bin/env python3
"""What capture costs a job, without a GPU: the stand-in job under the library against the same job under a
client that only returns CUPTI's buffers, in turns. CPU times are the threads' own; every figure is a median.

    test/bench/capture_cost.py build/release [--records-per-second 200000] [--seconds 10] [--runs 5]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

CUINIT = """
import ctypes, sys, time
driver = ctypes.CDLL(sys.argv[1])
wall, cpu = time.perf_counter(), time.process_time()
assert driver.cuInit(0) == 0
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


class StandIns:
    """The programs of a build folder, and the environment in which they run a job."""

    def __init__(self, build, folder):
        self.fake = build / "test" / "fake"
        self.libraries = {"none": None, "library": build / "lib/libdeepprof_inject.so",
                          "bare": self.fake / "libbare_client.so"}
        self.folder = folder
        self.recording = f"{folder}/job.rec"
        subprocess.run([self.fake / "make_workload", self.recording], check=True, capture_output=True)

    def environment(self, client, **more):
        result = dict(os.environ, DEEPPROF_OUTPUT=self.folder, DEEPPROF_REPORT="0",
                      DEEPPROF_CUPTI=str(self.fake / "cupti-13.0/libcupti.so.13"),
                      LD_LIBRARY_PATH=str(self.fake / "driver"), FAKE_CUPTI_ACCOUNT=f"{self.folder}/account", **more)
        if self.libraries[client]:
            result["CUDA_INJECTION64_PATH"] = str(self.libraries[client])
        return result

    def account(self):
        shown = subprocess.run([self.fake / "show_account", f"{self.folder}/account"], check=True,
                               capture_output=True, text=True)
        return json.loads(shown.stdout)


def thread_times(pid):
    """CPU nanoseconds of each thread of the process, by thread id: (name, time)."""
    times = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            times[task.name] = ((task / "comm").read_text().strip(),
                                int((task / "schedstat").read_text().split()[0]))
        except (OSError, IndexError):
            pass  # the thread has ended
    return times


def resident_mib(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


def run_job(stand_ins, client, arguments, **environment):
    """Runs the job once: CPU nanoseconds by owner of the thread, the most resident memory, the account."""
    account = pathlib.Path(stand_ins.folder, "account")
    account.unlink(missing_ok=True)
    job = subprocess.Popen([stand_ins.fake / "fake_host", stand_ins.recording, *arguments],
                           env=stand_ins.environment(client, **environment), stdout=subprocess.DEVNULL)
    seen, peak = {}, 0
    while job.poll() is None:
        try:
            seen.update(thread_times(job.pid))
        except OSError:
            pass
        peak = max(peak, resident_mib(job.pid))
        time.sleep(0.02)
    of = {"ours": 0, "job": 0, "cupti": 0}
    for name, spent in seen.values():
        of["ours" if name.startswith("dp-") else "cupti" if name == "fake-cupti" else "job"] += spent
    for trace in pathlib.Path(stand_ins.folder).glob("*.dprof"):
        trace.unlink()
    return of, peak, stand_ins.account() if account.exists() else None


def cost(stand_ins, options):
    arguments = ["--rate", str(options.records_per_second), "--seconds", str(options.seconds)]
    rows = {"library": [], "bare": []}
    for _ in range(options.runs):
        for client, results in rows.items():
            of, _, account = run_job(stand_ins, client, arguments)
            records = sum(account["delivered"].values())
            launches = account["delivered"].get("5", 0) + account["delivered"].get("4", 0)
            results.append((of["ours"] / records, sum(of.values()) / records, of["job"] / launches, records))
    library, bare = ([statistics.median(column) for column in zip(*rows[client])] for client in rows)
    print(f"records a run                              {library[3]:,.0f}")
    print(f"our threads, CPU a record                  {library[0]:.0f} ns")
    print(f"all threads, CPU a record, over the bare   {library[1] - bare[1]:.0f} ns   "
          f"({library[1]:.0f} against {bare[1]:.0f})")
    print(f"job's threads, CPU a call, over the bare   {library[2] - bare[2]:.0f} ns   "
          f"({library[2]:.0f} against {bare[2]:.0f})")


def requests(stand_ins, options):
    """How long CUPTI waits for buffers; flushed every 2 ms, so that there are many requests."""
    buckets = [0] * 20
    for _ in range(options.runs):
        _, _, account = run_job(stand_ins, "library", ["--rate", "200000", "--seconds", "4"], DEEPPROF_FLUSH_MS="2")
        buckets = [a + b for a, b in zip(buckets, account["request_us"])]
    total, below = sum(buckets), 0
    for bucket, count in enumerate(buckets):
        below += count
        if below >= 0.999 * total:
            print(f"requests for a buffer, 99.9 % of them      under {1 << bucket} us   ({total:,} requests)")
            return


def start(stand_ins, options):
    times = []
    for _ in range(max(9, options.runs)):
        run = subprocess.run([sys.executable, "-c", CUINIT, str(stand_ins.fake / "driver/libcuda.so.1")], check=True,
                             env=stand_ins.environment("library"), capture_output=True, text=True)
        times.append([float(part) * 1e3 for part in run.stdout.split()])
    wall, cpu = (statistics.median(column) for column in zip(*times))
    print(f"cuInit with the library                    {wall:.1f} ms on the wall, {cpu:.1f} ms of CPU")


def memory(stand_ins):
    for rate in ("24000", "500000"):
        arguments = ["--rate", rate, "--seconds", "5"]
        peaks = {client: run_job(stand_ins, client, arguments)[1] for client in ("none", "library")}
        print(f"resident memory at {int(rate):>7,} records/s        {peaks['library'] - peaks['none']:.0f} MiB more "
              f"than the job alone   ({peaks['library']:.0f} against {peaks['none']:.0f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--records-per-second", type=int, default=200000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stand_ins = StandIns(options.build.resolve(), folder)
        cost(stand_ins, options)
        requests(stand_ins, options)
        start(stand_ins, options)
        memory(stand_ins)


if __name__ == "__main__":
    main()
