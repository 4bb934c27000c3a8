import { afterEach, expect, it, vi } from "vitest";
import { ModelDatabase } from "../../store/model-database.js";
import { chooseWay, waysContext } from "./chosen-way.js";
import type { LoadRequest } from "../../transport/protocol.js";
import { LOAD_REQUEST, MODEL_URL } from "../../../test/support/scripted-plan.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Chooses on a page without a GPU, whose database never answers, in a time that does not pass. */
function choose(
  isIsolated: boolean,
  isLarge: Promise<boolean | null> = Promise.resolve(false),
  adapter: string | null = null,
  changes: Partial<LoadRequest> = { comparesWays: true },
) {
  vi.useFakeTimers();
  vi.stubGlobal("navigator", { userAgent: "a browser", hardwareConcurrency: 2 });
  vi.stubGlobal("crossOriginIsolated", isIsolated);
  const open = vi.fn(() => ({}));
  vi.stubGlobal("indexedDB", { open });
  const request = {
    ...LOAD_REQUEST,
    isAutomatic: true,
    numThreads: null,
    providers: ["webgpu", "wasm"],
    location: { url: MODEL_URL, pinned: null },
    externalData: [],
    variants: [],
    ...changes,
  } as const;
  const device = adapter === null ? { missing: "no GPU" } : { name: adapter };
  const chosen = chooseWay(request, async () => device, new ModelDatabase(), isLarge);
  return { open, chosen };
}

/** Lets half a second pass, after which nothing is known of earlier visits. */
async function onFirstVisit({ open, chosen }: ReturnType<typeof choose>) {
  await vi.waitFor(() => expect(open).toHaveBeenCalled(), { timeout: 60_000 });
  await vi.advanceTimersByTimeAsync(500);
  return chosen;
}

const NEVER = new Promise<null>(() => undefined);

it("a load waits for no stored ways and no size where there is only one", async () => {
  const { open, chosen } = choose(false, NEVER);
  expect(await chosen).toMatchObject({ context: null, known: null, request: { numThreads: 1 } });
  expect(open).not.toHaveBeenCalled();
});

it("a load waits at most half a second for stored ways where there is a choice", async () => {
  expect(await onFirstVisit(choose(true))).toMatchObject({ known: null, request: { numThreads: 1 } });
});

it("a large model starts on several threads", async () => {
  const large = Promise.resolve(true);
  expect(await onFirstVisit(choose(true, large))).toMatchObject({ request: { numThreads: 2 } });
});

it.each([
  { is: "a large model", isLarge: true, providers: ["webgpu", "wasm"] },
  { is: "a model of unknown size", isLarge: null, providers: ["webgpu", "wasm"] },
  { is: "a small model", isLarge: false, providers: ["wasm", "webgpu"] },
])("beside a GPU, $is starts on $providers.0, in the build of the GPU", async ({ isLarge, providers }) => {
  const chosen = await onFirstVisit(choose(true, Promise.resolve(isLarge), "nvidia hopper"));
  expect(chosen).toMatchObject({ request: { providers, numThreads: 1, isNearGpu: true } });
  expect(chosen.offered.map(({ provider }) => provider)).toEqual(["webgpu", "wasm", "wasm"]);
});

it("without a GPU, the order of providers stays, and no build is shared", async () => {
  const chosen = await onFirstVisit(choose(true));
  expect(chosen).toMatchObject({ request: { providers: ["webgpu", "wasm"], isNearGpu: false } });
});

it("models whose ways are not compared start on the GPU, and wait for no size", async () => {
  const chosen = await onFirstVisit(choose(true, NEVER, "nvidia hopper", {}));
  expect(chosen).toMatchObject({ request: { providers: ["webgpu", "wasm"], numThreads: 1 } });
});

it("a way that the page has decided on is not chosen again", async () => {
  const decided = { isDecided: true, isNearGpu: true, providers: ["wasm"], numThreads: 2 } as const;
  const { chosen, open } = choose(true, NEVER, "nvidia hopper", { comparesWays: true, ...decided });
  expect(await chosen).toMatchObject({ request: decided, context: null, offered: [] });
  expect(open).not.toHaveBeenCalled();
});

it("a page that ships only WASM is not near a GPU", async () => {
  const { chosen } = choose(false, NEVER, "nvidia hopper", { comparesWays: true, providers: ["wasm"] });
  expect(await chosen).toMatchObject({ request: { providers: ["wasm"], isNearGpu: false } });
});

const location = { url: MODEL_URL, pinned: null };
const REQUEST: LoadRequest = {
  ...LOAD_REQUEST,
  location,
  externalData: [],
  variants: [],
  providers: ["webgpu", "wasm"],
};

it.each<[string, Partial<LoadRequest>]>([
  ["options of ONNX Runtime", { sessionOptions: { graphOptimizationLevel: "basic" } }],
  ["options of a provider", { providerOptions: { webgpu: { preferredLayout: "NCHW" } } }],
  ["tolerance between ways", { agreement: { relative: 0.1, absolute: 0 } }],
  ["files of providers", { variants: [{ provider: "wasm", location, externalData: [], integrity: null }] }],
])("what is known of ways is not used for other %s", async (_what, changes) => {
  vi.stubGlobal("navigator", { userAgent: "a browser", hardwareConcurrency: 4 });
  const known = await waysContext(REQUEST, null);
  expect(await waysContext({ ...REQUEST }, null)).toBe(known);
  expect(await waysContext({ ...REQUEST, ...changes }, null)).not.toBe(known);
});
