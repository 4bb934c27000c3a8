"""
Replays the simulator's traces on batchers, and writes when each request settled.

    replay.py TRACES OUTCOMES NAME...

TRACES is what `npm run measure sim -- --traces FILE` wrote. NAME is a batcher of `batchers.py`.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from typing import TypedDict

from batchers import BATCHERS, REFUSED, Predict
from virtual_loop import run_virtually


class Trace(TypedDict):
    """Times are in milliseconds."""

    cost: str
    arrivals: str
    seed: int
    maxBatchSize: int
    objectiveMs: float | None
    runMs: list[float]
    """Run time of a batch of 1, 2, ... rows."""
    arrivalsMs: list[float]
    isClosed: bool
    """Whether each request is a caller that enqueues again as soon as it has its answer."""
    untilMs: float
    endMs: float


class Outcome(TypedDict):
    """`settledMs` is `None` if the request was open at the end."""

    settledMs: float | None
    isRefused: bool


class Model:
    """A fake model that sleeps for the time of a batch's run."""

    def __init__(self, run_ms: Sequence[float]) -> None:
        self._run_ms = run_ms
        self._is_busy = False

    async def run(self, items: Sequence[int]) -> Sequence[int]:
        assert not self._is_busy, "expected one batch at a time, got a second"
        self._is_busy = True
        await asyncio.sleep(self._run_ms[len(items) - 1] / 1000)
        self._is_busy = False
        return items


class Replay:
    """One trace on one batcher."""

    def __init__(self, trace: Trace, predict: Predict) -> None:
        self.outcomes: list[Outcome] = []
        self._trace = trace
        self._predict = predict
        self._loop = asyncio.get_running_loop()
        self._callers: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        for at_ms in self._trace["arrivalsMs"]:
            self._loop.call_at(at_ms / 1000, self._start)
        await asyncio.sleep(self._trace["endMs"] / 1000)

    def _start(self) -> None:
        task = self._loop.create_task(self._call())
        self._callers.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._callers.discard(task)
        if not task.cancelled():
            task.result()

    async def _call(self) -> None:
        while True:
            await self._request()
            if not self._trace["isClosed"] or self._loop.time() * 1000 > self._trace["untilMs"]:
                return

    async def _request(self) -> None:
        outcome: Outcome = {"settledMs": None, "isRefused": False}
        item = len(self.outcomes)
        self.outcomes.append(outcome)
        answer = await self._predict(item)
        outcome["settledMs"] = self._loop.time() * 1000
        outcome["isRefused"] = answer is REFUSED
        assert answer in (item, REFUSED), f"expected the answer {item}, got {answer}"


def replay(trace: Trace, name: str) -> list[Outcome]:
    outcomes: list[Outcome] = []

    async def main() -> None:
        model = Model(trace["runMs"])
        run = Replay(trace, BATCHERS[name](model.run, trace["maxBatchSize"], trace["objectiveMs"]))
        await run.run()
        # Copies, because a batcher may answer a request that is cancelled when the loop ends.
        outcomes.extend(outcome.copy() for outcome in run.outcomes)

    run_virtually(main())
    return outcomes


def main(traces_file: str, outcomes_file: str, *names: str) -> None:
    with open(traces_file, encoding="utf-8") as file:
        traces: list[Trace] = json.load(file)
    results = [
        {"policy": name, "cost": trace["cost"], "arrivals": trace["arrivals"], "outcomes": replay(trace, name)}
        for trace in traces
        for name in names
    ]
    with open(outcomes_file, "w", encoding="utf-8") as file:
        json.dump(results, file)


main(*sys.argv[1:])
