import { describe, expect, it } from "vitest";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { WorkerNotice } from "../../transport/protocol.js";
import { runBackgroundWarmUp } from "./background-warm-up.js";

interface Case {
  readonly msPerRow?: number;
  readonly buckets?: readonly number[];
  readonly maxBatchSize?: number;
  readonly allowedBatchSizes?: readonly number[];
  readonly warmup?: boolean;
  /** Time of the run of one row while the model loaded, in milliseconds. @default `msPerRow` */
  readonly firstMs?: number;
}

/**
 * Runs the background warm-up of a model that takes `msPerRow` and has a timing of one row. Returns the dims of each
 * run, and the reported timings.
 */
async function after(asked: Case) {
  const { msPerRow = 1, buckets, maxBatchSize = 8, allowedBatchSizes = [], warmup = true, firstMs = msPerRow } = asked;
  const signature = resolveSignature(
    [{ name: "x", type: "float32", shape: ["batch", "length"] }],
    [{ name: "y", type: "float32", shape: ["batch", 1] }],
  );
  const padding = planPadding(signature, buckets === undefined ? {} : { x: { buckets } });
  const [first = 16] = buckets ?? [];
  const warmedUp = {
    timings: [{ size: 1, volume: first, ms: buckets === undefined ? firstMs : firstMs * first }],
    runMs: msPerRow,
    doubt: null,
    maxRows: null,
    guesses: [16],
    element: 0 as const,
    isProvisional: false,
  };
  const backend = { signature, padding, samples: null, warmedUp } as const;
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
  it("runs sizes by powers of two, those that are new twice, and reports the last run of each", async () => {
    const { ran, timed } = await after({ maxBatchSize: 8 });
    expect(ran).toEqual(["1x16", "2x16", "2x16", "4x16", "4x16", "8x16", "8x16"]);
    expect(timed).toEqual([
      { size: 1, volume: 16, ms: 1 },
      { size: 2, volume: 16, ms: 2 },
      { size: 4, volume: 16, ms: 4 },
      { size: 8, volume: 16, ms: 8 },
    ]);
  });

  it("times a model again whose first run took long, unless it seems slow in any case", async () => {
    expect((await after({ msPerRow: 40, firstMs: 400, maxBatchSize: 2 })).timed[0]).toMatchObject({ ms: 40 });
    expect((await after({ msPerRow: 400, firstMs: 600 })).ran).toEqual([]);
  });

  it("runs only the allowed sizes if there are any", async () => {
    expect((await after({ allowedBatchSizes: [1, 6, 12], maxBatchSize: 12 })).ran).toEqual([
      "1x16",
      "6x16",
      "6x16",
      "12x16",
      "12x16",
    ]);
  });

  it("runs the smallest buckets, the smallest shape first", async () => {
    const { ran, timed } = await after({ msPerRow: 0.01, buckets: [4, 8, 16, 32], maxBatchSize: 2 });
    expect(ran).toEqual(["1x4", "2x4", "2x4", "1x8", "1x8", "2x8", "2x8", "1x16", "1x16", "2x16", "2x16"]);
    expect(timed.at(-1)).toEqual({ size: 2, volume: 16, ms: 0.32 });
  });

  it("runs no size that is predicted to delay requests for long", async () => {
    expect((await after({ msPerRow: 30, maxBatchSize: 8 })).ran).toEqual(["1x16", "2x16", "2x16"]);
  });

  it("runs no more rows than may fit in memory", async () => {
    expect((await after({ msPerRow: 0.1, maxBatchSize: 256 })).ran.at(-1)).toBe("32x16");
  });

  it("runs nothing if the warm-up is disabled", async () => {
    expect((await after({ warmup: false })).ran).toEqual([]);
  });
});
