#!/usr/bin/env bash
# Makes build/deepprof-VERSION-linux-ARCH.tar.gz: the injected library, and a command that carries its own
# libraries down to glibc and its loader; and a wheel of the same for pip. Both run on any Linux of that architecture with glibc 2.28 or newer;
# the command needs no glibc of the machine at all. To be run on Debian 12 or Ubuntu 22.04.
#
#   scripts/make_portable.sh            for this machine
#   scripts/make_portable.sh aarch64    elsewhere than on ARM by a cross-compiler, checked under qemu-user
#
#   deepprof-VERSION-linux-ARCH/
#     lib/libdeepprof_inject.so   to be named in CUDA_INJECTION64_PATH; copy it wherever you like
#     bin/deepprof                starts lib/deepprof/deepprof with the loader beside it
#     lib/deepprof/               the command, its libraries and their loader
#     share/deepprof/scripts/     pictures; scripts/gpu_check.sh and the job that it runs
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

arch=${1:-$(uname -m)}
newest_glibc_allowed=2.28
most_mebibytes=64

if [ "$arch" = "$(uname -m)" ]; then
  preset=portable tools='' emulator='' more_libraries=''
elif [ "$arch" = aarch64 ]; then
  preset=aarch64 tools=aarch64-linux-gnu- emulator=qemu-aarch64
  more_libraries="$build/arm64-root/usr/lib/aarch64-linux-gnu"
else
  die "no cross-compiler for $arch: run this on such a machine"
fi

newest_glibc() {  # the newest glibc symbol version that a file needs
  "${tools}objdump" -T "$1" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -n 1
}

library_path() {  # where the compiler's linker finds the library NAME
  if [ -n "$more_libraries" ] && [ -e "$more_libraries/$1" ]; then
    printf '%s\n' "$more_libraries/$1"
  else
    "${tools}gcc" "-print-file-name=$1"
  fi
}

carry_libraries() {  # copies into $own what FILE needs, and what that needs
  local name
  "${tools}readelf" -d "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | while read -r name; do
    [ ! -e "$own/$name" ] || continue
    cp -L "$(library_path "$name")" "$own/$name"
    carry_libraries "$own/$name"
  done
}

step "Packages"
need_packages "${build_packages[@]}" binutils python3 python3-venv
[ -z "$tools" ] || need_arm64_root

step "Build"
configure "$preset"
quietly "build-$preset" cmake --build "$build/$preset" -- deepprof deepprof_inject
version=$(sed -nE 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/$preset/CMakeCache.txt")
name="deepprof-$version-linux-$arch"
tree="$build/$name"
rm -rf "$tree"
quietly "install-$preset" cmake --install "$build/$preset" --prefix "$tree" --strip
rm -rf "$tree/include" "$tree"/lib/*.a "$tree/lib/cmake" "$tree/lib/pkgconfig"

step "A command with its own libraries"
own="$tree/lib/deepprof"
mkdir -p "$own" && mv "$tree/bin/deepprof" "$own/deepprof"
carry_libraries "$own/deepprof"
loader=$(basename "$("${tools}readelf" -l "$own/deepprof" | sed -nE 's/.*interpreter: (.*)\]/\1/p')")
[ -e "$own/$loader" ] || cp -L "$(library_path "$loader")" "$own/$loader"
ln -s ../libdeepprof_inject.so "$own/libdeepprof_inject.so"  # where the command looks first
cat >"$tree/bin/deepprof" <<WRAPPER
#!/bin/sh
# Starts the command with the loader and the libraries that came with it.
here=\$(CDPATH= cd -- "\$(dirname -- "\$(readlink -f -- "\$0")")/.." && pwd) || exit 1
exec "\$here/lib/deepprof/$loader" --argv0 "\$0" --library-path "\$here/lib/deepprof" \\
  "\$here/lib/deepprof/deepprof" "\$@"
WRAPPER
chmod 755 "$tree/bin/deepprof"
mkdir -p "$tree/scripts"
cp "$root"/scripts/gpu_check.sh "$root"/scripts/gpu_check.py "$root"/scripts/torch_loop.py "$root"/scripts/jax_loop.py \
  "$root"/scripts/stand_in_job.py "$root"/test/gpu/cuda_loop.cu "$tree/scripts/"

step "Checks"
needed=$(newest_glibc "$tree/lib/libdeepprof_inject.so")
say "   the library needs glibc $needed"
[ "$(printf '%s\n' "$needed" "$newest_glibc_allowed" | sort -V | tail -n 1)" = "$newest_glibc_allowed" ] ||
  die "the library needs glibc $needed, more than $newest_glibc_allowed"
"${tools}readelf" -h "$tree/lib/libdeepprof_inject.so" "$own/deepprof" | sed -n 's/^ *Machine: */   made for /p'
command=("$tree/bin/deepprof")
[ -z "$emulator" ] || command=("$emulator" "$own/$loader" --library-path "$own" "$own/deepprof")
"${command[@]}" --version
"${command[@]}" --help >/dev/null
"${command[@]}" doctor || [ $? -lt 100 ]  # it finds no GPU on most machines that build; ending by a signal is a fault

tar -C "$build" -czf "$build/$name.tar.gz" "$name"
[ "$(stat -c %s "$build/$name.tar.gz")" -le $((most_mebibytes << 20)) ] || die "the archive is larger than $most_mebibytes MiB"

step "The same as a wheel"
wheel=$("$root/scripts/make_wheel.py" "$tree")
if [ -z "$emulator" ]; then  # pip refuses one for another machine
  rm -rf "$build/wheel-check"
  python3 -m venv "$build/wheel-check"
  quietly install-wheel "$build/wheel-check/bin/pip" install --no-index "$wheel"
  "$build/wheel-check/bin/deepprof" --version
  say "   finds $("$build/wheel-check/bin/deepprof" run --print-library)"
fi
step "$(du -h "$wheel" | cut -f 1) ${wheel#"$root/"}"
step "$(du -h "$build/$name.tar.gz" | cut -f 1) build/$name.tar.gz"
