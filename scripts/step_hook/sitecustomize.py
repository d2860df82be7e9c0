"""Tells the profiler when an optimizer step has ended. Python imports this at start-up from PYTHONPATH, where
`deepprof run --steps` puts its folder. It uses torch's public hooks of optimizer steps, changes nothing in torch
and does not import it: a job without torch runs as if this file were not there.

Each step is 24 bytes appended to a file that the injected library in this same process makes, reads and removes: the
monotonic time at which the step began and ended, and the number of the optimizer. Where the library does not record,
there is no file and nothing is told. A process that is killed leaves its file to the next one of its number, whose
library puts an empty one in its place.
"""

import os
import sys


def steps_path():
    """As the library has it (libdeepprof/sample/step_source.cc), which reads TMPDIR as the program starts, too."""
    folder = os.environ.get("TMPDIR") or "/tmp"
    return f"{folder}/deepprof-steps.{os.geteuid()}.{os.getpid()}"


class StepFile:
    """The file of this process; a forked child writes nothing."""

    def __init__(self, process, path):
        self._process = process
        self._path = path
        self._file = -1
        self._place = None
        self._optimizers = {}
        self._began = {}

    def began(self, optimizer, _args, _kwargs):
        import time
        self._began[id(optimizer)] = time.monotonic_ns()

    def ended(self, optimizer, _args, _kwargs):
        import struct
        import time
        now = time.monotonic_ns()
        if os.getpid() != self._process:
            return
        began = self._began.pop(id(optimizer), now)
        if self._file < 0 and not self._open():
            return
        if not self._is_still_there():
            return
        number = self._optimizers.setdefault(id(optimizer), len(self._optimizers))
        os.write(self._file, struct.pack("<qqq", began, now, number))

    def _open(self):
        """False: the library does not record, or not yet."""
        import stat
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_APPEND | os.O_CLOEXEC)
        except OSError:
            return False
        status = os.fstat(file)
        # One that holds steps already was left by a process that was killed.
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_size != 0:
            os.close(file)
            return False
        self._file = file
        self._place = status.st_dev, status.st_ino
        return True

    def _is_still_there(self):
        """The job may have closed every descriptor and opened files of its own under our number: theirs are left alone."""
        status = os.fstat(self._file)
        return (status.st_dev, status.st_ino) == self._place


def hook_optimizers(module, steps):
    """`module` is torch.optim.optimizer, just imported."""

    def harmless(call):
        def hook(*arguments):
            try:
                call(*arguments)
            except Exception:  # a full disk, a descriptor that the job has closed: never the job's trouble
                pass
        return hook

    module.register_optimizer_step_pre_hook(harmless(steps.began))
    module.register_optimizer_step_post_hook(harmless(steps.ended))


class WhenImported:
    """Lets the real finders find torch.optim.optimizer, and hooks it once it has run."""

    NAME = "torch.optim.optimizer"

    def __init__(self, steps):
        self._steps = steps

    def find_spec(self, name, path=None, _target=None):
        if name != self.NAME:
            return None
        from importlib.machinery import PathFinder
        spec = PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return None
        run_module = spec.loader.exec_module

        def run_and_hook(module):
            run_module(module)
            try:
                hook_optimizers(module, self._steps)
            except AttributeError:
                print("deepprof: this torch has no hooks of optimizer steps: no steps are recorded", file=sys.stderr)

        spec.loader.exec_module = run_and_hook
        return spec


def run_the_next_sitecustomize():
    """The one that this file stands in front of, such as Debian's."""
    import importlib.util
    from importlib.machinery import PathFinder
    here = os.path.dirname(os.path.abspath(__file__))
    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


if os.environ.get("DEEPPROF_STEP_HOOK") == "1":
    sys.meta_path.insert(0, WhenImported(StepFile(os.getpid(), steps_path())))
run_the_next_sitecustomize()
