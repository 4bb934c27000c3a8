import type { StreamModel } from "../fixtures/stream-kinds.js";
import { buffersOf, countBuffers } from "../support/pages/device-buffers.js";
import { expect, IS_COMPLETE, LONG, SLOW_ON_GPU, test } from "../support/test.js";

/**
 * What a page does in each test: the model, after how many steps its states are copied, and whether it is in a group. The others are
 * tagged @long, because the simulation of the whole system does this with every fault.
 */
const CASES: readonly (readonly [model: StreamModel, snapshotEvery: number, isGrouped: boolean, isLong: boolean])[] = [
  ["sequence-rows", 1, false, true],
  ["sequence-rows", 8, true, false],
  ["sequence-layers", 8, false, true],
  ["sequence-two-states", 3, false, true],
  ["sequence-voice", 8, false, true],
];
/** What a page does with `npm test -- --all`, and otherwise. Fewer on WebGPU: a GPU in software is slow. */
const [WASM, GPU] = IS_COMPLETE
  ? [
      { streams: 64, steps: 2500, kills: 3 },
      { streams: 16, steps: 100, kills: 1 },
    ]
  : [
      { streams: 16, steps: 400, kills: 1 },
      { streams: 8, steps: 50, kills: 1 },
    ];

for (const [model, snapshotEvery, isGrouped, isLong] of CASES) {
  const place = isGrouped ? ", in a group" : "";
  const title = `${model}: interleaved sequences with pauses, resets, aborts and lost workers give what each gives alone (a copy every ${snapshotEvery} steps${place})`;
  test(title, { tag: isLong ? LONG : SLOW_ON_GPU }, async ({ harness, provider }) => {
    await countBuffers(harness);
    const { streams, steps, kills } = provider === "wasm" ? WASM : GPU;
    const between = Math.floor(steps / (kills + 1));
    const streamed = await harness.evaluateHandle((request) => window.harness.beginStreams(request), {
      model,
      url: `/models/${model}.onnx`,
      streams,
      maxCalls: provider === "wasm" ? 60 : 12,
      // A worker may take long to end, and its streams must not end before.
      steps: Infinity,
      seed: 20 + snapshotEvery,
      snapshotEvery,
      isGrouped,
      providers: [provider],
    });
    for (let kill = 1; kill <= kills; kill++) {
      await streamed.evaluate((all, count) => all.answered(count), kill * between);
      await harness
        .workers()
        .at(-1)
        ?.evaluate(() => void setTimeout(() => self.close()));
      await streamed.evaluate((all, count) => all.lost(count), kill);
    }
    await streamed.evaluate((all, more) => all.settled(more), between);
    await expect.poll(async () => (await buffersOf(harness)).alive).toBe(0);
    const { made } = await buffersOf(harness);
    expect(made > 0, `${made} buffers`).toBe(provider === "webgpu");
    const tally = await streamed.evaluate((all) => all.end());
    expect(tally).toMatchObject({ wrong: 0, failures: [], provider });
    expect(tally.losses).toBe(kills);
    expect(tally.largestBatch).toBeGreaterThan(1);
    expect(Math.min(tally.aborted, tally.resets, tally.snapshots)).toBeGreaterThan(0);
  });
}
