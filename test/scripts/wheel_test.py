"""scripts/make_wheel.py: pip installs what it packs, where the command looks for it."""

import base64
import csv
import hashlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import make_wheel

COMMAND = '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")/..\nexec "$here/lib/deepprof/loader" "$@"\n'


def portable_tree(folder: pathlib.Path) -> pathlib.Path:
    """Shaped as the archive's, with scripts in the place of programs."""
    tree = folder / "deepprof-9.8.7-linux-x86_64"
    files = {"bin/deepprof": (COMMAND, 0o755), "lib/deepprof/loader": ("#!/bin/sh\necho loaded $1\n", 0o755),
             "lib/libdeepprof_inject.so": ("library", 0o644), "share/deepprof/scripts/plot_gaps.py": ("pass\n", 0o644),
             'share/deepprof/a, "quoted" name': ("", 0o644)}
    for name, (text, mode) in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
    (tree / "lib/deepprof/libdeepprof_inject.so").symlink_to("../libdeepprof_inject.so")
    return tree


class WheelTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = portable_tree(self.folder)

    def wheel(self):
        return make_wheel.make_wheel(self.tree, self.folder / "made" / "here", "# DeepProf\n")

    def test_its_record_has_every_file_with_its_digest(self):
        with zipfile.ZipFile(self.wheel()) as wheel:
            info = "deepprof-9.8.7.dist-info/RECORD"
            rows = {name: rest for name, *rest in csv.reader(io.StringIO(wheel.read(info).decode()))}
            self.assertEqual(set(rows), set(wheel.namelist()))
            for name, (digest, size) in rows.items():
                if name == info:
                    continue
                content = wheel.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={expected}", str(len(content))), name)

    def test_the_same_tree_makes_the_same_wheel(self):
        self.assertEqual(self.wheel().read_bytes(), self.wheel().read_bytes())

    def test_pip_installs_a_command_that_runs(self):
        prefix = self.folder / "prefix"
        pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--ignore-installed",
               "--no-warn-script-location", "--prefix", str(prefix), str(self.wheel())]
        outcome = subprocess.run(pip, capture_output=True, text=True)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        # Debian's pip puts a prefix's files into its "local".
        (command,) = prefix.rglob("bin/deepprof")
        self.assertEqual(subprocess.check_output([command, "here"], text=True), "loaded here\n")
        self.assertTrue((command.parent.parent / "lib/libdeepprof_inject.so").is_file())
        self.assertTrue((command.parent.parent / "share/deepprof/scripts/plot_gaps.py").is_file())

    def test_another_folder_is_refused(self):
        with self.assertRaises(SystemExit):
            make_wheel.make_wheel(self.folder, self.folder, "")


if __name__ == "__main__":
    unittest.main()
