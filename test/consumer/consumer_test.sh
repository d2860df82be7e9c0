#!/usr/bin/env bash
# consumer_test.sh BUILD WORK CMAKE CXX: the install tree of BUILD serves a program of somebody else.
set -eu
build=$1 work=$2 cmake=$3 cxx=$4
program=$(cd "$(dirname "$0")/program" && pwd)
prefix="$work/prefix"

rm -rf "$prefix" "$work/cmake" && mkdir -p "$work/cmake"
"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log"

echo "with find_package"
"$cmake" -S "$program" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" >"$work/configure.log"
"$cmake" --build "$work/cmake" >"$work/build.log"
"$work/cmake/consumer"

if command -v pkg-config >/dev/null; then
  echo "with pkg-config"
  folder=$(dirname "$(find "$prefix" -name deepprof.pc)")
  flags() { PKG_CONFIG_PATH="$folder" pkg-config --define-variable=prefix="$prefix" "$@" deepprof; }
  [ -f "$(flags --variable=inject)" ]
  # shellcheck disable=SC2046 # the flags are meant to be split
  "$cxx" -std=c++20 "$program/main.cc" $(flags --cflags) $(flags --libs) -o "$work/consumer"
  "$work/consumer"
fi

echo "the command of the install tree"
if [ -x "$prefix/bin/deepprof" ]; then
  "$prefix/bin/deepprof" --version
fi
