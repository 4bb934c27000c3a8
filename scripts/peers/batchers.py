"""The batchers to compare: published ones from PyPI, and a greedy one that checks the replay itself."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence

REFUSED = object()
"""The answer to a request that a batcher sheds."""

RunBatch = Callable[[Sequence[int]], Awaitable[Sequence[int]]]
Predict = Callable[[int], Awaitable[object]]


def greedy(run_batch: RunBatch, max_batch_size: int, _: float | None) -> Predict:
    """Runs whatever is queued as soon as the model is free, as the simulator's `greedy` does."""
    queue: list[tuple[int, asyncio.Future[int]]] = []
    arrived = asyncio.Event()

    async def serve() -> None:
        while True:
            await arrived.wait()
            batch = queue[:max_batch_size]
            del queue[:max_batch_size]
            outputs = await run_batch([item for item, _ in batch])
            for (_, future), output in zip(batch, outputs):
                future.set_result(output)
            await asyncio.sleep(0)
            if not queue:
                arrived.clear()

    server = asyncio.get_running_loop().create_task(serve())

    async def predict(item: int) -> object:
        assert not server.done()
        future = asyncio.get_running_loop().create_future()
        queue.append((item, future))
        arrived.set()
        return await future

    return predict


def batched(run_batch: RunBatch, max_batch_size: int, _: float | None) -> Predict:
    """mixedbread's `batched` in its version for asyncio, with its default timeout."""
    from batched.aio import AsyncBatchProcessor

    async def run(items: list[int]) -> Sequence[int]:
        return await run_batch(items)

    return AsyncBatchProcessor(run, batch_size=max_batch_size)


def bentoml(run_batch: RunBatch, max_batch_size: int, objective_ms: float | None) -> Predict:
    """
    BentoML's dispatcher. Where the trace has no objective, `max_latency` is unbounded instead of BentoML's default
    of one minute, as in the simulator.
    """
    from bentoml._internal.marshal.dispatcher import CorkDispatcher

    dispatcher = CorkDispatcher(
        max_latency_in_ms=math.inf if objective_ms is None else objective_ms,
        max_batch_size=max_batch_size,
        fallback=lambda: REFUSED,
        get_batch_size=lambda _: 1,
    )

    async def run(items: Sequence[int]) -> Sequence[int]:
        return await run_batch(items)

    return dispatcher(run)


BATCHERS: dict[str, Callable[[RunBatch, int, float | None], Predict]] = {
    "greedy": greedy,
    "batched": batched,
    "bentoml": bentoml,
}
