#!/usr/bin/env bash
# stand_in_check.sh PYTHON FAKE LIBRARY COMMAND WORK: gpu_check's checks pass on the stand-ins of FAKE, and
# what needs a GPU is n/a there.
set -eu
python=$1 fake=$2 library=$3 command=$4 work=$5
scripts=$(cd "$(dirname "$0")/../../scripts" && pwd)
iterations=60

mkdir -p "$work"
"$fake/make_workload" "$work/modelled.recording" --iterations $iterations --warmup 0 --evaluate-every 0 --checkpoint-every 0
export LD_LIBRARY_PATH="$fake/driver:$fake/cupti-13.0"
"$python" "$scripts/gpu_check.py" --library "$library" --command "$command" --json "$work/gpu_check.json" \
  --stand-in "$python $scripts/stand_in_job.py $fake/fake_host $work/modelled.recording $iterations"
