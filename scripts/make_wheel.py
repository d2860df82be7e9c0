#!/usr/bin/env python3
"""Makes a wheel for pip of the tree that scripts/make_portable.sh has built.

    scripts/make_wheel.py build/deepprof-0.1.0-linux-x86_64      prints the wheel's path, beside the tree

Installed, `deepprof` is in the environment's bin folder and the injected library in its lib folder, as they
are in the archive: nothing of it is Python, and no job imports it. The pictures need the extra "plot".
The format is that of PEP 427 and PEP 491, the platform's tag that of PEP 600.
"""

import argparse
import base64
import csv
import hashlib
import io
import pathlib
import re
import stat
import zipfile

# What the archive promises (scripts/make_portable.sh); pip refuses the wheel on an older glibc.
OLDEST_GLIBC = "2_28"

# The pip that installs sets these bits on what it calls scripts; the loader must have them, too.
EXECUTABLE = stat.S_IFREG | 0o755
PLAIN = stat.S_IFREG | 0o644

METADATA = """\
Metadata-Version: 2.1
Name: deepprof
Version: {version}
Summary: A profiler for deep learning jobs that nobody has to prepare
Keywords: cuda,cupti,gpu,profiler,pytorch,tensorflow,jax
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Debuggers
Provides-Extra: plot
Requires-Dist: matplotlib ; extra == "plot"
Description-Content-Type: text/markdown

{description}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: scripts/make_wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def version_and_arch(tree: pathlib.Path) -> tuple[str, str]:
    match = re.fullmatch(r"deepprof-([0-9][\w.]*)-linux-(\w+)", tree.name)
    if not match or not (tree / "bin" / "deepprof").is_file():
        raise SystemExit(f"{tree}: not a tree of scripts/make_portable.sh, deepprof-VERSION-linux-ARCH")
    return match[1], match[2]


def installed_files(tree: pathlib.Path, data: str) -> dict[str, pathlib.Path]:
    """Names within the wheel. A link is left out: the command looks where it leads, too."""
    files = {f"{data}/scripts/deepprof": tree / "bin" / "deepprof"}
    for folder in ("lib", "share"):
        for path in sorted((tree / folder).rglob("*")):
            if path.is_file() and not path.is_symlink():
                files[f"{data}/data/{path.relative_to(tree).as_posix()}"] = path
    return files


def record_of(contents: dict[str, tuple[bytes, int]], name: str) -> bytes:
    """A row for each file and one for the record itself, named `name`."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for file, (content, _) in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow((file, f"sha256={digest}", len(content)))
    rows.writerow((name, "", ""))
    return text.getvalue().encode()


def make_wheel(tree: pathlib.Path, folder: pathlib.Path, description: str) -> pathlib.Path:
    version, arch = version_and_arch(tree)
    tag = f"py3-none-manylinux_{OLDEST_GLIBC}_{arch}"
    info = f"deepprof-{version}.dist-info"
    contents = {name: (path.read_bytes(), EXECUTABLE if path.stat().st_mode & stat.S_IXUSR else PLAIN)
                for name, path in installed_files(tree, f"deepprof-{version}.data").items()}
    contents[f"{info}/METADATA"] = (METADATA.format(version=version, description=description).encode(), PLAIN)
    contents[f"{info}/WHEEL"] = (WHEEL.format(tag=tag).encode(), PLAIN)
    contents[f"{info}/RECORD"] = (record_of(contents, f"{info}/RECORD"), PLAIN)

    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"deepprof-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as out:
        for name, (content, mode) in contents.items():
            entry = zipfile.ZipInfo(name)  # dated 1980, so that the same tree makes the same wheel
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, content)
    return wheel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="the wheel's folder, made where it is missing (that of the tree)")
    arguments = parser.parse_args()
    tree = arguments.tree.resolve()
    description = (pathlib.Path(__file__).resolve().parent.parent / "README.md").read_text()
    print(make_wheel(tree, arguments.output or tree.parent, description))


if __name__ == "__main__":
    main()
