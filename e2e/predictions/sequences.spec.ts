import { expect, test } from "../support/test.js";

/** Dims of a state without its batch axis, and the axis. */
const KINDS = {
  "sequence-rows": { stateDims: [4], batchAxis: { state: 0, stateN: 0 } },
  "sequence-layers": { stateDims: [2, 4], batchAxis: { state: 1, stateN: 1 } },
} as const;
const KILLS = 3;

for (const [model, kind] of Object.entries(KINDS)) {
  for (const snapshotEvery of [1, 8]) {
    const title = `${model}: interleaved sequences with resets, aborts and lost workers give what each gives alone (a copy every ${snapshotEvery} steps)`;
    test(title, async ({ harness, provider }) => {
      const [streams, maxCalls] = provider === "wasm" ? [64, 80] : [16, 12];
      const streamed = await harness.evaluateHandle((request) => window.harness.beginStreams(request), {
        ...kind,
        url: `/models/${model}.onnx`,
        streams,
        maxCalls,
        seed: 20 + snapshotEvery,
        snapshotEvery,
        options: { executionProviders: [provider] },
      });
      const kills = provider === "wasm" ? KILLS : 1;
      for (let kill = 1; kill <= kills; kill++) {
        await streamed.evaluate((all, share) => all.answered(share), kill / (kills + 1));
        await harness
          .workers()
          .at(-1)
          ?.evaluate(() => void setTimeout(() => self.close()));
        await streamed.evaluate((all, count) => all.lost(count), kill);
      }
      const tally = await streamed.evaluate((all) => all.end());
      expect(tally).toMatchObject({ wrong: 0, failures: [], provider });
      expect(tally.losses).toBe(kills);
      expect(tally.largestBatch).toBeGreaterThan(streams / 4);
      expect(Math.min(tally.aborted, tally.resets)).toBeGreaterThan(0);
    });
  }
}
