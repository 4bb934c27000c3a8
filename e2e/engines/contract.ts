// The page of the engine tests. Its driver only opens it and collects what it says: nothing here is one browser's own.
import { builds } from "./builds.js";
import { flood } from "./flood.js";
import { hostileInputs } from "./hostile-inputs.js";
import { fuzzModels } from "./model-fuzz.js";
import { models } from "./models.js";
import { predictions } from "./predictions.js";
import { ask } from "./promise.js";
import { requests } from "./requests.js";
import { tensors } from "./tensors.js";

const PROMISES = Object.entries({ ...predictions, ...tensors, ...requests, ...models, ...builds, ...hostileInputs });

const contract = {
  /** The sentences of all promises, as JSON. */
  promises: () => JSON.stringify(PROMISES.map(([promise]) => promise)),

  /** Tries one. A verdict as JSON, which every driver can carry. */
  async keep(index: number): Promise<string> {
    const [promise, keep] = PROMISES[index] ?? ["no such promise", () => Promise.reject(new RangeError(String(index)))];
    return JSON.stringify(await ask(promise, keep));
  },

  /** What was thrown in this page and nobody caught, as JSON. */
  uncaught: () => JSON.stringify(uncaught),

  /** A report as JSON. */
  flood: async (count: number, seed: number) => JSON.stringify(await flood(count, seed)),

  /** A report as JSON. */
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
