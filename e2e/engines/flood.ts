import { createBatchedModel, FramebatchError, type BatchedModel } from "framebatch";
import fc from "fast-check";
import { EVERY_KIND } from "../fixtures/anything.js";
import { distance } from "../fixtures/distance.js";
import { itemsFor, type ExactItem } from "../fixtures/items.js";
import { createReference, type DirectOutputs } from "../fixtures/reference.js";
import { predictAnything } from "./hostile-inputs.js";

const TINY = "/models/mlp-tiny.onnx";
/** Calls per task, so that invalid and valid items could end up in the same batch. */
const BURST = 440;
/** Every 11th call has a valid item. */
const GOOD_EVERY = 11;
const GOOD_ITEMS = 16;

const ANYTHING = fc.anything({ ...EVERY_KIND, maxDepth: 3 });

/** The outcomes of the calls of a flood. */
export interface FloodReport {
  seed: number;
  /** Calls with a random value as the item, as an input or as the options. */
  bad: number;
  /** The calls among these whose random value happened to be valid. */
  fitting: number;
  good: number;
  /** Valid calls that were rejected or got a wrong answer. */
  harmed: number;
  syncThrows: number;
  /** Rejections with an error of the caller, not of framebatch: a getter of the options threw. */
  untyped: number;
  uncaught: number;
  /** Times that the model lost a worker. */
  lost: number;
}

/** Makes `count` calls: ten with a random value after each one with a valid item. */
export async function flood(count: number, seed: number): Promise<FloodReport> {
  const model = await createBatchedModel(TINY, { executionProviders: ["wasm"] });
  const reference = await createReference(TINY, "wasm");
  const items = itemsFor("mlp-tiny", GOOD_ITEMS);
  const run = new Flood(model, items, await reference.runAll(items), seed);
  for (let done = 0; done < count; done += BURST) await run.burst(Math.min(BURST, count - done), seed + done);
  await model.dispose();
  return run.end();
}

class Flood {
  readonly #model: BatchedModel;
  readonly #items: readonly ExactItem[];
  readonly #right: readonly DirectOutputs[];
  readonly #report: FloodReport;

  constructor(model: BatchedModel, items: readonly ExactItem[], right: readonly DirectOutputs[], seed: number) {
    this.#model = model;
    this.#items = items;
    this.#right = right;
    const nothing = { fitting: 0, good: 0, harmed: 0, syncThrows: 0, untyped: 0, uncaught: 0, lost: 0 };
    this.#report = { seed, bad: 0, ...nothing };
    model.addEventListener("statechange", ({ detail }) => {
      if (detail.state === "recovering" || detail.state === "failed") this.#report.lost += 1;
    });
    addEventListener("unhandledrejection", this.#countUncaught);
    addEventListener("error", this.#countUncaught);
  }

  async burst(count: number, seed: number): Promise<void> {
    const values = fc.sample(ANYTHING, { numRuns: count, seed });
    const calls = values.map((value, index) =>
      index % GOOD_EVERY === 0 ? this.#askGood(index) : this.#askBad(value, index),
    );
    await Promise.all(calls);
  }

  async end(): Promise<FloodReport> {
    // The browser reports an unhandled rejection in a later task.
    await new Promise((resolve) => setTimeout(resolve, 50));
    removeEventListener("unhandledrejection", this.#countUncaught);
    removeEventListener("error", this.#countUncaught);
    return this.#report;
  }

  async #askGood(index: number): Promise<void> {
    const which = index % GOOD_ITEMS;
    this.#report.good += 1;
    const apart = await this.#model.predict(this.#items[which] ?? []).then(
      (outputs) => distance(outputs, this.#right[which]),
      () => Infinity,
    );
    if (apart > 1e-4) this.#report.harmed += 1;
  }

  async #askBad(value: unknown, index: number): Promise<void> {
    this.#report.bad += 1;
    const error = await this.#call(value, index);
    if (error === null) this.#report.fitting += 1;
    else if (!(error instanceof FramebatchError)) this.#report.untyped += 1;
  }

  /** Resolves with the error of the call, or with `null` if it was answered. */
  #call(value: unknown, index: number): Promise<unknown> {
    const [item, options] = [
      [value, undefined],
      [{ x: value }, undefined],
      [{ x: { data: value, dims: [64] } }, undefined],
      [this.#items[0], value],
    ][index % 4] ?? [value, undefined];
    try {
      return predictAnything(this.#model, item, options).then(
        () => null,
        (error: unknown) => error ?? "nothing",
      );
    } catch {
      this.#report.syncThrows += 1;
      return Promise.resolve("thrown at once");
    }
  }

  readonly #countUncaught = (): void => {
    this.#report.uncaught += 1;
  };
}
