import { afterEach, beforeEach, expect, expectTypeOf, it, vi } from "vitest";
import type { BatchedModel } from "../../client/options/model.js";
import type { HandlerModelOptions } from "../../client/options/options.js";
import { type Handlers, passOn } from "../worker/handlers.js";
import type { ChannelWorker } from "../../../test/support/channel-worker.js";
import { handledModel } from "../../../test/support/handled-model.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";

let model: BatchedModel<never, unknown>;

beforeEach(() => stubBrowser());

afterEach(async () => {
  await model.dispose();
  vi.unstubAllGlobals();
});

async function modelWith<Input, Output, Value>(
  make: (worker: ChannelWorker) => Handlers<Input, Output, Value>,
  options: Partial<HandlerModelOptions<Input>> = {},
): Promise<BatchedModel<Input, Output>> {
  const created = await handledModel(make, { executionProviders: ["wasm"], ...options });
  model = created;
  return created;
}

/** A value that no message can contain. */
interface Writer {
  readonly write: (numbers: readonly number[]) => string;
}

const PASSING: Handlers<number, string, Writer> = {
  preprocess: (number) => passOn(Float32Array.of(number), { write: (numbers) => `${number} * 2 = ${numbers.join()}` }),
  postprocess: ({ y }, _number, { passed }) => passed.write(Array.from(y!.data, Number)),
};

it("postprocess gets what preprocess has passed on for its item, as it is", async () => {
  const numbers = await modelWith(() => PASSING, {
    samples: [1, 2],
    allowedBatchSizes: [3],
    batching: { release: "window" },
  });
  expect(await numbers.predictMany([3, 4, 5])).toEqual(["3 * 2 = 6", "4 * 2 = 8", "5 * 2 = 10"]);
  expect(numbers.stats()).toMatchObject({ batchCheck: { outcome: "passed" }, batchSize: { max: 3 } });
});

it("passes nothing by default", async () => {
  const numbers = await modelWith<number, unknown, undefined>(() => ({
    preprocess: (number) => Float32Array.of(number),
    postprocess: (_outputs, _number, context) => "passed" in context && context.passed,
  }));
  expect(await numbers.predict(1)).toBe(undefined);
});

it("preprocesses an item again that moves to another worker", async () => {
  const seen: number[] = [];
  const numbers = await modelWith<{ data: ArrayBuffer }, string, Writer>(
    () => ({
      preprocess({ data }) {
        const [number = 0] = new Float32Array(data);
        seen.push(number);
        return passOn(new Float32Array(data), { write: (results) => `${number}: ${results.join()}` });
      },
      postprocess: ({ y }, _item, { passed }) => passed.write(Array.from(y!.data, Number)),
    }),
    { batching: { release: "window" }, maxQueueDelayMs: 3_600_000, verify: false, warmup: false },
  );
  const answer = numbers.predict({ data: Float32Array.of(7).buffer }, { transfer: true });
  await expect.poll(() => seen).toEqual([7]);
  await numbers.restart();
  numbers.flush();
  expect(await answer).toBe("7: 14");
  expect(seen).toEqual([7, 7]);
});

it("has types that follow from preprocess", () => {
  const handlersOf = <Input, Output, Passed = undefined>(handlers: Handlers<Input, Output, Passed>) => handlers;
  handlersOf({
    preprocess: (text: string) => passOn(Float32Array.of(text.length), { text }),
    postprocess: (_outputs, _text, { passed }) => expectTypeOf(passed).toEqualTypeOf<{ text: string }>(),
  });
  handlersOf({
    preprocess: (text: string) => Float32Array.of(text.length),
    postprocess: (_outputs, _text, { passed }) => expectTypeOf(passed).toEqualTypeOf<undefined>(),
  });
  // @ts-expect-error -- preprocess must pass a number on
  handlersOf<string, string, number>({ preprocess: (text) => Float32Array.of(text.length) });
});
