#!/usr/bin/env bash
# cuda_loop_test.sh JOB LIBRARY OUTPUT: a job of the genuine CUDA runtime ends with the same code and says
# the same on stdout with and without the library, whether or not there is a GPU.
set -u
job=$1 library=$2 output=$3
mkdir -p "$output"
shape() { sed 's/"median_step_ns": [0-9]*//'; }  # times differ from run to run

plain=$("$job" 20 2>/dev/null); plain_code=$?
ours=$(CUDA_INJECTION64_PATH="$library" DEEPPROF_OUTPUT="$output" "$job" 20 2>"$output/stderr"); ours_code=$?
preloaded=$(LD_PRELOAD="$library" DEEPPROF_OUTPUT="$output" "$job" 20 2>"$output/stderr"); preloaded_code=$?

echo "exit codes: $plain_code without, $ours_code injected, $preloaded_code preloaded"
[ "$plain_code" = "$ours_code" ] && [ "$plain_code" = "$preloaded_code" ] || exit 1
[ "$(shape <<<"$plain")" = "$(shape <<<"$ours")" ] && [ "$(shape <<<"$plain")" = "$(shape <<<"$preloaded")" ]
