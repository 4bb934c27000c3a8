import { afterEach, expect, it, vi } from "vitest";
import { ModelDatabase } from "../../store/model-database.js";
import { chooseWay } from "./chosen-way.js";
import { LOAD_REQUEST, MODEL_URL } from "../../../test/support/scripted-plan.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Chooses on a page without a GPU, whose database never answers, in a time that does not pass. */
function choose(
  isIsolated: boolean,
  isLarge: Promise<boolean> = Promise.resolve(false),
  adapter: string | null = null,
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
  } as const;
  const device = adapter === null ? { missing: "no GPU" } : { name: adapter };
  const chosen = chooseWay(request, async () => device, new ModelDatabase(), isLarge);
  return { open, chosen };
}

/** Lets half a second pass, after which nothing is known of earlier visits. */
async function onFirstVisit({ open, chosen }: ReturnType<typeof choose>) {
  await vi.waitFor(() => expect(open).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(500);
  return chosen;
}

const NEVER = new Promise<boolean>(() => undefined);

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

it("a model on a GPU waits for no size", async () => {
  const chosen = await onFirstVisit(choose(true, NEVER, "nvidia hopper"));
  expect(chosen).toMatchObject({ request: { providers: ["webgpu", "wasm"], numThreads: 1 } });
});
