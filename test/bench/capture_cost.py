#!/usr/bin/env python3
"""What capture costs a job, without a GPU: the stand-in job under the library against the same job under a
client that only returns CUPTI's buffers. Prints CPU time a record, the launching threads' share, and how
long CUPTI waited for buffers. Run by hand on an idle machine:

    test/bench/capture_cost.py build/release [--records-per-second 200000] [--seconds 10] [--runs 3]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


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


def run_job(build, recording, library, arguments):
    """Runs the job once; returns CPU seconds in all, of our threads, of the job's, and the account."""
    stand_ins = build / "test" / "fake"
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, CUDA_INJECTION64_PATH=str(library), DEEPPROF_OUTPUT=folder,
                           DEEPPROF_REPORT="0", DEEPPROF_CUPTI=str(stand_ins / "cupti-13.0/libcupti.so.13"),
                           LD_LIBRARY_PATH=str(stand_ins / "driver"), FAKE_CUPTI_ACCOUNT=f"{folder}/account")
        job = subprocess.Popen([stand_ins / "fake_host", recording, *arguments], env=environment,
                               stdout=subprocess.DEVNULL)
        seen = {}
        while job.poll() is None:
            try:
                seen.update(thread_times(job.pid))
            except OSError:
                pass
            time.sleep(0.02)
        account = json.loads(subprocess.run([stand_ins / "show_account", f"{folder}/account"], check=True,
                                            capture_output=True, text=True).stdout)
    ours = sum(spent for name, spent in seen.values() if name.startswith("dp-"))
    return {"ours": ours, "others": sum(spent for _, spent in seen.values()) - ours, "account": account}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--records-per-second", type=int, default=200000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    build = options.build.resolve()
    arguments = ["--rate", str(options.records_per_second), "--seconds", str(options.seconds)]
    clients = {"library": build / "lib/libdeepprof_inject.so", "bare": build / "test/fake/libbare_client.so"}
    results = {name: [] for name in clients}
    with tempfile.TemporaryDirectory() as folder:
        recording = f"{folder}/job.rec"
        subprocess.run([build / "test/fake/make_workload", recording], check=True, capture_output=True)
        for _ in range(options.runs):
            for name, library in clients.items():
                run = run_job(build, recording, library, arguments)
                delivered = run["account"]["delivered"]
                records = sum(delivered.values())
                launches = delivered.get("5", 0) + delivered.get("4", 0)
                results[name].append((run["ours"] / records, (run["ours"] + run["others"]) / records,
                                      run["others"] / launches, run["account"]["longest_request_ns"], records))
    middle = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in results.items()}
    library, bare = middle["library"], middle["bare"]
    print(f"records a run                              {library[4]:,.0f}")
    print(f"our threads, CPU a record                  {library[0]:.0f} ns")
    print(f"all threads, CPU a record, over the bare   {library[1] - bare[1]:.0f} ns   ({library[1]:.0f} against {bare[1]:.0f})")
    print(f"job's threads, CPU a launch, over the bare {library[2] - bare[2]:.0f} ns   ({library[2]:.0f} against {bare[2]:.0f})")
    print(f"longest buffer request                     {library[3] / 1000:.1f} us")


if __name__ == "__main__":
    main()
