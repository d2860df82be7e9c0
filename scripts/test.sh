#!/usr/bin/env bash
# Sets up this machine (Debian 12, Ubuntu 22.04 or newer), builds everything and runs every test: the
# whole suite on the dev preset, then the readers of foreign bytes under AddressSanitizer and
# UndefinedBehaviorSanitizer, and what crosses threads under ThreadSanitizer; whole jobs under both.
#
#   scripts/test.sh            all of it
#   scripts/test.sh --no-sanitizers
#   scripts/test.sh --all-under-address-sanitizer    the whole suite there, too (half an hour more)
#
# The last line is "N passed, N failed"; the exit code is 0 when nothing failed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sanitizers=1
# Tests by name (regular expressions of CTest) for the sanitizers.
reads_bytes='^(core|trace_.*|cupti|import_text|import_kineto|export_.*|fuzz_.*|sampled_job)$'
crosses_threads='^(ring|capture|cupti|trace_parts|sample|inject|sampled_job)$'

case "${1-}" in
  '') ;;
  --no-sanitizers) sanitizers=0 ;;
  --all-under-address-sanitizer) reads_bytes=. ;;
  *) sed -n '2,10p' "$0"; exit 1 ;;
esac

passed=0
failed=0

# count LOG: adds ctest's own closing line, "97% tests passed, 2 tests failed out of 66".
count() {
  local line fail all
  line=$(grep -E 'tests? failed out of [0-9]+' "$1" | tail -n 1)
  [ -n "$line" ] || { failed=$((failed + 1)); return; }
  fail=$(sed -E 's/.* ([0-9]+) tests? failed out of .*/\1/' <<<"$line")
  all=$(sed -E 's/.*out of ([0-9]+).*/\1/' <<<"$line")
  failed=$((failed + fail))
  passed=$((passed + all - fail))
}

# build_and_test PRESET [TESTS]: with TESTS only the programs of those tests are built.
build_and_test() {
  local preset="$1" tests="${2-.}" targets=() log="$logs/ctest-$1.log"
  say "   configure"
  configure "$preset" -DPython3_EXECUTABLE="$python" || { failed=$((failed + 1)); return; }
  if [ "$tests" != . ]; then
    mapfile -t targets < <(ctest --test-dir "$build/$preset" -N -R "$tests" |
      sed -nE 's/^ *Test +#[0-9]+: ([a-z0-9_]+)$/test_\1/p')
    [ ${#targets[@]} -gt 0 ] || { say "   no test matches $tests"; failed=$((failed + 1)); return; }
    say "   build ${targets[*]}"
  else
    say "   build"
  fi
  quietly "build-$preset" cmake --build "$build/$preset" -- "${targets[@]}" ||
    { failed=$((failed + 1)); return; }
  say "   test"
  ctest --test-dir "$build/$preset" -R "$tests" -j "$(nproc)" --output-on-failure 2>&1 </dev/null |
    tee "$log" | grep --line-buffered -vE '^(Internal ctest|Test project| +Start +[0-9]+:|$)'
  count "$log"
}

step "Packages"
need_packages "${build_packages[@]}" "${test_packages[@]}" python3-pip python3-venv ||
  die "packages could not be installed"
need_matplotlib
# For the test with a 32-bit child. Not gcc-multilib: it would push out cross compilers.
[ "$(uname -m)" != x86_64 ] || need_packages "lib32gcc-$(gcc -dumpversion)-dev" libc6-dev-i386 ||
  say "   no 32-bit compiler: a 32-bit child is not tested"

step "Genuine CUPTI and NVML packages, to check our declarations against"
need_cupti
need_nvml

step "Everything (preset dev)"
build_and_test dev

if [ $sanitizers = 1 ]; then
  [ "$reads_bytes" = . ] && what="Everything" || what="Readers of foreign bytes"
  step "$what under AddressSanitizer and UndefinedBehaviorSanitizer"
  build_and_test asan "$reads_bytes"
  step "What crosses threads under ThreadSanitizer"
  build_and_test tsan "$crosses_threads"
fi

step "All together"
say "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
