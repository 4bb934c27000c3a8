import { beforeEach, describe, expect, it } from "vitest";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { SequenceOptions } from "../options/sequence.js";
import { KeptState, type Replay, type StateClient } from "./kept-state.js";
import { ModelSequence } from "./model-sequence.js";
import { ROW_STEPS } from "./row-steps.js";
import { isStepped } from "./step.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { RecordingQueue } from "@framebatch/batcher/test/recording-queue.js";

const ENDED: object[] = [];
const CLIENT: StateClient = {
  run: () => Promise.reject(new Error("this worker runs nothing")),
  notify: (notice) => void ENDED.push(notice),
  hasEnded: false,
};

let clock: ManualClock;
let queue: RecordingQueue<PreparedItem, Outputs>;

beforeEach(() => {
  ENDED.length = 0;
  clock = new ManualClock();
  queue = new RecordingQueue();
});

function start(options: SequenceOptions = {}, every = 1) {
  const state = new KeptState(1, { tensors: [Float32Array.of(0)] }, every, ROW_STEPS);
  const admit = (item: number): PreparedItem => ({
    data: [Float32Array.of(item)],
    sizes: [],
    shape: { group: "", extents: [] },
  });
  const snapshotOf = () => ({});
  return { state, sequence: new ModelSequence({ state, queue, clock, admit, snapshotOf }, options) };
}

/** The item and the step number of each request that the model got. */
function asked(): readonly (readonly [unknown, number])[] {
  return queue.requests.map(({ item }) => [item.data[0]?.[0], isStepped(item) ? item.step.number : 0]);
}

/** Answers the newest request, as the worker would. */
async function answer(state = true): Promise<void> {
  const { item, sink } = queue.requests.at(-1)!;
  if (isStepped(item))
    item.step.ran = { client: CLIENT, state: state ? { tensors: [Float32Array.of(item.step.number)] } : null };
  sink.resolve({}, null, 0);
  await settled();
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

describe("the line of a sequence", () => {
  it("gives the model one step at a time, in order", async () => {
    const { sequence } = start();
    const steps = [7, 8, 9].map((item) => sequence.predict(item));
    expect(asked()).toEqual([[7, 1]]);
    await answer();
    await answer();
    await answer();
    await Promise.all(steps);
    expect(asked()).toEqual([
      [7, 1],
      [8, 2],
      [9, 3],
    ]);
  });

  it("gives the number of a step that failed or was aborted to the next one", async () => {
    const { sequence } = start();
    const aborts = new AbortController();
    const first = sequence.predict(7);
    const second = sequence.predict(8, { signal: aborts.signal });
    const third = sequence.predict(9);
    queue.requests[0]!.sink.reject(new FramebatchError("INFERENCE_FAILED", "broken"));
    await expect(first).rejects.toThrow("broken");
    await settled();
    aborts.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    await settled();
    await answer();
    await third;
    expect(asked()).toEqual([
      [7, 1],
      [8, 1],
      [9, 1],
    ]);
  });

  it("counts the time of a step from its call, also while it waits", async () => {
    const { sequence } = start();
    const first = sequence.predict(7);
    const waiting = sequence.predict(8, { timeoutMs: 10 });
    const third = sequence.predict(9, { timeoutMs: 50 });
    clock.advanceTo(10);
    await expect(waiting).rejects.toMatchObject({ code: "TIMED_OUT", details: { timeoutMs: 10 } });
    await answer();
    await first;
    expect(queue.requests.at(-1)!.options).toMatchObject({ sinceMs: 0, timeoutMs: 50 });
    await answer();
    await third;
    expect(clock.pending).toBe(0);
  });

  it("goes on after a stream that has ended while one of its items waited", async () => {
    const { sequence } = start();
    const stream = sequence.predictStream([7, 8, 9]);
    const first = stream.next();
    await settled();
    const between = sequence.predict(20);
    await answer();
    await first;
    const second = stream.next();
    await settled();
    queue.requests.at(-1)!.sink.reject(new FramebatchError("INFERENCE_FAILED", "broken"));
    await expect(second).rejects.toThrow("broken");
    await settled();
    await answer();
    await between;
    const later = sequence.predict(10);
    await settled();
    await answer();
    await later;
    expect(asked().map(([item]) => item)).toEqual([7, 8, 20, 10]);
  });

  it("ends when no step has come for idleMs, and tells the worker", async () => {
    const { sequence } = start({ idleMs: 100 });
    clock.advanceTo(99);
    const first = sequence.predict(7);
    clock.advanceTo(500);
    await answer();
    await first;
    clock.advanceTo(599);
    expect(ENDED).toEqual([]);
    clock.advanceTo(600);
    await expect(sequence.predict(8)).rejects.toMatchObject({ code: "DISPOSED", details: { idleMs: 100 } });
    expect(clock.pending).toBe(0);
  });

  it("resets between the steps before and after the call", async () => {
    const { sequence, state } = start();
    const steps = [sequence.predict(7)];
    sequence.reset();
    steps.push(sequence.predict(8));
    await answer();
    expect(state.sentAs(2, false, CLIENT).from).toEqual({ tensors: [Float32Array.of(0)] });
    await answer();
    await Promise.all(steps);
    expect(state.sentAs(3, false, CLIENT).from).toBeUndefined();
  });

  it("runs the newest step again for a snapshot of which the page has no copy", async () => {
    const { sequence } = start({}, 3);
    const first = sequence.predict(7);
    await answer(false);
    await first;
    const snapshot = sequence.snapshot();
    expect(asked()).toEqual([
      [7, 1],
      [7, 1],
    ]);
    await answer();
    await snapshot;
    await sequence.snapshot();
    expect(queue.requests).toHaveLength(2);
  });

  it("rejects every step once the state is lost, until it is reset", async () => {
    const { sequence, state } = start();
    state.lost = new FramebatchError("SEQUENCE_LOST", "gone");
    await expect(sequence.predict(7)).rejects.toMatchObject({ code: "SEQUENCE_LOST" });
    await expect(sequence.snapshot()).rejects.toMatchObject({ code: "SEQUENCE_LOST" });
    await settled();
    sequence.reset();
    await settled();
    const step = sequence.predict(8);
    await answer();
    await step;
  });
});

describe("a restored state", () => {
  const row = (item: number): PreparedItem => ({
    data: [Float32Array.of(item)],
    sizes: [],
    shape: { group: "", extents: [] },
  });

  /** A state after 3 steps in a worker that is gone, without a copy. */
  function afterThree(): KeptState<PreparedItem> {
    const state = new KeptState(1, { tensors: [Float32Array.of(0)] }, 8, ROW_STEPS);
    for (const item of [7, 8, 9]) {
      const next = state.next(row(item));
      const kept = state.keepFor(next);
      next.step.ran = { client: { ...CLIENT }, state: null };
      state.advance(next.step, kept);
    }
    return state;
  }

  it("is that of the last copy and the steps since, in order", async () => {
    const state = afterThree();
    const sent: unknown[] = [];
    await state.restore(state.next(row(10)).step, CLIENT, (item, sentAs) => {
      const { step, from } = sentAs()!;
      sent.push([item.data[0]?.[0], step, from?.tensors.length]);
      return Promise.resolve({ ok: true, reply: { ok: true, outputs: {}, inferenceMs: 0 } });
    });
    expect(sent).toEqual([
      [7, 1, 1],
      [8, 2, undefined],
      [9, 3, undefined],
    ]);
    expect(state.sentAs(4, false, CLIENT).from).toBeUndefined();
  });

  it("goes on where an aborted step has left off", async () => {
    const state = afterThree();
    const aborted = state.next(row(10)).step;
    const sent: number[] = [];
    const replay: Replay<PreparedItem> = (_, sentAs) => {
      sent.push(sentAs()!.step);
      if (sent.length === 2) aborted.isOpen = false;
      return Promise.resolve({ ok: true as const, reply: { ok: true as const, outputs: {}, inferenceMs: 0 } });
    };
    const [first, second] = [
      state.restore(aborted, CLIENT, replay),
      state.restore(state.next(row(11)).step, CLIENT, replay),
    ];
    await Promise.all([first, second]);
    expect(sent).toEqual([1, 2, 2, 3]);
    expect(state.isReadyFor(4, CLIENT)).toBe(true);
  });

  it("is lost if one of the steps fails", async () => {
    const state = afterThree();
    await state.restore(state.next(row(10)).step, CLIENT, () =>
      Promise.resolve({ ok: false, error: new Error("no memory") }),
    );
    expect(state.lost).toMatchObject({ code: "SEQUENCE_LOST", details: { step: 1 } });
    expect(state.lost?.message).toContain("(no memory)");
  });
});
