"""scripts/step_hook: what Python tells of optimizer steps, with the stand-in for torch, and with the genuine one
where this Python has it."""

import importlib.util
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOOK = ROOT / "scripts/step_hook"
STAND_IN = ROOT / "test/fake/python"

# As the library does in a process that it records.
RECORDED = """
import os
PATH = os.environ["TMPDIR"] + f"/deepprof-steps.{os.geteuid()}.{os.getpid()}"
os.close(os.open(PATH, os.O_CREAT | os.O_EXCL, 0o600))
"""
JOB = """
import os, torch.optim
optimizer = %s
for _ in range(5):
    optimizer.step()
print(os.getpid())
"""


class StepHookTest(unittest.TestCase):
    def run_job(self, code, folder, enabled="1", path=(STAND_IN,)):
        """The job's output, and the steps that it told of."""
        environment = {**os.environ, "TMPDIR": folder, "DEEPPROF_STEP_HOOK": enabled,
                       "PYTHONPATH": os.pathsep.join(map(str, (HOOK, *path)))}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        files = list(pathlib.Path(folder).glob("deepprof-steps.*"))
        self.assertLessEqual(len(files), 1)
        return done.stdout, list(struct.iter_unpack("<qqq", files[0].read_bytes())) if files else [], files

    def test_each_step_is_told_of_once_with_its_begin_and_its_end(self):
        with tempfile.TemporaryDirectory() as folder:
            out, steps, files = self.run_job(RECORDED + JOB % "torch.optim.Optimizer()", folder)
            self.assertEqual(files[0].name, f"deepprof-steps.{os.geteuid()}.{out.strip()}")
        self.assertEqual(len(steps), 5)
        self.assertEqual({optimizer for _, _, optimizer in steps}, {0})
        for began, ended, _ in steps:
            self.assertGreater(ended - began, 1_000_000)
        self.assertEqual(steps, sorted(steps))

    def test_it_is_off_unless_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.run_job(RECORDED + JOB % "torch.optim.Optimizer()", folder, enabled="0")[1], [])

    def test_a_process_that_is_not_recorded_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.run_job(JOB % "torch.optim.Optimizer()", folder)[2], [])

    def test_the_file_that_a_killed_process_left_is_not_added_to_until_it_is_replaced(self):
        left = "with open(PATH, 'wb') as file: file.write(bytes(24))\n"
        replaced = "os.unlink(PATH)\nos.close(os.open(PATH, os.O_CREAT, 0o600))\noptimizer.step()\n"
        with tempfile.TemporaryDirectory() as folder:
            job = RECORDED + left + JOB % "torch.optim.Optimizer()"
            self.assertEqual(self.run_job(job, folder)[1], [(0, 0, 0)])
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(self.run_job(job + replaced, folder)[1]), 1)

    def test_a_file_that_the_job_opened_under_its_number_is_left_alone(self):
        reopens = "os.closerange(3, 100)\n" \
                  "theirs = [open(os.path.join(os.environ['TMPDIR'], f'theirs{i}'), 'wb') for i in range(20)]\n" \
                  "for _ in range(3): optimizer.step()\n"
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(self.run_job(RECORDED + JOB % "torch.optim.Optimizer()" + reopens, folder)[1]), 5)
            self.assertEqual([path.stat().st_size for path in pathlib.Path(folder).glob("theirs*")], [0] * 20)

    def test_a_job_that_changes_tmpdir_still_tells(self):
        change = "os.environ['TMPDIR'] = '/nowhere'\n"
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(self.run_job(RECORDED + change + JOB % "torch.optim.Optimizer()", folder)[1]), 5)

    def test_a_job_without_torch_runs_as_ever(self):
        with tempfile.TemporaryDirectory() as folder:
            out, steps, _ = self.run_job("import sys; print('torch' in sys.modules)", folder, path=())
        self.assertEqual((out, steps), ("False\n", []))

    def test_the_sitecustomize_behind_it_still_runs(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
            (pathlib.Path(other) / "sitecustomize.py").write_text("import builtins; builtins.was_here = True\n")
            out, _, _ = self.run_job("print(was_here)", folder, path=(other,))
        self.assertEqual(out, "True\n")

    def test_a_forked_child_tells_of_nothing(self):
        code = RECORDED + JOB % "torch.optim.Optimizer()" + """
if os.fork() == 0:
    optimizer.step()
    os._exit(0)
os.wait()
"""
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(self.run_job(code, folder)[1]), 5)

    def test_the_genuine_torch_where_it_is_installed(self):
        if importlib.util.find_spec("torch") is None:
            print("n/a: this Python has no torch; its hooks are those of the stand-in")
            return
        has_hooks = ("import sys, torch; module = getattr(torch.optim, 'optimizer', None)\n"
                     "sys.exit(not hasattr(module, 'register_optimizer_step_pre_hook'))")
        if subprocess.run([sys.executable, "-c", has_hooks], check=False).returncode != 0:
            print("n/a: this Python's torch has no hooks of optimizer steps (2.0 and newer have)")
            return
        optimizer = "torch.optim.SGD([torch.nn.Parameter(torch.zeros(4))], lr=0.1)"
        with tempfile.TemporaryDirectory() as folder:
            steps = self.run_job("import torch\n" + RECORDED + JOB % optimizer, folder, path=())[1]
        self.assertEqual(len(steps), 5)


if __name__ == "__main__":
    unittest.main()
