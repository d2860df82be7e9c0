#!/usr/bin/env bash
# Checks DeepProf on this machine's GPU in under 10 minutes: jobs of the CUDA runtime, PyTorch and JAX with and
# without the library, against what they know of themselves and against torch.profiler's own trace. Prints a table of PASS, FAIL and n/a and writes it as JSON.
#
#   scripts/gpu_check.sh                  builds first, or uses the archive that it lies in
#   scripts/gpu_check.sh --stand-in       a dry run where there is no GPU, on the stand-ins of test/fake; from the archive
#                                         STAND_INS names the folder where a source tree has built them
#   scripts/gpu_check.sh --json FILE      where the JSON goes (default: gpu_check.json here)
#   scripts/gpu_check.sh --seconds N      all the time there is for checks (540); what does not begin within it is n/a
#
# Needs Python 3.10; PyTorch where its jobs are to run. Set PYTHON to use another interpreter.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-python3}
stand_in=''
options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --stand-in) stand_in=1 ;;
    --json | --seconds) options+=("$1" "$2"); shift ;;
    *) sed -n '2,13p' "$0"; exit 1 ;;
  esac
  shift
done

# The archive holds scripts/ beside bin/ and lib/; a source tree builds.
prefix=$(dirname "$here")
if [ -x "$prefix/bin/deepprof" ]; then
  library="$prefix/lib/libdeepprof_inject.so" command="$prefix/bin/deepprof" fake=${STAND_INS-}
  if [ -n "$stand_in" ] && [ ! -x "$fake/fake_host" ]; then
    echo "error: STAND_INS must name a folder with stand-ins, such as build/dev/test/fake of a source tree" >&2
    exit 1
  fi
else
  . "$here/lib.sh"
  step "Build"
  need_packages "${build_packages[@]}" "${test_packages[@]}" || die "packages could not be installed"
  configure release -B "$build/demo" -DDEEPPROF_BENCHMARKS=OFF -DDEEPPROF_WERROR=OFF || exit 1
  quietly build-demo cmake --build "$build/demo" -- deepprof deepprof_inject "${stand_ins[@]}" || exit 1
  library=$(built "$build/demo" libdeepprof_inject.so) && command=$(built "$build/demo" deepprof) || exit 1
  fake="$build/demo/test/fake"
  step "Checks"
fi

if [ -n "$stand_in" ]; then
  iterations=100
  recording=$(mktemp) && trap 'rm -f "$recording"' EXIT
  "$fake/make_workload" "$recording" --iterations $iterations --warmup 0 --evaluate-every 0 \
    --checkpoint-every 0 || exit 1
  export LD_LIBRARY_PATH="$fake/driver:$fake/cupti-13.0"
  options+=(--stand-in "$python $here/stand_in_job.py $fake/fake_host $recording $iterations")
fi
"$python" "$here/gpu_check.py" --library "$library" --command "$command" "${options[@]}"
