import { afterEach, expect, it, vi } from "vitest";
import { ModelDatabase } from "../../store/model-database.js";
import { chooseWay } from "./chosen-way.js";
import { LOAD_REQUEST, MODEL_URL } from "../../../test/support/scripted-plan.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Chooses on a page without a GPU, whose database never answers, in a time that does not pass. */
function choose(isIsolated: boolean) {
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
  const chosen = chooseWay(request, async () => ({ missing: "no GPU" }), new ModelDatabase());
  return { open, chosen };
}

it("a load waits for no stored ways where there is only one", async () => {
  const { open, chosen } = choose(false);
  expect(await chosen).toMatchObject({ context: null, known: null, request: { numThreads: 1 } });
  expect(open).not.toHaveBeenCalled();
});

it("a load waits at most half a second for stored ways where there is a choice", async () => {
  const { open, chosen } = choose(true);
  await vi.waitFor(() => expect(open).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(500);
  expect(await chosen).toMatchObject({ known: null, request: { numThreads: 1 } });
});
