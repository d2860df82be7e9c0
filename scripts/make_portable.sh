#!/usr/bin/env bash
# Makes build/deepprof-VERSION-linux-x86_64.tar.gz: the injected library, and a command that carries its own
# libraries down to glibc and its loader. Both run on any x86-64 Linux with glibc 2.28 or newer; the command
# needs no glibc of the machine at all. To be run on Debian 12 or Ubuntu 22.04.
#
#   deepprof-VERSION-linux-x86_64/
#     lib/libdeepprof_inject.so   to be named in CUDA_INJECTION64_PATH; copy it wherever you like
#     bin/deepprof                starts lib/deepprof/deepprof with the loader beside it
#     lib/deepprof/               the command, its libraries and their loader
#     share/deepprof/scripts/     pictures; scripts/gpu_check.sh and the job that it runs
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

newest_glibc_allowed=2.28

newest_glibc() {  # the newest glibc symbol version that a file needs
  objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -n 1
}

step "Packages"
need_packages "${build_packages[@]}" binutils

step "Build"
configure portable
quietly build-portable cmake --build "$build/portable" -- deepprof deepprof_inject
version=$(sed -nE 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/portable/CMakeCache.txt")
name="deepprof-$version-linux-$(uname -m)"
tree="$build/$name"
rm -rf "$tree"
quietly install-portable cmake --install "$build/portable" --prefix "$tree" --strip
rm -rf "$tree/include" "$tree"/lib/*.a "$tree/lib/cmake" "$tree/lib/pkgconfig"

step "A command with its own libraries"
own="$tree/lib/deepprof"
mkdir -p "$own" && mv "$tree/bin/deepprof" "$own/deepprof"
ldd "$own/deepprof" | awk '$3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }' | while read -r library; do
  cp -L "$library" "$own/"
done
ln -s ../libdeepprof_inject.so "$own/libdeepprof_inject.so"  # where the command looks first
loader=$(basename "$(ls "$own"/ld-linux* | head -n 1)")
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
  "$root"/test/gpu/cuda_loop.cu "$tree/scripts/"

step "Checks"
needed=$(newest_glibc "$tree/lib/libdeepprof_inject.so")
say "   the library needs glibc $needed"
[ "$(printf '%s\n' "$needed" "$newest_glibc_allowed" | sort -V | tail -n 1)" = "$newest_glibc_allowed" ] ||
  die "the library needs glibc $needed, more than $newest_glibc_allowed"
"$tree/bin/deepprof" --version

tar -C "$build" -czf "$build/$name.tar.gz" "$name"
step "$(du -h "$build/$name.tar.gz" | cut -f 1) build/$name.tar.gz"
