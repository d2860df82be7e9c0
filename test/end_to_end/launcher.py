"""A launcher as torchrun is one: launcher.py fail|end JOB [ARGUMENTS...].

Starts the job as two ranks through a shell and waits. With "fail" rank 1 ends early with an error; the launcher
then ends rank 0 by SIGTERM, and itself by os._exit, as launchers do.
"""

import os
import signal
import subprocess
import sys


def start(rank: int, command: list[str]) -> subprocess.Popen:
    environment = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2")
    return subprocess.Popen(["bash", "-c", 'exec "$0" "$@"', *command], env=environment, stdout=subprocess.DEVNULL)


def main() -> None:
    what, *job = sys.argv[1:]
    ranks = [start(0, job), start(1, job + ["--stop-after", "2000", "--code", "3"] if what == "fail" else job)]
    ended = ranks[1].wait()
    if what == "fail":
        ranks[0].send_signal(signal.SIGTERM)
    codes = [ranks[0].wait(), ended]
    print(codes, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
