#!/usr/bin/env bash
# Sets up this machine (Debian 12, Ubuntu 22.04 or newer), builds everything and runs every test: those
# that need the library as it is shipped on the dev preset, then the whole suite under AddressSanitizer
# and UndefinedBehaviorSanitizer, and what crosses threads under ThreadSanitizer, whole jobs among it.
#
#   scripts/test.sh            all of it
#   scripts/test.sh --no-sanitizers    the whole suite on the dev preset alone
#
# The last line is "N passed, N failed"; the exit code is 0 when nothing failed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sanitizers=1
case "${1-}" in
  '') ;;
  --no-sanitizers) sanitizers=0 ;;
  *) sed -n '2,9p' "$0"; exit 1 ;;
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

# build_and_test PRESET [LABEL]: everything, or the tests that test/CMakeLists.txt gives this label.
build_and_test() {
  local preset="$1" label="${2-}" log="$logs/ctest-$1.log"
  local only=(${label:+-L "^$label\$"})
  say "   configure"
  configure "$preset" -DPython3_EXECUTABLE="$python" || { failed=$((failed + 1)); return; }
  say "   build"
  quietly "build-$preset" cmake --build "$build/$preset" --target "${label:+tests_}${label:-all}" ||
    { failed=$((failed + 1)); return; }
  say "   test"  # one more at a time than there are processors: whole jobs mostly wait
  ctest --test-dir "$build/$preset" "${only[@]}" -j $(($(nproc) + 1)) --output-on-failure 2>&1 </dev/null |
    tee "$log" | grep --line-buffered -vE '^(Internal ctest|Test project| +Start +[0-9]+:|$)'
  count "$log"
}

step "Packages"
need_packages "${build_packages[@]}" "${test_packages[@]}" mold python3-pip python3-venv ||
  die "packages could not be installed"
need_matplotlib
# For the test with a 32-bit child. Not gcc-multilib: it would push out cross compilers.
[ "$(uname -m)" != x86_64 ] || need_packages "lib32gcc-$(gcc -dumpversion)-dev" libc6-dev-i386 ||
  say "   no 32-bit compiler: a 32-bit child is not tested"

step "Genuine CUPTI and NVML packages, to check our declarations against"
need_cupti
need_nvml

if [ $sanitizers = 1 ]; then
  step "What needs the library as it is shipped (preset dev)"
  build_and_test dev plain
  step "Everything under AddressSanitizer and UndefinedBehaviorSanitizer"
  build_and_test asan
  step "What crosses threads under ThreadSanitizer"
  build_and_test tsan threads
else
  step "Everything (preset dev)"
  build_and_test dev
fi

step "All together"
say "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
