import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { handledModel } from "../../../test/support/handled-model.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { messages } from "../../../test/support/messages.js";
import type { BatchedModel } from "../../client/options/model.js";
import { crash } from "../../client/workers/crash-history.js";

/** The item whose `preprocess` ends its worker. */
const FATAL = 666;

let model: BatchedModel<number, number>;
/** What the workers have begun to preprocess and to answer, in this order. */
let events: string[];

/**
 * Opens a model that runs each item alone. `preprocess` of an item lets the worker handle messages before it returns.
 */
beforeEach(async () => {
  stubBrowser();
  // A worker of the test before may still answer.
  const own: string[] = (events = []);
  model = await handledModel<number, number>(
    (worker) => ({
      async preprocess(value) {
        own.push(`preprocess ${value}`);
        if (value === FATAL) worker.say({ notice: "lost", error: encodeError(crash("a handler has ended it")) });
        await messages();
        return new Float32Array(4).fill(value);
      },
      postprocess({ y }, value) {
        own.push(`answer ${value}`);
        return Number(y!.data[0]);
      },
    }),
    { executionProviders: ["wasm"], batching: false },
  );
});

afterEach(async () => {
  await model.dispose();
  vi.unstubAllGlobals();
});

function outcomesOf(...values: number[]): Promise<unknown[]> {
  return Promise.all(values.map((value) => model.predict(value).catch(({ code }) => code)));
}

it("a run is not blamed for good for an item of another run whose handler ends the worker", async () => {
  expect(await outcomesOf(1, FATAL, 3)).toEqual([2, "WORKER_CRASHED", 6]);
});

it("after a loss, a worker works on the items of one batch at a time", async () => {
  await outcomesOf(1, FATAL, 3);
  const repeated = events.slice(events.lastIndexOf("preprocess 1"), events.indexOf(`preprocess ${FATAL}`, 3));
  expect(repeated.slice(0, 2)).toEqual(["preprocess 1", "answer 1"]);
});

it("items are preprocessed ahead of their runs again when those of the lost batches have settled", async () => {
  await outcomesOf(1, FATAL);
  events.length = 0;
  await outcomesOf(4, 5, 6);
  expect(events.indexOf("preprocess 6")).toBeLessThan(events.indexOf("answer 4"));
});
