# shellcheck shell=bash
# What the scripts share: messages, a quiet runner, and the set-up of a Debian or Ubuntu machine.
# To be sourced. Debian 12 and Ubuntu 22.04 or newer carry every package named here under the same name.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build"
logs="$build/logs"
mkdir -p "$logs"

# What building needs, then what only tests and pictures need. The command falls back on nothing: each
# package is one find_package() of the CMake files.
library_packages=(
  libfmt-dev libspdlog-dev libzstd-dev zlib1g-dev libisal-dev
  libabsl-dev libcli11-dev libprotozero-dev libsimdjson-dev libsqlite3-dev
)
build_packages=(build-essential cmake ninja-build pkg-config "${library_packages[@]}")
test_packages=(catch2 binutils python3)

# The targets of the stand-ins on which a job runs without a GPU, and where they are built.
stand_ins=(deepprof_fake_driver deepprof_fake_cupti_13.0 deepprof_fake_host deepprof_make_workload)

say() { printf '%s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# quietly NAME COMMAND...: runs it with its output in build/logs/NAME.log, says twice a minute how far it
# is, and shows the end of that file only when the command fails.
quietly() {
  local log="$logs/$1.log" started=$SECONDS failed=0 teller
  shift
  tell_progress "$log" &
  teller=$!
  "$@" >"$log" 2>&1 </dev/null || failed=1
  { kill "$teller" && wait "$teller"; } 2>/dev/null
  if [ $failed = 0 ]; then
    say "   done in $((SECONDS - started)) s"
    return 0
  fi
  say "   FAILED: $*"
  tail -n 40 "$log" | sed 's/^/   | /'
  say "   whole output: $log"
  return 1
}

tell_progress() {  # tell_progress LOG: its newest line, every half minute
  local started=$SECONDS
  # Not with our output: a sleep that outlives the kill would hold up who reads it.
  while sleep 30 >/dev/null 2>&1; do
    say "   $((SECONDS - started)) s: $(tail -n 1 "$1" | cut -c 1-100)"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "this needs root, and there is no sudo. As root, run: $*"
  fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }

# need_packages NAME...: installs through apt those that are missing. Elsewhere it says what is needed
# and lets CMake judge.
need_packages() {
  if ! command -v apt-get >/dev/null; then
    say "   no apt-get here: this needs what Debian calls $*"
    return 0
  fi
  local missing=() package
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} = 0 ]; then
    say "   nothing to install"
    return 0
  fi
  say "   installing ${missing[*]}"
  quietly apt install_with_apt "${missing[@]}"
}

install_with_apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

python_with() {  # python_with MODULE: prints the first Python that can import it
  local candidate
  for candidate in python3 /usr/bin/python3 "$build/python/bin/python3"; do
    if command -v "$candidate" >/dev/null && "$candidate" -c "import $1" 2>/dev/null; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

# need_matplotlib: sets $python to a Python that has matplotlib: one that is there, Debian's package, or
# a virtual environment in build/python. Without it the picture tests are left out, and CMake says so.
need_matplotlib() {
  python=$(python_with matplotlib) && return 0
  need_packages python3-matplotlib || true
  python=$(python_with matplotlib) && return 0
  say "   trying a virtual environment"
  quietly python make_virtual_environment || true
  python=$(python_with matplotlib) && return 0
  say "   no matplotlib: tests of the pictures are left out"
  python=$(command -v python3 || true)
}

make_virtual_environment() {
  python3 -m venv "$build/python" && "$build/python/bin/python3" -m pip install -q matplotlib
}

# need_cupti: genuine CUPTI headers and libraries of three majors, and the driver header that they include,
# unpacked in build/cupti/VERSION, where CMake looks for them (cmake/GenuineCupti.cmake). They check our
# record layouts; nothing that we ship holds any of them.
need_cupti() {
  local release
  for release in 11.8.87:nvidia-cuda-cupti-cu11 12.9.79:nvidia-cuda-cupti-cu12 \
      13.4.92:nvidia-cuda-cupti,nvidia-cuda-runtime,nvidia-cuda-crt; do
    [ -d "$build/cupti/${release%%:*}" ] ||
      quietly "cupti-${release%%:*}" unpack_wheels "$build/cupti" "${release%%:*}" "${release#*:}" ||
      say "   CUPTI ${release%%:*} could not be had: checks against it are left out"
  done
  say "   there are: $(ls "$build/cupti" 2>/dev/null | tr '\n' ' ')"
}

# need_nvml: the genuine header of NVML of three majors, unpacked in build/nvml/VERSION, where test/sample looks
# for them. They check our declarations; nothing that we ship holds any of them.
need_nvml() {
  local release
  for release in 11.8.86:nvidia-nvml-dev-cu11 12.9.79:nvidia-nvml-dev-cu12 13.4.92:nvidia-nvml-dev; do
    [ -d "$build/nvml/${release%%:*}" ] ||
      quietly "nvml-${release%%:*}" unpack_wheels "$build/nvml" "${release%%:*}" "${release#*:}" ||
      say "   NVML ${release%%:*} could not be had: checks against it are left out"
  done
  say "   there are: $(ls "$build/nvml" 2>/dev/null | tr '\n' ' ')"
}

unpack_wheels() {  # unpack_wheels FOLDER VERSION PACKAGE[,PACKAGE...]: into FOLDER/VERSION
  local version="$2" work="$1/.$2" package wheel
  rm -rf "$work" && mkdir -p "$work/unpacked" || return 1
  for package in ${3//,/ }; do
    python3 -m pip download -q --no-deps --only-binary :all: -d "$work" "$package==$version" || return 1
  done
  for wheel in "$work"/*.whl; do
    python3 -m zipfile -e "$wheel" "$work/unpacked" || return 1
  done
  mv "$work/unpacked" "$1/$version" && rm -rf "$work"
}

# configure PRESET [CMake arguments...]
configure() {
  local preset="$1"
  shift
  if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  (cd "$root" && quietly "configure-$preset" cmake --preset "$preset" "$@") || return 1
  grep -hE '^-- (No |CUDA toolkit|CUPTI|Catch2)' "$logs/configure-$preset.log" | sed 's/^--/  /' || true
}

built() {  # built FOLDER FILE: prints where FILE was built below FOLDER
  local found
  found=$(find "$1" -name "$2" -type f -not -path '*/CMakeFiles/*' -not -path '*/prefix/*' | head -n 1)
  [ -n "$found" ] || { say "error: $2 was not built in $1" >&2; return 1; }
  printf '%s\n' "$found"
}

# need_arm64_root: the arm64 packages that building needs, unpacked in build/arm64-root, and a cross-compiler.
# apt gets a state of its own for it, so that this machine's architectures stay as they are.
need_arm64_root() {
  need_packages crossbuild-essential-arm64 qemu-user || return 1
  [ -f "$build/arm64-root/complete" ] || quietly arm64-root unpack_arm64_packages
}

unpack_arm64_packages() {
  local root="$build/arm64-root" apt="$build/arm64-apt" package link
  rm -rf "$root" "$apt" && mkdir -p "$root" "$apt/state/lists/partial" "$apt/cache/archives/partial" || return 1
  : >"$apt/status"
  cat >"$apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures {"arm64";};
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Debug::NoLocking "1";
CONF
  APT_CONFIG="$apt/apt.conf" apt-get update -q &&
    APT_CONFIG="$apt/apt.conf" apt-get install -q -y --no-install-recommends --download-only \
      "${library_packages[@]}" catch2 || return 1
  for package in "$apt"/cache/archives/*.deb; do
    case "$(basename "$package")" in
      libc6* | libgcc* | gcc-* | libstdc++* | libcrypt* | linux-libc*) ;;  # the cross-compiler brings its own
      *) dpkg-deb -x "$package" "$root" || return 1 ;;
    esac
  done
  if [ -d "$root/lib/aarch64-linux-gnu" ]; then
    mv "$root"/lib/aarch64-linux-gnu/* "$root/usr/lib/aarch64-linux-gnu/"
  fi
  find "$root" -type l -lname '/lib/*' | while read -r link; do
    ln -sfn "$root/usr$(readlink "$link")" "$link"
  done
  touch "$root/complete"
}
