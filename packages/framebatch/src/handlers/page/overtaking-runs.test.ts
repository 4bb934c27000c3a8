import { Tensor } from "onnxruntime-web/wasm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { setGpuFault } from "../../../test/support/gpu-runtime.js";
import { handledModel } from "../../../test/support/handled-model.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../../test/support/gpu-runtime.js"));
vi.mock("onnxruntime-web/jspi", () => import("../../../test/support/gpu-runtime.js"));

/** The value whose run ends the worker. */
const FATAL = 13;

beforeEach(() => stubBrowser({ hasGpu: true }));

afterEach(() => {
  setGpuFault(null);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("a crash is blamed at once on the run that overtook one whose preprocess waits", async () => {
  setGpuFault(async (feeds, run) => {
    for (const input of Object.values(feeds)) {
      if (input instanceof Tensor && Number(input.data[0]) === FATAL) throw new WebAssembly.RuntimeError("unreachable");
    }
    return run(feeds);
  });
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  let started!: () => void;
  const hasStarted = new Promise<void>((resolve) => (started = resolve));
  const model = await handledModel<number, number>(
    () => ({
      async preprocess(value) {
        if (value === 1) {
          started();
          await released;
        }
        return new Float32Array(4).fill(value);
      },
      postprocess: ({ y }) => Number(y!.data[0]),
    }),
    { executionProviders: ["webgpu"], batching: { release: "idle" } },
  );
  let losses = 0;
  model.addEventListener("error", () => {
    losses += 1;
    release();
  });
  const slow = model.predict(1).catch(({ code }) => code);
  await hasStarted;
  const fatal = model.predict(FATAL).catch(({ code }) => code);
  expect(await fatal).toBe("WORKER_CRASHED");
  expect(await slow).toBe(2);
  expect(losses).toBe(2);
  await model.dispose();
});
