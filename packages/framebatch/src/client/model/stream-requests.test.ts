import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { modelOf, numberOf } from "../../../test/support/entries.js";
import { Scene } from "@framebatch/batcher/test/scene.js";

/** A source that never yields, and logs pulls and stops. */
function silent(): { readonly source: AsyncIterable<number[]>; readonly log: string[] } {
  const log: string[] = [];
  const iterator: AsyncIterator<number[]> = {
    next: () => (log.push("pull"), new Promise<never>(() => {})),
    return: () => (log.push("stop"), Promise.resolve({ done: true, value: undefined })),
  };
  return { source: { [Symbol.asyncIterator]: () => iterator }, log };
}

function* upTo(count: number): Generator<number[]> {
  for (let item = 0; item < count; item++) yield [item];
}

async function collect(outputs: AsyncIterable<Parameters<typeof numberOf>[0]>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const output of outputs) numbers.push(numberOf(output));
  return numbers;
}

/** The fixed time of a run in milliseconds, which makes larger batches worthwhile for a stream. */
const FIXED_MS = 2;

/** Answers every batch after `FIXED_MS + msPerRow * rows` milliseconds, until no more batches arrive. */
async function answerAll(scene: Scene, msPerRow: number): Promise<void> {
  await scene.step();
  for (const batch of scene.batches) await scene.answer(FIXED_MS + msPerRow * batch.length);
}

function doubles(count: number): number[] {
  return Array.from({ length: count }, (_, item) => 2 * item);
}

describe("a stream", () => {
  it("defect 9: stays within maxQueueSize, alone and beside another stream", async () => {
    const scene = new Scene();
    const { batcher, model } = modelOf(scene, { maxQueueSize: 2, maxBatchSize: 4 });
    const all = Promise.all([collect(model.predictStream(upTo(20))), collect(model.predictStream(upTo(20)))]);
    await answerAll(scene, 1);
    await expect(all).resolves.toEqual([doubles(20), doubles(20)]);
    expect(batcher.stats().requests).toMatchObject({ completed: 40, refused: { queueFull: 0 } });
  });

  it.each([0.1, 1, 5])("defect 9: stays within maxLatencyMs when a row takes %d ms", async (msPerRow) => {
    const scene = new Scene();
    const { batcher, model } = modelOf(scene, { maxLatencyMs: 50, maxBatchSize: 256 });
    const all = collect(model.predictStream(upTo(300)));
    await answerAll(scene, msPerRow);
    await expect(all).resolves.toEqual(doubles(300));
    expect(batcher.stats().requests).toMatchObject({ completed: 300, shed: 0, refused: { latency: 0 } });
    // Batches reach at least a quarter of the size that the objective allows.
    const largest = Math.max(...scene.batches.map(({ length }) => length));
    expect(largest).toBeGreaterThanOrEqual(Math.min(8, Math.floor(50 / 4 / msPerRow)));
  });

  // defect C19
  it("queues an item that waits for room when a batch is dispatched, before it ends", async () => {
    const scene = new Scene();
    const { batcher, model } = modelOf(scene, { maxQueueSize: 2, release: "window", maxQueueDelayMs: 10 });
    const others = [model.predict(scene.array(7)), model.predict(scene.array(8))];
    const all = collect(model.predictStream(upTo(1)));
    await scene.step();
    expect(batcher.stats().requests).toMatchObject({ queued: 2, inFlight: 0 });
    scene.clock.advanceTo(10);
    await scene.step();
    expect(batcher.stats().requests).toMatchObject({ queued: 1, inFlight: 2 });
    await scene.answer();
    scene.clock.advanceTo(20);
    await scene.answer();
    await expect(all).resolves.toEqual([0]);
    await Promise.all(others);
  });

  it("of background priority is held back by more urgent requests, and ends with all its results", async () => {
    const scene = new Scene();
    const { model } = modelOf(scene, { maxLatencyMs: 50, maxBatchSize: 1 });
    const all = collect(model.predictStream(upTo(40), { priority: "background" }));
    await scene.step();
    for (let round = 0; round < 10; round++) {
      for (let answer = 0; answer < 3; answer++) await scene.answer(5);
      for (let key = 0; key < 9; key++)
        void model.predict(scene.array(1000 + key), { priority: "user-blocking" }).catch(() => undefined);
      for (let answer = 0; answer < 9; answer++) await scene.answer(8);
    }
    await scene.answerAll();
    await expect(all).resolves.toEqual(doubles(40));
  });

  it("fails instead of waiting without end if its items cannot meet maxLatencyMs even alone", async () => {
    const scene = new Scene();
    const { model } = modelOf(scene, { maxLatencyMs: 50 });
    const overloaded = expect(collect(model.predictStream(upTo(20)))).rejects.toMatchObject({ code: "OVERLOADED" });
    await answerAll(scene, 80);
    await overloaded;
  });

  it("defect 9: ends while it waits for a silent source when its signal aborts", async () => {
    const { source, log } = silent();
    const scene = new Scene();
    const controller = new AbortController();
    const first = modelOf(scene).model.predictStream(source, { signal: controller.signal }).next();
    await scene.step();
    controller.abort("enough");
    await expect(orPending(first)).rejects.toBe("enough");
    expect(log).toEqual(["pull", "stop"]);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("defect 9: ends while it waits for a silent source when its batcher is disposed", async () => {
    const { source, log } = silent();
    const scene = new Scene();
    const { batcher, model } = modelOf(scene);
    const first = model.predictStream(source).next();
    await scene.step();
    batcher.dispose(new FramebatchError("DISPOSED", "gone"));
    await expect(orPending(first)).rejects.toMatchObject({ code: "DISPOSED" });
    expect(log).toEqual(["pull", "stop"]);
  });

  it("defect 9: pulls nothing if its signal is already aborted or its batcher is disposed", async () => {
    const { source, log } = silent();
    const { batcher, model } = modelOf(new Scene());
    const aborted = model.predictStream(source, { signal: AbortSignal.abort("before") }).next();
    await expect(orPending(aborted)).rejects.toBe("before");
    batcher.dispose(new FramebatchError("DISPOSED", "gone"));
    await expect(orPending(model.predictStream(source).next())).rejects.toMatchObject({ code: "DISPOSED" });
    expect(log).toEqual([]);
  });

  it("defect 9: yields the results of all items before an error of its source, and then throws the error", async () => {
    function* breaking(): Generator<number[]> {
      yield* upTo(3);
      throw new Error("the source broke");
    }
    const scene = new Scene();
    const yielded: number[] = [];
    const read = async () => {
      for await (const outputs of modelOf(scene).model.predictStream(breaking())) yielded.push(numberOf(outputs));
    };
    const broken = expect(read()).rejects.toThrow("the source broke");
    await answerAll(scene, 1);
    await broken;
    expect(yielded).toEqual(doubles(3));
  });

  it("withdraws the item that waits for room when it is aborted", async () => {
    const scene = new Scene();
    const { batcher, model } = modelOf(scene, { maxQueueSize: 1, maxBatchSize: 1 });
    const others: Promise<unknown>[] = [];
    for (const item of [1, 2, 3]) {
      others.push(model.predict([item]));
      await scene.step();
    }
    const controller = new AbortController();
    const stream = collect(model.predictStream(upTo(3), { signal: controller.signal }));
    await scene.step();
    controller.abort("enough");
    await expect(stream).rejects.toBe("enough");
    await scene.answerAll();
    await Promise.all(others);
    expect(batcher.stats().requests).toMatchObject({ offered: 3, completed: 3 });
  });
});

/** Settles as `asked` does, or resolves to "still pending" if `asked` does not settle within a few tasks. */
async function orPending(asked: Promise<unknown>): Promise<unknown> {
  const later = async () => {
    for (let task = 0; task < 5; task++) await new Promise((resolve) => setImmediate(resolve));
    return "still pending";
  };
  return Promise.race([asked, later()]);
}
