#!/usr/bin/env bash
# Sets up this machine (Debian 12, Ubuntu 22.04 or newer), builds, runs an unchanged job under the library
# and shows the summary that the library prints at exit.
#
# The job: on a machine with an NVIDIA GPU and PyTorch a small training loop; elsewhere a modelled one on
# stand-ins for the driver and for CUPTI (test/fake), which is said. The library is the same in both.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

demo="$build/demo"
output="$build/demo-output"

has_gpu_and_torch() { python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null; }

step "Packages"
need_packages "${build_packages[@]}" python3 || die "packages could not be installed"
if ! has_gpu_and_torch; then
  need_packages "${test_packages[@]}" || die "packages could not be installed"  # the stand-ins live under test/
fi

step "Build"
python=$(command -v python3)
configure release -B "$demo" -DDEEPPROF_BENCHMARKS=OFF -DDEEPPROF_WERROR=OFF || exit 1
targets=(deepprof deepprof_inject)
has_gpu_and_torch || targets+=("${stand_ins[@]}")
quietly build-demo cmake --build "$demo" -- "${targets[@]}" || exit 1

library=$(built "$demo" libdeepprof_inject.so) || exit 1
command=$(built "$demo" deepprof) || exit 1
rm -rf "$output" && mkdir -p "$output"

if has_gpu_and_torch; then
  step "A small PyTorch training loop on this machine's GPU, unchanged, under the library"
  job=(python3 "$root/scripts/torch_loop.py" --iterations 200)
else
  step "A MODELLED job: no GPU with PyTorch here"
  say "   Neither the driver nor CUPTI below is NVIDIA's: stand-ins replay the launches, copies and kernels of a"
  say "   modelled ResNet training. Its times are invented; what the library does with them is real."
  "$demo/test/fake/make_workload" "$output/modelled.recording" --stall-share 0.1 || exit 1
  export LD_LIBRARY_PATH="$demo/test/fake/driver:$demo/test/fake/cupti-13.0"
  job=("$demo/test/fake/fake_host" "$output/modelled.recording" --speed recorded --clock now)
fi

say ""
say "\$ CUDA_INJECTION64_PATH=$library DEEPPROF_OUTPUT=$output ${job[*]##*/}"
CUDA_INJECTION64_PATH="$library" DEEPPROF_OUTPUT="$output" "${job[@]}"
say "the job ended with code $?"

dump=$(ls "$output"/*.dprof 2>/dev/null | head -n 1)
[ -n "$dump" ] || die "the library wrote no dump to $output"
step "Next, for example"
say "$command gaps $dump"
say "$command iterations --slow $dump"
