"""The part of torch.optim.optimizer that registers hooks, with the genuine names and arguments."""

import time

_pre_hooks, _post_hooks = [], []


def register_optimizer_step_pre_hook(hook):
    _pre_hooks.append(hook)


def register_optimizer_step_post_hook(hook):
    _post_hooks.append(hook)


class Optimizer:
    def step(self, *args, **kwargs):
        for hook in _pre_hooks:
            hook(self, args, kwargs)
        time.sleep(0.002)
        for hook in _post_hooks:
            hook(self, args, kwargs)
