import { beforeEach, describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { LineScene, settled } from "../../../test/support/line-scene.js";

let scene: LineScene;
beforeEach(() => void (scene = new LineScene()));

/** Tells what came of steps. */
function outcomesOf(steps: readonly Promise<unknown>[]): Promise<unknown[]> {
  return Promise.all(
    steps.map((step) =>
      step.then(
        () => "answered",
        (error: unknown) => Reflect.get(Object(error), "code"),
      ),
    ),
  );
}

describe("a live sequence", () => {
  it("answers everything that comes at once after the page was blocked, if the model is fast enough", async () => {
    const { sequence } = scene.start({ overflow: "drop-oldest" });
    scene.clock.advanceTo(10_000);
    const steps = Array.from({ length: 250 }, (_, item) => sequence.predict(item));
    for (let step = 1; step <= 250; step++) {
      scene.clock.advanceTo(10_000 + 4 * step);
      await scene.answer();
    }
    expect(new Set(await outcomesOf(steps))).toEqual(new Set(["answered"]));
  });

  it("drops what the model would answer too late, and goes on with what is newer", async () => {
    const { sequence } = scene.start({ overflow: "drop-oldest", maxWaitMs: 100 });
    const steps: Promise<unknown>[] = [];
    for (let item = 0; item < 6; item++) {
      scene.clock.advanceTo(30 * item);
      steps.push(sequence.predict(item));
    }
    // The first one took 150 ms; those of 30 and 40 ms have waited for more than 100.
    await scene.answer();
    expect(scene.asked.map(([item]) => item)).toEqual([0, 2]);
    for (let step = 2; step < 6; step++) await scene.answer();
    expect(await outcomesOf(steps)).toEqual(["answered", "OVERLOADED", ...Array.from({ length: 4 }, () => "answered")]);
    await expect(steps[1]).rejects.toMatchObject({ details: { maxWaitMs: 100 } });
  });

  it("drops also while a step hangs, as newer ones come", async () => {
    const { sequence } = scene.start({ overflow: "drop-oldest", maxWaitMs: 100 });
    const steps = [sequence.predict(0), sequence.predict(1)];
    scene.clock.advanceTo(101);
    steps.push(sequence.predict(2));
    await expect(steps[1]).rejects.toMatchObject({ code: "OVERLOADED" });
  });

  it("keeps the newest step, for however long it waits: that of a stream has none behind it", async () => {
    const { sequence } = scene.start({ overflow: "drop-oldest", maxWaitMs: 100 });
    const results: number[] = [];
    const stream = sequence.predictStream([1, 2, 3]);
    const reading = (async () => {
      for await (const _ of stream) results.push(results.length);
    })();
    for (let step = 1; step <= 3; step++) {
      await settled();
      scene.clock.advanceTo(1000 * step);
      await scene.answer();
    }
    await settled();
    await reading;
    expect(results).toHaveLength(3);
  });

  it("holds more than a second of input by default, and lets what does not drop wait for ever", async () => {
    const [live, file] = [scene.start({ overflow: "drop-oldest" }), scene.start()];
    const [lives, files] = [live, file].map(({ sequence }) => [1, 2, 3].map((item) => sequence.predict(item)));
    scene.clock.advanceTo(2001);
    for (const { sequence } of [live, file]) void sequence.predict(4).catch(() => undefined);
    await Promise.all([live.sequence.dispose(), file.sequence.dispose()]);
    expect(await outcomesOf(lives!)).toEqual(["DISPOSED", "OVERLOADED", "OVERLOADED"]);
    expect(await outcomesOf(files!)).toEqual(["DISPOSED", "DISPOSED", "DISPOSED"]);
  });
});

describe("a sequence without a step for idleMs", () => {
  it("starts from the initial state with the next step, and the worker frees the old one", async () => {
    const { sequence, state } = scene.start({ idleMs: 100 });
    scene.clock.advanceTo(99);
    const first = sequence.predict(7);
    scene.clock.advanceTo(500);
    await scene.answer();
    await first;
    expect(sequence.steps).toBe(1);
    scene.clock.advanceTo(599);
    expect([scene.told, sequence.steps, scene.atWork.size]).toEqual([[], 1, 1]);
    scene.clock.advanceTo(600);
    expect([scene.told, sequence.steps, scene.atWork.size]).toEqual([[{ endedSequence: 1 }], 0, 0]);
    expect(scene.clock.pending).toBe(0);
    const next = sequence.predict(8);
    expect(state.sentAs(2, false, scene.client).from).toEqual({ tensors: [Float32Array.of(0)] });
    await scene.answer();
    await next;
    expect([sequence.steps, scene.atWork.size]).toEqual([1, 1]);
  });

  it("has its state lost no longer", async () => {
    const { sequence, state } = scene.start({ idleMs: 100 });
    state.lost = new FramebatchError("SEQUENCE_LOST", "gone");
    scene.clock.advanceTo(100);
    expect(state.lost).toBe(null);
    const step = sequence.predict(8);
    await scene.answer();
    await step;
  });

  it("frees nothing while the run of an aborted step is open, nor once the next step has come", async () => {
    const { sequence, state } = scene.start({ idleMs: 100 });
    const aborts = new AbortController();
    const aborted = sequence.predict(7, { signal: aborts.signal });
    state.runBegan(scene.client);
    aborts.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await settled();
    scene.clock.advanceTo(100);
    expect(scene.told).toEqual([]);
    const next = sequence.predict(8);
    state.runEnded();
    expect(scene.told).toEqual([]);
    await scene.answer();
    await next;
  });

  it("tells the worker once, also if it is disposed of later", async () => {
    const { sequence } = scene.start({ idleMs: 100 });
    const first = sequence.predict(7);
    await scene.answer();
    await first;
    scene.clock.advanceTo(100);
    await sequence.dispose();
    expect(scene.told).toEqual([{ endedSequence: 1 }]);
    await expect(sequence.predict(8)).rejects.toMatchObject({ code: "DISPOSED" });
  });
});
