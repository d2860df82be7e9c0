"""The documentation names what the code has."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text(path):
    return (ROOT / path).read_text()


class DocumentationTest(unittest.TestCase):
    def test_every_variable_of_the_library_has_a_row(self):
        known = re.findall(r'^    \{"([A-Z_]+)",\s', text("inject/options.cc"), re.MULTILINE)
        self.assertIn("OUTPUT", known)
        documented = set(re.findall(r"^\| `DEEPPROF_([A-Z_]+)`", text("docs/environment.md"), re.MULTILINE))
        self.assertEqual(documented - {"TAG_NAME"}, set(known), "each needs a row in docs/environment.md")

    def test_every_sampled_metric_is_defined(self):
        names = re.findall(r'^    \{\w+, "(\w+)", ', text("libdeepprof/event/metric.cc"), re.MULTILINE)
        self.assertIn("gpu_power_mw", names)
        page = text("docs/metrics.md")
        self.assertEqual([name for name in names if f"`{name}`" not in page], [])

    def test_links_between_pages_lead_somewhere(self):
        for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
            for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}")

    def test_every_command_that_a_page_shows_is_one(self):
        verbs = set(re.findall(r"make_(\w+)_command", text("analysis/cli/commands.cc")))
        self.assertIn("report", verbs)
        sources = "".join(path.read_text() for path in (ROOT / "analysis/cli").rglob("*.cc"))
        for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
            for command in re.findall(r"(?:`|^)deepprof ([a-z]+[^`\n]*)", page.read_text(), re.MULTILINE):
                verb, *words = re.split(r"\s{3,}|  #", command)[0].split()
                with self.subTest(page=page.name, command=command):
                    self.assertIn(verb, verbs)
                    if verb == "run":  # what follows -- is the job's
                        words = words[:words.index("--")] if "--" in words else words
                    for option in (word.split("=")[0].rstrip(",.;)") for word in words if word.startswith("--")):
                        self.assertRegex(sources, rf"[\",]{option}[\",]")

    def test_every_picture_of_the_command_has_a_script_and_every_script_a_picture(self):
        listed = set(re.findall(r'^    \{"([a-z]+)",\s', text("analysis/cli/plot_command.cc"), re.MULTILINE))
        scripts = {path.stem.removeprefix("plot_") for path in (ROOT / "scripts").glob("plot_*.py")}
        self.assertEqual(listed, scripts)


if __name__ == "__main__":
    unittest.main()
