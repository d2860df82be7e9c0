"""scripts/check_layers and scripts/check_files find what they are there to find."""

import importlib.machinery
import importlib.util
import os
import pathlib
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


layers = load("check_layers")
files = load("check_files")


def faults(path, *lines):
    return [fault.text for fault in layers.check_text(path, "\n".join(lines), lambda name: True)]


class LayersTest(unittest.TestCase):
    def test_a_file_may_include_its_own_layer_and_those_below(self):
        self.assertEqual(faults("analysis/gaps/gaps.cc", '#include "analysis/model/trace.h"',
                                '#include "libdeepprof/event/event.h"', "#include <vector>"), [])

    def test_mining_may_not_reach_the_importers(self):
        self.assertIn("may not include tool", faults("analysis/gaps/gaps.cc", '#include "analysis/import/load.h"')[0])

    def test_offline_and_online_mining_share_what_lies_below_both(self):
        shared = '#include "analysis/pattern/pattern.h"'
        self.assertEqual(faults("analysis/iterations/nested.cc", shared), [])
        self.assertEqual(faults("analysis/online/online_miner.cc", shared), [])
        self.assertEqual(faults("analysis/online/online_miner.cc", '#include "analysis/iterations/mined.h"'), [])
        self.assertEqual(len(faults("analysis/iterations/nested.cc", '#include "analysis/online/stretch.h"')), 1)
        self.assertEqual(len(faults("analysis/pattern/pattern.cc", '#include "analysis/iterations/mined.h"')), 1)

    def test_core_may_not_reach_capture(self):
        self.assertIn("may not include capture",
                      faults("libdeepprof/trace/writer.cc", '#include "libdeepprof/cupti/decode.h"')[0])

    def test_only_the_doctor_may_ask_the_injected_library(self):
        include = '#include "libdeepprof/cupti/library.h"'
        self.assertEqual(faults("analysis/cli/doctor/examine.cc", include), [])
        self.assertIn("may not include capture", faults("analysis/cli/run_command.cc", include)[0])
        self.assertEqual(len(faults("analysis/cli/doctor/examine.cc", "#include <cuda.h>")), 1)

    def test_a_library_of_the_command_does_not_belong_into_the_injected_library(self):
        for include in ('"absl/status/statusor.h"', "<absl/status/status.h>", "<simdjson.h>", "<sqlite3.h>"):
            self.assertEqual(len(faults("inject/inject.cc", f"#include {include}")), 1, include)
            self.assertEqual(faults("analysis/cli/main.cc", f"#include {include}"), [], include)

    def test_a_vendors_header_is_a_fault_in_every_layer(self):
        for path in ("libdeepprof/cupti/decode.cc", "analysis/import/nsys.cc", "inject/inject.cc"):
            self.assertEqual(len(faults(path, "#include <cupti.h>")), 1, path)

    def test_headers_with_newer_symbols_stay_out_of_the_injected_library(self):
        self.assertEqual(len(faults("libdeepprof/trace/writer.cc", "#include <fstream>")), 1)
        self.assertEqual(faults("analysis/cli/main.cc", "#include <iostream>"), [])

    def test_an_include_that_is_not_spelt_from_the_root_is_a_fault(self):
        missing = layers.check_text("libdeepprof/text.cc", '#include "text.h"', lambda name: False)
        self.assertEqual(len(list(missing)), 1)

    def test_an_empty_tree_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(layers.check_tree(pathlib.Path(folder)), (0, []))


class FilesTest(unittest.TestCase):
    def test_machine_paths_are_faults(self):
        for home in ("ho" + "me", "ro" + "ot"):
            self.assertTrue(list(files.faults_of_line(f"see /{home}/someone/build")))
        self.assertEqual(list(files.faults_of_line("$HOME/build, /usr/lib and build/work/x")), [])

    def test_only_documentation_hosts_may_be_named(self):
        self.assertTrue(list(files.faults_of_line("fetch " + "https:" + "//registry.example.org/simple")))
        self.assertEqual(list(files.faults_of_line("see https://docs.nvidia.com/cupti")), [])

    def test_notes_and_hidden_tests_are_faults(self):
        self.assertTrue(list(files.faults_of_line("// TO" + "DO later")))
        self.assertTrue(list(files.faults_of_line('TEST_CASE("x", "[' + '.]")')))

    def test_a_binary_is_a_fault(self):
        with tempfile.NamedTemporaryFile(suffix=".dat") as file:
            file.write(b"ab\0cd")
            file.flush()
            self.assertEqual([fault for _, fault in files.faults_of_file(pathlib.Path(file.name))], ["binary file"])


if __name__ == "__main__":
    unittest.main()
