"""Reads the injected library with readelf and nm: it must load in any process on glibc 2.28 or newer and
let nothing of its own meet what the job carries."""
import os
import re
import subprocess
import unittest

LIBRARY = os.environ["DEEPPROF_INJECT_LIBRARY"]
GLIBC_OWN = {"libc.so.6", "libpthread.so.0", "libdl.so.2", "libm.so.6", "librt.so.1", "ld-linux-x86-64.so.2",
             "ld-linux-aarch64.so.1"}
NEWEST_GLIBC = (2, 28)


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class SelfContained(unittest.TestCase):
    def test_needs_only_libraries_of_glibc_and_libgcc(self):
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", LIBRARY)))
        self.assertIn("libc.so.6", needed)
        self.assertEqual(needed - GLIBC_OWN - {"libgcc_s.so.1"}, set())

    def test_exports_one_symbol(self):
        symbols = output_of("nm", "-D", "--defined-only", LIBRARY).split("\n")
        self.assertEqual([line.split()[-1] for line in symbols if line], ["InitializeInjection"])

    def test_needs_no_symbol_newer_than_glibc_2_28(self):
        versions = re.findall(r"@GLIBC_(\d+)\.(\d+)", output_of("nm", "-D", LIBRARY))
        self.assertTrue(versions)
        newest = max((int(major), int(minor)) for major, minor in versions)
        self.assertLessEqual(newest, NEWEST_GLIBC)

    def test_leaves_no_weak_or_undefined_symbol_of_a_cxx_library(self):
        undefined = output_of("nm", "-D", "--undefined-only", LIBRARY)
        self.assertNotRegex(undefined, r"_ZN|_ZS|__cxa_(throw|pure)|fmt|spdlog|ZSTD")

    def test_binds_at_load_time_and_stays_loaded(self):
        dynamic = output_of("readelf", "-d", LIBRARY)
        self.assertRegex(dynamic, r"BIND_NOW")
        self.assertRegex(dynamic, r"NODELETE")
        self.assertNotRegex(dynamic, r"RPATH|RUNPATH|TEXTREL")

    def test_has_no_executable_stack(self):
        stack = re.search(r"GNU_STACK.*\n.*", output_of("readelf", "-lW", LIBRARY)).group(0)
        self.assertRegex(stack, r"RW ")
        self.assertNotRegex(stack, r"RWE")


if __name__ == "__main__":
    unittest.main()
