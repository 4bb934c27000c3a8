import { describe, expect, it } from "vitest";
import { resolveSignature } from "../../../src/core/model/batch-axis.js";
import { planPadding } from "../../../src/core/padding/plan.js";
import type { WorkerNotice } from "../../../src/transport/protocol.js";
import { runBackgroundWarmUp } from "../../../src/worker/session/background-warm-up.js";

interface Case {
  readonly msPerRow?: number;
  readonly buckets?: readonly number[];
  readonly maxBatchSize?: number;
  readonly allowedBatchSizes?: readonly number[];
  readonly warmup?: boolean;
  readonly provider?: "wasm" | "webgpu";
}

/**
 * Runs the background warm-up of a model that takes `msPerRow` and has a timing of one row. Returns the dims of each
 * run, and the reported timings.
 */
async function after(asked: Case) {
  const { msPerRow = 1, buckets, maxBatchSize = 8, allowedBatchSizes = [], warmup = true, provider = "wasm" } = asked;
  const signature = resolveSignature(
    [{ name: "x", type: "float32", shape: ["batch", "length"] }],
    [{ name: "y", type: "float32", shape: ["batch", 1] }],
  );
  const padding = planPadding(signature, buckets === undefined ? {} : { x: { buckets } });
  const [first = 1] = buckets ?? [];
  const warmedUp = {
    timings: [{ size: 1, volume: first, ms: msPerRow * first }],
    runMs: msPerRow,
    doubt: null,
    maxRows: null,
    guesses: [16],
    isProvisional: false,
  };
  const backend = { signature, padding, samples: null, provider, warmedUp } as const;
  const ran: string[] = [];
  const said: WorkerNotice[] = [];
  await runBackgroundWarmUp(
    backend,
    { warmup, maxBatchSize, allowedBatchSizes },
    (feeds) => {
      const [rows = 0, length = 0] = feeds["x"]?.dims ?? [];
      ran.push(`${rows}x${length}`);
      return Promise.resolve({
        ok: true,
        outputs: {},
        inferenceMs: msPerRow * rows * (buckets === undefined ? 1 : length),
      });
    },
    (notice) => said.push(notice),
  );
  const timed = said.flatMap((notice) => (notice.notice === "timed" ? [notice.run] : []));
  return { ran, timed };
}

describe("the background warm-up of a ready model", () => {
  it("runs the remaining sizes, by powers of two", async () => {
    const { ran, timed } = await after({ maxBatchSize: 8 });
    expect(ran).toEqual(["2x16", "4x16", "8x16"]);
    expect(timed).toEqual([
      { size: 2, volume: 1, ms: 2 },
      { size: 4, volume: 1, ms: 4 },
      { size: 8, volume: 1, ms: 8 },
    ]);
  });

  it("runs only the allowed sizes if there are any", async () => {
    expect((await after({ allowedBatchSizes: [1, 6, 12], maxBatchSize: 12 })).ran).toEqual(["6x16", "12x16"]);
  });

  it("runs the smallest buckets, the smallest shape first", async () => {
    const { ran, timed } = await after({ msPerRow: 0.01, buckets: [4, 8, 16, 32], maxBatchSize: 2 });
    expect(ran).toEqual(["2x4", "1x8", "2x8", "1x16", "2x16"]);
    expect(timed.at(-1)).toEqual({ size: 2, volume: 16, ms: 0.32 });
  });

  it("runs each shape twice on WebGPU, and reports the second run", async () => {
    expect((await after({ provider: "webgpu", maxBatchSize: 2 })).ran).toEqual(["2x16", "2x16"]);
  });

  it("runs no size that is predicted to delay requests for long", async () => {
    expect((await after({ msPerRow: 30, maxBatchSize: 8 })).ran).toEqual(["2x16"]);
  });

  it("runs no more rows than may fit in memory", async () => {
    expect((await after({ msPerRow: 0.1, maxBatchSize: 256 })).ran.at(-1)).toBe("32x16");
  });

  it("runs nothing if the warm-up is disabled", async () => {
    expect((await after({ warmup: false })).ran).toEqual([]);
  });
});
