import * as ort from "onnxruntime-web/wasm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import { warmUp, TimedRuns } from "./warm-up.js";

interface Case {
  readonly model?: string;
  readonly provider?: ExecutionProvider;
  readonly maxBatchSize?: number;
  /** The maximum rows that memory allows. */
  readonly room: number;
  /** The error of a larger run: from ONNX Runtime itself, or from the device, which reports it after the run. */
  readonly thrown?: unknown;
  readonly isReportedLate?: boolean;
}

const NO_MEMORY = new Error("failed to call OrtRun(). ERROR_CODE: 6, ERROR_MESSAGE: std::bad_alloc");

/** Warms up a real session with limited memory. Returns the result, and the row counts that were tried. */
async function warmUpIn({ model = "mlp-tiny", provider = "wasm", maxBatchSize = 64, ...memory }: Case) {
  const session = await ort.InferenceSession.create(generateModel(model).bytes);
  const signature = resolveSignature(session.inputMetadata, session.outputMetadata, {});
  const sizes: number[] = [];
  const run = session.run.bind(session);
  const lacks = (isLater: boolean) => (sizes.at(-1) ?? 0) > memory.room && (memory.isReportedLate ?? false) === isLater;
  vi.spyOn(session, "run").mockImplementation(async (feeds) => {
    const [input] = Object.values(feeds);
    if (input instanceof ort.Tensor) sizes.push(input.dims[0] ?? 0);
    if (lacks(false)) throw memory.thrown ?? NO_MEMORY;
    return run(feeds);
  });
  const settled = async () => {
    if (lacks(true)) throw new FramebatchError("OUT_OF_MEMORY", "the device has refused it");
  };
  const target = {
    runtime: ort,
    session,
    signature,
    padding: planPadding(signature, {}),
    samples: null,
    onChecking: () => undefined,
    outputs: { saw: () => undefined, wanted: null },
    provider,
    settled,
  };
  const result = await warmUp(target, { warmup: true, maxBatchSize }).catch((error: unknown) => error);
  await session.release();
  const found = result instanceof FramebatchError ? { error: result } : { result };
  return { ...found, tried: [...new Set(sizes)] };
}

/** Advances the clock by half a millisecond per reading, so that no budget runs out on a busy machine. */
function steadyTime(): void {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 0.5));
}

describe("a warm-up with limited memory", () => {
  beforeAll(() => {
    steadyTime();
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = "fatal";
  });

  it("reports no limit if memory suffices", async () => {
    expect(await warmUpIn({ room: 64 })).toMatchObject({ result: { maxRows: null }, tried: [1, 2, 8] });
  });

  it.each([
    [4, 4],
    [1, 1],
  ])("halves the batch that exceeded memory, with room for %i", async (room, maxRows) => {
    const { result } = await warmUpIn({ room });
    expect(result).toMatchObject({ maxRows });
  });

  it("keeps the timings of the sizes that fit", async () => {
    const { result } = await warmUpIn({ room: 2 });
    expect(result).toMatchObject({ maxRows: 4, timings: [{ size: 1 }, { size: 2 }] });
  });

  it("fails with OUT_OF_MEMORY without a row limit if a single row does not fit", async () => {
    for (const provider of ["wasm", "webgpu"] as const) {
      const { error } = await warmUpIn({ room: 0, provider });
      expect(error).toMatchObject({ code: "OUT_OF_MEMORY" });
      expect(error).not.toHaveProperty("maxRows");
    }
  });

  it.each([
    ["on a GPU, whose buffers ONNX Runtime keeps", { provider: "webgpu" as const, isReportedLate: true }],
    ["after a WebAssembly trap", { thrown: new WebAssembly.RuntimeError("Aborted(OOM)") }],
  ])("requests another worker with half the rows %s", async (_where, memory) => {
    const { error } = await warmUpIn({ room: 2, ...memory });
    expect(error).toMatchObject({ code: "OUT_OF_MEMORY", maxRows: 4 });
  });

  it("tries no other item sizes in a worker that is to be replaced", async () => {
    const { error, tried } = await warmUpIn({ model: "variable-length", room: 2, provider: "webgpu" });
    expect(error).toMatchObject({ code: "OUT_OF_MEMORY", maxRows: 4 });
    expect(tried).toEqual([1, 2, 8]);
  });
});

interface TimedCase {
  /** Time of a run of `size` rows after `earlier` runs, in milliseconds. */
  readonly costMs: (size: number, earlier: number) => number;
  /** Additional time of the first run of a size, in milliseconds. */
  readonly preparingMs?: number;
  readonly compiles?: boolean;
  readonly extents?: readonly number[];
}

/**
 * Warms up a model whose runs take `costMs`, on a clock that only these runs advance. Returns the sizes that ran, and
 * the timings.
 */
async function timesOf({ costMs, preparingMs = 0, compiles = false, extents = [] }: TimedCase) {
  let nowMs = 1000;
  const ran: number[] = [];
  const run = (size: number) => {
    nowMs += costMs(size, ran.length) + (ran.includes(size) ? 0 : preparingMs);
    ran.push(size);
    return Promise.resolve();
  };
  const runs = new TimedRuns(run, extents, compiles, () => nowMs);
  await runs.first(1);
  await runs.measure(1, [2, 8]);
  return { ran, timings: runs.timings };
}

describe("the warm-up", () => {
  it("runs each size twice, times the second run, and ends with the first size", async () => {
    const { ran, timings } = await timesOf({ costMs: (size) => 4 + size / 2, preparingMs: 10 });
    expect(ran).toEqual([1, 1, 2, 2, 8, 8, 1]);
    expect(timings.map(({ size, ms }) => [size, ms])).toEqual([
      [1, 4.5],
      [2, 5],
      [8, 8],
    ]);
  });

  it("repeats runs that are too short for the clock", async () => {
    const { ran, timings } = await timesOf({ costMs: () => 0.25 });
    expect(ran.filter((size) => size === 8)).toHaveLength(1 + 4);
    expect(timings.at(-1)).toEqual({ size: 8, volume: 1, ms: 0.25 });
  });

  it("stops repeating if the clock does not advance", async () => {
    const { ran } = await timesOf({ costMs: () => 0 });
    expect(ran.filter((size) => size === 8)).toHaveLength(1 + 16);
  });

  it("omits a size that is predicted to exceed the budget", async () => {
    const { ran, timings } = await timesOf({ costMs: (size) => 12 * size });
    expect(ran).toEqual([1, 1, 2, 2, 1]);
    expect(timings.map(({ size }) => size)).toEqual([1, 2]);
  });

  it("corrects the time of the first size if later runs are faster, and only then", async () => {
    const { timings } = await timesOf({ costMs: (size, earlier) => size + Math.max(0, 4 - earlier) });
    expect(timings.map(({ ms }) => ms)).toEqual([1, 3, 8]);
    const slowing = await timesOf({ costMs: (size, earlier) => size + earlier });
    expect(slowing.timings[0]?.ms).toBe(2);
  });

  it("uses the first run of a size as its time if the budget has no room for a second", async () => {
    const { ran, timings } = await timesOf({ costMs: (size) => 40 * size });
    expect(ran).toEqual([1, 1, 2]);
    expect(timings.at(-1)).toEqual({ size: 2, volume: 1, ms: 80 });
  });

  it("runs a slow model once", async () => {
    const { ran, timings } = await timesOf({ costMs: () => 200 });
    expect(ran).toEqual([1]);
    expect(timings).toEqual([{ size: 1, volume: 1, ms: 200 }]);
  });

  it("never reports a compilation as the time of a run", async () => {
    const { ran, timings } = await timesOf({ costMs: (size) => 2 + size, preparingMs: 140, compiles: true });
    expect(ran).toEqual([1, 1, 2]);
    expect(timings).toEqual([{ size: 1, volume: 1, ms: 3 }]);
  });

  it("counts volume in the same way as batches", async () => {
    const { timings } = await timesOf({ costMs: () => 5, extents: [16, 2] });
    expect(timings.map(({ volume }) => volume)).toEqual([32, 32, 32]);
  });
});
