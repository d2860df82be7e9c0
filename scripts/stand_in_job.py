#!/usr/bin/env python3
"""stand_in_job.py HOST RECORDING ITERATIONS: the job of `gpu_check.sh --stand-in`.

Runs the host program of test/fake to its end and prints the line of JSON that gpu_check expects of a job.
"""

import json
import subprocess
import sys
import time


def main() -> int:
    host, recording, iterations = sys.argv[1], sys.argv[2], int(sys.argv[3])
    start = time.perf_counter_ns()
    code = subprocess.run([host, recording, "--speed", "recorded", "--clock", "now"], check=False).returncode
    taken = time.perf_counter_ns() - start
    print(json.dumps({"iterations": iterations, "median_step_ns": taken // iterations}))
    return code


if __name__ == "__main__":
    sys.exit(main())
