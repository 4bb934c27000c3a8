import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import type { batched } from "@framebatch/batcher/functions/batched.js";
import type { createModelAt } from "./client/model/create-batched-model.js";
import { keepSource } from "./client/options/model-source.js";
import type { serve } from "./transport/serve.js";
import * as runtime from "onnxruntime-web/wasm";
import { handOver } from "./worker/ort/runtime-handover.js";
import type { SessionHost } from "./worker/host/session-host.js";
import { type CallCounts, CountedBundle } from "../test/support/counted-bundle.js";
import { channelSite, hostSite } from "../test/support/channel-worker.js";
import { modelInNode, stubBrowser } from "../test/support/model-in-node.js";
import { readOwnFiles } from "../test/support/own-files.js";

/** Enough for what is decided once, or learned from the first calls, to be past. */
const WARM_UP_CALLS = 50;
/** Among so many there is one during which no timer fires, and after which no run is learned from. */
const COUNTED_CALLS = 40;

/** Sources whose calls are counted. */
type Countable = Pick<CountedBundle<unknown>, "callsOf">;

/**
 * What one call may run when no other is open. V8 interprets the first hundreds of calls, so a page pays for each
 * function. The budgets may only fall.
 */
const BUDGETS = {
  batched: { functions: 76, calls: 97, modules: 12 },
  page: { functions: 129, calls: 153, modules: 30 },
  worker: { functions: 36, calls: 50, modules: 12 },
} as const satisfies Record<string, CallCounts>;

const OPTIONS = { cache: false, executionProviders: ["wasm"] } as const;
const MODEL = generateModel("mlp-tiny").bytes;
const ITEM = new Float32Array(64);

beforeAll(() => {
  stubBrowser();
  readOwnFiles();
});

afterAll(() => void vi.unstubAllGlobals());

describe("a lone call runs at most as many functions as its budget allows", () => {
  it("of a batched function", async () => {
    const bundle = await CountedBundle.of<{ batched: typeof batched }>(
      `export { batched } from "@framebatch/batcher/functions/batched.js";`,
    );
    const double = bundle.exports.batched(async (items: number[]) => items.map((item) => 2 * item));
    await check(bundle, () => double(21), BUDGETS.batched);
  });

  it("of a model, on the page", async () => {
    const bundle = await CountedBundle.of<{ createModelAt: typeof createModelAt }>(
      `export { createModelAt } from "./src/client/model/create-batched-model.js";`,
    );
    await using model = await bundle.exports.createModelAt(
      { site: hostSite(), share: null },
      keepSource(MODEL),
      OPTIONS,
    );
    await check(bundle, () => model.predict(ITEM), BUDGETS.page);
  });

  it("of a model, in the worker", async () => {
    const bundle = await CountedBundle.of<{ SessionHost: typeof SessionHost; serve: typeof serve }>(
      `export { SessionHost } from "./src/worker/host/session-host.js";
       export { serve } from "./src/transport/serve.js";`,
    );
    const { SessionHost: Host, serve: answer } = bundle.exports;
    const site = channelSite((worker) => new Host((notice) => worker.say(notice)), undefined, answer);
    // The bundle imports the script, which must therefore be one that Node can run.
    vi.stubGlobal("handOver", () => handOver(runtime));
    const runtimes = { ...site.runtimes, wasm: { script: "data:text/javascript,handOver()", wasm: "" } };
    await using model = await modelInNode(MODEL, OPTIONS, { ...site, runtimes });
    await check(bundle, () => model.predict(ITEM), BUDGETS.worker);
  });
});

/** Counts calls until one keeps to its budget, since a timer may fire during the others, and checks the cheapest. */
async function check(bundle: Countable, call: () => Promise<unknown>, budget: CallCounts): Promise<void> {
  for (let count = 0; count < WARM_UP_CALLS; count++) await call();
  const counts: CallCounts[] = [];
  const isMet = ({ functions, calls, modules }: CallCounts) =>
    functions <= budget.functions && calls <= budget.calls && modules <= budget.modules;
  while (counts.length < COUNTED_CALLS && !counts.some(isMet)) counts.push(await bundle.callsOf(call));
  const [least] = counts.toSorted((a, b) => a.functions - b.functions || a.calls - b.calls);
  expect(least?.functions).toBeLessThanOrEqual(budget.functions);
  expect(least?.calls).toBeLessThanOrEqual(budget.calls);
  expect(least?.modules).toBeLessThanOrEqual(budget.modules);
}
