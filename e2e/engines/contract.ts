// The page of the engine tests. A driver only opens it and collects the results. The page uses nothing that is specific
// to one browser.
import { builds } from "./builds.js";
import { flood } from "./flood.js";
import { handlers } from "./handlers.js";
import { hostileInputs } from "./hostile-inputs.js";
import { fuzzModels } from "./model-fuzz.js";
import { models } from "./models.js";
import { predictions } from "./predictions.js";
import { ask } from "./promise.js";
import { requests } from "./requests.js";
import { sharedTabs } from "./shared-tabs.js";
import { tensors } from "./tensors.js";

const PROMISES = Object.entries({
  ...predictions,
  ...tensors,
  ...requests,
  ...handlers,
  ...models,
  ...builds,
  ...sharedTabs,
  ...hostileInputs,
});

const contract = {
  /** Returns the titles of all tests, as JSON. */
  promises: () => JSON.stringify(PROMISES.map(([promise]) => promise)),

  /** Runs one test. Returns its verdict as JSON, which every driver can transfer. */
  async keep(index: number): Promise<string> {
    const [promise, keep] = PROMISES[index] ?? ["no such test", () => Promise.reject(new RangeError(String(index)))];
    return JSON.stringify(await ask(promise, keep));
  },

  /** Returns the uncaught errors and unhandled rejections of this page, as JSON. */
  uncaught: () => JSON.stringify(uncaught),

  /** Returns a `FloodReport` as JSON. */
  flood: async (count: number, seed: number) => JSON.stringify(await flood(count, seed)),

  /** Returns a `FuzzReport` as JSON. */
  fuzzModels: async (from: number, count: number, seed: number) => JSON.stringify(await fuzzModels(from, count, seed)),
};

const uncaught: string[] = [];
addEventListener("error", (event) => uncaught.push(event.message));
addEventListener("unhandledrejection", (event) => uncaught.push(String(event.reason)));

declare global {
  interface Window {
    contract: typeof contract;
  }
}

window.contract = contract;
