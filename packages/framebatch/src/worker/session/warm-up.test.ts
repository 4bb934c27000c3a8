import * as ort from "onnxruntime-web/wasm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/plan.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import { warmUp } from "./warm-up.js";

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

beforeAll(() => {
  steadyTime();
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "fatal";
});

describe("a warm-up with limited memory", () => {
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
