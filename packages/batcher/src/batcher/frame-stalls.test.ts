import { expect, it } from "vitest";
import { FRAME_MS } from "@framebatch/host/test/manual-frames.js";
import { batching } from "../../test/support/batching.js";
import { costs } from "../../test/support/known-costs.js";

const RUN_MS = 5;
const STALL_AT_MS = 2000;

/** A batcher with release `frame`, and callers that ask one by one every 4 ms, each in a task of its own. */
function load() {
  const harness = batching({ release: "frame", maxBatchSize: 64, costData: costs((size) => 4 + 0.1 * size) });
  const { clock, engine, task } = harness;
  let endsAtMs = Infinity;
  const answerDue = (): void => {
    if (engine.open === 0) endsAtMs = Infinity;
    else if (endsAtMs === Infinity) endsAtMs = clock.now() + RUN_MS;
    if (clock.now() < endsAtMs) return;
    endsAtMs = Infinity;
    engine.answer();
    clock.endTask();
  };
  const advanceTo = (untilMs: number): void => {
    for (let atMs = clock.now() + 1; atMs <= untilMs; atMs++) {
      clock.advanceTo(atMs);
      answerDue();
      if (atMs % 4 === 0) task("a");
    }
  };
  return { ...harness, advanceTo };
}

/** The share of batches that wait for a frame, of those in the next `frames` frames. */
function shareOfWaits({ clock, log, advanceTo }: ReturnType<typeof load>, frames: number): number {
  const before = log.length;
  advanceTo(clock.now() + frames * FRAME_MS);
  const since = log.slice(before);
  return since.filter((line) => line.endsWith("(frame)")).length / since.length;
}

it.each([0, 10, 40, 10_000])("batches wait for frames again after a stall of %d ms", (stallMs) => {
  const stalled = load();
  const { clock, engine, log, advanceTo } = stalled;
  advanceTo(STALL_AT_MS);
  while (engine.open === 0 || !log.at(-1)?.endsWith("(frame)")) advanceTo(clock.now() + 1);
  clock.freezeUntil(clock.now() + stallMs);
  expect(shareOfWaits(stalled, 300)).toBeGreaterThan(0.5);
});
