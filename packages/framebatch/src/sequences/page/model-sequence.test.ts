import { beforeEach, describe, expect, it } from "vitest";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { SignalRequests } from "@framebatch/batcher/calls/abortable.js";
import { taskSignal } from "@framebatch/batcher/test/scene.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { LineScene, rowOf, settled } from "../../../test/support/line-scene.js";
import { KeptState, type Replay } from "./kept-state.js";
import { ROW_STEPS } from "./sequence-items.js";

let scene: LineScene;
beforeEach(() => void (scene = new LineScene()));

describe("the line of a sequence", () => {
  it("gives the model one step at a time, in order", async () => {
    const { sequence } = scene.start();
    const steps = [7, 8, 9].map((item) => sequence.predict(item));
    expect(scene.asked).toEqual([[7, 1]]);
    await scene.answer();
    await scene.answer();
    await scene.answer();
    await Promise.all(steps);
    expect(scene.asked).toEqual([
      [7, 1],
      [8, 2],
      [9, 3],
    ]);
  });

  it("gives the number of a step that failed or was aborted to the next one", async () => {
    const { sequence } = scene.start();
    const aborts = new AbortController();
    const first = sequence.predict(7);
    const second = sequence.predict(8, { signal: aborts.signal });
    const third = sequence.predict(9);
    scene.queue.requests[0]!.sink.reject(new FramebatchError("INFERENCE_FAILED", "broken"));
    await expect(first).rejects.toThrow("broken");
    await settled();
    aborts.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    await settled();
    await scene.answer();
    await third;
    expect(scene.asked).toEqual([
      [7, 1],
      [8, 1],
      [9, 1],
    ]);
  });

  it("counts the time of a step from its call, also while it waits", async () => {
    const { sequence } = scene.start();
    const first = sequence.predict(7);
    const waiting = sequence.predict(8, { timeoutMs: 10 });
    const third = sequence.predict(9, { timeoutMs: 50 });
    scene.clock.advanceTo(10);
    await expect(waiting).rejects.toMatchObject({ code: "TIMED_OUT", details: { timeoutMs: 10 } });
    await scene.answer();
    await first;
    expect(scene.queue.requests.at(-1)!.options).toMatchObject({ sinceMs: 0, timeoutMs: 50 });
    await scene.answer();
    await third;
    expect(scene.clock.pending).toBe(0);
  });

  it.each([
    ["of a stage, with the priority that its run has then", true, "user-blocking"],
    ["with a priority of its own, with that", false, "background"],
  ] as const)("asks for a step that has waited %s", async (_of, isOfStage, expected) => {
    const { sequence } = scene.start();
    const { signal, set } = taskSignal();
    SignalRequests.of(signal).isOfStage = isOfStage;
    const options = { signal, priority: "background" } as const;
    const steps = [7, 8].map((item) => sequence.predict(item, options));
    set("user-blocking");
    await scene.answer();
    expect(scene.queue.requests.at(-1)!.options?.priority).toBe(expected);
    await scene.answer();
    await Promise.all(steps);
  });

  it("goes on after a stream that has ended while one of its items waited", async () => {
    const { sequence } = scene.start();
    const stream = sequence.predictStream([7, 8, 9]);
    const first = stream.next();
    await settled();
    const between = sequence.predict(20);
    await scene.answer();
    await first;
    const second = stream.next();
    await settled();
    scene.queue.requests.at(-1)!.sink.reject(new FramebatchError("INFERENCE_FAILED", "broken"));
    await expect(second).rejects.toThrow("broken");
    await settled();
    await scene.answer();
    await between;
    const later = sequence.predict(10);
    await settled();
    await scene.answer();
    await later;
    expect(scene.asked.map(([item]) => item)).toEqual([7, 8, 20, 10]);
  });

  it("resets between the steps before and after the call", async () => {
    const { sequence, state } = scene.start();
    const steps = [sequence.predict(7)];
    sequence.reset();
    steps.push(sequence.predict(8));
    await scene.answer();
    expect(state.sentAs(2, false, scene.client).from).toEqual({ tensors: [Float32Array.of(0)] });
    await scene.answer();
    await Promise.all(steps);
    expect(state.sentAs(3, false, scene.client).from).toBeUndefined();
  });

  it("runs the newest step again for a snapshot of which the page has no copy", async () => {
    const { sequence } = scene.start({}, 3);
    const first = sequence.predict(7);
    await scene.answer(false);
    await first;
    const snapshot = sequence.snapshot();
    expect(scene.asked).toEqual([
      [7, 1],
      [7, 1],
    ]);
    await scene.answer();
    await snapshot;
    await sequence.snapshot();
    expect(scene.queue.requests).toHaveLength(2);
  });

  it("rejects every step once the state is lost, until it is reset", async () => {
    const { sequence, state } = scene.start();
    state.lost = new FramebatchError("SEQUENCE_LOST", "gone");
    await expect(sequence.predict(7)).rejects.toMatchObject({ code: "SEQUENCE_LOST" });
    await expect(sequence.snapshot()).rejects.toMatchObject({ code: "SEQUENCE_LOST" });
    await settled();
    sequence.reset();
    await settled();
    const step = sequence.predict(8);
    await scene.answer();
    await step;
  });
});

describe("a restored state", () => {
  /** A state after 3 steps in a worker that is gone, without a copy. */
  function afterThree(): KeptState<PreparedItem> {
    const state = new KeptState(1, { tensors: [Float32Array.of(0)] }, 8, ROW_STEPS);
    for (const item of [7, 8, 9]) {
      const next = state.next(rowOf(item));
      const kept = state.keepFor(next);
      next.step.ran = { client: { ...scene.client }, state: null };
      state.advance(next.step, kept);
    }
    return state;
  }

  it("is that of the last copy and the steps since, in order", async () => {
    const state = afterThree();
    const sent: unknown[] = [];
    await state.restore(state.next(rowOf(10)).step, scene.client, (item, sentAs) => {
      const { step, from } = sentAs()!;
      sent.push([item.data[0]?.[0], step, from?.tensors.length]);
      return Promise.resolve({ ok: true, reply: { ok: true, outputs: {}, inferenceMs: 0 } });
    });
    expect(sent).toEqual([
      [7, 1, 1],
      [8, 2, undefined],
      [9, 3, undefined],
    ]);
    expect(state.sentAs(4, false, scene.client).from).toBeUndefined();
  });

  it("goes on where an aborted step has left off", async () => {
    const state = afterThree();
    const aborted = state.next(rowOf(10)).step;
    const sent: number[] = [];
    const replay: Replay<PreparedItem> = (_, sentAs) => {
      sent.push(sentAs()!.step);
      if (sent.length === 2) aborted.isOpen = false;
      return Promise.resolve({ ok: true as const, reply: { ok: true as const, outputs: {}, inferenceMs: 0 } });
    };
    const [first, second] = [
      state.restore(aborted, scene.client, replay),
      state.restore(state.next(rowOf(11)).step, scene.client, replay),
    ];
    await Promise.all([first, second]);
    expect(sent).toEqual([1, 2, 2, 3]);
    expect(state.isReadyFor(4, scene.client)).toBe(true);
  });

  it("is lost if one of the steps fails", async () => {
    const state = afterThree();
    await state.restore(state.next(rowOf(10)).step, scene.client, () =>
      Promise.resolve({ ok: false, error: new Error("no memory") }),
    );
    expect(state.lost).toMatchObject({ code: "SEQUENCE_LOST", details: { step: 1 } });
    expect(state.lost?.message).toContain("(no memory)");
  });
});
