import { describe, expect, it } from "vitest";
import { createBatchedFunction } from "@framebatch/batcher/functions/batched-function.js";
import { ModelRequests } from "./page-model.js";
import type { ModelQueue } from "@framebatch/batcher/calls/stream-requests.js";
import { modelOf } from "../../../test/support/entries.js";
import { Scene } from "@framebatch/batcher/test/scene.js";
import { heldStage, settled } from "@framebatch/pipelines/test/held-stage.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { outcomeOf, pipelineOn } from "@framebatch/pipelines/test/pipelines.js";
import { RecordingQueue } from "@framebatch/batcher/test/recording-queue.js";

/** A source whose iterator is written by hand, and the calls that it got. */
function written(iterator: { next?: () => unknown; return?: () => unknown }) {
  const log: string[] = [];
  const given: Record<string, () => unknown> = {
    next: () => (log.push("next"), iterator.next?.()),
    return: () => (log.push("return"), iterator.return?.()),
  };
  return { log, source: Object.assign({ [Symbol.iterator]: () => Object.assign({}, given) }) };
}

/** What a promise settled with by the end of the task, or "pending". */
async function byNow(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([outcomeOf(promise), settled().then(() => "pending")]);
}

const broken = new RangeError("broken");
const doubling = pipelineOn<number>().stage(async (item) => {
  if (item < 0) throw broken;
  return 2 * item;
});

/** A source that gives numbers for ever. */
function numbers(first = 0) {
  let item = first;
  return () => ({ done: false, value: item++ });
}

/** A queue that has room for one request, ever. */
class NarrowQueue extends RecordingQueue<string, string> implements ModelQueue<string, string> {
  readonly disposedWith = null;
  readonly discarded: string[] = [];
  readonly streamRoom = { targetRequests: 2, isFor: () => this.requests.length === 0, onChange: () => () => {} };

  override discard(item: string): void {
    this.discarded.push(item);
  }

  take(): void {}

  rejectIfFull(): boolean {
    return false;
  }

  flush(): void {}
  resetStats(): void {}
  dispose(): void {}
}

const throwing = (): never => {
  throw broken;
};

/** An object whose property of this name cannot be read. */
function unreadable(name: string): object {
  return Object.defineProperty({}, name, { get: throwing });
}

describe("a source that breaks the protocol of iterators", () => {
  // defect C16
  it.each<[what: string, next: () => unknown, error: unknown]>([
    ["no result", () => undefined, { message: "expected next() to return an object, got undefined" }],
    ["a promise of no result", async () => null, { message: "expected next() to return an object, got object" }],
    ["a result whose value throws", () => unreadable("value"), broken],
    ["a result whose done throws", () => unreadable("done"), broken],
    ["a promise whose then throws", () => unreadable("then"), broken],
  ])("fails its stream: it gives %s", async (_what, next, error) => {
    const { source, log } = written({ next });
    const outcome = await byNow(doubling.runStream(source).next());
    if (error === broken) expect(outcome).toBe(broken);
    else expect(outcome).toMatchObject(Object(error));
    expect(log).toEqual(["next"]);
  });

  // defect C14
  it.each<[what: string, end: () => unknown]>([
    ["throws", throwing],
    ["rejects", () => Promise.reject(broken)],
    ["never settles", () => new Promise(() => {})],
  ])("does not hide the error of an item: its return() %s", async (_what, end) => {
    const { calls, stage } = heldStage<number, number>();
    const { source, log } = written({ next: numbers(), return: end });
    const first = pipelineOn<number>().stage(stage).runStream(source).next();
    // The stream has as many items as it may have: it asks for none when the first one fails.
    for (let turn = 0; turn < 3; turn++) await settled();
    calls[0]?.reject(broken);
    expect(await byNow(first)).toMatchObject({ code: "STAGE_FAILED", cause: broken });
    expect(log.filter((call) => call === "return")).toEqual(["return"]);
  });

  // defect C14
  it.each<[what: string, end: () => unknown]>([
    ["throws", throwing],
    ["rejects", () => Promise.reject(broken)],
    ["never settles", () => new Promise(() => {})],
  ])("does not hold a stream that is aborted or left: its return() %s", async (_what, end) => {
    const controller = new AbortController();
    const [aborted, left] = [written({ next: numbers(), return: end }), written({ next: numbers(), return: end })];
    const stream = doubling.runStream(aborted.source, { signal: controller.signal });
    expect(await byNow(stream.next())).toEqual({ done: false, value: 0 });
    controller.abort("enough");
    expect(await byNow(stream.next())).toBe("enough");
    const other = doubling.runStream(left.source);
    await other.next();
    expect(await byNow(other.return())).toEqual({ done: true, value: undefined });
    expect([...aborted.log, ...left.log].filter((call) => call === "return")).toEqual(["return", "return"]);
  });
});

describe("a reader that leaves while an item waits for room", () => {
  // defect C18
  it("has the item discarded", async () => {
    const queue = new NarrowQueue();
    const model = new ModelRequests({ admit: (item: string) => item, queue, clock: new ManualClock() });
    const stream = model.predictStream(["a", "b", "c"]);
    const first = stream.next();
    await settled();
    queue.requests[0]?.sink.resolve("A", null, 0);
    expect(await first).toEqual({ done: false, value: "A" });
    await stream.return();
    await settled();
    expect(queue.requests.map(({ item }) => item)).toEqual(["a"]);
    expect(queue.discarded).toEqual(["b"]);
  });
});

describe("a value that is no source", () => {
  const untyped = (value: unknown) => Object.assign(Object(value));

  // defect C22
  it.each([42, null, undefined, {}])("is refused with a code by every method that takes one: %s", async (value) => {
    const { model } = modelOf(new Scene());
    const call = createBatchedFunction(async (items: readonly number[]) => items, {}, new Scene().time);
    const got = value === null ? "null" : typeof value;
    const refused = { code: "INVALID_INPUT", message: expect.stringContaining(`of items`) };
    const source = Reflect.get(
      { value: typeof value === "object" && value !== null ? untyped(value) : value },
      "value",
    );
    for (const asked of [
      model.predictMany(source),
      model.predictStream(source).next(),
      call.many(source),
      doubling.runStream(source).next(),
    ]) {
      const outcome = await outcomeOf(asked);
      expect(outcome).toMatchObject(refused);
      expect(outcome).toMatchObject({ message: expect.stringContaining(`got ${got}; pass a list`) });
    }
  });

  // defect C22
  it("is not a string, whose letters are items", async () => {
    const upper = pipelineOn<string>().stage((letter) => letter.toUpperCase());
    const letters: string[] = [];
    for await (const letter of upper.runStream("abc")) letters.push(letter);
    const split = upper.split((word) => word).collect((parts) => parts.join("-"));
    expect([letters, await split.run("ab")]).toEqual([["A", "B", "C"], "A-B"]);
  });
});

describe("shapeOf", () => {
  // defect C22
  it.each(["null", "{}", '{"group":""}', '{"group":"","extents":3}'])(
    "that returns no extents fails its item with a code: %s",
    async (shape) => {
      const scene = new Scene();
      const shapeOf = () => JSON.parse(shape);
      const call = createBatchedFunction(async (items: readonly number[]) => items, { shapeOf }, scene.time);
      const outcome = outcomeOf(call(1));
      await scene.step();
      const message = expect.stringContaining("shapeOf: expected { group, extents }");
      expect(await outcome).toMatchObject({ code: "INVALID_INPUT", message });
    },
  );
});
