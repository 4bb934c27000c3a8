import { afterEach, expect, it, vi } from "vitest";
import { EarlyRuntime } from "./early-runtime.js";
import { deviceFinder } from "./device.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { messages } from "../../../test/support/messages.js";
import { RUNTIMES } from "../../../test/support/runtimes.js";
import { WORKER_MARK } from "../../transport/worker-mark.js";
import { LOAD_REQUEST, MODEL_URL } from "../../../test/support/scripted-plan.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../../test/support/gpu-runtime.js"));

afterEach(() => void vi.unstubAllGlobals());

const NOWHERE = { script: "data:text/javascript,throw new Error()", wasm: "" };

/** Starts ONNX Runtime near a GPU, where no build has the GPU. */
function start(provider: "webgpu" | "wasm", isPlain = false, runtimes: Partial<typeof RUNTIMES> = {}) {
  stubBrowser({ hasGpu: true });
  const request = {
    ...LOAD_REQUEST,
    numThreads: 1,
    providers: [provider],
    isNearGpu: true,
    location: { url: MODEL_URL, pinned: null },
    externalData: [],
    variants: [],
    runtimes: { ...RUNTIMES, jspi: NOWHERE, webgpu: NOWHERE, ...runtimes },
  };
  return new EarlyRuntime(request, deviceFinder(false), Promise.resolve(isPlain), null);
}

it("near a GPU, WASM runs in the plain build if that of the GPU does not start", async () => {
  vi.stubGlobal("WebAssembly", Object.assign(Object.create(WebAssembly), { Suspending: () => undefined }));
  expect(await start("wasm").for("wasm", false)).toMatchObject({ build: "wasm" });
});

it("the GPU has no plain build to run in", async () => {
  await expect(start("webgpu").for("webgpu", false)).rejects.toThrow();
});

it("a model that runs only in the plain build runs there, whatever does not start", async () => {
  expect(await start("wasm", true).for("wasm", true)).toMatchObject({ build: "wasm" });
  expect(await start("webgpu").for("wasm", true)).toMatchObject({ build: "wasm" });
});

it("models that need another build than the one that was started share it", async () => {
  const early = start("webgpu");
  const [one, other] = [await early.for("wasm", true), await early.for("wasm", true)];
  expect(one.runtime).toBe(other.runtime);
});

/** A build that is compiled when the global promise of this name resolves. */
function compiledWith(name: string) {
  const script = `globalThis[${JSON.stringify(WORKER_MARK)}].runtime =
    { env: { wasm: {} }, InferenceSession: { create: () => ${name} } }`;
  return { script: `data:text/javascript,${script}`, wasm: "data:," };
}

it("is settled when what it compiles is compiled, and what takes the place of a build that has failed", async () => {
  vi.stubGlobal("WebAssembly", Object.assign(Object.create(WebAssembly), { Suspending: () => undefined }));
  let [fail, finish] = [(_error: Error): void => undefined, (): void => undefined];
  vi.stubGlobal("gpuBuild", new Promise<void>((_, reject) => (fail = reject)));
  vi.stubGlobal("plainBuild", new Promise<void>((resolve) => (finish = resolve)));
  const early = start("wasm", false, { jspi: compiledWith("gpuBuild"), wasm: compiledWith("plainBuild") });
  await messages();
  let isSettled = false;
  const settled = early.settled().then(() => (isSettled = true));
  fail(new Error("no GPU build"));
  await messages();
  expect(isSettled).toBe(false);
  finish();
  await settled;
  expect(await early.for("wasm", false)).toMatchObject({ build: "wasm" });
});
