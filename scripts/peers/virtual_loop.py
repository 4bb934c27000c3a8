"""An asyncio event loop in virtual time: where a loop would sleep, its clock jumps."""

import asyncio
import selectors
import time
from collections.abc import Coroutine


class JumpingSelector(selectors.SelectSelector):
    """A selector without input that advances its clock by the whole timeout instead of waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("expected a timer or a ready task, got neither: the loop would sleep for ever")
        self.now_s += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose `time()` is virtual. Code takes no time. Nothing may use threads, sockets or processes."""

    def __init__(self) -> None:
        self._jumping = JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now_s


def run_virtually(main: Coroutine[None, None, None]) -> None:
    """Runs a coroutine in virtual time. `time.time()` is virtual too, because batchers measure with it."""
    real_time = time.time
    loop = VirtualLoop()
    time.time = loop.time
    try:
        loop.run_until_complete(main)
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        time.time = real_time
        loop.close()
